"""Naturals: the kernels against the naive twins, exact counts, comparison and display."""

import math
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import product

import naive_counts
import numpy as np
import pytest
from naive import is_run, is_suited, ranks_of, setting_key
from naive_rules import compare_equal_naturals, natural_holds, strongest_arrangement
from numpy.typing import NDArray

from evaluator import parse_hand, ranking
from evaluator.jit import kernel
from evaluator.naturals import (
    KINDS,
    kind,
    natural_arrangement,
    natural_bits,
    natural_key,
    natural_table,
)
from evaluator.ranking import Wheel
from solver.rules_model import NATURALS

Hand = tuple[int, ...]
Variant = tuple[str, str, bool]  # name, pairs, wheel_front

PAIRS = {
    "six-pairs": ("strict", "quad-is-two", "floor"),
    "five-pairs-and-trips": ("strict", "quad-is-two"),
}
RUNS = ("three-straights", "three-straight-flushes")
VARIANTS: list[Variant] = [
    (name, pairs, wheel_front)
    for name in NATURALS
    for pairs in PAIRS.get(name, ("quad-is-two",))
    for wheel_front in ((True, False) if name in RUNS else (True,))
]
WHEELS: tuple[Wheel, Wheel] = ("lowest", "second")

# --- hands ----------------------------------------------------------------------------------------

SHAPES = (
    (1,) * 13,
    (4, 4, 4, 1),
    (4, 3, 3, 3),
    (3, 3, 3, 3, 1),
    (4, 4, 3, 2),
    (4, 4, 2, 2, 1),
    (4, 3, 2, 2, 2),
    (4, 2, 2, 2, 2, 1),
    (3, 2, 2, 2, 2, 2),
    (2, 2, 2, 2, 2, 2, 1),
)
SUIT_COUNTS = (
    (13, 0, 0, 0),
    (10, 3, 0, 0),
    (8, 5, 0, 0),
    (5, 5, 3, 0),
    (7, 6, 0, 0),
    (8, 4, 1, 0),
)
RANK_SETS = ("2345678", "89TJQKA", "JQKA")


def of_shape(rng: random.Random, shape: Iterable[int]) -> Hand:
    ranks = rng.sample(range(13), 13)
    return tuple(
        4 * rank + suit
        for rank, count in zip(ranks, shape, strict=False)
        for suit in rng.sample(range(4), count)
    )


def of_suits(rng: random.Random, counts: Iterable[int]) -> Hand:
    suits = rng.sample(range(4), 4)
    return tuple(
        4 * rank + suit
        for suit, count in zip(suits, counts, strict=True)
        for rank in rng.sample(range(13), count)
    )


def of_ranks(rng: random.Random, ranks: str) -> Hand:
    cards = [4 * "23456789TJQKA".index(rank) + suit for rank in ranks for suit in range(4)]
    others = rng.sample(sorted(set(range(52)) - set(cards)), rng.choice((0, 1)))
    return (*rng.sample(cards, 13 - len(others)), *others)


def of_runs(rng: random.Random, suited: bool) -> Hand:
    """Two long and one short run; each of one suit, or of any."""
    while True:
        hand = set()
        for size in (5, 5, 3):
            low, suit = rng.randrange(-1, 14 - size), rng.randrange(4)
            for rank in range(low, low + size):
                hand.add(4 * (rank % 13) + (suit if suited else rng.randrange(4)))
        if len(hand) == 13:
            return tuple(hand)


def built(rng: random.Random) -> Hand:
    """A hand that holds or nearly holds a natural; few of near ranks, as their twins are slow."""
    choice = rng.random()
    if choice < 0.45:
        return of_shape(rng, rng.choice(SHAPES))
    if choice < 0.75:
        return of_suits(rng, rng.choice(SUIT_COUNTS))
    if choice < 0.85:
        return of_ranks(rng, rng.choice(RANK_SETS))
    return of_runs(rng, suited=choice < 0.92)


def one_card_off(rng: random.Random, hand: Hand) -> Hand:
    kept = rng.sample(hand, 12)
    return (*kept, rng.choice(sorted(set(range(52)) - set(hand))))


def hands(n: int, seed: int) -> Iterator[Hand]:
    """Of five hands two are random, two built on purpose and one a card off the latter."""
    rng = random.Random(seed)
    last: Hand = ()
    for number in range(n):
        if number % 5 < 2:
            yield tuple(rng.sample(range(52), 13))
        else:
            last = one_card_off(rng, last) if number % 5 == 4 else built(rng)
            yield last


def mask(hand: Hand) -> int:
    return sum(1 << card for card in hand)


