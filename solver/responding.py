"""Best responses to a pool, without the extras that `estimate` tells of each hand, compiled."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluator.broken import broken_code
from evaluator.jit import kernel
from evaluator.kernels import Workspace, canonical, rank_subsets, relabel, split_masks
from evaluator.ranking import Tables
from solver.candidates import find_candidates
from solver.estimate import bring_forward, race
from solver.opponents import Field, Space, find_opponents, gather, opponent
from solver.scoring import Terms, Worths, pay, side

I16 = NDArray[np.int16]
I64 = NDArray[np.int64]
F64 = NDArray[np.float64]


class Responses(NamedTuple):
    """Settings of hands (h,) and what they are worth against one opponent."""

    strengths: I16  # (h, 3)
    broken: NDArray[np.uint8]  # (h,) broken codes
    evs: F64  # (h,)
    surrender_evs: F64  # (h,) of surrendering instead; 0 where nobody may


@dataclass(frozen=True)
class Play:
    """What a player does with hands (h,)."""

    settings: Responses
    decisions: NDArray[np.uint8]  # (h,) SET, DECLARE or SURRENDER


def responses(hands: int) -> Responses:
    """Return arrays for the responses of some hands."""
    strengths, broken = np.zeros((hands, 3), np.int16), np.zeros(hands, np.uint8)
    return Responses(strengths, broken, np.zeros(hands), np.zeros(hands))


@kernel
def respond_to(
    hands: I64,
    field: Field,
    terms: Terms,
    worths: Worths,
    table: Tables,
    seed: int,
    wanted: int,
    work: Workspace,
    space: Space,
    found: Responses,
) -> None:
    """Find the best setting of each hand (h,), as `estimate.solve_hands` does."""
    for h in range(hands.shape[0]):
        hand = relabel(hands[h], field.relabellings[canonical(hands[h], field.relabellings)])
        count = find_opponents(hand, field, seed, wanted, space)
        setting = gather(count, field, terms, space)
        rank_subsets(hand, table, work)
        _respond(hand, h, count, setting, terms, worths, table, work, space, found)


@kernel
def _respond(
    hand: int,
    h: int,
    count: int,
    setting: int,
    terms: Terms,
    worths: Worths,
    table: Tables,
    work: Workspace,
    space: Space,
    found: Responses,
) -> None:
    """Write the best setting against the opponents in the scratch, ``setting`` of whom set."""
    candidates = find_candidates(hand, terms, worths, table, work)
    choose(hand, h, candidates, count, setting, terms, worths, table, work, space, found)


@kernel
def choose(
    hand: int,
    h: int,
    candidates: int,
    count: int,
    setting: int,
    terms: Terms,
    worths: Worths,
    table: Tables,
    work: Workspace,
    space: Space,
    found: Responses,
) -> None:
    """Write the best of some settings against the opponents in the scratch."""
    candidates = race(candidates, 1, setting, terms, worths, work, space)
    bring_forward(0, candidates, work, space)
    found.strengths[h, 0] = work.backs[0]
    found.strengths[h, 1] = work.middles[0]
    found.strengths[h, 2] = work.fronts[0]
    if terms.broken:
        back, middle, _ = split_masks(work.splits[0], table, work)
        found.broken[h] = broken_code(hand, back, middle)
    total, surrendered = space.sums[0], np.int64(-terms.surrender * setting)
    for i in range(setting, count):
        total += space.fixed[i]
        surrendered += min(space.fixed[i], 0)  # naturals are paid before anyone may surrender
    found.evs[h] = total / max(1, count)
    found.surrender_evs[h] = surrendered / max(1, count)


@kernel
def _value(
    h: int,
    settings: Responses,
    count: int,
    setting: int,
    terms: Terms,
    worths: Worths,
    space: Space,
) -> tuple[float, float]:
    """Return a setting's EV against the opponents in the scratch, and the mean square score."""
    strengths, code = settings.strengths, settings.broken[h]
    hero = side(strengths[h, 0], strengths[h, 1], strengths[h, 2], code, terms, worths)
    total = squares = np.int64(0)
    for i in range(count):
        score = space.fixed[i]
        if i < setting:
            score = np.int32(pay(hero, opponent(i, space.columns), terms))
        total += score
        squares += score * score
    return total / max(1, count), squares / max(1, count)


@kernel
def counter(
    hands: I64,
    own: Responses,
    fields: tuple[Field, Field],
    terms: Terms,
    worths: Worths,
    table: Tables,
    wanted: int,
    work: Workspace,
    spaces: tuple[Space, Space],
    found: tuple[Responses, Responses],
    own_evs: F64,
    crossed_evs: F64,
    squares: F64,
) -> None:
    """Answer two fields of opponents, all of them, and value each answer against the other field.

    For each hand (h,) and each of the fields: ``found`` has the best response to it with its EV
    there, ``own_evs`` (h, 2) the EV there of the setting ``own``, and ``crossed_evs`` (h, 2) the
    EV there of the best response to the other field. ``squares`` (h,) are means of the squares
    of what ``own`` scores against the first field.
    """
    one, other = spaces
    for h in range(hands.shape[0]):
        suits = fields[0].relabellings[canonical(hands[h], fields[0].relabellings)]
        hand = relabel(hands[h], suits)
        rank_subsets(hand, table, work)
        count = find_opponents(hand, fields[0], 0, wanted, one)
        setting = gather(count, fields[0], terms, one)
        others = find_opponents(hand, fields[1], 0, wanted, other)
        others_setting = gather(others, fields[1], terms, other)
        _respond(hand, h, count, setting, terms, worths, table, work, one, found[0])
        _respond(hand, h, others, others_setting, terms, worths, table, work, other, found[1])
        own_evs[h, 0], squares[h] = _value(h, own, count, setting, terms, worths, one)
        own_evs[h, 1], _ = _value(h, own, others, others_setting, terms, worths, other)
        crossed_evs[h, 0], _ = _value(h, found[1], count, setting, terms, worths, one)
        crossed_evs[h, 1], _ = _value(h, found[0], others, others_setting, terms, worths, other)
