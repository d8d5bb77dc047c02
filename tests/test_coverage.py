"""How far the numbers can be trusted: coverage of the intervals, and what racing loses."""

import numpy as np
import pytest
from numpy.typing import NDArray
from results import results_of
from winnings import RULES, payments

from evaluator.cards import Cards
from evaluator.jit import kernel
from evaluator.kernels import Workspace, canonical, rank_subsets, relabel, workspace
from evaluator.ranking import Tables, tables
from solver.candidates import find_candidates
from solver.choosing import choose_pool
from solver.deals import deal, deal_many
from solver.estimate import Results, race
from solver.opening import field_of
from solver.opponents import Field, Space, meet, space, spread
from solver.pool import RECORDS, OpponentPool, make_pool
from solver.rules import load_rules
from solver.scoring import Terms, Worths, terms_of
from solver.solution import Z_95

I64 = NDArray[np.int64]
F64 = NDArray[np.float64]

AS_GOOD = 0.001  # a gap whose true value is within this is covered by any interval


def judge(found: Results, hands: list[Cards], pool: OpponentPool, samples: int) -> F64:
    """Value of the best settings and lead over the second against another pool.

    Shape (hands, 2, 2): of each the number and its standard error.
    """
    terms = terms_of(RULES)[0]
    field = field_of(RULES, pool)
    scratch = space(field, terms, samples)
    judged = np.empty((len(hands), 2, 2))
    for h, hand in enumerate(hands):
        met = meet(hand.mask, field, terms, 0, samples, scratch)
        columns = scratch.columns
        opponents = np.stack([columns.back, columns.middle, columns.front])[:, : met.opponents]
        best, second = (payments(found.strengths[h, place], opponents) for place in (0, 1))
        judged[h, 0] = spread(best, met, scratch)
        judged[h, 1] = spread(best - second, met, scratch)
    return judged


def coverage(
    hands: list[Cards], pool: OpponentPool, other: OpponentPool, samples: int
) -> tuple[float, float]:
    """Shares of hands whose 95 % intervals hold the value of the best setting, and of its lead.

    The other pool has other deals, and more of them. As it has an error of its own, the two are
    added in quadrature.
    """
    found = results_of(hands, RULES, opponents=pool, samples=samples)
    judged = judge(found, hands, other, 4 * samples)
    errors = np.hypot(np.stack([found.se[:, 0], found.gap_se[:, 1]], axis=1), judged[:, :, 1])
    apart = abs(np.stack([found.ev[:, 0], found.gap[:, 1]], axis=1) - judged[:, :, 0])
    covered = apart <= Z_95 * errors
    covered[:, 1] |= abs(judged[:, 1, 0]) <= AS_GOOD
    value, gap = covered.mean(axis=0).tolist()
    return value, gap


def greedy_pools(records: int) -> tuple[OpponentPool, OpponentPool]:
    """A pool, and one of other deals to judge it by."""
    return (
        make_pool("greedy", records=records, seed=501),
        make_pool("greedy", records=4 * records, seed=502),
    )


def check_coverage(
    hands: int, least: float, most: float, pool: OpponentPool, other: OpponentPool
) -> None:
    samples = min(10_000, 10_000 * len(pool.hands) // RECORDS)
    value, gap = coverage(deal(hands, seed=503), pool, other, samples)
    print(f"95 % intervals on {hands} hands hold the value in {value:.1%}, the gap in {gap:.1%}")
    assert least <= value <= most
    assert least <= gap <= most


@kernel
def find_losses(
    hands: I64,
    field: Field,
    terms: Terms,
    worths: Worths,
    table: Tables,
    wanted: int,
    work: Workspace,
    space: Space,
    losses: F64,
) -> None:
    """Write by how many units the best setting left of a race is worse than the best of all."""
    for h in range(hands.shape[0]):
        suits = field.relabellings[canonical(hands[h], field.relabellings)]
        hand = relabel(hands[h], suits)
        met = meet(hand, field, terms, 0, wanted, space)
        rank_subsets(hand, table, work)
        candidates = find_candidates(hand, terms, worths, table, work)
        best = most = np.int64(0)
        for keep in (candidates, min(2, candidates)):  # nothing is dropped where all are kept
            space.sums[:candidates] = 0
            left = race(candidates, keep, 0, met.setting, terms, worths, work, space)
            best, most = most, space.sums[0]
            for i in range(1, left):
                most = max(most, space.sums[i])
        losses[h] = (best - most) / met.opponents


def check_racing(hands: int, rules: str, opponents: str, records: int | None = None) -> None:
    """Racing against scoring every candidate on all opponents."""
    rule_set = load_rules(rules)
    pool = choose_pool(opponents, rule_set).part(slice(records))
    dealt, losses = np.empty(hands, np.int64), np.empty(hands)
    deal_many(505, 0, dealt)
    field, (terms, worths) = field_of(rule_set, pool), terms_of(rule_set)
    scratch, ranks = space(field, terms, 10_000), tables(rule_set.wheel)
    find_losses(dealt, field, terms, worths, ranks, 10_000, workspace(), scratch, losses)
    print(
        f"racing under {rules} against {opponents}: of {hands:,} hands {np.mean(losses > 0):.4%} "
        f"lost the best setting, {np.mean(losses > 0.01):.4%} by more than 0.01 units; "
        f"{losses.mean():.7f} units a hand, {losses.max():.4f} at the most"
    )
    assert (losses >= 0).all()
    assert losses.mean() <= 0.001
    assert np.mean(losses > 0.01) <= 0.001


def test_intervals_of_some_hands() -> None:
    check_coverage(200, 0.89, 0.995, *greedy_pools(RECORDS // 4))


@pytest.mark.parametrize("rules", ["2-4", "shisanshui"])
def test_racing_some_hands(rules: str) -> None:
    check_racing(hands=1000, rules=rules, opponents="greedy", records=RECORDS // 4)
