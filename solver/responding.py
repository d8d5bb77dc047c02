"""Best responses to a pool, without the extras that `estimate` tells of each hand, compiled."""

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluator.broken import broken_code
from evaluator.jit import kernel, merged, part
from evaluator.kernels import Workspace, canonical, rank_subsets, relabel, split_masks
from evaluator.ranking import Tables
from solver.candidates import candidate, find_candidates
from solver.estimate import CERTAIN, add_scores, bring_forward, drop_behind, race
from solver.opponents import (
    FIRST_LOOK,
    Field,
    Space,
    draw_order,
    find_opponents,
    find_under,
    gather,
    opponent,
)
from solver.scoring import Terms, Worths, pay, side

I16 = NDArray[np.int16]
I64 = NDArray[np.int64]
F64 = NDArray[np.float64]

KEPT: Final = 16  # settings that a quick response takes to the second look


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
    thorough: NDArray[np.bool_],
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
    """Find the best setting of each hand (h,), as `estimate.solve_hands` does, in less time.

    The pool is met relabelling by relabelling. Once a single setting is left of the race, and it
    is clear whether to surrender, the rest could not change the answer, and is left out but for
    ``thorough`` hands (h,), whose EVs are to be known well.
    """
    for h in range(hands.shape[0]):
        hand = relabel(hands[h], field.relabellings[canonical(hands[h], field.relabellings)])
        rank_subsets(hand, table, work)
        candidates = find_candidates(hand, terms, worths, table, work)
        space.sums[:candidates] = 0
        draw_order(hand, seed, space)
        count = setting = raced = fixed = surrendered = 0
        look = 1
        for i in range(space.order.shape[0]):
            left = wanted - count
            new = min(left, find_under(i, hand, field, 0, left, False, space))
            count += new
            before, setting = setting, gather(setting, new, field, terms, space)
            for k in range(setting, before + new):
                fixed += space.fixed[k]
                surrendered += min(space.fixed[k], 0)
            last = count == wanted or i == space.order.shape[0] - 1
            if last or i + 1 == look:
                candidates = race(candidates, 1, raced, setting, terms, worths, work, space)
                raced, look = setting, 3 * look
            if last:
                break
            if thorough[h] or raced < setting or setting < FIRST_LOOK:
                continue
            candidates = drop_behind(candidates, 1, setting, terms, worths, work, space)
            lead = space.sums[0] + fixed - (surrendered - terms.surrender * setting)
            if candidates == 1 and _is_clear(lead, setting, terms, worths, work, space):
                break
        bring_forward(0, candidates, work, space)
        _note(hand, h, count, setting, fixed, surrendered, terms, table, work, space, found)


@merged
def _is_clear(
    lead: int, met: int, terms: Terms, worths: Worths, work: Workspace, space: Space
) -> bool:
    """Tell whether it is sure after ``met`` opponents that setting is better than surrender.

    ``lead`` is what the best setting won more, or if it is better to surrender, less than 0.
    """
    if not terms.may_surrender:
        return True
    best = candidate(0, terms, worths, work)
    squares = np.int64(0)
    for i in range(FIRST_LOOK):
        difference = np.int64(pay(best, opponent(i, space.columns), terms)) + terms.surrender
        squares += difference * difference
    return bool(abs(lead) > CERTAIN * np.sqrt(squares * met / FIRST_LOOK) + 2 * terms.biggest)


@part
def _note(
    hand: int,
    h: int,
    count: int,
    setting: int,
    fixed: int,
    surrendered: int,
    terms: Terms,
    table: Tables,
    work: Workspace,
    space: Space,
    found: Responses,
) -> None:
    """Write the first candidate, of the opponents met ``fixed`` being what others paid it."""
    found.strengths[h, 0] = work.backs[0]
    found.strengths[h, 1] = work.middles[0]
    found.strengths[h, 2] = work.fronts[0]
    if terms.broken:
        back, middle, _ = split_masks(work.splits[0], table, work)
        found.broken[h] = broken_code(hand, back, middle)
    found.evs[h] = (space.sums[0] + fixed) / max(1, count)
    # naturals are paid before anyone may surrender
    found.surrender_evs[h] = (surrendered - terms.surrender * setting) / max(1, count)


@kernel
def respond_quickly(
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
    """Find a setting of each hand (h,) that is about as good as the best, in half the time.

    Two looks: every candidate meets the first opponents, and the best few of these the rest.
    (Sequential halving: Karnin, Koren and Somekh, "Almost optimal exploration in multi-armed
    bandits", 2013.)
    """
    for h in range(hands.shape[0]):
        hand = relabel(hands[h], field.relabellings[canonical(hands[h], field.relabellings)])
        rank_subsets(hand, table, work)
        count = find_opponents(hand, field, seed, wanted, space)
        setting = gather(0, count, field, terms, space)
        candidates = find_candidates(hand, terms, worths, table, work)
        space.sums[:candidates] = 0
        first = min(FIRST_LOOK, setting)
        add_scores(0, first, candidates, terms, worths, work, space)
        kept = min(KEPT, candidates)
        for place in range(kept):
            bring_forward(place, candidates, work, space)
        add_scores(first, setting, kept, terms, worths, work, space)
        _note_best(hand, h, count, setting, kept, terms, table, work, space, found)


@part
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
    space.sums[:candidates] = 0
    candidates = race(candidates, 1, 0, setting, terms, worths, work, space)
    _note_best(hand, h, count, setting, candidates, terms, table, work, space, found)


@part
def _note_best(
    hand: int,
    h: int,
    count: int,
    setting: int,
    candidates: int,
    terms: Terms,
    table: Tables,
    work: Workspace,
    space: Space,
    found: Responses,
) -> None:
    """Write the best of the candidates, all of which have met the opponents in the scratch."""
    bring_forward(0, candidates, work, space)
    fixed = surrendered = 0
    for i in range(setting, count):
        fixed += space.fixed[i]
        surrendered += min(space.fixed[i], 0)
    _note(hand, h, count, setting, fixed, surrendered, terms, table, work, space, found)


@part
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
        setting = gather(0, count, fields[0], terms, one)
        others = find_opponents(hand, fields[1], 0, wanted, other)
        others_setting = gather(0, others, fields[1], terms, other)
        _respond(hand, h, count, setting, terms, worths, table, work, one, found[0])
        _respond(hand, h, others, others_setting, terms, worths, table, work, other, found[1])
        own_evs[h, 0], squares[h] = _value(h, own, count, setting, terms, worths, one)
        own_evs[h, 1], _ = _value(h, own, others, others_setting, terms, worths, other)
        crossed_evs[h, 0], _ = _value(h, found[1], count, setting, terms, worths, one)
        crossed_evs[h, 1], _ = _value(h, found[0], others, others_setting, terms, worths, other)
