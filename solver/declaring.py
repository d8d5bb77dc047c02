"""Naturals under a rule set: which one a hand would declare and what declaring pays."""

from functools import cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluator.jit import kernel
from evaluator.kernels import canonical, relabel
from evaluator.naturals import kind, natural_bits, natural_key
from evaluator.ranking import Tables
from solver.opponents import CHOICE, Field, Space, meet, spread
from solver.rules import RuleSet
from solver.scoring import Terms

I64 = NDArray[np.int64]
F64 = NDArray[np.float64]

_VERSUS: Final = ("higher-full", "higher-units", "difference", "push")


class Naturals(NamedTuple):
    """The naturals of a rule set in its order, strongest first, for the kernels."""

    kinds: I64  # (k,) as numbered in evaluator.naturals
    units: I64  # (k,)
    versus: int  # place of natural_vs_natural in _VERSUS
    compare: bool  # equal kinds are compared, else they push


@cache
def naturals_of(rules: RuleSet) -> Naturals:
    """Turn the naturals of a rule set into plain numbers."""
    kinds = [kind(n.name, n.pairs, n.wheel_front) for n in rules.naturals]
    return Naturals(
        np.array(kinds, np.int64),
        np.array([n.units for n in rules.naturals], np.int64),
        _VERSUS.index(rules.natural_vs_natural),
        rules.equal_kind == "compare",
    )


@kernel
def strongest_naturals(hands: I64, naturals: Naturals, table: I64, places: I64) -> None:
    """Write the place in the rules' list of the first natural that each hand (n,) holds, or -1."""
    for i in range(hands.shape[0]):
        places[i] = -1
        bits = natural_bits(hands[i], table)
        if bits:
            for place in range(naturals.kinds.shape[0]):
                if bits >> naturals.kinds[place] & 1:
                    places[i] = place
                    break


@kernel
def pay_naturals(place: int, other: int, order: int, naturals: Naturals) -> np.int64:
    """Return what a declared natural is paid by another one, both as places in the rules' list.

    ``order`` says which of two of a kind is higher: 1 the first, -1 the other, 0 neither.
    """
    units, others = naturals.units[place], naturals.units[other]
    if place == other:
        return np.int64(order * units if naturals.compare else 0)
    if naturals.versus == 2:
        return np.int64(units - others)
    if naturals.versus == 0:
        return np.int64(units if place < other else -others)
    if naturals.versus == 1 and units != others:
        return np.int64(units if units > others else -others)
    return np.int64(0)


@kernel
def declare_hands(
    hands: I64,
    places: I64,
    pool_hands: I64,
    field: Field,
    terms: Terms,
    naturals: Naturals,
    table: Tables,
    seed: int,
    wanted: int,
    space: Space,
    evs: F64,
    errors: F64,
) -> None:
    """Write the EV of declaring, from one opponent, and its standard error.

    The hands (h,) that hold a natural (``places`` as of `strongest_naturals`) meet the same
    opponents as in `estimate.solve_hands`.
    """
    for h in range(hands.shape[0]):
        place = places[h]
        if place < 0:
            continue
        suits = field.relabellings[canonical(hands[h], field.relabellings)]
        met = meet(relabel(hands[h], suits), field, terms, seed, wanted, space)
        if met.opponents < 2:
            continue
        scores = space.scores[: met.opponents]
        for i in range(met.setting):
            scores[i] = naturals.units[place]
        own_key = natural_key(naturals.kinds[place], hands[h], table)
        for i in range(met.setting, met.opponents):
            record = space.record[i]
            other = (field.records[record] >> CHOICE) - 1
            if other == naturals.units.shape[0]:  # surrendered, which does not save from naturals
                scores[i] = naturals.units[place]
                continue
            order = 0
            if other == place and naturals.compare:
                key = natural_key(naturals.kinds[place], pool_hands[record], table)
                order = (own_key > key) - (own_key < key)
            scores[i] = pay_naturals(place, other, order, naturals)
        evs[h], errors[h] = spread(scores, met, space)
