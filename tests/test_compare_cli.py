"""What `capsa compare` and `capsa solve --explain` answer."""

import json
from typing import Final

import pytest
from test_cli import DRAGON, FEW, HAND, capsa

from solver import compare, explain, solve
from solver.explaining import PARTS
from solver.explanation import Options
from solver.solve import warm_up

FEWER: Final[Options] = {"samples": 500, "opponents": "greedy"}  # as FEW, for Python
MINE = "As Ks 6s 5s 3s / Qs Qh 8c 3c 2h / Js Jd 9h"


@pytest.fixture(scope="module", autouse=True)
def _warm() -> None:
    """Compile first, so that no answer comes with a notice about that."""
    warm_up()


def test_compare() -> None:
    result = capsa("compare", *HAND.split(), "--setting", MINE, *FEW)
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    comparison = compare(HAND, MINE, **FEWER)
    assert lines[0] == "As Ks Qs Qh Js Jd 9h 8c 6s 5s 3s 3c 2h"
    assert [line for line in lines if line.startswith("rank ")] == [
        f"rank {comparison.rank} of 21,109 legal settings"
    ]
    price = f"{comparison.cost:.3f} ± {comparison.cost_se:.3f}"
    assert f"It costs {price} units against the best setting." in lines
    titles = [line.split() for line in lines if "setting" in line or "yours" in line]
    assert ["your", "setting", "wins", "ties"] in titles
    assert ["best", "yours", "difference"] in titles
    (total,) = (line.split() for line in lines if line.startswith("EV ") and "±" not in line)
    assert total[-1] == f"{-comparison.cost:+.3f}"
    assert " ".join(lines).endswith(" ".join(comparison.words))
    assert max(map(len, lines)) <= 80


def test_compare_the_best_and_one_as_good() -> None:
    best = str(compare(HAND, MINE, **FEWER).solution.best.setting)
    shown = capsa("compare", HAND, "--setting", best, *FEW).stdout
    assert "rank 1 of 21,109 legal settings\nThis is the best setting.\n" in shown
    assert "yours" not in shown


def test_compare_one_as_good_as_the_best() -> None:
    hand = "Ks Kc Js Jd Jc Tc 6s 6d 5h 4d 3h 3d 2d"
    best = str(solve(hand, **FEWER).best.setting)
    assert best == "Ks Kc Js Jd Jc / 6s 5h 4d 3d 2d / Tc 6d 3h"
    other = "Ks Kc Js Jd Jc / 6d 5h 4d 3d 2d / Tc 6s 3h"
    shown = capsa("compare", hand, "--setting", other, *FEW).stdout
    assert "As good as the best setting: it costs 0.000 ± 0.000 units.\n" in shown
    assert shown.endswith("Every row is as strong as in the best setting.\n")


def test_compare_as_json() -> None:
    options = ("--players", "3", "--rules", "1-6")
    result = capsa("compare", HAND, "--setting", MINE, *FEW, *options, "--format", "json")
    assert result.stdout.count("\n") == 1
    expected = compare(HAND, MINE, **FEWER, players=3, rules="1-6").to_dict()
    assert json.loads(result.stdout) == expected


def test_compare_says_what_is_better_than_setting() -> None:
    mine = "9s 8s 7s 6s 5h / As Ks Qs Js 2c / Ts 4h 3d"
    result = capsa("compare", DRAGON, "--setting", mine, *FEW, "--rules", "giga")
    assert "Better than any setting is to declare dragon" in result.stdout.replace("\n", " ")


@pytest.mark.parametrize(
    ("setting", "error"),
    [
        ("As Ks 6s 5s 3s / Qs Qh 8c 3c 2h / Js Jd Td", "Td in row 3, not dealt; 9h missing"),
        ("As Ks 6s 5s 9h / Qs 3s 8c 3c 2h / Js Jd Qh", "a foul: the front's pair of jacks"),
    ],
)
def test_what_is_no_setting_is_told_in_one_line(setting: str, error: str) -> None:
    result = capsa("compare", HAND, "--setting", setting)
    assert (result.exit_code, result.stdout) == (1, "")
    assert error in result.stderr
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1


def test_compare_asks_for_a_setting() -> None:
    result = capsa("compare", HAND)
    assert result.exit_code == 2
    assert "--setting" in result.stderr


def test_explain() -> None:
    plain = capsa("solve", HAND, *FEW, "--rules", "shisanshui").stdout
    result = capsa("solve", HAND, *FEW, "--rules", "shisanshui", "--explain")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith(plain)
    explained = result.stdout.removeprefix(plain).splitlines()
    explanation = explain(HAND, **FEWER, rules="shisanshui")
    assert explained[1].split() == ["best", "second", "best", "difference"]
    labels = [line[:19].rstrip() for line in explained[2:]]
    assert labels[:4] == ["front", "middle", "back", "gun"]
    assert {"royalties paid", "opponents' naturals"} <= set(labels)
    assert "scoop" not in labels, "under these rules it pays nothing"
    second = explanation.solution.settings[1]
    (total,) = (line.split() for line in explained if line.startswith("EV "))
    assert total[1:3] == [f"{explanation.solution.best.ev:+.3f}", f"{second.ev:+.3f}"]
    assert " ".join(explained).endswith(" ".join(explanation.words))


def test_explain_as_json() -> None:
    result = capsa("solve", "-", *FEW, "--explain", "--format", "json", stdin=f"{HAND}\n" * 2)
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert len(answers) == 2
    for setting in answers[0]["settings"]:
        assert list(setting["parts"]) == list(PARTS)
        assert sum(setting["parts"].values()) == pytest.approx(setting["ev"], abs=1e-9)
    assert len(answers[0]["words"]) == 2


def test_home_runs_are_one_more_line() -> None:
    rules = ("--rules", "shisanshui", "--players", "3", "--deals", "200")
    found = json.loads(capsa("solve", HAND, *FEW, *rules, "--format", "json").stdout)
    result = capsa("compare", HAND, "--setting", MINE, *FEW, *rules, "--format", "json")
    comparison = json.loads(result.stdout)
    assert comparison["deals"] == found["deals"] == 200
    best = comparison["best"]
    parts = best.pop("parts")
    assert best == found["settings"][0]
    assert list(parts) == [*PARTS, "home_runs"]
    assert sum(parts.values()) == pytest.approx(best["ev"], abs=1e-9)
    for shown in (
        capsa("compare", HAND, "--setting", MINE, *FEW, *rules).stdout,
        capsa("solve", HAND, *FEW, *rules, "--explain").stdout,
    ):
        assert "3 players, opponents greedy, 500 samples, 200 joint deals" in shown
        (line,) = (line for line in shown.splitlines() if line.startswith("home runs"))
        assert line.split()[2] == f"{parts['home_runs']:+.3f}"


def test_csv_has_no_room_for_an_explanation() -> None:
    result = capsa("solve", HAND, "--explain", "--format", "csv")
    assert result.exit_code == 2
    assert "use table or json" in result.stderr
