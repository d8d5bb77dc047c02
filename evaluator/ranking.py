"""Strengths of rows on one scale, their categories and their names.

A strength is a dense integer: 7,462 classes of five cards and 455 of three, 7,917 in all, bigger
is better. Three and five cards compare by category first, then by ranks in order over the cards
both have; where all of those are equal the shorter row is the weaker.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from itertools import combinations, combinations_with_replacement
from math import comb
from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluator.cards import parse_cards

Wheel = Literal["lowest", "second"]

CLASSES: Final = 7917
FIVES: Final = comb(13, 5)
FRONTS: Final = comb(13, 3)
SPLITS: Final = 126  # ways to part the ten cards left by a front into two fives


class Category(IntEnum):
    """Categories of rows, weakest first."""

    HIGH_CARD = 0
    PAIR = 1
    TWO_PAIR = 2
    TRIPS = 3
    STRAIGHT = 4
    FLUSH = 5
    FULL_HOUSE = 6
    QUADS = 7
    STRAIGHT_FLUSH = 8


class Tables(NamedTuple):
    """What the kernels look up; see `tables`.

    unsuited, suited and three are indexed by sums of `steps`, so that partial sums can be shared
    between the subsets of a hand.
    """

    unsuited: NDArray[np.int16]  # (6188,) strength of five ranks, as if of mixed suits
    suited: NDArray[np.int16]  # (8192,) strength of five cards of a suit, by the set of ranks
    three: NDArray[np.int16]  # (455,) strength of three ranks
    falling: NDArray[np.uint16]  # (455,) which of them it is, from the strongest down
    steps: NDArray[np.uint16]  # (5, 13) steps[i, r] = C(r + i, i + 1): i-th lowest card has rank r
    choose: NDArray[np.uint16]  # (13, 6) choose[n, k] = C(n, k)
    high: NDArray[np.uint16]  # (286, 126) the five of a split that holds its highest card
    low: NDArray[np.uint16]  # (286, 126) the other five
    five_masks: NDArray[np.int64]  # (1287,) places of a hand's cards, lowest card first, as bits
    front_masks: NDArray[np.int64]  # (286,)


# Keys order the classes: a category, then five ranks (0 = no card, deuce = 1 ... ace = 13) in
# order of their counts, base 14.
_BASE: Final = 14**5
_BY_COUNTS: Final = {  # sum over the cards of how many cards have the same rank -> category
    5: Category.HIGH_CARD,
    7: Category.PAIR,
    9: Category.TWO_PAIR,
    11: Category.TRIPS,
    13: Category.FULL_HOUSE,
    17: Category.QUADS,
}


def _keys(ranks: NDArray[np.int64]) -> NDArray[np.int64]:
    """Order rows of three or five mixed-suit ranks, straights not looked at."""
    size = ranks.shape[1]
    counts = (ranks[:, :, None] == ranks[:, None, :]).sum(axis=2)
    ordered = np.sort(counts * 16 + ranks + 1, axis=1)[:, ::-1] % 16
    by_counts = np.full(26, -1)
    for total, category in _BY_COUNTS.items():
        by_counts[total if size == 5 else total - 2] = category
    categories = by_counts[counts.sum(axis=1)]
    weights = 14 ** np.arange(4, 4 - size, -1)
    keys: NDArray[np.int64] = categories * _BASE + ordered @ weights
    return keys


def _straight_keys(ranks: NDArray[np.int64], wheel: Wheel) -> NDArray[np.int64]:
    """Return each five distinct ascending ranks' place among straights (doubled), or -1."""
    run = (ranks[:, 4] - ranks[:, 0] == 4) & (np.diff(ranks, axis=1) == 1).all(axis=1)
    places = np.where(run, 2 * ranks[:, 4], -1)
    is_wheel = (ranks == [0, 1, 2, 3, 12]).all(axis=1)
    places[is_wheel] = 2 * 3 if wheel == "lowest" else 2 * 12 - 1
    return places


class _Classes(NamedTuple):
    keys: NDArray[np.int64]  # (7917,) ascending: the key of each strength
    unsuited: NDArray[np.int16]
    suited: NDArray[np.int16]
    three: NDArray[np.int16]


