"""The naive twins of rows, settings and naturals, against hand-checked cases and exact counts."""

import math
import random
from collections.abc import Callable
from typing import Any

import naive_counts as counts
import pytest
from naive import (
    category,
    clustered_standard_error,
    conditional_opponents,
    frontier,
    is_foul,
    legal_settings,
    parse,
    ranks_of,
    relabel,
    row_key,
    setting_key,
    suits_of,
)
from naive_rules import compare_equal_naturals, natural_holds

NO_WHEEL_FRONT = {"wheel_front": False}


def test_rows_are_ordered_by_category_then_rank_across_sizes() -> None:
    weakest_first = [
        "4d 3c 2c",
        "7c 5d 4c 3c 2c",
        "Ac Kd Qc",
        "Ac Kd Qc 3d 2d",
        "Qc Qd 6c 5d 4c",
        "Qh Qs 7c",
        "Qc Qd 9c 8d 2c",
        "3c 3d 2c 2d Ac",
        "2c 2d 2h",
        "Ah 2d 3d 4d 5d",
        "2d 3d 4d 5d 6h",
        "9d Td Jd Qd Kh",
        "Td Jd Qd Kd Ah",
        "2h 3h 4h 5h 7h",
        "2c 2d 2h 3c 3d",
        "2c 2d 2h 2s 3d",
        "Ad 2d 3d 4d 5d",
    ]
    keys = [row_key(parse(text)) for text in weakest_first]
    assert keys == sorted(set(keys))


def test_wheel_is_the_lowest_straight_or_the_second() -> None:
    wheel, six, king, ace = map(
        parse, ("Ah 2d 3d 4d 5d", "2d 3d 4d 5d 6h", "9d Td Jd Qd Kh", "Td Jd Qd Kd Ah")
    )
    assert row_key(wheel) < row_key(six)
    assert row_key(king, "second") < row_key(wheel, "second") < row_key(ace, "second")


def test_three_suited_cards_in_a_row_are_high_cards() -> None:
    assert category(parse("Qs Ks As")) == "high-card"


@pytest.mark.parametrize(("middle", "foul"), [("Qs Qd 6c 5d 4c", True), ("Qs Qd 9c 8d 2c", False)])
def test_front_pair_of_queens_over_queens(middle: str, foul: bool) -> None:
    setting = (parse("As Ad 8h 8s 3c"), parse(middle), parse("Qh Qc 7c"))
    assert is_foul(setting) is foul


def deal(seed: int) -> tuple[int, ...]:
    return tuple(random.Random(seed).sample(range(52), 13))


def test_legal_settings_of_random_hands_are_about_22300() -> None:
    numbers = []
    for seed in range(12):
        settings = legal_settings(deal(seed))
        assert len({(frozenset(back), frozenset(middle)) for back, middle, _ in settings}) == len(
            settings
        )
        numbers.append(len(settings))
    assert sum(numbers) / len(numbers) == pytest.approx(22_300, rel=0.1)


def test_equal_middle_and_back_are_one_setting() -> None:
    hand = parse("As Kd Qs Jd 9s Ac Kh Qc Jh 9c 4d 3h 2s")
    twins = [
        (back, middle)
        for back, middle, front in legal_settings(hand)
        if front == parse("4d 3h 2s") and row_key(back) == row_key(middle)
    ]
    assert len(twins) == 16
    assert all(max(back) > max(middle) for back, middle in twins)


def test_frontier_is_what_the_definition_says() -> None:
    hand = deal(0)
    triples = {setting_key(setting) for setting in legal_settings(hand)}
    front = frontier(hand)

    def beaten(triple: Any, by: Any) -> bool:
        return bool(triple != by) and all(x <= y for x, y in zip(triple, by, strict=True))

    assert front <= triples
    assert not any(beaten(one, by) for one in front for by in front)
    assert all(any(beaten(one, by) for by in front) for one in triples - front)


def test_extra_numbers_only_widen_the_frontier() -> None:
    hand = deal(1)
    low_front = frontier(hand, extra=lambda setting: (-max(ranks_of(setting[2])),))
    assert frontier(hand) < low_front


