"""Naturals: which of them a hand holds, how two of a kind compare and how one is shown.

A kind is a natural in one of its variants: six pairs are three kinds, as rules differ on quads and
trips. Each kind has a number, and the kinds a hand holds are an int64 with bit `kind` set.

A *word* is an int64 of 13 hexadecimal digits, one a rank, deuce lowest. A hand is a word whose
digits are sets of suits; the kernels also use words of how many cards of each rank there are.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from itertools import combinations_with_replacement, product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evaluator import ranking
from evaluator.cards import RANKS, Cards, parse_hand
from evaluator.jit import kernel, lowest_bit, part
from evaluator.kernels import SUIT_0
from evaluator.ranking import Wheel
from evaluator.settings import Setting

I64 = NDArray[np.int64]
Variant = tuple[str, str | bool | None]  # a name, and what `pairs` or `wheel_front` says
Counts = tuple[int, ...]

_BY_SUITS: Final[Mapping[Variant, Callable[[Counts], bool]]] = {  # numbers of clubs, diamonds, ...
    ("suited-dragon", None): lambda suits: 13 in suits,
    ("one-colour", None): lambda suits: suits[1] + suits[2] in (0, 13),
    ("twelve-colours", None): lambda suits: suits[1] + suits[2] in (1, 12),
    ("three-flushes", None): lambda suits: {0, 3, 5, 8, 10, 13}.issuperset(suits),
}
_BY_SHAPE: Final[Mapping[Variant, Callable[[Counts], bool]]] = {  # cards a rank, falling, none 0
    ("dragon", None): lambda shape: len(shape) == 13,
    ("three-quads", None): lambda shape: shape.count(4) == 3,
    ("four-trips", None): lambda shape: sum(count // 3 for count in shape) >= 4,
    ("five-pairs-and-trips", "strict"): lambda shape: shape == (3, 2, 2, 2, 2, 2),
    ("five-pairs-and-trips", "quad-is-two"): lambda shape: shape.count(3) == 1 and 1 not in shape,
    ("six-pairs", "strict"): lambda shape: shape == (2, 2, 2, 2, 2, 2, 1),
    ("six-pairs", "quad-is-two"): lambda shape: _pairs(shape) == 6 and 3 not in shape,
    ("six-pairs", "floor"): lambda shape: _pairs(shape) == 6,
}
_BY_RANKS: Final[Mapping[Variant, tuple[str, int]]] = {  # at least so many cards of these ranks
    ("twelve-royals", None): ("JQKA", 12),
    ("all-big", None): ("89TJQKA", 13),
    ("all-small", None): ("2345678", 13),
}
_BY_RUNS: Final[tuple[Variant, ...]] = (  # without A-2-3 in front comes right after with
    ("three-straights", True),
    ("three-straights", False),
    ("three-straight-flushes", True),
    ("three-straight-flushes", False),
)
_NUMBERS: Final[Mapping[Variant, int]] = {
    variant: number
    for number, variant in enumerate((*_BY_SUITS, *_BY_SHAPE, *_BY_RANKS, *_BY_RUNS))
}
KINDS: Final = len(_NUMBERS)


def _pairs(shape: Counts) -> int:
    return sum(count // 2 for count in shape)


def kind(name: str, pairs: str | None = None, wheel_front: bool = True) -> int:
    """Return the number of a kind of natural, 0 to KINDS - 1.

    Parameters
    ----------
    name
        Such as "six-pairs".
    pairs
        For pairs: "strict", "quad-is-two" (if None) or, six pairs only, "floor".
    wheel_front
        For straights and straight flushes: whether A-2-3 counts.

    Raises
    ------
    ValueError
        If there is no such natural, or not with these pairs.

    Examples
    --------
    >>> kind("six-pairs") == kind("six-pairs", pairs="quad-is-two")
    True
    """
    for option in (None, pairs or "quad-is-two", wheel_front):
        if (name, option) in _NUMBERS:
            return _NUMBERS[name, option]
    known = dict.fromkeys(known for known, _ in _NUMBERS)
    if name in known:
        raise ValueError(f"no natural {name!r} with pairs {pairs!r}")
    raise ValueError(f"no natural {name!r}; there are {', '.join(known)}")


_THREE_FLUSHES: Final = kind("three-flushes")
_THREE_STRAIGHTS: Final = kind("three-straights")
_THREE_STRAIGHT_FLUSHES: Final = kind("three-straight-flushes")
_SIX_PAIRS: Final = kind("six-pairs", "strict")  # the first of three

# Where the parts of the table start; the first, at 0, has bits by clubs + 14 diamonds + 196 hearts.
# It is one array: of several, numba would count references for every hand, which costs twice as
# much as all the rest.
_SHAPES: Final = 14**3  # bits by pairs + 7 trips + 35 quads
_RANKS: Final = _SHAPES + 7 * 5 * 4  # three entries a kind: a word of ranks, cards needed, bits
_RUNS: Final = _RANKS + 3 * len(_BY_RANKS)  # see `natural_table`


@cache
def natural_table() -> I64:
    """Return the table of `natural_bits`.

    Its last part lists, rising, the words that at most two runs of five and one of three add up
    to: 4 * word + 1 if that takes A-2-3 as the three, else 4 * word + 3.
    """
    table = np.zeros(_RUNS, np.int64)
    for counts in product(range(14), repeat=3):
        clubs, diamonds, hearts = counts
        if sum(counts) <= 13:
            bits = _bits(_BY_SUITS, (*counts, 13 - sum(counts)))
            table[clubs + 14 * diamonds + 196 * hearts] = bits

    for pairs, trips, quads in product(range(7), range(5), range(4)):
        singles = 13 - 2 * pairs - 3 * trips - 4 * quads
        if singles >= 0:
            shape = (4,) * quads + (3,) * trips + (2,) * pairs + (1,) * singles
            table[_SHAPES + pairs + 7 * trips + 35 * quads] = _bits(_BY_SHAPE, shape)

    for place, (variant, (ranks, needed)) in enumerate(_BY_RANKS.items()):
        word = sum(15 << 4 * RANKS.index(rank) for rank in ranks)
        start = _RANKS + 3 * place
        table[start : start + 3] = word, needed, 1 << _NUMBERS[variant]

    runs: dict[int, int] = {}
    fives = [0, *(_run(low, 5) for low in range(10))]
    for front in (0, *(_run(low, 3) for low in range(12))):
        for back, middle in combinations_with_replacement(fives, 2):
            word = back + middle + front
            runs[word] = runs.get(word, 0) | (1 if front == _run(0, 3) else 3)
    listed = sorted(4 * word + found for word, found in runs.items())
    return np.concatenate([table, np.array(listed, np.int64)])


def _bits(kinds: Mapping[Variant, Callable[[Counts], bool]], counts: Counts) -> int:
    return sum(1 << _NUMBERS[variant] for variant, holds in kinds.items() if holds(counts))


@part
def _run(low: int, size: int) -> int:
    """Return the word of consecutive ranks from `low`: 0 = the ace below the deuce, 1 = deuce."""
    run = (SUIT_0 & (1 << 4 * size) - 1) << 4 * low  # 14 digits, the ace first and last
    return run >> 4 | (run & 1) << 48


@part
def _total(word: int) -> int:
    """Return the sum of the 13 digits, which must be below 16."""
    return (word * SUIT_0) >> 48 & 15  # digit 12 of the product sums all; no digit carries


@part
def _rank_counts(hand: int) -> int:
    """Return the word of how many cards of each rank there are."""
    twos = hand - (hand >> 1 & 5 * SUIT_0)
    return (twos & 3 * SUIT_0) + (twos >> 2 & 3 * SUIT_0)


@kernel
def natural_bits(hand: int, table: I64) -> int:
    """Return every kind of natural that a hand holds: bit `kind` is set."""
    counts = _rank_counts(hand)
    ones, twos, fours = counts & SUIT_0, counts >> 1 & SUIT_0, counts >> 2 & SUIT_0
    clubs, diamonds, hearts = hand & SUIT_0, hand >> 1 & SUIT_0, hand >> 2 & SUIT_0
    suits = _total(clubs) + 14 * _total(diamonds) + 196 * _total(hearts)
    shape = _total(twos & ~ones) + 7 * _total(twos & ones) + 35 * _total(fours)
    bits = int(table[np.uint64(suits)] | table[np.uint64(_SHAPES + shape)])
    for i in range(_RANKS, _RUNS, 3):
        if _total(counts & table[np.uint64(i)]) >= table[np.uint64(i + 1)]:
            bits |= table[np.uint64(i + 2)]

    # In three straights every rank has two neighbours, or is the end of three; few hands pass.
    ranks = (ones | twos | fours) << 4 | (ones | twos | fours) >> 48  # the ace below the deuce too
    threes = ranks & ranks >> 4 & ranks >> 8  # where three in a row begin
    if (ranks & ~(threes | threes << 4 | threes << 8)) >> 4 & (1 << 48) - 1 == 0:  # deuce to king
        fronts = _find_runs(counts, table)
        bits |= fronts << _THREE_STRAIGHTS
        if fronts and bits >> _THREE_FLUSHES & 1:
            # 3, 5, 8, 10 or 13 cards of a suit are one set of rows each, so suits stand alone.
            for suit in range(4):
                fronts &= _find_runs(hand >> suit & SUIT_0, table)
            bits |= fronts << _THREE_STRAIGHT_FLUSHES
    return bits


@part
def _find_runs(word: int, table: I64) -> int:
    """Return 3 if runs add up to this word, 1 if they do with A-2-3 only, 0 if they do not."""
    low, high = _RUNS, table.shape[0]
    while high - low > 1:
        middle = (low + high) // 2
        if table[np.uint64(middle)] >> 2 <= word:
            low = middle
        else:
            high = middle
    found = table[np.uint64(low)]
    return found & 3 if found >> 2 == word else 0


@kernel
def natural_key(kind: int, hand: int, tables: ranking.Tables) -> int:
    """Return what orders the hands that hold one kind: bigger is better, equal pushes.

    Six pairs: the pairs' ranks, highest first, 4 bits each. Three flushes and three straights: the
    strengths of back, middle and front, 13 bits each. 0 for all others, which push.
    """
    key = 0
    if _SIX_PAIRS <= kind < _SIX_PAIRS + 3:
        counts = _rank_counts(hand)
        for rank in range(12, -1, -1):
            for _ in range((counts >> 4 * rank & 15) >> 1):
                key = key << 4 | rank
    elif kind == _THREE_FLUSHES or _THREE_STRAIGHTS <= kind < _THREE_STRAIGHTS + 2:
        back, middle, front = strongest_rows(kind, hand, tables)
        key = _rows_key(back, middle, front, tables)
    return key


@part
def _rows_key(back: int, middle: int, front: int, tables: ranking.Tables) -> int:
    return (
        _strength(back, tables) << 26 | _strength(middle, tables) << 13 | _strength(front, tables)
    )


@part
def _strength(row: int, tables: ranking.Tables) -> int:
    """Return the strength of three or five cards."""
    index = place = ranks = suits = 0
    while row:
        card = lowest_bit(row)
        row &= row - 1
        index += int(tables.steps[place, card >> 2])
        ranks |= 1 << (card >> 2)
        suits |= 1 << (card & 3)
        place += 1
    if place == 3:
        return int(tables.three[index])
    if suits & (suits - 1) == 0:
        return int(tables.suited[ranks])
    return int(tables.unsuited[index])


@kernel
def strongest_rows(kind: int, hand: int, tables: ranking.Tables) -> tuple[int, int, int]:
    """Return the rows (sets of cards) that show three flushes, straights or straight flushes.

    Of all ways the one with the strongest back, then middle, then front.
    """
    if kind == _THREE_FLUSHES:
        # Whatever five of a suit are taken, the rest still are flushes.
        back = _strongest_flush(hand, tables)
        middle = _strongest_flush(hand ^ back, tables)
        return back, middle, hand ^ back ^ middle
    suited = kind >= _THREE_STRAIGHT_FLUSHES
    without_wheel = kind in (_THREE_STRAIGHTS + 1, _THREE_STRAIGHT_FLUSHES + 1)
    return _strongest_runs(hand, suited, int(without_wheel), tables)


@part
def _strongest_flush(hand: int, tables: ranking.Tables) -> int:
    """Return the strongest five cards of one suit: the highest, or a straight flush."""
    best, strongest = 0, -1
    for suit in range(4):
        highest = hand & SUIT_0 << suit
        for _ in range(_total(highest >> suit) - 5):
            highest &= highest - 1
        if _total(highest >> suit) < 5:
            continue
        for low in range(11):
            five = _run(low, 5) << suit if low < 10 else highest
            if five & hand == five and _strength(five, tables) > strongest:
                best, strongest = five, _strength(five, tables)
    return best


@part
def _strongest_runs(
    hand: int, suited: bool, lowest: int, tables: ranking.Tables
) -> tuple[int, int, int]:
    """Return the strongest rows that are runs, all of them of one suit if ``suited``.

    The front starts at ``lowest`` (as in `_run`) or above.
    """
    counts = _rank_counts(hand)
    best, strongest = (0, 0, 0), -1
    for a in range(10):
        for b in range(10):
            for c in range(lowest, 12):
                if _run(a, 5) + _run(b, 5) + _run(c, 3) != counts:
                    continue
                # A straight flush is stronger, and which suit it takes matters to the next row.
                for suit in range(5):  # 4: of mixed suits
                    back = _run(a, 5) << suit if suit < 4 else 0
                    if back & hand != back:
                        continue
                    middle = _of_one_suit(_run(b, 5), hand ^ back)
                    front = _of_one_suit(_run(c, 3), hand ^ back ^ middle)
                    if suited and not (back and middle and front):
                        continue
                    back = back or _lowest_of(_run(a, 5), hand ^ middle)
                    middle = middle or _lowest_of(_run(b, 5), hand ^ back)
                    front = hand ^ back ^ middle
                    key = _rows_key(back, middle, front, tables)
                    if key > strongest:
                        best, strongest = (back, middle, front), key
    return best


@part
def _of_one_suit(run: int, cards: int) -> int:
    """Return the cards of a run in the first suit that has them all, or 0."""
    for suit in range(4):
        if cards & run << suit == run << suit:
            return run << suit
    return 0


@part
def _lowest_of(run: int, cards: int) -> int:
    """Return one card of each rank of a run, that of the lowest suit."""
    taken = 0
    for suit in range(3, -1, -1):
        here = cards >> suit & run
        taken = taken & ~(15 * here) | here << suit
    return taken


def natural_arrangement(
    hand: str | Iterable[int],
    name: str,
    pairs: str | None = None,
    wheel_front: bool = True,
    wheel: Wheel = "lowest",
) -> Setting:
    """Lay out a natural in three rows that show it.

    Flushes and straights are laid out with the strongest back, then middle, then front. All
    others go from the ranks held most often to the rest, high to low: no pair is torn but where a
    row ends, and a dragon lies in order.

    Parameters
    ----------
    hand
        13 cards, as text or as card numbers.
    name, pairs, wheel_front
        The kind, as for `kind`.
    wheel
        Where A-2-3-4-5 stands: "lowest" of the straights or "second" to A-K-Q-J-10.

    Returns
    -------
    Setting
        Its rows need not be in legal order.

    Raises
    ------
    CardError
        Unless these are 13 different cards.
    ValueError
        If there is no such natural or the hand does not hold it.

    Examples
    --------
    >>> hand = "As Kd Qc Jc Tc 9s 8d 7c 6c 5c 4s 3d 2c"
    >>> print(natural_arrangement(hand, "three-straights"))
    As Kd Qc Jc Tc / 9s 8d 7c 6c 5c / 4s 3d 2c
    """
    cards = parse_hand(hand)
    number = kind(name, pairs, wheel_front)
    if not natural_bits(cards.mask, natural_table()) >> number & 1:
        raise ValueError(f"{cards} is no {name}")
    if number == _THREE_FLUSHES or number >= _THREE_STRAIGHTS:
        rows = strongest_rows(number, cards.mask, ranking.tables(wheel))
        return Setting(*map(Cards.from_mask, rows))
    held = [card // 4 for card in cards]
    ordered = sorted(cards, key=lambda card: (held.count(card // 4), card), reverse=True)
    return Setting(Cards(ordered[:5]), Cards(ordered[5:10]), Cards(ordered[10:]))