@cache
def _classes(wheel: Wheel) -> _Classes:
    fives = np.array(list(combinations_with_replacement(range(13), 5)))
    threes = np.array(list(combinations_with_replacement(range(13), 3)))
    flushes = np.array(list(combinations(range(13), 5)))

    five_keys, three_keys, flush_keys = _keys(fives), _keys(threes), _keys(flushes)
    five_keys[(fives == fives[:, :1]).all(axis=1)] = -1  # five of a rank do not exist
    places = _straight_keys(fives, wheel)
    five_keys = np.where(places >= 0, Category.STRAIGHT * _BASE + places, five_keys)
    places = _straight_keys(flushes, wheel)
    flush_keys = np.where(
        places >= 0,
        Category.STRAIGHT_FLUSH * _BASE + places,
        Category.FLUSH * _BASE + flush_keys,
    )

    keys = np.unique(np.concatenate([five_keys[five_keys >= 0], three_keys, flush_keys]))
    assert len(keys) == CLASSES
    steps = _steps()

    def table(size: int, where: NDArray[np.int64], values: NDArray[np.int64]) -> NDArray[np.int16]:
        strengths = np.full(size, -1, np.int16)
        strengths[where] = np.where(values >= 0, np.searchsorted(keys, values), -1)
        return strengths

    return _Classes(
        keys,
        table(comb(17, 5), steps[np.arange(5), fives].sum(axis=1), five_keys),
        table(8192, (1 << flushes).sum(axis=1), flush_keys),
        table(comb(15, 3), steps[np.arange(3), threes].sum(axis=1), three_keys),
    )


def _steps() -> NDArray[np.uint16]:
    return np.array([[comb(r + i, i + 1) for r in range(13)] for i in range(5)], np.uint16)


@cache
def tables(wheel: Wheel = "lowest") -> Tables:
    """Return the kernels' tables; ``wheel`` says where A-2-3-4-5 stands among straights."""
    classes = _classes(wheel)
    places = np.arange(13)
    choose = np.array([[comb(n, k) for k in range(6)] for n in range(13)], np.uint16)

    def subsets(size: int, among: int) -> NDArray[np.int64]:
        """List subsets in the order of their highest place, then of the next (colex)."""
        rows = sorted(combinations(range(among), size), key=lambda row: row[::-1])
        return np.array(rows)

    fronts, fives = subsets(3, 13), subsets(5, 13)
    kept = ~(places[None, :, None] == fronts[:, None, :]).any(axis=2)
    rest = np.broadcast_to(places, kept.shape)[kept].reshape(FRONTS, 10)
    low = subsets(5, 9)  # of the ten places, the split half without the highest
    high = np.array([sorted(set(range(10)) - set(row)) for row in low.tolist()])

    def numbers(halves: NDArray[np.int64]) -> NDArray[np.uint16]:
        found = choose[rest[:, halves], np.arange(1, 6)].sum(axis=2, dtype=np.uint16)
        return np.ascontiguousarray(found)  # a front's splits are read in a row

    return Tables(
        classes.unsuited,
        classes.suited,
        classes.three,
        np.argsort(np.argsort(-classes.three)).astype(np.uint16),
        _steps(),
        choose,
        numbers(high),
        numbers(low),
        (1 << fives).sum(axis=1),
        (1 << fronts).sum(axis=1),
    )


