"""The front door: what it refuses, and the form of what it answers."""

import json
from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evaluator.cards import CardError
from solver import solve
from solver.columns import setting_rows, units_text
from solver.opening import open_table
from solver.pool import OpponentPool, PoolError, load_pool, make_pool
from solver.rules import RulesError, load_rules
from solver.solution import Solution
from solver.wishes import SolveError

HAND = "As Ks Qs Js 6s 5s 3s Qh 9h 2h Jd 8c 3c"
POOL = make_pool("greedy", records=2000)
FLUSHES = "2c 3c 5c 7c 9c 2d 4d 6d 8d Td 3h 6h 9h"


def ask(hand: Any = HAND, **options: Any) -> Solution:
    return solve(hand, **{"opponents": POOL, **options})


# What it refuses


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"hand": HAND[:-3]}, CardError, "12 cards"),
        ({"hand": HAND[:-2] + "As"}, CardError, "As"),
        ({"hand": [0, 1, 2]}, CardError, "3 cards"),
        ({"hand": range(40, 53)}, CardError, "52"),
        ({"rules": "2-5"}, RulesError, 'no rules are called "2-5"'),
        ({"rules": "nowhere/house.toml"}, RulesError, "house.toml"),
        ({"players": 1}, SolveError, "1 player; the rules 2-4 are for 2 to 4"),
        ({"players": 5}, SolveError, "5 players; the rules 2-4 are for 2 to 4"),
        ({"samples": 0}, SolveError, "samples 0; a standard error needs at least 2"),
        ({"samples": 1}, SolveError, "samples 1; a standard error needs at least 2"),
        ({"samples": -5}, SolveError, "samples -5; a standard error needs at least 2"),
        ({"top": 0}, SolveError, "top 0; at least one setting is listed"),
        ({"seed": -1}, ValueError, f"seed -1 is out of range; use 0 to {2**63 - 1}"),
        ({"seed": 2**63}, ValueError, f"seed {2**63} is out of range; use 0 to {2**63 - 1}"),
        (
            {"rules": "malaya", "seat": "dealer"},
            SolveError,
            "no seat is called 'dealer'; use banker or player",
        ),
        (
            {"rules": "2-4", "seat": "banker"},
            SolveError,
            "the rules 2-4 have no banker, so there is no seat to choose",
        ),
        (
            {"opponents": "clever"},
            PoolError,
            "no opponents are called 'clever'; use equilibrium, greedy, random, or a file: .csv of "
            "recorded settings, .npz of a trained pool",
        ),
        (
            {"rules": "shisanshui"},
            PoolError,
            "the pool greedy was set with the wheel lowest, "
            "but under the rules shisanshui it is second",
        ),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else None,
)
def test_bad_questions(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        ask(**options)
    assert type(caught.value) is error
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    if error in (SolveError, PoolError):
        assert str(caught.value) == message


@pytest.mark.parametrize("samples", [3000, 10**9])
def test_more_samples_than_there_are_name_the_count(samples: int) -> None:
    there = ask().samples
    assert ask(samples=there).samples == there
    with pytest.raises(SolveError) as caught:
        ask(samples=samples)
    assert str(caught.value) == (
        f"{samples} samples asked for, but the pool greedy has only {there} opponents without a "
        "card of this hand; ask for fewer"
    )


@pytest.mark.parametrize("records", [0, 1])
def test_a_pool_with_nobody_to_meet(records: int) -> None:
    everyone_holds_one = "As Ah Ad Ac Ks Kh Kd Kc Qs Qh Qd Qc Js"
    with pytest.raises(SolveError) as caught:
        solve(everyone_holds_one, opponents=make_pool("random", records=records))
    expected = (
        "the pool random has 0 opponents without a card of this hand, but 2 are needed; "
        "take a larger pool"
    )
    assert str(caught.value) == expected


def test_exactly_the_samples_asked_for() -> None:
    for samples in (2, 3, 100, 317):
        assert ask(samples=samples).samples == samples
    assert ask().samples == ask(samples=None).samples > 317
    assert ask(opponents="greedy").samples == 10_000


def test_opponents_by_name_are_those_of_the_cache() -> None:
    named, given = ask(opponents="greedy"), ask(opponents=load_pool("greedy"))
    assert named.to_dict() | {"seconds": 0} == given.to_dict() | {"seconds": 0}
    table = open_table(opponents="random")
    assert isinstance(table.pool, OpponentPool)
    assert table.pool is open_table(opponents="random").pool, "read once"


# What it answers


def test_solutions_are_frozen() -> None:
    solution = ask(samples=50)
    for part, field in ((solution, "ev"), (solution.best, "ev"), (solution.best.win, "back")):
        with pytest.raises(FrozenInstanceError):
            setattr(part, field, 1.0)
    assert isinstance(solution.settings, tuple)


def test_hands_as_text_and_as_numbers_are_the_same() -> None:
    cards = tuple(ask(samples=50).hand)
    answers = [
        ask(hand, samples=50).to_dict() | {"seconds": 0}
        for hand in (HAND, HAND.lower().replace(" ", ","), cards, np.array(cards), set(cards))
    ]
    assert all(answer == answers[0] for answer in answers)


SETTING_KEYS = (
    *("back", "middle", "front", "names", "ev", "se", "gap", "gap_se"),
    *("win", "tie", "scoop", "scooped", "royalties", "risk"),
)
KEYS = (
    *("hand", "rules", "players", "seat", "opponents", "seed", "samples"),
    *("deals", "stakes", "objective", "seconds", "version"),
    *("decision", "natural", "ev", "se", "risk", "settled", "settings", "notes"),
)


def test_the_dict_has_the_keys_of_the_json() -> None:
    answer = ask(FLUSHES, rules="giga", players=3, samples=200, seed=4, top=3).to_dict()
    assert tuple(answer) == KEYS
    assert json.loads(json.dumps(answer)) == answer
    asked = ("giga", 3, "greedy", 4, 200)
    assert (
        tuple(answer[key] for key in ("rules", "players", "opponents", "seed", "samples")) == asked
    )
    assert answer["hand"] == "Td 9c 9h 8d 7c 6d 6h 5c 4d 3c 3h 2c 2d".split() or (
        sorted(answer["hand"]) == sorted(FLUSHES.split())
    )
    assert answer["natural"] == {"name": "three-flushes", "units": 12}
    assert answer["decision"] == "declare"
    assert answer["notes"] == []
    assert len(answer["settings"]) == 3
    for setting in answer["settings"]:
        assert tuple(setting) == SETTING_KEYS
        assert [len(setting[row]) for row in ("back", "middle", "front")] == [5, 5, 3]
        rows = {"back", "middle", "front"}
        assert setting["names"].keys() == setting["win"].keys() == setting["tie"].keys() == rows
    best = answer["settings"][0]
    assert (best["gap"], best["gap_se"]) == (0.0, 0.0)


def test_a_hand_without_a_natural() -> None:
    answer = ask(rules="giga", samples=200).to_dict()
    assert answer["natural"] is None
    assert (answer["decision"], answer["ev"], answer["se"]) == (
        "set",
        answer["settings"][0]["ev"],
        answer["settings"][0]["se"],
    )


def test_nothing_is_left_out_of_evs() -> None:
    assert ask(samples=50).notes == ()
    pool = make_pool("greedy", "second", records=2000)
    assert ask(rules="shisanshui", samples=50, opponents=pool).notes == ()
    three = ask(rules="shisanshui", samples=50, opponents=pool, players=3)
    assert three.deals == 1000, "for home runs"
    assert three.notes == ()


def test_the_seat_is_told_where_there_is_a_banker() -> None:
    banker = ask(rules="malaya", samples=50, seat="banker")
    assert banker.question == "rules malaya, 2 players, seat banker, opponents greedy, 50 samples"
    assert banker.to_dict()["seat"] == "banker"
    assert ask(rules="malaya", samples=50).seat == "player"
    assert ask(samples=50).to_dict()["seat"] is None


def test_a_foul_cheaper_than_the_best_setting_is_told() -> None:
    rules = replace(load_rules("2-4"), foul=1)
    lost = "Ah Kc Qc Ts 9h 8d 7h 5d 5c 4c 3d 2s 2h"  # loses 1.65 to each greedy player
    assert solve(lost, rules, 3, "greedy", samples=500).notes == (
        "A foul would cost only 2 units, but nobody is taken to foul on purpose.",
    )
    assert solve(lost, replace(rules, foul=2), 3, "greedy", samples=500).notes == ()


def test_a_natural_comes_with_the_rows_that_show_it() -> None:
    natural = ask(FLUSHES, rules="giga", samples=200).natural
    assert natural is not None
    assert [len(row) for row in natural.shown] == [5, 5, 3]
    assert all(len({card % 4 for card in row}) == 1 for row in natural.shown)


@pytest.mark.parametrize("top", [1, 2, 5])
def test_settings_are_listed_best_first(top: int) -> None:
    solution = ask(top=top)
    assert len(solution.settings) == top
    assert solution.best is solution.settings[0]
    evs = [scored.ev for scored in solution.settings]
    assert evs == sorted(evs, reverse=True)
    for scored in solution.settings:
        assert scored.gap == pytest.approx(solution.best.ev - scored.ev, abs=1e-12)
        cards = sorted(card for row in scored.setting for card in row)
        assert cards == sorted(solution.hand)
        assert not scored.setting.is_foul()
        assert scored.names == scored.setting.names()


def test_where_fewer_settings_exist_all_are_listed() -> None:
    solution = ask("As Ks Qs Js Ts 9s 8s 7s 6s 5s 4s 3s 2s", top=10_000)
    settings = solution.settings
    assert 0 < len(settings) < 10_000
    assert len({scored.setting.strengths() for scored in settings}) == len(settings)


@pytest.mark.parametrize(
    ("gap", "gap_se", "settled"),
    [
        (0.03, 0.01, True),
        (0.0196, 0.01, True),
        (0.019, 0.01, False),
        (0.005, 0.01, True),
        (0.0051, 0.01, False),
        (0.0, 0.0, True),
    ],
)
def test_settled_is_clearly_better_or_as_good_as_equal(
    gap: float, gap_se: float, settled: bool
) -> None:
    solution = ask(samples=50)
    second = replace(solution.settings[1], gap=gap, gap_se=gap_se)
    changed = replace(solution, settings=(solution.best, second), second=second)
    assert changed.settled is settled
    assert changed.to_dict()["settled"] is settled


@pytest.mark.parametrize("stake", [0.001, 10_000])
def test_settled_does_not_depend_on_what_a_unit_is_worth(stake: float) -> None:
    for hand in (HAND, FLUSHES):
        for samples in (40, 300):
            in_units, in_money = (
                ask(hand, samples=samples),
                ask(hand, samples=samples, stakes=[stake]),
            )
            assert in_money.settled is in_units.settled
            assert in_money.second_is_as_good is in_units.second_is_as_good


def test_settled_does_not_depend_on_how_many_are_listed() -> None:
    for hand in (HAND, FLUSHES):
        for samples in (40, 300):
            tops = [ask(hand, samples=samples, top=top).settled for top in (1, 2, 5)]
            assert len(set(tops)) == 1


def test_a_notebook_shows_the_best_setting_and_the_others() -> None:
    html = ask(samples=200)._repr_html_()
    assert html.count("<table") == 1
    assert "EV" in html
    text = str(ask(samples=200))
    assert text.splitlines()[0] == "As Ks Qs Qh Js Jd 9h 8c 6s 5s 3s 3c 2h"
    assert "200 samples" in text


def test_rules_may_be_a_file(tmp_path: Path) -> None:
    path = tmp_path / "house.toml"
    path.write_text('extends = "2-4"\nmajority = 5\n', encoding="utf-8")
    house, plain = ask(rules=path), ask()
    assert house.rules == "house"
    assert abs(house.ev) > abs(plain.ev)


def test_the_first_line_of_csv_has_the_value_of_the_decision() -> None:
    solution = ask(FLUSHES, rules="giga", samples=200, top=2)
    first, second = setting_rows(solution)
    assert (solution.decision, first["decision"]) == ("declare", "declare")
    assert first["ev"] == units_text(solution.ev) != units_text(solution.best.ev)
    assert second["ev"] == units_text(solution.settings[1].ev)
