"""The settings of a hand that can be the best under a rule set."""

import numpy as np
from numpy.typing import NDArray

from evaluator.broken import broken_code
from evaluator.jit import allocating, inlined, merged, part
from evaluator.kernels import Workspace, find_frontier, find_legal, split_masks, swap_settings
from evaluator.ranking import Tables
from solver.scoring import Side, Terms, Worths, side

_SLOTS = 1 << 16  # a power of two, well above the number of legal settings


@inlined
def candidate(i: int, terms: Terms, worths: Worths, work: Workspace) -> Side:
    """Return the side of the i-th setting that was written."""
    return side(work.backs[i], work.middles[i], work.fronts[i], work.codes[i], terms, worths)


@merged
def find_candidates(hand: int, terms: Terms, worths: Worths, table: Tables, work: Workspace) -> int:
    """Find the settings of the hand ranked last that can be the best; return how many.

    The frontier, wherever a stronger row never earns less. Where one may, or where breaking
    quads pays, a setting is beaten only by one that is nowhere weaker and nowhere earns less.
    ``work.codes`` has each one's broken code if such cards pay, else 0.
    """
    none = int(np.int64(0))  # a plain 0 would compile `broken_code` twice
    breaks = terms.broken and broken_code(hand, none, none) != 0
    if terms.rising and not breaks:
        count = find_frontier(table, work)
        if terms.broken:
            for i in range(count):
                work.codes[i] = 0
        return count
    return _find_unbeaten(hand, breaks, terms, worths, table, work)


@part
def _find_unbeaten(
    hand: int, breaks: bool, terms: Terms, worths: Worths, table: Tables, work: Workspace
) -> int:
    """Find the candidates the slow way, by comparing every legal setting with the others."""
    count = find_legal(table, work)
    for i in range(count):
        work.codes[i] = 0
        if breaks:
            back, middle, _ = split_masks(work.splits[i], table, work)
            work.codes[i] = broken_code(hand, back, middle)
    return _drop_beaten(_drop_repeated(count, work), terms, worths, work)


@allocating
def _drop_repeated(count: int, work: Workspace) -> int:
    """Keep the first of the settings that have the same strengths and broken code."""
    slots = np.full(_SLOTS, -1, np.int64)
    kept = 0
    for i in range(count):
        key = np.int64(work.backs[i])
        key = key << 13 | work.middles[i]
        key = key << 13 | work.fronts[i]
        key = key << 3 | work.codes[i]
        slot = (key * 0x9E3779B1 >> 20) & (_SLOTS - 1)
        while slots[slot] >= 0 and slots[slot] != key:
            slot = (slot + 1) & (_SLOTS - 1)
        if slots[slot] < 0:
            slots[slot] = key
            swap_settings(kept, i, work)
            kept += 1
    return kept


@allocating
def _drop_beaten(count: int, terms: Terms, worths: Worths, work: Workspace) -> int:
    """Drop the settings that another one, all different, matches or beats in everything.

    In falling order of all strengths together, and of extras where those are equal, only a
    setting before it can beat another one, and so only those that were kept need be asked.
    """
    keys = np.empty(count, np.int64)
    for i in range(count):
        one = candidate(i, terms, worths, work)
        keys[i] = (np.int64(one.back) + one.middle + one.front) << 16 | (one.extra + 0x8000)
    _sort_falling(keys, work)
    kept = 0
    for i in range(count):
        new = candidate(i, terms, worths, work)
        place = 0
        while place < kept and not _matches(candidate(place, terms, worths, work), new):
            place += 1
        if place == kept:
            swap_settings(kept, i, work)
            kept += 1
    return kept


@part
def _sort_falling(keys: NDArray[np.int64], work: Workspace) -> None:
    """Sort settings by keys, the largest first; numba's own sort takes long to compile."""
    gap = keys.shape[0] // 2
    while gap > 0:
        for i in range(gap, keys.shape[0]):
            j = i
            while j >= gap and keys[j - gap] < keys[j]:
                keys[j - gap], keys[j] = keys[j], keys[j - gap]
                swap_settings(j - gap, j, work)
                j -= gap
        gap = 1 if gap == 2 else gap * 5 // 11


@part
def _matches(strong: Side, weak: Side) -> bool:
    """Tell whether one side is nowhere weaker and nowhere earns less than another."""
    return bool(
        strong.back >= weak.back
        and strong.middle >= weak.middle
        and strong.front >= weak.front
        and strong.back_worth >= weak.back_worth
        and strong.middle_worth >= weak.middle_worth
        and strong.front_worth >= weak.front_worth
        and strong.extra >= weak.extra
    )