def held(hand: Hand) -> set[int]:
    bits = int(natural_bits(mask(hand), natural_table()))
    return {number for number in range(KINDS) if bits >> number & 1}


# --- detection ------------------------------------------------------------------------------------


def expected(hand: Hand) -> set[int]:
    """The kinds the twins find.

    They take milliseconds to look for straights, so they are asked only where every card is one of
    three in a row; for straight flushes only where three straights and three flushes are there.
    """
    found = {
        kind(*variant)
        for variant in VARIANTS
        if variant[0] not in RUNS and natural_holds(variant[0], hand, *variant[1:])
    }
    ranks = set(ranks_of(hand))
    threes = [set(run) for run in naive_counts.run_ranks(3) if ranks.issuperset(run)]
    for name, needed in zip(RUNS, ((), ("three-straights", "three-flushes")), strict=True):
        if ranks == set().union(*threes) and found.issuperset(map(kind, needed)):
            found |= {
                kind(name, wheel_front=front)
                for front in (True, False)
                if natural_holds(name, hand, wheel_front=front)
            }
    return found


def check_naturals(n: int, seed: int = 0) -> Counter[int]:
    """Compare the kernel with the twins on n hands; return how often each kind was held."""
    seen: Counter[int] = Counter()
    for hand in hands(n, seed):
        found = held(hand)
        assert found == expected(hand), hand
        seen.update(found)
    return seen


def test_kernel_agrees_with_the_twins_and_meets_every_kind_often() -> None:
    seen = check_naturals(5_000)
    assert sorted(seen) == list(range(KINDS))
    assert min(seen.values()) >= 30


@pytest.mark.parametrize(
    ("cards", "with_wheel_front", "without"),
    [
        ("Kc Ac 2c 3c 4c 5c 6c 7d 8d 9d Td Jd Qd", True, True),  # 2-6, 7-J, Q-K-A
        ("Ac 2c 3c 6d 7d 8d 9d Td 8h 9h Th Jh Qh", True, False),
        ("Ac Kc 2c 4d 5d 6d 7d 8d 9h Th Jh Qh Kh", False, False),  # K-A-2
        ("Ac 2c 3c Ad 2d 3d 4d 5d Ah 2h 3h 4h 5h", True, False),
        ("Ac Kc Qc Ad Kd Qd Jd Td Ah 2h 3h 4h 5h", True, True),
    ],
)
def test_the_ace_in_straights(cards: str, with_wheel_front: bool, without: bool) -> None:
    found = held(parse_hand(cards))
    assert (kind("three-straights") in found) == with_wheel_front
    assert (kind("three-straights", wheel_front=False) in found) == without


def test_kinds_have_numbers_in_a_row_and_names_of_the_rules() -> None:
    assert sorted(kind(*variant) for variant in VARIANTS) == list(range(KINDS))
    assert kind("five-pairs-and-trips") == kind("five-pairs-and-trips", "quad-is-two")
    with pytest.raises(ValueError, match="no natural 'six-pair'; there are suited-dragon, "):
        kind("six-pair")
    with pytest.raises(ValueError, match="no natural 'five-pairs-and-trips' with pairs 'floor'"):
        kind("five-pairs-and-trips", pairs="floor")


# --- exact counts ---------------------------------------------------------------------------------


@kernel
def count_by_ranks(
    table: NDArray[np.int64],
    choose: NDArray[np.int64],
    scratch: NDArray[np.int64],
    totals: NDArray[np.int64],
) -> None:
    """Count the hands of each kind: one hand for each of the 3,598,180 ways to have so many cards
    of each rank stands for all of them. Kinds that depend on suits come out wrong.
    """
    counts, size, hand, hands = scratch[0], scratch[1], scratch[2], scratch[3]
    counts[:] = -1
    size[0] = hand[0] = rank = 0
    hands[0] = 1
    while rank >= 0:
        counts[rank] += 1
        count = counts[rank]
        if count > min(4, 13 - size[rank]):
            counts[rank] = -1
            rank -= 1
            continue
        size[rank + 1] = size[rank] + count
        hand[rank + 1] = hand[rank] | ((1 << count) - 1) << 4 * rank
        hands[rank + 1] = hands[rank] * choose[count]
        if size[rank + 1] == 13:
            bits = natural_bits(hand[rank + 1], table)
            for number in range(64):
                totals[number] += hands[rank + 1] * (bits >> number & 1)
        elif rank < 12:
            rank += 1


