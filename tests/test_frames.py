"""Data frames: that they say what the answers say, and what is missing without polars."""

import subprocess
import sys

import numpy as np
import polars as pl
import pytest

from evaluator.cards import Cards
from evaluator.ranking import category
from solver import deal, solve, solve_many
from solver.pool import make_pool
from solver.rules import ROWS

HAND = "As Ks Qs Js 6s 5s 3s Qh 9h 2h Jd 8c 3c"
POOL = make_pool("greedy", records=2000)


def test_a_solution_is_its_settings() -> None:
    solution = solve(HAND, "2-4-royalties", 3, POOL, top=4)
    frame = solution.to_frame()
    assert frame["rank"].to_list() == [1, 2, 3, 4]
    for line, scored in zip(frame.iter_rows(named=True), solution.settings, strict=True):
        for row in ROWS:
            assert line[row] == str(getattr(scored.setting, row))
            assert line[f"{row}_name"] == scored.names[row]
            assert line[f"{row}_win"] == getattr(scored.win, row)
            assert line[f"{row}_tie"] == getattr(scored.tie, row)
        for name in ("ev", "se", "gap", "gap_se", "royalties", "scoop", "scooped"):
            assert line[name] == getattr(scored, name)


def test_many_solutions_are_a_hand_a_line() -> None:
    rules = "giga"
    hands = ["2c 3c 5c 7c 9c 2d 4d 6d 8d Td 3h 6h 9h", *deal(30, seed=3)]
    frame = solve_many(hands, rules, opponents=POOL, samples=200).to_frame()
    for line, hand in zip(frame.iter_rows(named=True), hands, strict=True):
        one = solve(hand, rules, opponents=POOL, samples=200)
        assert [line[row] for row in ROWS] == list(map(str, one.best.setting))
        kinds = [category(strength).name for strength in one.best.setting.strengths()]
        told = [line[f"{row}_category"].replace("-", "_").upper() for row in ROWS]
        assert told == kinds
        answer = one.decision, one.ev, one.se, one.samples
        assert (line["decision"], line["ev"], line["se"], line["samples"]) == answer
        assert line["gap2"] == (one.second.gap if one.second else None)
    assert set(frame["decision"]) == {"declare", "set"}


def test_a_hand_with_one_setting_has_no_second() -> None:
    gap2, decisions = np.array([np.nan]), np.array([2], np.uint8)
    alone = solve_many([HAND], opponents=POOL)._replace(gap2=gap2, decisions=decisions).to_frame()
    assert (alone["gap2"].item(), alone["decision"].item()) == (None, "surrender")


def test_a_pool_is_a_record_a_line() -> None:
    frame = POOL.to_frame()
    assert frame.height == 2000
    assert frame["hand"][7] == str(Cards.from_mask(int(POOL.hands[7])))
    for place, row in enumerate(ROWS):
        assert np.array_equal(frame[f"{row}_strength"], POOL.strengths[:, place])
        kinds = frame[f"{row}_category"]
        assert kinds.dtype == pl.Enum(kinds.dtype.categories)
        assert kinds[7].replace("-", "_").upper() == category(POOL.strengths[7, place]).name
    by_strength = frame.sort("back_strength")["back_category"].to_physical()
    assert frame["decision"].unique().to_list() == ["declare"], "a natural, if it holds one"
    assert by_strength.is_sorted(), "the weakest category comes first"


def test_hands_without_settings_are_a_frame_without_lines() -> None:
    assert solve_many([], opponents=POOL).to_frame().height == 0


@pytest.mark.parametrize(
    ("package", "program", "message"),
    [
        (
            "polars",
            f"from solver import solve; solve('{HAND}', opponents='random').to_frame()",
            "a data frame needs polars: pip install 'capsa-susun[analysis]'",
        ),
        (
            "matplotlib",
            "import solver.plots",
            "a plot needs matplotlib: pip install 'capsa-susun[analysis]'",
        ),
    ],
)
def test_what_to_install_is_said(package: str, program: str, message: str) -> None:
    program = f"import sys; sys.modules[{package!r}] = None\n{program}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8")
    assert done.stderr.splitlines()[-1] == f"ModuleNotFoundError: {message}"
