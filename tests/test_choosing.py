"""Opponents by name: the shipped ones first, then those trained in full, then quick ones."""

import pickle
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from solver import choosing, equilibrium, shelf, simulate, solve, solve_many
from solver.batch import run_batch
from solver.choosing import QUICK_NOTICE, choose_pool, full_path
from solver.equilibrium import train_pool
from solver.opening import open_table
from solver.pool import OpponentPool, PoolError, make_pool, read_pool, write_pool
from solver.rules import RuleSet, load_rules
from solver.shelf import DIGESTS, about_pool, shelf_name, shipped_path

HAND = "As Ks Qs Js 6s 5s 3s Qh 9h 2h Jd 8c 3c"
RULES = load_rules("2-4")
HOUSE = replace(RULES, name="house", scoop_units=1)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty shelf and cache directory, and training that takes no time."""
    monkeypatch.setattr("platformdirs.user_cache_path", lambda _name: tmp_path / "cache")
    monkeypatch.setattr(shelf, "SHELF", tmp_path / "shelf")
    monkeypatch.setattr(choosing, "_pools", {})
    monkeypatch.setattr(equilibrium, "QUICK_ROUNDS", 1)
    monkeypatch.setattr(equilibrium, "QUICK_RECORDS", 1000)
    return tmp_path


def shipped(place: Path, rules: RuleSet = RULES) -> OpponentPool:
    """Put a pool on the shelf; it plays at random, which nobody who is trained does."""
    pool = replace(make_pool("random", rules.wheel, records=1000), name="equilibrium")
    write_pool(pool, place / "shelf" / shelf_name(rules))
    return pool


def chosen(rules: RuleSet = HOUSE) -> tuple[OpponentPool, list[str]]:
    """Choose as a new process does; return also what is told."""
    choosing._pools.clear()
    told: list[str] = []
    pool = choose_pool("equilibrium", rules, progress=lambda what, _share: told.append(what))
    return pool, list(dict.fromkeys(told))


# The shelf


def test_rules_that_pay_as_a_preset_find_its_pool(place: Path) -> None:
    expected = shipped(place).digest
    copy = replace(RULES, name="mine", title="Mine", notes=("a note",), players=(2, 2))
    assert chosen(RULES)[0].digest == chosen(copy)[0].digest == expected
    assert shipped_path(HOUSE) is None


def test_shipped_opponents_are_the_default_everywhere(place: Path) -> None:
    shipped(place)
    expected = solve(HAND, opponents=make_pool("random", records=1000))
    solution = solve(HAND)
    assert (solution.opponents, solution.notes) == ("equilibrium", ())
    assert (solution.ev, solution.samples) == (expected.ev, expected.samples)
    assert solve_many([HAND]).ev == [expected.ev]
    (place / "in.csv").write_text(f"hand\n{HAND}\n")
    run_batch(str(place / "in.csv"), str(place / "out.csv"))
    assert f"{expected.ev:.6f}" in (place / "out.csv").read_text()
    assert not (place / "cache").exists(), "nothing was trained"


def test_a_damaged_shipped_pool_is_not_replaced_in_silence(place: Path) -> None:
    shipped(place)
    path = place / "shelf" / shelf_name(RULES)
    path.write_bytes(path.read_bytes()[:-50])
    with pytest.raises(PoolError, match=f"^the pool file {path} is damaged; install capsa again$"):
        chosen(RULES)


def test_what_a_pool_tells_of_itself_is_read_from_its_file(tmp_path: Path) -> None:
    pool = replace(make_pool("random", records=64, seed=7), about={"rounds": 3})
    write_pool(pool, tmp_path / "pool.npz")
    assert about_pool(tmp_path / "pool.npz") == {"rounds": 3, "seed": 7, "records": 64}


# Trained on first use


def test_a_quick_pool_is_trained_once_and_says_so(place: Path) -> None:
    first, told = chosen()
    assert told == ["training opponents for house, once (about a minute)"]
    assert (first.name, len(first.hands)) == ("equilibrium", 1000)
    again, told = chosen()
    assert told == []
    assert again.digest == first.digest
    assert (again.strengths != make_pool("greedy", records=1000, seed=first.seed).strengths).any()
    assert solve(HAND, HOUSE, samples=20).notes == (QUICK_NOTICE,)
    (place / "in.csv").write_text(f"hand\n{HAND}\n")
    (place / "house.toml").write_text('extends = "2-4"\nscoop_units = 1\n')
    run_batch(
        *(str(place / "in.csv"), str(place / "out.csv")),
        rules=str(place / "house.toml"),
        samples=20,
        pool_progress=lambda what, _share: told.append(what),
    )
    assert told == [QUICK_NOTICE]
    assert f"equilibrium ({first.digest[:12]})" in (place / "out.csv.journal").read_text()


def test_opponents_trained_for_other_rules_are_told(place: Path) -> None:
    pool, path = train_pool(RULES, 1, 1000), str(place / "mine.npz")
    write_pool(pool, Path(path))
    told = "These opponents were trained for the rules 2-4, not house."
    assert solve(HAND, HOUSE, opponents=path, samples=20).notes == (told,)
    assert solve(HAND, opponents=path, samples=20).notes == ()
    assert solve(HAND, replace(RULES, name="mine"), opponents=pool, samples=20).notes == ()
    assert simulate([path, "greedy", pool], HOUSE, deals=2).notes == (told,)
    (place / "house.toml").write_text('extends = "2-4"\nscoop_units = 1\n')
    (place / "in.csv").write_text(f"hand,rules\n{HAND},\n{HAND},{place / 'house.toml'}\n")
    notices: list[str] = []
    run_batch(
        *(str(place / "in.csv"), str(place / "out.csv")),
        opponents=path,
        samples=20,
        pool_progress=lambda what, _share: notices.append(what),
    )
    assert notices == [told]


def test_rules_of_a_row_have_their_own_opponents(place: Path) -> None:
    shipped(place)
    (place / "house.toml").write_text('extends = "2-4"\nscoop_units = 1\n')
    (place / "in.csv").write_text(f"hand,rules\n{HAND},\n{HAND},{place / 'house.toml'}\n")
    run_batch(str(place / "in.csv"), str(place / "out.csv"), samples=20)
    evs = [line.split(",")[6] for line in (place / "out.csv").read_text().splitlines()[1:]]
    assert evs == [f"{solve(HAND, rules, samples=20).ev:.6f}" for rules in (RULES, HOUSE)]


def test_a_quick_pool_of_another_version_is_trained_again(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen()
    monkeypatch.setattr(equilibrium, "QUICK_RECORDS", 1100)
    again, told = chosen()
    assert told == ["training opponents for house, once (about a minute)"]
    assert len(again.hands) == 1100
    assert chosen()[1] == []


def test_a_damaged_quick_pool_is_told_and_trained_again(place: Path) -> None:
    first, _ = chosen()
    (path,) = place.rglob("quick-*.npz")
    path.write_bytes(path.read_bytes()[:-50])
    again, told = chosen()
    assert told[0] == f"the pool file {path} is damaged; making it again"
    assert again.digest == first.digest == read_pool(path).digest


def test_a_pool_trained_in_full_is_preferred(place: Path) -> None:
    quick, _ = chosen()
    full = train_pool(HOUSE, 2, 1200)
    write_pool(full, full_path(HOUSE))
    found, _ = chosen()
    assert found.digest == full.digest != quick.digest
    assert solve(HAND, HOUSE, samples=20).notes == ()
    full_path(HOUSE).write_bytes(b"")
    with pytest.raises(PoolError, match="remove it, or train it again with capsa train"):
        chosen()


def test_who_asks_while_a_pool_is_trained_waits_for_it(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained: list[OpponentPool] = []

    def train(*arguments: object, **_options: object) -> OpponentPool:
        trained.append(train_pool(*arguments))  # type: ignore[arg-type]
        return trained[-1]

    monkeypatch.setattr(equilibrium, "train_pool", train)
    with ThreadPoolExecutor(4) as threads:  # the lock of a file stands between threads as well
        pools = list(threads.map(choosing._quick, [HOUSE] * 4, [lambda *_: None] * 4))
    assert len(trained) == 1
    assert len({pool.digest for pool in pools}) == 1


def test_without_a_place_for_files_a_pool_is_trained_all_the_same(place: Path) -> None:
    (place / "cache").touch()
    pool, told = chosen()
    assert len(pool.hands) == 1000
    assert told[-1].startswith(f"cannot keep the pool in {place / 'cache' / 'pools'} (")


# Files


def test_a_pool_in_a_file_is_called_by_its_name(place: Path) -> None:
    pool = train_pool(RULES, 1, 1000)
    write_pool(pool, place / "mine.npz")
    solution = solve(HAND, opponents=place / "mine.npz", samples=20)
    assert solution.opponents == "mine.npz"
    assert solution.ev == solve(HAND, opponents=pool, samples=20).ev
    write_pool(make_pool("greedy", records=1000), place / "mine.npz")
    assert len({open_table(opponents=str(place / "mine.npz")).pool.digest, pool.digest}) == 2
    with pytest.raises(FileNotFoundError):
        solve(HAND, opponents=str(place / "gone.npz"))
    with pytest.raises(PoolError, match="was set with the wheel lowest, but under the rules"):
        solve(HAND, "shisanshui", opponents=place / "mine.npz")


def test_tables_travel_with_the_name_of_the_opponents_or_with_the_opponents(place: Path) -> None:
    shipped(place)
    write_pool(make_pool("greedy", records=1000), place / "mine.npz")
    for opponents, rules in (
        ("greedy", RULES),
        ("equilibrium", RULES),
        ("equilibrium", HOUSE),
        (place / "mine.npz", RULES),
        (make_pool("random", records=1000), RULES),
    ):
        table = open_table(rules, 3, opponents, 20, 7)
        packed = pickle.dumps(table)
        named = opponents == "greedy" or (opponents, rules) == ("equilibrium", RULES)
        assert (len(packed) < 4000) == (sys.getsizeof(table) < 1000) == named
        there = pickle.loads(packed)
        assert there.pool.digest == table.pool.digest
        for field in ("rules", "players", "seed", "samples", "opponents", "wanted"):
            assert getattr(there, field) == getattr(table, field)


# How the shipped ones are made


@pytest.fixture
def run_script(
    train_pools: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., str]:
    small = ("--rounds=2", "--records=2000", "--hands=20", "--fresh=2000")

    def run(*arguments: str) -> str:
        monkeypatch.setattr(sys, "argv", ["01_train_pools.py", *small, *arguments])
        train_pools.main()
        return capsys.readouterr().out

    return run


def test_pools_come_out_the_same_whatever_the_number_of_threads(
    run_script: Callable[..., str], tmp_path: Path
) -> None:
    made, known, listed = [], [], []
    for jobs in (1, 2):
        out = tmp_path / str(jobs)
        told = run_script("2-4", "giga", f"--jobs={jobs}", f"--out={out}")
        assert [line.split(":")[0] for line in told.splitlines()] == ["2-4", "giga"]
        pools = [read_pool(out / shelf_name(load_rules(name))) for name in ("2-4", "giga")]
        made.append([array for p in pools for array in (p.strengths, p.broken, p.decisions)])
        known.append([pool.about for pool in pools])
        listed.append((out / DIGESTS).read_text())
    assert all(map(np.array_equal, *made))
    assert known[0] == known[1]
    assert known[0][1]["exploitability"]["rules"] == "giga"
    assert (
        listed[0]
        == listed[1]
        == "".join(
            f"{pool.digest}  {shelf_name(load_rules(name))}\n"
            for name, pool in zip(("2-4", "giga"), pools, strict=True)
        )
    )


def test_a_pool_made_again_takes_the_place_of_the_old_one(
    run_script: Callable[..., str], tmp_path: Path
) -> None:
    (tmp_path / f"old-{shelf_name(RULES)[-16:]}").touch()
    for _ in range(2):
        run_script("2-4", f"--out={tmp_path}")
    assert sorted(path.name for path in tmp_path.iterdir()) == [shelf_name(RULES), DIGESTS]
    assert (tmp_path / DIGESTS).read_text().count("\n") == 1
    measured = read_pool(tmp_path / shelf_name(RULES)).about["exploitability"]
    _, _, row = run_script("--table", f"--out={tmp_path}").splitlines()
    _, name, spread, lower, upper, middle, _ = row.split("|")
    assert name == " `2-4` "
    assert lower.split() == [f"{measured['lower']:+.6f}", "±", f"{measured['lower_se']:.6f}"]
    bounds = float(lower.split()[0]), float(upper.split()[0])
    assert float(middle) == pytest.approx(sum(bounds) / 2 / float(spread), rel=0.01)
