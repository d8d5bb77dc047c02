"""How far the numbers can be trusted: coverage of the intervals, and what racing loses."""

import numpy as np
import pytest
from numpy.typing import NDArray
from results import results_of
from winnings import RULES, payments

from evaluator.cards import Cards
from solver.deals import deal
from solver.estimate import Results
from solver.opponents import meet, space, spread
from solver.pool import RECORDS, OpponentPool, make_pool
from solver.rules import load_rules
from solver.scoring import terms_of
from solver.solution import Z_95
from solver.solve import field_of

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


def check_racing(hands: int, records: int = RECORDS, rules: str = "2-4") -> None:
    """Where everything is listed nothing is dropped on the way: the best must be the same."""
    pool = make_pool("greedy", load_rules(rules).wheel, records=records, seed=504)
    lost = 0
    for hand in deal(hands, seed=505):
        raced = results_of([hand], rules, opponents=pool, top=2)
        assert raced.samples[0] > 2500
        whole = results_of([hand], rules, opponents=pool, top=7000)
        assert whole.listed[0] < 7000
        lost += any(
            not np.array_equal(getattr(raced, name)[:, :2], getattr(whole, name)[:, :2])
            for name in ("rows", "ev", "se", "gap", "gap_se")
        )
    print(f"racing lost under {rules} one of the two best settings of {lost} of {hands} hands")
    assert lost <= hands / 1000


def test_intervals_of_some_hands() -> None:
    check_coverage(200, 0.89, 0.995, *greedy_pools(RECORDS // 4))


@pytest.mark.parametrize("rules", ["2-4", "shisanshui"])
def test_racing_some_hands(rules: str) -> None:
    check_racing(hands=10, records=RECORDS // 4, rules=rules)
