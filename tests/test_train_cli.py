"""The commands about trained opponents: train, exploit, and what rules show tells of them."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from test_cli import capsa

from solver import choosing, shelf
from solver.equilibrium import Exploitability, exploitability, train_pool
from solver.pool import make_pool, read_pool, write_pool
from solver.rules import load_rules
from solver.shelf import shelf_name

HAND = "As Ks Qs Js 6s 5s 3s Qh 9h 2h Jd 8c 3c"
SMALL = ("--rounds", "2", "--records", "2000", "--jobs", "1")
MEASURED = Exploitability("2-4", 20_000, -0.00001, 0.00006, 0.00054, 0.00005, 2.55)


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Rules that nobody has trained for, and an empty shelf and cache."""
    monkeypatch.setattr("platformdirs.user_cache_path", lambda _name: tmp_path / "cache")
    monkeypatch.setattr(shelf, "SHELF", tmp_path / "shelf")
    monkeypatch.setattr(choosing, "_pools", {})
    (tmp_path / "house.toml").write_text('extends = "2-4"\nscoop_units = 1\n')
    return str(tmp_path / "house.toml")


def on_the_shelf(directory: Path, name: str = "2-4", **about: object) -> None:
    rules = load_rules(name)
    pool = make_pool("greedy", records=500)
    write_pool(replace(pool, about=about), directory / "shelf" / shelf_name(rules))


def test_trained_opponents_are_kept_and_used(house: str) -> None:
    done = capsa("train", "--rules", house, *SMALL)
    assert done.exit_code == 0
    assert done.stderr.splitlines()[-2:] == [
        "training opponents for house",
        f"2,000 opponents are ready: capsa solve … --rules {house}",
    ]
    kept = read_pool(Path(done.stdout.removesuffix("\n")))
    assert kept.digest == train_pool(load_rules(house), 2, 2000).digest
    solved = json.loads(
        capsa("solve", HAND, "--rules", house, "--samples", "20", "--format", "json").stdout
    )
    assert (solved["opponents"], solved["notes"]) == ("equilibrium", [])
    again = capsa("train", "--rules", house, *SMALL, "--seed", "5")
    assert again.stdout == done.stdout
    assert read_pool(Path(done.stdout.removesuffix("\n"))).seed == 5


def test_trained_opponents_in_a_file(house: str, tmp_path: Path) -> None:
    on_the_shelf(tmp_path)
    path = str(tmp_path / "mine.npz")
    done = capsa("train", "--rules", "2-4", *SMALL, "--output", path)
    assert done.stdout == f"{path}\n"
    assert done.stderr.endswith(f"capsa solve … --opponents {path}\n")
    solved = capsa("solve", HAND, "--samples", "20", "--opponents", path)
    assert "opponents mine.npz, 20 samples" in solved.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train", "--rules", "2-4"], "a pool for 2-4 is shipped; train another one with --output"),
        (
            ["train", "--rules", "2-4", "-o", "pool.zip"],
            "pool.zip: the name of a pool ends in .npz",
        ),
        (["train", "--rules", "plain", "--seed", "-1"], "seed -1 is out of range; use 0 to "),
        (["exploit", "--opponents", "clever"], "no opponents are called 'clever'; use equilibrium"),
    ],
)
def test_what_cannot_be_trained_or_measured(
    arguments: list[str], message: str, house: str, tmp_path: Path
) -> None:
    on_the_shelf(tmp_path)
    result = capsa(*arguments)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(f"error: {message}")
    assert result.stderr.count("\n") == 1


def test_a_place_that_cannot_be_written_is_told_before_the_training(
    house: str, tmp_path: Path
) -> None:
    (tmp_path / "cache").touch()
    result = capsa("train", "--rules", house)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == f"error: {tmp_path / 'cache' / 'pools'}: Not a directory\n"


def test_exploitability(house: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def small(*arguments: object, **options: object) -> Exploitability:
        return exploitability(*arguments, records=3000, **options)  # type: ignore[arg-type]

    monkeypatch.setattr("solver.equilibrium.exploitability", small)
    path = tmp_path / "mine.npz"
    write_pool(make_pool("greedy", records=2000), path)
    ask = ("exploit", "--opponents", str(path), "--hands", "40", "--jobs", "1")
    found = json.loads(capsa(*ask, "--format", "json").stdout)
    assert list(found) == [
        *("rules", "hands", "lower", "lower_se", "upper", "upper_se", "score_sd"),
    ]
    assert (found["rules"], found["hands"]) == ("2-4", 40)
    assert found == exploitability(load_rules("2-4"), read_pool(path), 40, 3000).to_dict()
    lines = capsa(*ask).stdout.splitlines()
    assert lines[0] == "rules 2-4, opponents mine.npz"
    assert lines[2].startswith(f"  lower bound {found['lower']:+.5f}, standard error ")


def test_what_rules_show_tells_of_a_shipped_pool(house: str, tmp_path: Path) -> None:
    on_the_shelf(tmp_path, rounds=24, version="0.1.0", exploitability=MEASURED.to_dict())
    assert capsa("rules", "show", "2-4").stdout.splitlines()[-5:] == [
        "Opponents: a pool of 500 hands is shipped, trained for 24 rounds by version 0.1.0 with "
        f"seed {make_pool('greedy', records=2).seed}.",
        "Exploitability: what a perfect counter-player wins from the best response to them, in "
        "units a deal, measured on 20,000 hands:",
        "  lower bound -0.00001, standard error 0.00006; +0.00000 standard deviations of a deal's "
        "score",
        "  upper bound +0.00054, standard error 0.00005; +0.00021 standard deviations of a deal's "
        "score",
        "A deal's score has a standard deviation of 2.55 units.",
    ]


def test_what_rules_show_tells_of_a_banker(house: str, tmp_path: Path) -> None:
    measured = {**MEASURED.to_dict(), "rules": "malaya", "edge": 0.0521, "edge_se": 0.0004}
    on_the_shelf(tmp_path, "malaya", rounds=24, version="0.1.0", exploitability=measured)
    assert capsa("rules", "show", "malaya").stdout.splitlines()[-1] == (
        "The banker's edge over players as good as he is: +0.0521 units a deal from each of them."
    )


def test_what_rules_show_tells_where_there_is_none(house: str) -> None:
    assert capsa("rules", "show", "plain").stdout.splitlines()[-1] == (
        "Opponents: no pool is shipped; the first solve trains one, in about a minute, and "
        "keeps it."
    )
