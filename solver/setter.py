"""How the opponents of a pool would set hands that are not among its own."""

from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evaluator.kernels import workspace
from evaluator.ranking import tables
from solver.opening import Table, find_naturals
from solver.opponents import space
from solver.pool import DECLARE, MADE, SET, set_by_name
from solver.responding import Play, respond_quickly, respond_to, responses
from solver.rules import FACING
from solver.scoring import terms_of
from solver.solve import decide, declaring

I64 = NDArray[np.int64]

LOOK: Final = 1024  # conditional opponents that a hand's best settings are scored against


def set_hands(table: Table, hands: I64, seed: int = 0) -> Play:
    """Set hands as the opponents of a table would.

    Greedy and random opponents set as they always do. Those of any other pool are taken to give
    the best response to each other, as those of a trained one nearly do: quickly found, so that
    it costs them a few thousandths of a unit a hand.

    Parameters
    ----------
    table
        The rules, the pool and the seat count; players, seed and samples do not.
    hands
        Sets of cards (h,); what is done with one depends on no other.
    seed
        Draws the settings of random opponents, and whom the others are scored against.

    Returns
    -------
    Play
        Strengths, broken codes and decisions; greedy and random players know no EVs.

    Examples
    --------
    >>> from solver.opening import open_table
    >>> set_hands(open_table(opponents="greedy"), np.array([0x1FFF])).settings.strengths.tolist()
    [[7777, 7763, 5437]]
    """
    rules, name = table.rules, table.pool.name
    if name not in MADE:
        seated = replace(table, samples=LOOK, seed=seed, seat=FACING[table.seat])
        return best_responses(seated, hands, quick=True)
    found = responses(len(hands))
    ranks = tables(rules.wheel)
    set_by_name(
        name == "greedy", seed, hands, hands, ranks, workspace(), found.strengths, found.broken
    )
    holds = find_naturals(rules, hands) >= 0
    return Play(found, np.where(holds, DECLARE, SET).astype(np.uint8))


def best_responses(table: Table, hands: I64, quick: bool = False) -> Play:
    """Answer hands (h,) with the best response to the opponents of a table, or nearly if quick."""
    field, (terms, worths) = table.field, terms_of(table.rules, table.seat)
    scratch, found = space(field, terms, table.wanted), responses(len(hands))
    places, evs, _ = declaring(table, hands, scratch)
    holds = places >= 0
    known = field, terms, worths, tables(table.rules.wheel), table.seed, table.wanted
    if quick:
        respond_quickly(hands, *known, workspace(), scratch, found)
    else:
        respond_to(hands, holds, *known, workspace(), scratch, found)
    return Play(found, decide(table.rules, holds, [found.evs, evs, found.surrender_evs]))