def test_exact_counts_of_kinds_that_depend_on_ranks() -> None:
    choose, totals = np.array([math.comb(4, c) for c in range(5)]), np.zeros(64, np.int64)
    count_by_ranks(natural_table(), choose, np.empty((4, 14), np.int64), totals)
    by_shape = naive_counts.count_by_rank_counts
    counts = {
        kind("dragon"): 67_108_864,
        kind("three-straights"): 2_029_579_776,
        kind("three-straights", wheel_front=False): naive_counts.count_three_straights(False),
        kind("six-pairs"): 2_514_171_088,
        kind("six-pairs", "strict"): naive_counts.count_six_pairs("strict"),
        kind("six-pairs", "floor"): naive_counts.count_six_pairs("floor"),
        kind("five-pairs-and-trips", "strict"): 320_246_784,
        kind("five-pairs-and-trips"): 342_692_064,
        kind("three-quads"): by_shape(lambda hand: natural_holds("three-quads", hand)),
        kind("four-trips"): by_shape(lambda hand: natural_holds("four-trips", hand)),
        kind("all-small"): 37_442_160,
        kind("all-big"): math.comb(28, 13),
        kind("twelve-royals"): math.comb(16, 13) + 36 * math.comb(16, 12),
    }
    assert {number: totals[number] for number in counts} == counts


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("three-flushes", 5_705_516_392),
        ("suited-dragon", 4),
        ("one-colour", 2 * math.comb(26, 13)),
        ("twelve-colours", 2 * 26 * math.comb(26, 12)),
    ],
)
def test_exact_counts_of_kinds_that_depend_on_suits(name: str, count: int) -> None:
    assert naive_counts.count_by_suit_counts(lambda hand: kind(name) in held(hand)) == count


# --- two of a kind --------------------------------------------------------------------------------


def of_kind(rng: random.Random, name: str, number: int) -> Hand:
    """A hand that holds a kind of six pairs, three flushes or three straights."""
    while True:
        if name == "six-pairs":
            hand = of_shape(rng, rng.choice(SHAPES))
        elif name == "three-flushes":
            hand = of_suits(rng, rng.choice(SUIT_COUNTS[1:4]))
        else:
            hand = of_runs(rng, suited=rng.random() < 0.5)
        if number in held(hand):
            return hand


