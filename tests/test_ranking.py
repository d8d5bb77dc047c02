"""Strengths of rows: against phevaluator on every five cards, and against the naive twin."""

import hashlib
import random
from collections import Counter
from collections.abc import Iterable
from functools import cache
from itertools import chain, combinations, combinations_with_replacement, starmap
from math import comb
from typing import get_args

import naive
import numpy as np
import pytest
from numpy.typing import NDArray
from phevaluator import evaluate_5cards

from evaluator import Category, category, row_name, row_strength
from evaluator.kernels import rank_subsets, workspace
from evaluator.ranking import CLASSES, RowClass, Wheel, categories, first_ranks, row_class, tables

WHEELS: tuple[Wheel, ...] = get_args(Wheel)
ALL_FIVES = comb(52, 5)


@cache
def all_strengths(wheel: Wheel) -> NDArray[np.int16]:
    """Strengths of all five-card rows, in the order of `combinations(range(52), 5)`."""
    table = tables(wheel)
    cards = np.fromiter(
        chain.from_iterable(combinations(range(52), 5)), np.int64, 5 * ALL_FIVES
    ).reshape(-1, 5)
    ranks, suits = cards >> 2, cards & 3
    strengths: NDArray[np.int16] = table.unsuited[table.steps[np.arange(5), ranks].sum(axis=1)]
    flushes = (suits == suits[:, :1]).all(axis=1)
    strengths[flushes] = table.suited[(1 << ranks[flushes]).sum(axis=1)]
    return strengths


def representatives() -> list[tuple[int, ...]]:
    """One row of each of the 7,462 classes of five cards and the 455 of three."""

    def apart(ranks: tuple[int, ...]) -> tuple[int, ...]:
        """Cards of these ranks that are no flush, equal ranks in different suits."""
        suits = [ranks[:place].count(rank) for place, rank in enumerate(ranks)]
        if len(set(ranks)) == len(ranks):
            suits[0] = 3
        return tuple(4 * rank + suit for rank, suit in zip(ranks, suits, strict=True))

    fives = combinations_with_replacement(range(13), 5)
    threes = combinations_with_replacement(range(13), 3)
    flushes = combinations(range(13), 5)
    return [
        *(apart(ranks) for ranks in fives if ranks[0] != ranks[4]),
        *(tuple(4 * rank + 2 for rank in ranks) for ranks in flushes),
        *map(apart, threes),
    ]


def random_rows(size: int, number: int, seed: int) -> Iterable[list[int]]:
    generator = random.Random(seed)
    return (generator.sample(range(52), size) for _ in range(number))


def test_all_fives_are_ordered_as_by_phevaluator() -> None:
    # Its best hand is 1 and its worst 7,462: each of our strengths must meet one of its numbers
    # only, and the bigger strength the smaller number.
    ours = all_strengths("lowest")
    theirs = np.fromiter(starmap(evaluate_5cards, combinations(range(52), 5)), np.int64, ALL_FIVES)
    pairs = np.unique(ours.astype(np.int64) << 16 | theirs)
    assert len(pairs) == 7462
    assert (pairs & 65535).tolist() == list(range(7462, 0, -1))


@pytest.mark.parametrize(
    ("wheel", "digest"),
    [
        ("lowest", "4165b1346865e5deb991906baabb13e27dc48fd817d59b0be774dd61e4d57d25"),
        ("second", "c0d281d20f8a318d97eb452ef00ac3b17ebd363c723e06ce8ad2e28be254f3f2"),
    ],
)
def test_digest_of_all_fives(wheel: Wheel, digest: str) -> None:
    strengths = all_strengths(wheel).astype("<i2")
    assert hashlib.sha256(strengths.tobytes()).hexdigest() == digest


@pytest.mark.parametrize("wheel", WHEELS)
def test_all_classes_are_ordered_as_by_the_naive_twin(wheel: Wheel) -> None:
    rows = sorted(representatives(), key=lambda row: naive.row_key(row, wheel))
    assert [row_strength(row, wheel) for row in rows] == list(range(CLASSES))


@pytest.mark.parametrize("wheel", WHEELS)
@pytest.mark.parametrize("size", [3, 5])
def test_random_rows_are_ordered_as_by_the_naive_twin(size: int, wheel: Wheel) -> None:
    pairs = {
        (row_strength(row, wheel), naive.row_key(row, wheel))
        for row in random_rows(size, 5000, seed=size)
    }
    strengths, keys = zip(*sorted(pairs), strict=True)
    assert len(set(strengths)) == len(set(keys)) == len(pairs)
    assert list(keys) == sorted(keys)


def test_row_strength_is_that_of_the_tables() -> None:
    every = all_strengths("second")
    places = random.Random(1).sample(range(ALL_FIVES), 2000)
    fives = np.fromiter(
        chain.from_iterable(combinations(range(52), 5)), np.int8, 5 * ALL_FIVES
    ).reshape(-1, 5)
    for place in places:
        assert row_strength(fives[place], "second") == every[place]


def test_class_counts() -> None:
    five = Counter(category(row_strength(row)) for row in representatives() if len(row) == 5)
    three = Counter(category(row_strength(row)) for row in representatives() if len(row) == 3)
    assert [five[kind] for kind in Category] == [1277, 2860, 858, 858, 10, 1277, 156, 156, 10]
    assert three == {Category.HIGH_CARD: 286, Category.PAIR: 156, Category.TRIPS: 13}
    assert Counter(categories().tolist()) == five + three


