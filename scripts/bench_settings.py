"""The settings of a hand against limit probes and plain Python; a part of `scripts/bench`."""

from itertools import combinations

import numpy as np
from bench_tools import I16, I64, U16, in_turns, judged, per_hand, row
from phevaluator import evaluate_cards

from evaluator.cards import Cards
from evaluator.jit import kernel
from evaluator.kernels import FRONTS, Workspace, find_frontier, rank_subsets, workspace
from evaluator.ranking import CLASSES, FIVES, SPLITS, Tables, tables


@kernel
def rank(hands: I64, table: Tables, work: Workspace) -> None:
    for h in range(hands.shape[0]):
        rank_subsets(hands[h], table, work)


@kernel
def rank_and_walk(hands: I64, table: Tables, work: Workspace) -> int:
    count = 0
    for h in range(hands.shape[0]):
        rank_subsets(hands[h], table, work)
        count += find_frontier(table, work)
    return count


@kernel
def look_up(hands: int, places: U16, table: I16, out: I16) -> None:
    """Look up and store a strength for each subset, as often as there are hands."""
    for h in range(hands):
        table[h & 1023] = h  # so that the compiler cannot do it once for all hands
        for i in range(places.shape[0]):
            out[i] = table[np.uint64(places[i])]


@kernel
def pair_up(
    hands: int, high: U16, low: U16, fives: I16, fronts: I16, ones: I16, others: I16
) -> int:
    """Load both strengths of each split, take min and max, and compare; as often as hands.

    In narrow integers and three plain loops, the fastest of the forms tried.
    """
    total = 0
    for h in range(hands):
        fives[h & 1023] = h
        for front in range(high.shape[0]):
            halves = high[front], low[front]
            for k in range(SPLITS):
                ones[k] = fives[halves[0][k]]
            for k in range(SPLITS):
                others[k] = fives[halves[1][k]]
            legal = strongest = np.int16(0)
            for k in range(SPLITS):
                strongest = max(strongest, max(ones[k], others[k]))
                legal = np.int16(legal + (min(ones[k], others[k]) >= fronts[front]))
            total += strongest + legal
    return total


def rank_splits(hand: Cards) -> list[tuple[int, int, int]]:
    """Rank the rows of all 72,072 splits, as one would in plain Python."""
    splits = []
    for front in combinations(hand, 3):
        rest = [card for card in hand if card not in front]
        strength = rank_front(front)
        for back in combinations(rest, 5):
            middle = [card for card in rest if card not in back]
            splits.append((evaluate_cards(*back), evaluate_cards(*middle), strength))
    return splits


def rank_splits_once(hand: Cards) -> list[tuple[int, int, int]]:
    """Do the same, but rank each of the 1,287 fives only once."""
    ranks = {five: evaluate_cards(*five) for five in combinations(hand, 5)}
    splits = []
    for front in combinations(hand, 3):
        rest = [card for card in hand if card not in front]
        strength = rank_front(front)
        fives = [ranks[five] for five in combinations(rest, 5)]
        # the complement of the first of all fives is the last one
        splits += [
            (back, middle, strength) for back, middle in zip(fives, fives[::-1], strict=True)
        ]
    return splits


def rank_front(front: tuple[int, ...]) -> int:
    a, b, c = sorted((card >> 2 for card in front), reverse=True)
    pair = b if b in (a, c) else -1
    return ((a == c) * 14 + pair + 1) * 13**3 + a * 13**2 + b * 13 + c


def bench_settings(hands: I64) -> None:
    table, work = tables(), workspace()
    random = np.random.default_rng(0)
    places = random.integers(0, len(table.unsuited), FRONTS + FIVES).astype(np.uint16)
    unsuited, strengths = table.unsuited.copy(), np.empty(len(places), np.int16)
    fives = random.integers(0, CLASSES, FIVES).astype(np.int16)
    fronts = random.integers(0, CLASSES, FRONTS).astype(np.int16)
    ones, others = np.empty(SPLITS, np.int16), np.empty(SPLITS, np.int16)
    n = len(hands)
    times = in_turns(
        {
            "look up": lambda: look_up(n, places, unsuited, strengths),
            "rank": lambda: rank(hands, table, work),
            "pair up": lambda: pair_up(n, table.high, table.low, fives, fronts, ones, others),
            "both": lambda: rank_and_walk(hands, table, work),
        }
    )
    times["walk"] = times["both"] - times["rank"]
    for what, name, probe, probed, most in (
        ("rank all 1,573 subsets of a hand", "rank", "look up", "1,573 look-ups and stores", 2),
        (
            "frontier of a hand, when ranked",
            "walk",
            "pair up",
            "36,036 pairs, min, max, compare",
            2,
        ),
    ):
        ratio = np.median(times[name] / times[probe])
        reach = f"<= {most} x", judged(ratio <= most)
        row(what, per_hand(times[name], n), f"{ratio:.2f} x probe", *reach)
        row(f"  probe: {probed}", per_hand(times[probe], n))

    some = [Cards.from_mask(int(hand)) for hand in hands[:2]]
    slow = in_turns(
        {
            "ours": lambda: rank_and_walk(hands, table, work),
            "plain": lambda: list(map(rank_splits, some)),
            "each five once": lambda: list(map(rank_splits_once, some)),
        },
        3,
    )
    ours = slow["ours"] / n * len(some)
    ratio = np.median(slow["plain"] / ours)
    reach = ">= 1,000 x", judged(ratio >= 1_000)
    row("72,072 splits in plain Python", per_hand(slow["plain"], 2), f"{ratio:,.0f} x ours", *reach)
    ratio = np.median(slow["each five once"] / ours)
    row("  ranking each five once", per_hand(slow["each five once"], 2), f"{ratio:,.0f} x ours")