def rival(rng: random.Random, name: str, number: int, hand: Hand) -> Hand:
    """Another hand of the kind; often one of nearly the same cards, or of the same ranks."""
    for _ in range(rng.choice((0, 40))):
        near = one_card_off(rng, hand)
        if number in held(near):
            return near
    if rng.random() < 0.5:
        return of_kind(rng, name, number)
    suits = rng.sample(range(4), 4)
    return tuple(card // 4 * 4 + suits[card % 4] for card in hand)


def check_keys(name: str, pairs: str, wheel_front: bool, wheel: Wheel, n: int) -> Counter[int]:
    """Compare the kernel's order with the twin's on n pairs of hands; count the outcomes."""
    rng, tables, number = random.Random(n), ranking.tables(wheel), kind(name, pairs, wheel_front)
    outcomes: Counter[int] = Counter()
    for _ in range(n):
        a = of_kind(rng, name, number)
        b = rival(rng, name, number, a)
        key_a, key_b = (int(natural_key(number, mask(hand), tables)) for hand in (a, b))
        outcome = (key_a > key_b) - (key_a < key_b)
        assert outcome == compare_equal_naturals(name, a, b, wheel, wheel_front), (a, b)
        outcomes[outcome] += 1
    return outcomes


@pytest.mark.parametrize(
    ("name", "pairs", "wheel_front", "wheel", "n"),
    [
        *(("six-pairs", pairs, True, "lowest", 300) for pairs in PAIRS["six-pairs"]),
        *(("three-flushes", "strict", True, wheel, 50) for wheel in WHEELS),
        *(("three-straights", "strict", *rest, 30) for rest in product((True, False), WHEELS)),
    ],
)
def test_two_of_a_kind(name: str, pairs: str, wheel_front: bool, wheel: Wheel, n: int) -> None:
    outcomes = check_keys(name, pairs, wheel_front, wheel, n)
    assert min(outcomes[outcome] for outcome in (-1, 0, 1)) >= n // 15


def test_suited_dragons_and_other_kinds_push() -> None:
    tables = ranking.tables()
    suited = [
        natural_key(kind("three-flushes"), 0x1111111111111 << suit, tables) for suit in (0, 3)
    ]
    assert suited[0] == suited[1] > 0
    for variant in VARIANTS:
        if variant[0] not in ("six-pairs", "three-flushes", "three-straights"):
            assert natural_key(kind(*variant), 0x1111111111111, tables) == 0


@pytest.mark.parametrize("wheel", WHEELS)
def test_where_the_wheel_stands_decides_between_three_straights(wheel: Wheel) -> None:
    with_wheel, without = (
        natural_key(kind("three-straights"), parse_hand(hand).mask, ranking.tables(wheel))
        for hand in (
            "As 2d 3c 4d 5c 8d 9c Td Jc Qd 4s 5s 6h",
            "8s 9s Th Js Qs 7c 8c 9d Tc Jd 2s 3s 4h",
        )
    )
    assert (with_wheel > without) == (wheel == "second")


# --- display --------------------------------------------------------------------------------------


@pytest.mark.parametrize("wheel", WHEELS)
def test_flushes_and_straights_are_shown_as_strongly_as_they_can_be(wheel: Wheel) -> None:
    rng = random.Random(5)
    for name, front in product(("three-flushes", "three-straights"), (True, False)):
        for _ in range(15):
            hand = of_kind(rng, name, kind(name, wheel_front=front))
            shown = natural_arrangement(hand, name, wheel_front=front, wheel=wheel)
            assert sorted((*shown.back, *shown.middle, *shown.front)) == sorted(hand)
            best = strongest_arrangement(name, hand, wheel, front)
            assert setting_key((shown.back, shown.middle, shown.front), wheel) == best
            test = is_suited if name == "three-flushes" else is_run
            assert all(map(test, shown))
            if name == "three-straights" and not front:
                assert str(shown.front)[::3] != "A32"


def test_three_straight_flushes_are_shown_suited() -> None:
    rng = random.Random(6)
    for front in (True, False):
        number = kind("three-straight-flushes", wheel_front=front)
        for hand in (of_runs(rng, suited=True) for _ in range(100)):
            if number in held(hand):
                shown = natural_arrangement(hand, "three-straight-flushes", wheel_front=front)
                assert sorted(card for row in shown for card in row) == sorted(hand)
                assert all(is_run(row) and is_suited(row) for row in shown)
                assert front or str(shown.front)[::3] != "A32"


@pytest.mark.parametrize(
    ("name", "hand", "shown"),
    [
        (
            "suited-dragon",
            "2s 3s 4s 5s 6s 7s 8s 9s Ts Js Qs Ks As",
            "As Ks Qs Js Ts / 9s 8s 7s 6s 5s / 4s 3s 2s",
        ),
        (
            "dragon",
            "2s 3s 4h 5s 6s 7s 8s 9s Ts Jd Qs Ks Ac",
            "Ac Ks Qs Jd Ts / 9s 8s 7s 6s 5s / 4h 3s 2s",
        ),
        (
            "six-pairs",
            "As Ah Ks Kh Qs Qh Js Jh Ts Th 9s 9h 2c",
            "As Ah Ks Kh Qs / Qh Js Jh Ts Th / 9s 9h 2c",
        ),
        (
            "six-pairs",
            "As Kh Ks 8s 8h 8d 8c 5s 5c 4d 4h 3s 3c",
            "Ks 8s 8h 8d 8c / Kh 5s 5c 4h 4d / As 3s 3c",
        ),
        (
            "five-pairs-and-trips",
            "As Ah Ks Kh Qs Qh Js Jh Ts Th 9s 9h 9c",
            "As Ah 9s 9h 9c / Ks Kh Qs Qh Js / Jh Ts Th",
        ),
        (
            "four-trips",
            "As Ah Ac Ks Kh Kc Qs Qh Qc Js Jh Jc 2d",
            "As Ah Ac Ks Kh / Kc Qs Qh Qc Js / Jh Jc 2d",
        ),
        (
            "three-quads",
            "As Ah Ac Ad Kd Ks Kh Kc Qs Qh Qc Qd 2d",
            "As Ah Ad Ac Ks / Kh Kd Kc Qs Qh / Qd Qc 2d",
        ),
        (
            "twelve-royals",
            "As Ah Ac Ad Kd Ks Kh Kc Qs Qh Qc Js 9d",
            "As Ah Ad Ac Ks / Kh Kd Kc Qs Qh / Qc Js 9d",
        ),
    ],
)
def test_what_other_naturals_look_like(name: str, hand: str, shown: str) -> None:
    assert str(natural_arrangement(hand, name)) == shown


def test_only_what_is_held_is_shown() -> None:
    with pytest.raises(ValueError, match=r"^As Ah Ks Kh Qs Qh Js Jh Ts Th 9s 9h 2c is no dragon$"):
        natural_arrangement("As Ah Ks Kh Qs Qh Js Jh Ts Th 9s 9h 2c", "dragon")
