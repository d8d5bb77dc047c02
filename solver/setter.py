"""A fast player derived from a pool: how its opponents would set hands that are not among its own.

Greedy and random opponents set as they always do. For others a hand's settings are valued by how
each row does against the pool's rows as if the three were independent; the best of these are then
scored against opponents of the pool that could sit at the table, as `solve` does.
"""

from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluator.jit import kernel, merged
from evaluator.kernels import Workspace, canonical, rank_subsets, relabel, workspace
from evaluator.ranking import CLASSES, Tables, tables
from solver.candidates import candidate, find_candidates
from solver.estimate import bring_forward
from solver.opponents import Field, Space, find_opponents, gather, space
from solver.pool import DECLARE, MADE, SET, OpponentPool, set_by_name
from solver.responding import Play, Responses, choose, responses
from solver.rules import RuleSet
from solver.scoring import Terms, Worths, terms_of
from solver.solve import Table, decide, declaring, field_of, find_naturals

I64 = NDArray[np.int64]
F32 = NDArray[np.float32]

LOOK: Final = 1024  # conditional opponents that settings are scored against
_SHORTLIST: Final = 16  # settings scored
_FINE: Final = 1 << 20  # parts of a unit: sums are integers


class Chances(NamedTuple):
    """How a row fares against the pool's rows by its strength, each (3, 7917): a share of one."""

    win: F32
    lose: F32
    cost: F32  # units paid for losing it, shared out over all opponents


@lru_cache(maxsize=32)
def chances_of(rules: RuleSet, pool: OpponentPool) -> Chances:
    """Count how rows fare against those of the pool's records that set."""
    worth = terms_of(rules)[1].worth
    sets = field_of(rules, pool).records >> 39 == 0
    win, lose, cost = (np.zeros((3, CLASSES), np.float32) for _ in range(3))
    for row in range(3):
        counts = np.bincount(pool.strengths[sets, row], minlength=CLASSES)
        share = counts / max(1, counts.sum())
        paid = share * worth[row]
        win[row] = share.cumsum() - share
        lose[row] = share.sum() - share.cumsum()
        cost[row] = paid.sum() - paid.cumsum()
    return Chances(win, lose, cost)


def set_hands(table: Table, hands: I64, seed: int = 0) -> Play:
    """Set hands as the opponents of a table would.

    Parameters
    ----------
    table
        The rules and the pool count; players, seed and samples do not.
    hands
        Sets of cards (h,); what is done with one depends on no other.
    seed
        Draws the settings of random opponents, and whom the others are scored against.

    Returns
    -------
    Play
        Strengths, broken codes and decisions; EVs are of one opponent, 0 for greedy and random
        players, who do not look at them.

    Examples
    --------
    >>> from solver.solve import open_table
    >>> set_hands(open_table(opponents="greedy"), np.array([0x1FFF])).settings.strengths.tolist()
    [[7610, 7609, 2]]
    """
    rules, pool = table.rules, table.pool
    found, ranks = responses(len(hands)), tables(rules.wheel)
    if pool.name in MADE:
        greedy = pool.name == "greedy"
        set_by_name(greedy, seed, hands, hands, ranks, workspace(), *found[:2])
        holds = find_naturals(rules, hands) >= 0
        return Play(found, np.where(holds, DECLARE, SET).astype(np.uint8))
    look = Table(rules, 2, pool, seed, LOOK)
    field = field_of(rules, pool)
    terms, worths = terms_of(rules)
    scratch = space(field, terms, look.wanted)
    _set_quickly(
        hands,
        field,
        terms,
        worths,
        chances_of(rules, pool),
        ranks,
        seed,
        look.wanted,
        workspace(),
        scratch,
        found,
    )
    places, evs, _ = declaring(look, hands, scratch)
    return Play(found, decide(rules, places >= 0, [found.evs, evs, found.surrender_evs]))


@kernel
def _set_quickly(
    hands: I64,
    field: Field,
    terms: Terms,
    worths: Worths,
    chances: Chances,
    table: Tables,
    seed: int,
    wanted: int,
    work: Workspace,
    space: Space,
    found: Responses,
) -> None:
    """Do what `responding.respond_to` does, but score a shortlist only."""
    for h in range(hands.shape[0]):
        hand = relabel(hands[h], field.relabellings[canonical(hands[h], field.relabellings)])
        count = find_opponents(hand, field, seed, wanted, space)
        setting = gather(count, field, terms, space)
        rank_subsets(hand, table, work)
        candidates = find_candidates(hand, terms, worths, table, work)
        if candidates > _SHORTLIST:
            for i in range(candidates):
                space.sums[i] = np.int64(_FINE * _guess(i, terms, worths, chances, work))
            for place in range(_SHORTLIST):
                bring_forward(place, candidates, work, space)
            candidates = _SHORTLIST
        choose(hand, h, candidates, count, setting, terms, worths, table, work, space, found)


@merged
def _guess(i: int, terms: Terms, worths: Worths, chances: Chances, work: Workspace) -> float:
    """Return about what a candidate wins from an opponent whose rows are independent.

    A majority of one row and two ties, and limits of royalties, are left out.
    """
    hero = candidate(i, terms, worths, work)
    win, lose, cost = chances.win, chances.lose, chances.cost
    w0, w1, w2 = win[0, hero.back], win[1, hero.middle], win[2, hero.front]
    l0, l1, l2 = lose[0, hero.back], lose[1, hero.middle], lose[2, hero.front]
    c0, c1, c2 = cost[0, hero.back], cost[1, hero.middle], cost[2, hero.front]
    worth = hero.back_worth + hero.middle_worth + hero.front_worth
    scoop, scooped = w0 * w1 * w2, l0 * l1 * l2
    most_won = w0 * w1 + w0 * w2 + w1 * w2 - 2 * scoop
    most_lost = l0 * l1 + l0 * l2 + l1 * l2 - 2 * scooped
    bonus = terms.majority + terms.scoop_units
    return float(
        (w0 * hero.back_worth + w1 * hero.middle_worth + w2 * hero.front_worth)
        - (c0 + c1 + c2)
        + terms.majority * (most_won - most_lost)
        + terms.scoop_units * (scoop - scooped)
        + (terms.gun - 1)
        * (scoop * (worth + bonus) - (c0 * l1 * l2 + l0 * c1 * l2 + l0 * l1 * c2 + scooped * bonus))
        + hero.extra
    )
