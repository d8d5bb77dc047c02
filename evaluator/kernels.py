"""Compiled work on one hand: its subsets, its legal settings and its frontier.

A hand is an int64 with bit ``4 * rank + suit`` set for each card. Its cards have *places* 0-12,
lowest card first. A subset of the hand is numbered by its places in colex order: the places
p0 < p1 < ... give the number C(p0, 1) + C(p1, 2) + ...; so 1,287 fives and 286 threes (fronts).
A *split* is ``126 * front + k``: a front and one of the 126 ways to part the other ten cards.

Arrays are indexed by unsigned integers in the inner loops: for signed ones numba adds a test for
negative (wrap-around) indices to every access, which costs half the speed.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluator.jit import kernel, lowest_bit, merged, part
from evaluator.ranking import CLASSES, FIVES, FRONTS, SPLITS, Tables

I16 = NDArray[np.int16]
U16 = NDArray[np.uint16]

LEGAL_MAX = FRONTS * SPLITS  # 36,036; every frontier and list of legal settings fits
SUIT_0 = sum(1 << 4 * rank for rank in range(13))  # all cards of suit 0 as a set

_PAIRS, _QUADS = 78, 495  # twos of a hand, and its fours without the highest card
_BLOCK = 64  # splits of a front that are looked at together
_STAIRS = 128  # stairs that are raised together, in vectors


class Workspace(NamedTuple):
    """Scratch and results of one hand; one a thread, reused from hand to hand."""

    cards: U16  # (13,) the hand's cards, lowest first
    triples: U16  # (859,) sums of steps over the places of threes (286), twos (78), fours (495)
    threes: I16  # (286,) strengths of the fronts
    fives: I16  # (1287,) strengths of the fives
    places: U16  # (13,) places of the cards of one suit, and their ranks as bits
    ranks: U16
    order: U16  # (286,) fronts, strongest first
    ones: I16  # (126,) the two fives of each split of one front
    others: I16
    stairs: I16  # (7918,) best middle met so far beside a back at least this strong
    backs: I16  # (36036,) the frontier, or all legal settings: strengths of the rows
    middles: I16
    fronts: I16
    splits: NDArray[np.int64]  # (36036,) one split that has these strengths
    codes: NDArray[np.uint8]  # (36036,) broken codes of the settings, where rules ask for them


def workspace() -> Workspace:
    """Return a new workspace."""
    return Workspace(
        np.empty(13, np.uint16),
        np.empty(FRONTS + _PAIRS + _QUADS, np.uint16),
        np.empty(FRONTS, np.int16),
        np.empty(FIVES, np.int16),
        np.empty(13, np.uint16),
        np.empty(13, np.uint16),
        np.empty(FRONTS, np.uint16),
        np.empty(SPLITS, np.int16),
        np.empty(SPLITS, np.int16),
        np.empty(CLASSES + 1, np.int16),
        np.empty(LEGAL_MAX, np.int16),
        np.empty(LEGAL_MAX, np.int16),
        np.empty(LEGAL_MAX, np.int16),
        np.empty(LEGAL_MAX, np.int64),
        np.zeros(LEGAL_MAX, np.uint8),
    )


@kernel
def rank_subsets(hand: int, tables: Tables, work: Workspace) -> None:
    """Rank every three and every five of a hand: ``work.threes`` and ``work.fives``."""
    cards, triples, fives, steps = work.cards, work.triples, work.fives, tables.steps
    rest = hand
    for place in range(13):
        cards[place] = lowest_bit(rest)
        rest &= rest - 1

    # Lower places come first in colex order, so the subsets that complete a highest card are always
    # a run from the start of the next smaller size: the inner loops are long.
    pairs, quads = triples[FRONTS:], triples[FRONTS + _PAIRS :]
    count = 0
    for b in range(1, 13):
        above = steps[1, cards[b] >> 2]
        for a in range(b):
            pairs[count + a] = above + (cards[a] >> 2)
        count += b
    count = 0
    for c in range(2, 13):
        above = steps[2, cards[c] >> 2]
        below = c * (c - 1) // 2
        run = triples[count : count + below]
        for i in range(below):
            run[i] = above + pairs[i]
        count += below
    for i in range(FRONTS):
        work.threes[i] = tables.three[np.uint64(triples[i])]

    count = 0
    for d in range(3, 12):
        above = steps[3, cards[d] >> 2]
        below = d * (d - 1) * (d - 2) // 6
        run = quads[count : count + below]
        for i in range(below):
            run[i] = above + triples[i]
        count += below
    count = 0
    for e in range(4, 13):
        completed = tables.unsuited[steps[4, cards[e] >> 2] :]
        below = e * (e - 1) * (e - 2) * (e - 3) // 24
        whole = fives[count : count + below]
        for i in range(below):
            whole[i] = completed[np.uint64(quads[i])]
        count += below
    _rank_flushes(hand, tables, work)


@merged
def _rank_flushes(hand: int, tables: Tables, work: Workspace) -> None:
    """Overwrite the strengths of the fives that are of one suit."""
    choose, places, ranks = tables.choose, work.places, work.ranks
    for suit in range(4):
        fifth = hand >> suit & SUIT_0
        for _ in range(4):
            fifth &= fifth - 1
        if not fifth:
            continue
        count = 0
        for place in range(13):
            card = work.cards[place]
            places[count] = place
            ranks[count] = 1 << (card >> 2)
            count += card & 3 == suit
        for e in range(4, count):
            for d in range(3, e):
                for c in range(2, d):
                    number = choose[places[e], 5] + choose[places[d], 4] + choose[places[c], 3]
                    suited = ranks[e] | ranks[d] | ranks[c]
                    for b in range(1, c):
                        for a in range(b):
                            five = number + choose[places[b], 2] + places[a]
                            work.fives[five] = tables.suited[suited | ranks[b] | ranks[a]]


@merged
def _order_fronts(tables: Tables, work: Workspace) -> None:
    """Write the fronts into ``work.order``, strongest first, lower numbers first among equals."""
    falling, starts = tables.falling, work.stairs  # free until the frontier is walked
    starts[: falling.shape[0]] = 0
    for front in range(FRONTS):
        starts[np.uint64(falling[np.uint64(work.triples[front])])] += 1
    total = np.int16(0)
    for place in range(falling.shape[0]):
        equal = starts[place]
        starts[place] = total
        total = np.int16(total + equal)
    for front in range(FRONTS):
        here = np.uint64(falling[np.uint64(work.triples[front])])
        work.order[np.uint64(starts[here])] = front
        starts[here] += 1


@kernel
def find_frontier(tables: Tables, work: Workspace) -> int:
    """Find the frontier of the hand ranked last.

    Fronts are walked from the strongest down, so a setting joins the frontier unless one met
    before has a back and a middle at least as strong; ``stairs`` answers that with one look-up.
    What joined may still be beaten by a later setting with an equal front: dropped at the end of
    those fronts. Of settings with equal strengths the first met represents them: the front of
    the lowest number, then the lowest split.

    Returns how many settings were written, by falling front.
    """
    _order_fronts(tables, work)
    stairs, fives = work.stairs, work.fives
    ones, others = work.ones, work.others
    for strength in range(stairs.shape[0]):
        stairs[strength] = -1
    count = start = 0
    last = -1
    for i in range(FRONTS):
        number = np.uint64(work.order[i])
        front = work.threes[number]
        if front != last:
            count = start = _drop_beaten(start, count, work)
            last = front
        high, low = tables.high[number], tables.low[number]
        for k in range(SPLITS):  # three plain loops are faster than one that does it all
            ones[k] = fives[high[k]]
        for k in range(SPLITS):
            others[k] = fives[low[k]]
        for begin in range(0, SPLITS, _BLOCK):
            size = min(_BLOCK, SPLITS - begin)
            one, other = ones[begin : begin + size], others[begin : begin + size]
            strongest_back = strongest_middle = np.int16(-1)
            for k in range(size):
                strongest_back = max(strongest_back, max(one[k], other[k]))
                strongest_middle = max(strongest_middle, min(one[k], other[k]))
            if strongest_middle < front or strongest_middle <= stairs[np.uint64(strongest_back)]:
                continue  # so it goes with seven blocks of eight
            for k in range(size):
                back, middle = max(one[k], other[k]), min(one[k], other[k])
                if middle > stairs[np.uint64(back)] and middle >= front:
                    work.backs[count] = back
                    work.middles[count] = middle
                    work.fronts[count] = front
                    work.splits[count] = np.int64(number) * SPLITS + begin + k
                    count += 1
                    _raise_stairs(back, middle, stairs)
    return _drop_beaten(start, count, work)


@merged
def _raise_stairs(back: int, middle: int, stairs: I16) -> None:
    """Note that a back at least as strong as each strength up to ``back`` has this middle."""
    end = back + 1
    while end > 0 and stairs[end - 1] < middle:
        begin = max(0, end - _STAIRS)
        block = stairs[begin:end]
        for i in range(block.shape[0]):
            block[i] = max(block[i], middle)
        end = begin


@part
def _drop_beaten(start: int, count: int, work: Workspace) -> int:
    """Drop the settings from ``start`` that later ones with the same front have beaten."""
    stairs = work.stairs
    kept = start
    for i in range(start, count):
        back, middle = work.backs[i], work.middles[i]
        if stairs[back] == middle and stairs[back + 1] < middle:
            work.backs[kept] = back
            work.middles[kept] = middle
            work.fronts[kept] = work.fronts[i]
            work.splits[kept] = work.splits[i]
            kept += 1
    return kept


@kernel
def find_legal(tables: Tables, work: Workspace) -> int:
    """List every legal setting of the hand ranked last; return how many were written."""
    count = 0
    for front in range(FRONTS):
        for k in range(SPLITS):
            one, other = work.fives[tables.high[front, k]], work.fives[tables.low[front, k]]
            if min(one, other) >= work.threes[front]:
                work.backs[count] = max(one, other)
                work.middles[count] = min(one, other)
                work.fronts[count] = work.threes[front]
                work.splits[count] = front * SPLITS + k
                count += 1
    return count


@part
def swap_settings(i: int, j: int, work: Workspace) -> None:
    """Let two of the settings that were written change places."""
    work.backs[i], work.backs[j] = work.backs[j], work.backs[i]
    work.middles[i], work.middles[j] = work.middles[j], work.middles[i]
    work.fronts[i], work.fronts[j] = work.fronts[j], work.fronts[i]
    work.splits[i], work.splits[j] = work.splits[j], work.splits[i]
    work.codes[i], work.codes[j] = work.codes[j], work.codes[i]


@kernel
def split_masks(split: int, tables: Tables, work: Workspace) -> tuple[int, int, int]:
    """Return the cards of a split's back, middle and front as sets of cards.

    Of two fives of equal strength the back is the one with the highest card.
    """
    front, k = divmod(split, SPLITS)
    high, low = tables.high[front, k], tables.low[front, k]
    if work.fives[high] < work.fives[low]:
        high, low = low, high
    return (
        _cards_at(tables.five_masks[high], work),
        _cards_at(tables.five_masks[low], work),
        _cards_at(tables.front_masks[front], work),
    )


@kernel
def list_masks(tables: Tables, work: Workspace, masks: NDArray[np.int64]) -> None:
    """Write the `split_masks` of the first settings found into ``masks`` (n, 3)."""
    for i in range(masks.shape[0]):
        masks[i, 0], masks[i, 1], masks[i, 2] = split_masks(work.splits[i], tables, work)


@merged
def _cards_at(places: int, work: Workspace) -> int:
    cards = np.int64(0)
    for place in range(13):
        if places >> place & 1:
            cards |= np.int64(1) << np.int64(work.cards[place])
    return int(cards)


@kernel
def relabel(cards: int, suits: NDArray[np.int64]) -> int:
    """Return a set of cards with suit s renamed ``suits[s]``."""
    renamed = np.int64(0)
    for suit in range(4):
        renamed |= (cards >> suit & SUIT_0) << suits[suit]
    return int(renamed)


@merged
def relabel_back(cards: int, suits: NDArray[np.int64]) -> int:
    """Undo `relabel`."""
    original = np.int64(0)
    for suit in range(4):
        original |= (cards >> suits[suit] & SUIT_0) << suit
    return int(original)


@kernel
def canonical(hand: int, relabellings: NDArray[np.int64]) -> int:
    """Return which of the relabellings (n, 4) gives a hand's standard form, the largest number."""
    best = 0
    largest = -1
    for i in range(relabellings.shape[0]):
        renamed = relabel(hand, relabellings[i])
        if renamed > largest:
            largest = renamed
            best = i
    return best