def test_conditional_opponents_share_no_relabelled_card() -> None:
    hand, record = parse("As Ks"), parse("Ac Ks")
    swap = (1, 0, 2, 3)
    rotate = (1, 2, 3, 0)
    assert relabel(record, swap) == parse("Ad Ks")
    assert conditional_opponents(hand, [record, parse("Ac 2s")], [(0, 1, 2, 3), swap, rotate]) == [
        (0, rotate),
        (1, (0, 1, 2, 3)),
        (1, swap),
        (1, rotate),
    ]


def test_clustered_standard_error() -> None:
    scores = [1.0, 2.0, 3.0, 6.0]
    plain = math.sqrt(sum((score - 3) ** 2 for score in scores) / 3 / 4)
    assert clustered_standard_error(scores, "abcd") == pytest.approx(plain)
    # Two records with deviations -2 - 1 and 0 + 3: sqrt(2 * (9 + 9)) / 4.
    assert clustered_standard_error(scores, "aabb") == pytest.approx(1.5)


# --- naturals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (counts.count_dragon, 67_108_864),
        (counts.count_three_flushes, 5_705_516_392),
        (counts.count_three_straights, 2_029_579_776),
        (counts.count_six_pairs, 2_514_171_088),
        (lambda: counts.count_five_pairs_and_trips("strict"), 320_246_784),
        (counts.count_five_pairs_and_trips, 342_692_064),
        (counts.count_all_small, 37_442_160),
        (lambda: counts.count_by_rank_counts(lambda hand: True), 635_013_559_600),
        (lambda: counts.count_by_suit_counts(lambda hand: True), 635_013_559_600),
    ],
)
def test_exact_counts(count: Callable[[], int], expected: int) -> None:
    assert count() == expected


def test_published_chances_to_hold_flush_and_quads() -> None:
    flush = counts.count_by_suit_counts(
        lambda hand: any(suits_of(hand).count(suit) >= 5 for suit in range(4))
    )
    quads = counts.count_by_rank_counts(
        lambda hand: any(ranks_of(hand).count(rank) == 4 for rank in range(13))
    )
    assert flush / math.comb(52, 13) == pytest.approx(0.64919475, abs=5e-9)
    assert quads / math.comb(52, 13) == pytest.approx(0.03420035, abs=5e-9)