@pytest.mark.parametrize("wheel", WHEELS)
def test_classes_are_decoded(wheel: Wheel) -> None:
    for row in representatives():
        number = row_strength(row, wheel)
        kind, *ordered = naive.row_key(row, wheel)
        decoded = row_class(number, wheel)
        assert decoded.category == category(number) == kind == categories()[number]
        if kind in (Category.STRAIGHT, Category.STRAIGHT_FLUSH):
            ranks = set(naive.ranks_of(row))
            assert decoded.ranks == (3 if ranks == naive.WHEEL else max(ranks),)
        else:
            assert decoded.ranks == tuple(rank for rank in ordered if rank >= 0)
            assert first_ranks()[number] == ordered[0]
        assert decoded.royal == (number == CLASSES - 1)


@pytest.mark.parametrize(
    ("stronger", "weaker"),
    [
        ("Qh Qs 7c", "Qc Qd 6c 5d 4c"),
        ("Qc Qd 9c 8d 2c", "Qh Qs 7c"),
        ("Qc Qd 7d 3d 2c", "Qh Qs 7c"),  # all equal but the row of three runs out
        ("Ah Kh Qh", "As Ks Js Td 9s"),
        ("As Ks Qs 3d 2s", "Ah Kh Qh"),
        ("2s 2d 3c", "Ah Kh Qh Jh 9c"),
        ("2s 2d 2c", "As Ad Kc Kd Qh"),
        ("2s 2d 2c 4h 3h", "2s 2d 2c"),
        ("Ah 2d 3d 4d 5d", "As Ad Ac"),
    ],
)
def test_rows_of_three_and_five_compare(stronger: str, weaker: str) -> None:
    assert row_strength(stronger) > row_strength(weaker)


@pytest.mark.parametrize("suit", ["h", "d"], ids=["straight", "straight flush"])
def test_the_wheel_is_the_lowest_straight_or_the_second(suit: str) -> None:
    wheel, six, king, ace = (
        f"{ranks}{suit}" for ranks in ("2d3d4d5dA", "2d3d4d5d6", "9dTdJdQdK", "TdJdQdKdA")
    )
    assert row_strength(wheel) < row_strength(six)
    assert row_strength(king, "second") < row_strength(wheel, "second")
    assert row_strength(wheel, "second") < row_strength(ace, "second")


@pytest.mark.parametrize(
    ("row", "name"),
    [
        ("4d 3c 2c", "four high"),
        ("Ac Kd Qc 3d 2d", "ace high"),
        ("Js Jd 2h", "pair of jacks, deuce kicker"),
        ("6s 6d Kh 3c 2c", "pair of sixes, king kicker"),
        ("Qs Qd 8h 8c 3c", "queens and eights, three kicker"),
        ("6s 6d 2h 2c Ac", "sixes and deuces, ace kicker"),
        ("2s 2d 2h", "three deuces"),
        ("Ts Td Th Ac 9c", "three tens"),
        ("As 2d 3h 4c 5c", "five-high straight"),
        ("As Kd Qh Jc Tc", "ace-high straight"),
        ("As Ks Qs Js 9s", "ace-high flush"),
        ("6s 6d 6h Ac As", "sixes full of aces"),
        ("7s 7d 7h 7c As", "four sevens"),
        ("As 2s 3s 4s 5s", "five-high straight flush"),
        ("Ks Qs Js Ts 9s", "king-high straight flush"),
        ("As Ks Qs Js Ts", "royal flush"),
    ],
)
@pytest.mark.parametrize("wheel", WHEELS)
def test_names(row: str, name: str, wheel: Wheel) -> None:
    assert row_name(row_strength(row, wheel), wheel) == name


def test_names_tell_categories_apart() -> None:
    for wheel in WHEELS:
        kinds: dict[str, set[Category]] = {}
        for number in range(CLASSES):
            kinds.setdefault(row_name(number, wheel), set()).add(category(number))
        assert all(len(found) == 1 for found in kinds.values())


def test_row_class_of_a_wheel_has_its_five() -> None:
    five_high = RowClass(Category.STRAIGHT, (3,))
    for wheel in WHEELS:
        assert row_class(row_strength("Ah 2d 3d 4d 5d", wheel), wheel) == five_high


@pytest.mark.parametrize("size", [1, 2, 4, 6, 13])
def test_rows_have_three_or_five_cards(size: int) -> None:
    with pytest.raises(ValueError, match=f"a row has 3 or 5 cards, not {size}"):
        row_strength(range(size))


def colex(size: int) -> list[tuple[int, ...]]:
    return sorted(combinations(range(13), size), key=lambda places: places[::-1])


@pytest.mark.parametrize("wheel", WHEELS)
def test_all_subsets_of_a_hand_are_ranked(wheel: Wheel) -> None:
    work = workspace()
    one_suit = [4 * rank + 1 for rank in range(13)]
    for hand in (*random_rows(13, 10, seed=5), one_suit, list(range(39, 52))):
        cards = sorted(hand)
        rank_subsets(sum(1 << card for card in cards), tables(wheel), work)
        for size, found in ((3, work.threes), (5, work.fives)):
            rows = (tuple(cards[place] for place in places) for places in colex(size))
            assert found.tolist() == [row_strength(row, wheel) for row in rows]