@cache
def categories() -> NDArray[np.int8]:
    """Return the category of every strength, shape (7917,), the same for both wheels."""
    return (_classes("lowest").keys // _BASE).astype(np.int8)


@cache
def first_ranks() -> NDArray[np.int8]:
    """Return the rank that leads each strength: of a pair the pair's; straights do not count."""
    return (_classes("lowest").keys % _BASE // 14**4 - 1).astype(np.int8)


def category(strength: int) -> Category:
    """Return the category of a row's strength.

    >>> category(7916).name
    'STRAIGHT_FLUSH'
    """
    return Category(int(categories()[strength]))


@dataclass(frozen=True, slots=True)
class RowClass:
    """What a strength stands for: its category and its ranks (deuce = 0 ... ace = 12) in order."""

    category: Category
    ranks: tuple[int, ...]  # grouped ranks first; only the highest for straights

    @property
    def royal(self) -> bool:
        """Whether this is a royal flush."""
        return self.category == Category.STRAIGHT_FLUSH and self.ranks == (12,)


def row_class(strength: int, wheel: Wheel = "lowest") -> RowClass:
    """Decode a strength into category and ranks.

    >>> row_class(0)
    RowClass(category=<Category.HIGH_CARD: 0>, ranks=(2, 1, 0))
    """
    kind, rest = divmod(int(_classes(wheel).keys[strength]), _BASE)
    if kind in (Category.STRAIGHT, Category.STRAIGHT_FLUSH):
        is_wheel = rest == (6 if wheel == "lowest" else 23)
        return RowClass(Category(kind), (3 if is_wheel else rest // 2,))
    digits = [rest // 14**place % 14 for place in range(4, -1, -1)]
    return RowClass(Category(kind), tuple(digit - 1 for digit in digits if digit))


_RANK_NAMES: Final = "deuce three four five six seven eight nine ten jack queen king ace".split()


def rank_plural(rank: int) -> str:
    """Say what several cards of a rank are called.

    >>> rank_plural(4)
    'sixes'
    """
    name = _RANK_NAMES[rank]
    return name + ("es" if name.endswith("x") else "s")


@cache
def row_name(strength: int, wheel: Wheel = "lowest") -> str:
    """Say what a strength is in words.

    >>> row_name(7916)
    'royal flush'
    """
    row = row_class(strength, wheel)
    kind, ranks = row.category, row.ranks
    top = _RANK_NAMES[ranks[0]]
    if kind == Category.HIGH_CARD:
        return f"{top} high"
    if kind == Category.PAIR:
        return f"pair of {rank_plural(ranks[0])}, {_RANK_NAMES[ranks[2]]} kicker"
    if kind == Category.TWO_PAIR:
        return (
            f"{rank_plural(ranks[0])} and {rank_plural(ranks[2])}, {_RANK_NAMES[ranks[4]]} kicker"
        )
    if kind == Category.TRIPS:
        return f"three {rank_plural(ranks[0])}"
    if kind == Category.FULL_HOUSE:
        return f"{rank_plural(ranks[0])} full of {rank_plural(ranks[3])}"
    if kind == Category.QUADS:
        return f"four {rank_plural(ranks[0])}"
    if row.royal:
        return "royal flush"
    words = {
        Category.STRAIGHT: "straight",
        Category.FLUSH: "flush",
        Category.STRAIGHT_FLUSH: "straight flush",
    }
    return f"{top}-high {words[kind]}"


def row_strength(row: str | Iterable[int], wheel: Wheel = "lowest") -> int:
    """Return the strength of a row of three or five cards.

    Parameters
    ----------
    row
        Three or five cards, as text or as card numbers.
    wheel
        Where A-2-3-4-5 stands: "lowest" of the straights or "second" to A-K-Q-J-10.

    Returns
    -------
    int
        0 to 7916.

    Raises
    ------
    CardError
        If these are not different cards.
    ValueError
        If there are not three or five of them.

    Examples
    --------
    >>> row_strength("As Ad Kc") > row_strength("Ah Ac Qs Js Td")
    True
    """
    cards = parse_cards(row)
    if len(cards) not in (3, 5):
        raise ValueError(f"a row has 3 or 5 cards, not {len(cards)}")
    return int(row_strengths(np.array(list(cards)), wheel))


def row_strengths(rows: NDArray[np.integer], wheel: Wheel = "lowest") -> NDArray[np.int16]:
    """Return the strengths of many rows of three or of five cards, unchecked.

    Parameters
    ----------
    rows
        Card numbers, shape (..., 3) or (..., 5), in any order.
    wheel
        As for `row_strength`.

    Returns
    -------
    array of int16
        Shape (...), 0 to 7916.

    Examples
    --------
    >>> row_strengths(np.array([[51, 47, 43, 39, 35], [0, 1, 2, 3, 4]])).tolist()
    [7916, 7751]
    """
    cards = np.sort(rows.astype(np.int64), axis=-1)
    ranks, suits = cards // 4, cards % 4
    classes, size = _classes(wheel), cards.shape[-1]
    places = tables(wheel).steps[np.arange(size), ranks].sum(axis=-1)
    if size == 3:
        threes: NDArray[np.int16] = classes.three[places]
        return threes
    suited = (suits == suits[..., :1]).all(axis=-1)
    sets = np.bitwise_or.reduce(1 << ranks, axis=-1)
    return np.where(suited, classes.suited[sets], classes.unsuited[places])
