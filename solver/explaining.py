"""What the EV of a given setting is made of, and where the setting stands among all legal ones."""

from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evaluator.broken import broken_code
from evaluator.jit import inlined, kernel, part
from evaluator.kernels import (
    Workspace,
    canonical,
    find_legal,
    rank_subsets,
    relabel,
    split_masks,
)
from evaluator.ranking import Tables
from solver.candidates import candidate
from solver.estimate import Results, add_scores, describe
from solver.opponents import Field, Met, Space, meet, opponent
from solver.rules import RuleSet, Seat
from solver.scoring import Side, Terms, Worths, pay, royalties_won, terms_of

I16 = NDArray[np.int16]
I64 = NDArray[np.int64]
U8 = NDArray[np.uint8]
Ladder = tuple[Terms, Terms, Terms]

PARTS: Final = (
    *("back", "middle", "front", "majority", "scoop", "gun"),
    *("royalties_won", "royalties_paid", "broken", "naturals", "surrender"),
)
BACK, MIDDLE, FRONT, MAJORITY, _, _, WON, PAID, BROKEN, NATURALS, SURRENDER = range(11)


@cache
def ladder_of(rules: RuleSet, seat: Seat | None = None) -> Ladder:
    """Return the terms of a rule set with its clauses joining in the order in which they apply.

    With the majority, with the scoop units too, and with all: what a clause adds is the difference
    of two payments, so that `pay` alone defines it.
    """
    terms, _ = terms_of(rules, seat)
    scoop = terms._replace(gun=np.int16(1))
    return scoop._replace(scoop_units=np.int16(0)), scoop, terms


@part
def _meet(hand: int, field: Field, terms: Terms, seed: int, wanted: int, space: Space) -> Met:
    """Meet the opponents; a kernel of its own, so that it is compiled once."""
    return meet(hand, field, terms, seed, wanted, space)


@kernel
def explain_settings(
    hand: int,
    strengths: I16,
    codes: U8,
    pool_codes: U8,
    field: Field,
    ladder: Ladder,
    worths: Worths,
    seed: int,
    wanted: int,
    work: Workspace,
    space: Space,
    results: Results,
    parts: I64,
) -> None:
    """Write what given settings of a hand are worth into row 0, the first being the best.

    They meet the opponents of `estimate.solve_hands`. ``strengths`` (n, 3) and ``codes`` (n,) are
    those of the settings, ``pool_codes`` the broken codes of the pool's records. ``parts``
    (n, 11) become the units won in all by each of `PARTS`.
    """
    terms = ladder[2]
    suits = field.relabellings[canonical(hand, field.relabellings)]
    met = _meet(relabel(hand, suits), field, terms, seed, wanted, space)
    results.samples[0] = met.opponents
    for place in range(strengths.shape[0]):
        work.backs[place] = strengths[place, 0]
        work.middles[place] = strengths[place, 1]
        work.fronts[place] = strengths[place, 2]
        work.codes[place] = codes[place]
        hero = candidate(place, terms, worths, work)
        describe(hero, place, met, terms, space, 0, results)
        _take_apart(hero, codes[place], pool_codes, met, ladder, worths, space, parts[place])


@part
def _take_apart(
    hero: Side,
    code: int,
    pool_codes: U8,
    met: Met,
    ladder: Ladder,
    worths: Worths,
    space: Space,
    parts: I64,
) -> None:
    """Write the units that a setting wins from the opponents met by each of `PARTS`."""
    terms = ladder[2]
    own_broken = worths.broken_units[code] if terms.broken else np.int16(0)
    parts[:] = 0
    for i in range(met.setting):
        other = opponent(i, space.columns)
        other_code = pool_codes[space.record[i]]
        other_broken = worths.broken_units[other_code] if terms.broken else np.int16(0)
        back = terms.back_unit * _order(hero.back, other.back)
        middle = terms.middle_unit * _order(hero.middle, other.middle)
        front = terms.front_unit * _order(hero.front, other.front)
        won = royalties_won(hero, other, terms) + hero.extra - own_broken
        paid = royalties_won(other, hero, terms) + other.extra - other_broken
        broken = np.int64(own_broken - other_broken)
        parts[BACK] += back
        parts[MIDDLE] += middle
        parts[FRONT] += front
        parts[WON] += won
        parts[PAID] -= paid
        parts[BROKEN] += broken
        before = back + middle + front + won - paid + broken
        for clause in range(3):
            payment = np.int64(pay(hero, other, ladder[clause]))
            parts[MAJORITY + clause] += payment - before
            before = payment
    for i in range(met.setting, met.opponents):  # they declare, or pay for surrendering
        parts[NATURALS if space.fixed[i] < 0 else SURRENDER] += space.fixed[i]


@inlined
def _order(one: np.int16, other: np.int16) -> np.int64:
    return np.int64(one > other) - np.int64(one < other)


@kernel
def score_legal(
    hand: int,
    field: Field,
    terms: Terms,
    worths: Worths,
    table: Tables,
    seed: int,
    wanted: int,
    work: Workspace,
    space: Space,
) -> int:
    """Score all legal settings of a hand against the opponents of `estimate.solve_hands`.

    Returns how many there are. They are in ``work``, with their broken codes where these count,
    and what they win from the opponents who set is in ``space.sums``.
    """
    suits = field.relabellings[canonical(hand, field.relabellings)]
    hand = relabel(hand, suits)
    met = _meet(hand, field, terms, seed, wanted, space)
    rank_subsets(hand, table, work)
    legal = find_legal(table, work)
    for i in range(legal):
        space.sums[i] = 0
        work.codes[i] = 0
        if terms.broken:
            back, middle, _ = split_masks(work.splits[i], table, work)
            work.codes[i] = broken_code(hand, back, middle)
    add_scores(0, met.setting, legal, terms, worths, work, space)
    return legal
