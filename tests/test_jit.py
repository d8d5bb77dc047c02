"""Where compiled code is kept, what makes it stale, and what types it is made for."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from evaluator import jit

ROOT = Path(jit.__file__).parents[1]
SIGNATURES = """
import importlib, json, pkgutil
from dataclasses import replace
from numba.core import event
recorder = event.RecordingListener()
event.register("numba:compile", recorder)
import evaluator, solver
from evaluator import frontier, legal_settings
from solver import compare, deal, explain, exploitability, load_rules
from solver import simulate, solve, solve_many, train_pool, value_many
from solver.pool import make_pool
from solver.solve import warm_up

hands = ["As Ks Qs Js 6s 5s 3s Qh 9h 2h Jd 8c 3c", "As Kd Qc Jc Tc 9s 8d 7c 6c 5c 4s 3d 2c"]
presets = [load_rules(name) for name in ("2-4", "eastern", "shisanshui", "pusoy", "giga")]
presets.append(replace(presets[1], royalties=replace(presets[1].royalties, broken=True)))
for rules in presets:
    for opponents in ("greedy", "random"):
        pool = make_pool(opponents, rules.wheel, records=2000)
        best = solve(hands[0], rules, opponents=pool).best.setting
        solve(hands[0], rules, 4, opponents=pool)  # home runs, where they pay
        explain(hands[0], rules=rules, opponents=pool)
        compare(hands[0], best, rules=rules, players=4, opponents=pool, deals=10)
        many = solve_many(hands, rules, opponents=pool)
        value_many(many.settings[:, None], rules, opponents=pool)
        recorded = replace(pool, dealt=pool.hands)
        simulate([recorded, pool, replace(pool, name="trained")], rules, deals=20)
    trained = train_pool(rules, rounds=1, records=2000)
    exploitability(rules, trained, hands=10, records=2000)
warm_up()  # settles a table as well
deal(2), legal_settings(hands[0]), frontier(hands[0])
found = {}
def note(function, kinds):
    found.setdefault(f"{function.__module__}.{function.__name__}", set()).update(map(str, kinds))
for package in (evaluator, solver):
    for module in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
        for thing in vars(importlib.import_module(module.name)).values():
            if hasattr(thing, "py_func") and thing.targetoptions.get("inline") != "always":
                note(thing.py_func, thing.signatures)
for _, compiled in recorder.buffer:
    function = compiled.data["dispatcher"].py_func
    if function.__module__.startswith(("evaluator.", "solver.")):
        note(function, [compiled.data["args"]])
print(json.dumps({name: sorted(kinds) for name, kinds in found.items()}))
"""
linux = pytest.mark.skipif(sys.platform != "linux", reason="XDG_CACHE_HOME counts on Linux only")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "capsa" / "kernels"


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A copy of the sources, to be edited."""
    for package in ("evaluator", "solver"):
        shutil.copytree(
            ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__")
        )
    return tmp_path


@linux
def test_cache_is_named_by_the_fingerprint(home: Path) -> None:
    assert jit._choose_cache() == home / jit._fingerprint()


@linux
@pytest.mark.parametrize("variable", ["XDG_CACHE_HOME", "NUMBA_CACHE_DIR"])
def test_no_cache_where_none_can_be_written(
    variable: str, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv(variable, str(tmp_path / "file" / "below"))
    assert jit._choose_cache() is None


def test_cache_of_the_user(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "mine"))
    assert jit._choose_cache() == tmp_path / "mine"
    assert os.listdir(tmp_path / "mine") == []


@linux
def test_old_caches_are_dropped(home: Path) -> None:
    for name, days in (("old", 31), ("recent", 29), (jit._fingerprint(), 100)):
        (home / name / "x").mkdir(parents=True)
        when = time.time() - days * 24 * 3600
        os.utime(home / name, (when, when))
    assert jit._choose_cache() == home / jit._fingerprint()
    assert sorted(os.listdir(home)) == sorted(["recent", jit._fingerprint()])
    assert (home / jit._fingerprint()).stat().st_mtime > time.time() - 3600


@pytest.mark.parametrize(
    ("source", "counts"),
    [
        ("evaluator/ranking.py", True),  # tables
        ("solver/scoring.py", True),  # kernels
        ("solver/rules_model.py", True),  # what scoring takes its constants from imports it
        ("solver/display.py", False),
    ],
)
def test_fingerprint_depends_on_what_kernels_use(
    source: str, counts: bool, copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jit, "__file__", str(copied / "evaluator" / "jit.py"))
    before = jit._fingerprint()
    with open(copied / source, "a") as file:
        file.write("# edited\n")
    assert (jit._fingerprint() != before) is counts


def test_fingerprint_depends_on_new_kernels(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "__file__", str(copied / "evaluator" / "jit.py"))
    before = jit._fingerprint()
    (copied / "solver" / "new.py").write_text("@kernel\ndef new() -> int:\n    return 1\n")
    assert jit._fingerprint() != before


def test_fingerprint_depends_on_flags_and_version(monkeypatch: pytest.MonkeyPatch) -> None:
    before = jit._fingerprint()
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "1")
    flagged = jit._fingerprint()
    monkeypatch.setattr("numba.__version__", "0.0")
    assert len({before, flagged, jit._fingerprint()}) == 3


def test_an_edited_helper_is_noticed_by_callers_in_other_files(copied: Path) -> None:
    (copied / "evaluator" / "caller.py").write_text(
        "from evaluator.helper import helper\n"
        "from evaluator.jit import kernel\n"
        "@kernel\n"
        "def caller() -> int:\n"
        "    return helper()\n"
    )
    answers = []
    for answer in (1, 1, 2):
        (copied / "evaluator" / "helper.py").write_text(
            "from evaluator.jit import kernel\n"
            "@kernel\n"
            "def helper() -> int:\n"
            f"    return {answer}\n"
        )
        done = subprocess.run(
            [
                sys.executable,
                "-c",
                "from evaluator.caller import caller\n"
                "from evaluator.jit import when_compiling\n"
                "with when_compiling(lambda: print('compiles')): print(caller(), caller())",
            ],
            cwd=copied,
            env={
                **{name: text for name, text in os.environ.items() if name != "NUMBA_CACHE_DIR"},
                "PYTHONPATH": str(copied),
                "XDG_CACHE_HOME": str(copied / "cache"),
            },
            capture_output=True,
            encoding="utf-8",
        )
        answers.append((done.stdout + done.stderr).split())
    assert answers == [["compiles", "1", "1"], ["1", "1"], ["compiles", "2", "2"]]


def signatures(**environment: str) -> dict[str, list[str]]:
    """Solve in a new process; return what each kernel of it was compiled or loaded for.

    Kernels that came inside another one from the cache are not seen, so without one more are.
    """
    done = subprocess.run(
        [sys.executable, "-c", SIGNATURES],
        env={**os.environ, **environment},
        capture_output=True,
        encoding="utf-8",
    )
    assert done.stderr == ""
    found: dict[str, list[str]] = json.loads(done.stdout)
    return found


def test_arrays_from_python_always_have_the_same_types() -> None:
    found = signatures()
    assert found["solver.estimate._solve_hands"]
    assert {name: types for name, types in found.items() if len(types) > 1} == {}
