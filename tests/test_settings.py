"""Legal settings, the frontier and fouls, against the naive twins."""

import random
from collections import defaultdict
from typing import get_args

import naive
import pytest

from evaluator import (
    Cards,
    Setting,
    frontier,
    legal_settings,
    parse_cards,
    parse_hand,
    row_strength,
)
from evaluator.ranking import Wheel

WHEELS: tuple[Wheel, ...] = get_args(Wheel)
SPECIAL = {
    "quads": "7c7d7h7s Ac Kd 9h 5s 3c 2d Tc 8d 4s",
    "two quads": "7c7d7h7s 2c2d2h2s Ac Kd 9h 5s 3c",
    "three quads": "AcAdAhAs KcKdKhKs QcQdQhQs 2c",
    "straight flush": "5s6s7s8s9s Ac Ad Kh Qd Jc 4h 3d 2c",
    "long straight flush": "4s5s6s7s8s9sTs 4h5h6h7h8h Ac",
    "royal and steel wheel": "AsKsQsJsTs Ah2h3h4h5h 6h 7c 8d",
    "clubs": "AcKcQcJcTc9c8c7c6c5c4c3c2c",
    "spades": "AsKsQsJsTs9s8s7s6s5s4s3s2s",
    "wheels": "Ac2d3h4s5c Ad2h3s4c5d Ah Kc Kd",
    "dragon": "As Kd Qc Jc Tc 9s 8d 7c 6c 5c 4s 3d 2c",
    "equal backs": "As Kd Qs Jd 9s Ac Kh Qc Jh 9c 4d 3h 2s",
    "six pairs": "AsAd KsKd QsQd JsJd TsTd 9s9d 2c",
    "flat": "2c2d2h 3c3d3h 4c4d4h 5c5d5h 6c",
}
STATED = [  # reference.md
    ("As Ks 6s 5s 3s", "Qs Qh 8c 3c 2h", "Js Jd 9h"),
    ("Kc Qc 6c 5c 4c", "Kd 6d 5d 4d 3d", "Th 9s 7s"),
    ("As Ad 7c 5c 3d", "Qs Qc Ks 9h 6d", "Js Jh Td"),
]


def random_hands(number: int, seed: int) -> list[Cards]:
    generator = random.Random(seed)
    return [Cards(generator.sample(range(52), 13)) for _ in range(number)]


def check_settings(hand: Cards, wheel: Wheel) -> None:
    """Compare all that settings.py says about a hand with what the naive twins say."""
    expected = naive.legal_settings(hand, wheel)
    found = legal_settings(hand, wheel)
    assert len(found) == len(expected)
    assert {tuple(setting) for setting in found} == set(expected)

    # the documented representative of each triple of strengths
    rows = {row for setting in expected for row in setting}
    keys = {row: naive.row_key(row, wheel) for row in rows}
    alike: defaultdict[naive.Triple, list[naive.Setting]] = defaultdict(list)
    for setting in expected:
        back, middle, front = (keys[row] for row in setting)
        alike[back, middle, front].append(setting)
    listed = {
        min(alike[triple], key=lambda setting: (setting[2], min(setting[:2])))
        for triple in naive.frontier(hand, wheel)
    }
    best = frontier(hand, wheel)
    assert len(best) == len(listed)
    assert {tuple(setting) for setting in best} == listed
    fronts = [setting.strengths(wheel)[2] for setting in best]
    assert fronts == sorted(fronts, reverse=True)


@pytest.mark.parametrize("wheel", WHEELS)
@pytest.mark.parametrize("hand", SPECIAL.values(), ids=SPECIAL)
def test_special_hands(hand: str, wheel: Wheel) -> None:
    check_settings(parse_hand(hand), wheel)


@pytest.mark.parametrize("wheel", WHEELS)
def test_random_hands(wheel: Wheel) -> None:
    for hand in random_hands(6, seed=len(wheel)):
        check_settings(hand, wheel)


def test_hands_of_few_suits() -> None:
    generator = random.Random(3)
    spades_and_hearts = [card for card in range(52) if card % 4 >= 2]
    for _ in range(3):
        check_settings(Cards(generator.sample(spades_and_hearts, 13)), "lowest")


def test_every_split_of_a_suit_is_legal() -> None:
    assert len(legal_settings(SPECIAL["spades"])) == 36_036


@pytest.mark.parametrize("wheel", WHEELS)
def test_equal_middle_and_back_are_one_setting(wheel: Wheel) -> None:
    twins = [
        setting
        for setting in legal_settings(SPECIAL["equal backs"], wheel)
        if setting.strengths(wheel)[0] == setting.strengths(wheel)[1]
    ]
    assert twins
    assert all(max(setting.back) > max(setting.middle) for setting in twins)
    assert len({frozenset((setting.back, setting.middle)) for setting in twins}) == len(twins)


@pytest.mark.parametrize("rows", STATED)
def test_stated_settings_are_on_the_frontier(rows: tuple[str, str, str]) -> None:
    stated = Setting(*map(parse_cards, rows))
    assert not stated.is_foul()
    hand = " ".join(rows)
    assert stated in legal_settings(hand)
    strengths = [setting.strengths() for setting in frontier(hand)]
    assert stated.strengths() in strengths


def test_text_and_numbers_are_the_same_hand() -> None:
    hand = parse_hand(SPECIAL["dragon"])
    assert frontier(list(hand)) == frontier(str(hand)) == frontier(hand)


def test_both_lists_refuse_what_is_no_hand() -> None:
    for settings_of in (legal_settings, frontier):
        with pytest.raises(ValueError, match="3 cards, a hand has 13"):
            settings_of("As Kd Th")


@pytest.mark.parametrize(
    ("rows", "foul"),
    [
        (("Qs Qd 6c 5d 4c", "Js Jd 9c 8d 2c", "Qh Qc 7c"), True),
        (("As Ad 8h 8s 3c", "Qs Qd 6c 5d 4c", "Qh Qc 7c"), True),
        (("As Ad 8h 8s 3c", "Qs Qd 9c 8d 2c", "Qh Qc 7c"), False),
        (("As Kd Qs Jd 9s", "Ac Kh Qc Jh 9c", "4d 3h 2s"), False),
        (("Ac Kh Qc Jh 9c", "As Kd Qs Jd 9s", "4d 3h 2s"), False),  # equal, higher card in front
        (("Js Jd 9c 8d 2c", "Qs Qd 6c 5d 4c", "4d 3h 2s"), True),
    ],
)
def test_fouls(rows: tuple[str, str, str], foul: bool) -> None:
    setting = Setting(*map(parse_cards, rows))
    assert setting.is_foul() is foul
    assert naive.is_foul((setting.back, setting.middle, setting.front)) is foul


def test_the_wheel_decides_what_is_a_foul() -> None:
    setting = Setting(*map(parse_cards, ("6s 5d 4c 3h 2s", "Ah 2d 3s 4d 5c", "9c 8d 7h")))
    assert not setting.is_foul("lowest")
    assert setting.is_foul("second")
    assert setting.names("second")["middle"] == "five-high straight"
    assert setting.strengths("second")[1] == row_strength(setting.middle, "second")
