"""What given settings are worth, against plain comparison with every opponent."""

import random
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from naive_opponents import state
from test_solve import HANDS, chosen_pool, rules_called, scores_of

from evaluator.settings import Setting, legal_settings
from solver import solve_many, value_many
from solver.deals import deal
from solver.pool import make_pool
from solver.wishes import SolveError

HAND = HANDS["reference 1"]


def cards(*settings: Setting | str) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Settings of one hand as an array (1, k, 13)."""
    return np.array([[[card for row in setting for card in row] for setting in settings]])


@pytest.mark.parametrize("rules", ["2-4", "giga", "shisanshui", "malaya", "broken", "limit"])
@pytest.mark.parametrize("text", list(HANDS.values())[:7], ids=list(HANDS)[:7])
def test_any_legal_setting_is_worth_what_opponents_pay_it(text: str, rules: str) -> None:
    rule_set = rules_called(rules)
    settings = random.Random(text).sample(legal_settings(text, rule_set.wheel), 3)
    pool = chosen_pool(rule_set.wheel)
    evs = value_many(cards(*settings), rule_set, rule_set.players[1], pool)
    others = 1 if rule_set.banker else rule_set.players[1] - 1  # a player meets the banker alone
    for setting, ev in zip(settings, evs[0], strict=True):
        expected = fmean(scores_of(state(setting), text, rules)) * others
        assert ev == pytest.approx(expected, abs=1e-12)


def test_with_the_seed_of_the_choice_it_is_the_ev_that_was_told() -> None:
    hands = np.array(deal(50, seed=8))
    found = solve_many(hands, "2-4", 3, "greedy", samples=300, seed=5)
    evs = value_many(found.settings[:, None], "2-4", 3, "greedy", samples=300, seed=5)
    assert np.array_equal(evs[:, 0], found.ev)
    assert not np.array_equal(
        value_many(found.settings[:, None], "2-4", 3, "greedy", samples=300), evs
    ), "other opponents"


def test_every_fault_is_told_at_once() -> None:
    legal = legal_settings(HAND)[0]
    foul = Setting(legal.middle, legal.back, legal.front)
    assert foul.is_foul()
    settings = np.concatenate([cards(legal, foul), cards(legal, legal), cards(legal, legal)])
    settings[1, 1, 0] = settings[1, 1, 1]
    settings[2, 1] = deal(1, seed=1)[0]
    with pytest.raises(SolveError) as caught:
        value_many(settings, opponents="greedy")
    faults = str(caught.value).splitlines()
    assert faults == [
        "hand 0: setting 1 is a foul",
        "hand 1: setting 1 does not hold 13 different cards",
        "hand 2: setting 1 is not of the same cards as the first",
    ]
    with pytest.raises(SolveError) as caught:
        value_many(np.concatenate([settings[:1]] * 12), opponents="greedy")
    faults = str(caught.value).splitlines()
    assert (len(faults), faults[-1]) == (11, "and 2 more settings")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (np.zeros((2, 13), np.int64), "settings are whole numbers (n, k, 13), not int64 (2, 13)"),
        (np.zeros((1, 1, 13)), "settings are whole numbers (n, k, 13), not float64 (1, 1, 13)"),
        (np.full((1, 1, 13), 52), "cards are numbers 0 to 51, not 52 to 52"),
    ],
)
def test_no_settings(settings: Any, message: str) -> None:
    with pytest.raises(SolveError) as caught:
        value_many(settings)
    assert str(caught.value) == message


def test_too_few_opponents_are_told_with_the_hand() -> None:
    settings = cards(legal_settings(HAND)[0])
    with pytest.raises(SolveError, match="500 samples asked for, but the pool"):
        value_many(settings, opponents=make_pool("random", records=100), samples=500)