@pytest.mark.parametrize(
    ("name", "text", "options", "holds"),
    [
        ("suited-dragon", "As Ks Qs Js Ts 9s 8s 7s 6s 5s 4s 3s 2s", {}, True),
        ("suited-dragon", "As Ks Qs Js Ts 9s 8s 7s 6s 5s 4s 3s 2h", {}, False),
        ("three-straights", "As Ks Qs Js Ts 9s 8s 7s 6s 5s 4s 3s 2h", {}, True),
        ("three-straights", "Ac 2d 3h Ad 2c 3c 4c 5h 5s 6d 7c 8c 9c", {}, True),
        ("three-straights", "Ac 2d 3h 4d 5c 4c 5h 6s 7d 8c 9c Td Jc", {}, True),
        ("three-straights", "Ac 2d 3h Tc Jc Qd Kd 9d 5c 6c 7c 8c 9c", {}, True),
        ("three-straights", "Ac 2d 3h Tc Jc Qd Kd 9d 5c 6c 7c 8c 9c", NO_WHEEL_FRONT, False),
        ("three-straights", "Ac 2d Kh Tc Jc Qd Kd 9d 5c 6c 7c 8c 9c", {}, False),
        ("three-straight-flushes", "Ac Kc Qc 5c 6c 7c 8c 9c 2s 3s 4s 5s 6s", {}, True),
        ("three-straight-flushes", "Ac Kc Qd 5c 6c 7c 8c 9c 2s 3s 4s 5s 6s", {}, False),
        ("twelve-royals", "Ac Ad Ah As Kc Kd Kh Ks Qc Qd Qh Js 2c", {}, True),
        ("twelve-royals", "Ac Ad Ah As Kc Kd Kh Ks Qc Qd Qh 3s 2c", {}, False),
        ("three-quads", "Ac Ad Ah As Kc Kd Kh Ks 2c 2d 2h 2s 3c", {}, True),
        ("four-trips", "Ac Ad Ah As Kc Kd Kh Ks 2c 2d 2h 3c 3d", {}, False),
        ("four-trips", "Ac Ad Ah As Kc Kd Kh 2c 2d 2h 3c 3d 3h", {}, True),
        ("all-big", "Ac Kc Qc Jc Tc 9c 8c Ad Kd Qd Jd Td 8d", {}, True),
        ("all-big", "Ac Kc Qc Jc Tc 9c 7c Ad Kd Qd Jd Td 8d", {}, False),
        ("all-small", "2c 3c 4c 5c 6c 7c 8c 2d 3d 4d 5d 6d 7d", {}, True),
        ("one-colour", "2c 3c 4c 5c 6c 7c 8c 2s 3s 4s 5s 6s 7s", {}, True),
        ("one-colour", "2c 3c 4c 5c 6c 7c 8c 2s 3s 4s 5s 6s 7d", {}, False),
        ("twelve-colours", "2c 3c 4c 5c 6c 7c 8c 2s 3s 4s 5s 6s 7d", {}, True),
        ("twelve-colours", "2c 3c 4c 5c 6c 7c 8c 2s 3s 4s 5s 6s 7s", {}, False),
        ("six-pairs", "2c 2d 3c 3d 4c 4d 5c 5d 6c 6d 7c 7d 8c", {"pairs": "strict"}, True),
        ("six-pairs", "2c 2d 2h 2s 4c 4d 5c 5d 6c 6d 7c 7d 8c", {"pairs": "strict"}, False),
        ("six-pairs", "2c 2d 2h 2s 4c 4d 5c 5d 6c 6d 7c 7d 8c", {}, True),
        ("six-pairs", "2c 2d 2h 3s 3c 4d 4c 5d 5c 6d 6c 7d 7c", {}, False),
        ("six-pairs", "2c 2d 2h 3s 3c 4d 4c 5d 5c 6d 6c 7d 7c", {"pairs": "floor"}, True),
        ("five-pairs-and-trips", "2c 2d 2h 3s 3c 4d 4c 5d 5c 6d 6c 7d 7c", {}, True),
        ("three-flushes", "2c 3c 4c 5c 6c 7c 8c 9c Ts Js Qs Ks 2s", {}, True),
        ("three-flushes", "2c 3c 4c 5c 6c 7c 8c 9c Ts Js Qs Ks 2h", {}, False),
    ],
)  # fmt: skip
def test_natural_holds(name: str, text: str, options: dict[str, Any], holds: bool) -> None:
    cards = parse(text)
    assert len(set(cards)) == 13
    assert natural_holds(name, cards, **options) is holds


def test_equal_naturals() -> None:
    high = parse("Ac Ad 3c 3d 4c 4d 5c 5d 6c 6d 7c 7d 8c")
    low = parse("Kc Kd Qc Qd Jc Jd 5h 5s 6h 6s 7h 7s As")
    assert compare_equal_naturals("six-pairs", high, low) == 1
    same = parse("Ah As 3h 3s 4h 4s 5h 5s 6h 6s 7h 7s Kh")
    assert compare_equal_naturals("six-pairs", high, same) == 0
    # Both have 8-high clubs or spades to put behind; the first shows a straight flush there.
    run = parse("4c 5c 6c 7c 8c 2d 3d 9d Jd Kd 2h 4h Th")
    broken = parse("3s 5s 6s 7s 8s 2d 3d 9d Jd Ad 3h 5h Jh")
    assert compare_equal_naturals("three-flushes", run, broken) == 1
    # The wheel in the back: below a six-high straight, or above a king-high one.
    wheel = parse("Ac 2d 3h 4d 5c 2c 3c 4h 5d 6h 4s 5s 6s")
    king = parse("9c Td Jh Qd Kc 2h 3d 4h 5h 6c 2s 3s 4c")
    assert compare_equal_naturals("three-straights", wheel, king, "lowest") == -1
    assert compare_equal_naturals("three-straights", wheel, king, "second") == 1
    assert compare_equal_naturals("dragon", deal(0), deal(1)) == 0
