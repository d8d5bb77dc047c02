"""Exact numbers of the 13-card hands that hold a natural, out of C(52, 13)."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations_with_replacement, product

from naive import Row
from naive_rules import natural_holds


def count_by_rank_counts(holds: Callable[[Row], bool]) -> int:
    """Hands that hold something which depends only on how often ranks occur, not on which.

    One hand is looked at for each way to have n1 single ranks, n2 pairs, n3 trips and n4 quads;
    it stands for (13 choose n1, n2, n3, n4) rank choices with C(4, c) suit choices a rank.
    """
    total = 0
    for n4, n3, n2 in product(range(4), range(5), range(7)):
        n1 = 13 - 4 * n4 - 3 * n3 - 2 * n2
        counts = [4] * n4 + [3] * n3 + [2] * n2 + [1] * n1
        if n1 < 0 or len(counts) > 13:
            continue
        hand = tuple(4 * rank + suit for rank, c in enumerate(counts) for suit in range(c))
        if holds(hand):
            ways = math.factorial(13)
            for n in (n4, n3, n2, n1, 13 - len(counts)):
                ways //= math.factorial(n)
            total += ways * math.prod(math.comb(4, count) for count in counts)
    return total


def count_by_suit_counts(holds: Callable[[Row], bool]) -> int:
    """Hands that hold something which depends only on the numbers of clubs, diamonds, ..."""
    total = 0
    for counts in product(range(14), repeat=4):
        if sum(counts) == 13:
            hand = tuple(4 * rank + suit for suit, c in enumerate(counts) for rank in range(c))
            if holds(hand):
                total += math.prod(math.comb(13, count) for count in counts)
    return total


def count_dragon() -> int:
    return count_by_rank_counts(lambda hand: natural_holds("dragon", hand))


def count_six_pairs(pairs: str = "quad-is-two") -> int:
    return count_by_rank_counts(lambda hand: natural_holds("six-pairs", hand, pairs))


def count_five_pairs_and_trips(pairs: str = "quad-is-two") -> int:
    return count_by_rank_counts(lambda hand: natural_holds("five-pairs-and-trips", hand, pairs))


def count_three_flushes() -> int:
    return count_by_suit_counts(lambda hand: natural_holds("three-flushes", hand))


def run_ranks(length: int) -> list[tuple[int, ...]]:
    """The rank sets of runs: the ace (-1 and 12 are both it) low, ..., the ace high."""
    return [tuple(rank % 13 for rank in range(low, low + length)) for low in range(-1, 14 - length)]


def count_three_straights(wheel_front: bool = True) -> int:
    """Each rank multiset that two long and one short run make, once, times its suit choices."""
    shorts: Sequence[tuple[int, ...]] = run_ranks(3) if wheel_front else run_ranks(3)[1:]
    multisets = {
        tuple(sorted(first + second + short))
        for first, second in combinations_with_replacement(run_ranks(5), 2)
        for short in shorts
    }
    return sum(math.prod(math.comb(4, c) for c in Counter(m).values()) for m in multisets)


def count_all_small() -> int:
    return math.comb(4 * len("2345678"), 13)
