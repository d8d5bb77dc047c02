"""The command line: what it answers, on which stream, and with which exit code."""

import csv
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner, Result

import solver
from evaluator.jit import CACHE_DIR
from solver.cli import app
from solver.cli_batch_view import RowsBar
from solver.columns import BATCH_COLUMNS, SOLVE_COLUMNS
from solver.solve import solve, warm_up

HAND = "As Ks Qs Js 6s 5s 3s Qh 9h 2h Jd 8c 3c"
OTHER = "9s 7s Th Kd 6d 5d 4d 3d Kc Qc 6c 5c 4c"
DRAGON = "As Ks Qs Js Ts 9s 8s 7s 6s 5h 4h 3d 2c"
FEW = ("--samples", "500", "--opponents", "greedy")


def capsa(*arguments: str, stdin: str | None = None) -> Result:
    """Run a command in this process; an exception that got out fails the test."""
    result = CliRunner(env={"COLUMNS": "80"}).invoke(app, arguments, input=stdin)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def process(*arguments: str, **options: Any) -> subprocess.CompletedProcess[Any]:
    """Run a command as people do, with the code that this process has compiled."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(CACHE_DIR or "")}
    environment.update(options.pop("environment", {}))
    defaults = {"encoding": "utf-8", "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    command = [sys.executable, "-m", "solver.cli", *arguments]
    return subprocess.run(command, env=environment, timeout=120, **{**defaults, **options})


@pytest.fixture(scope="module", autouse=True)
def _warm() -> None:
    """Compile first, so that no answer comes with a notice about that."""
    warm_up()


# What it answers


def test_version() -> None:
    assert capsa("--version").stdout == f"capsa {solver.__version__}\n"


def test_a_hand_need_not_be_quoted() -> None:
    quoted = capsa("solve", HAND, *FEW)
    loose = capsa("solve", *HAND.split(), *FEW)
    assert quoted.exit_code == 0
    assert loose.stdout == quoted.stdout


def test_options_may_stand_between_the_cards() -> None:
    first, rest = HAND[:5], HAND[5:]
    assert capsa("solve", first, *FEW, rest).stdout == capsa("solve", HAND, *FEW).stdout


def test_table_of_a_hand() -> None:
    result = capsa("solve", HAND, *FEW, "--top", "3")
    lines = result.stdout.splitlines()
    assert lines[0] == "As Ks Qs Qh Js Jd 9h 8c 6s 5s 3s 3c 2h"
    assert lines[1] == "rules 2-4, 2 players, opponents greedy, 500 samples"
    rows = [line.split()[0] for line in lines if line.startswith(("front", "middle", "back"))]
    assert rows == ["front", "middle", "back"]
    assert [line[:2] for line in lines[-2:]] == ["2 ", "3 "]
    assert max(map(len, lines)) <= 80
    assert not [line for line in lines if line != line.rstrip()]


def test_json_of_a_hand() -> None:
    result = capsa("solve", HAND, *FEW, "--players", "3", "--top", "2", "--format", "json")
    assert result.stdout.count("\n") == 1
    answer = json.loads(result.stdout)
    assert answer["hand"] == "As Ks Qs Qh Js Jd 9h 8c 6s 5s 3s 3c 2h".split()
    assert (answer["rules"], answer["players"], answer["samples"]) == ("2-4", 3, 500)
    assert len(answer["settings"]) == 2
    assert list(answer)[-4:] == ["risk", "settled", "settings", "notes"]


def test_the_seat_of_a_hand() -> None:
    ask = "solve", HAND, *FEW, "--rules", "malaya", "--players", "4"
    for seat in ("banker", "player"):
        answer = json.loads(capsa(*ask, "--seat", seat, "--format", "json").stdout)
        solution = solve(HAND, "malaya", 4, "greedy", samples=500, seat=seat)
        assert (answer["seat"], answer["ev"]) == (seat, solution.ev)
    assert "from all 3 opponents together" in capsa(*ask, "--seat", "banker").stdout
    assert "rules malaya, 4 players, seat player, opponents greedy" in capsa(*ask).stdout


def test_csv_of_a_hand() -> None:
    result = capsa("solve", HAND, *FEW, "--top", "3", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert tuple(rows[0]) == SOLVE_COLUMNS == ("rank", "hand", *BATCH_COLUMNS)
    assert [row["rank"] for row in rows] == ["1", "2", "3"]
    best, second, _ = rows
    lead = float(best["ev"]) - float(second["ev"])
    assert float(best["gap2"]) == float(second["gap2"]) == pytest.approx(lead, abs=2e-6)
    dealt = [*best["back"].split(), *best["middle"].split(), *best["front"].split()]
    assert sorted(dealt) == sorted(HAND.split())
    assert (best["decision"], best["samples"], best["error"]) == ("set", "500", "")


def test_a_natural_is_declared() -> None:
    result = capsa("solve", DRAGON, *FEW, "--rules", "giga")
    assert "Declare dragon, 12 units from each opponent: EV +" in result.stdout


def test_deal_is_that_of_the_library() -> None:
    hands = "".join(f"{hand}\n" for hand in solver.deal(3, seed=7))
    assert capsa("deal", "-n", "3", "--seed", "7").stdout == hands


def test_warmup() -> None:
    result = capsa("warmup")
    assert (result.exit_code, result.stdout) == (0, "ready\n")


def test_rules_list() -> None:
    lines = capsa("rules", "list").stdout.splitlines()
    assert lines[0].split() == ["name", "title", "source", "sourcing"]
    names = [line.split()[0] for line in lines[1:] if not line.startswith(" ")]
    assert {"plain", "2-4", "malaya"} <= set(names)
    assert max(map(len, lines)) <= 80


def test_rules_show_is_not_cut_in_a_pipe() -> None:
    result = capsa("rules", "show", "malaya")
    assert result.stdout.startswith("Malaya, with a banker (malaya)\n")
    assert "paid by each opponent in place of all else:\n" in result.stdout


@pytest.mark.parametrize("arguments", [["solve", HAND, *FEW], ["rules", "list"]])
def test_a_narrow_terminal_gets_the_whole_answer(arguments: list[str]) -> None:
    narrow = CliRunner(env={"COLUMNS": "40"}).invoke(app, arguments)
    assert narrow.stdout == capsa(*arguments).stdout


def test_rules_check(tmp_path: Path) -> None:
    good = tmp_path / "mine.toml"
    good.write_text('extends = "2-4"\nmajority = 2\n')
    result = capsa("rules", "check", str(good))
    assert (result.exit_code, result.stdout) == (0, f"{good}: a valid rule set\n")


def test_rules_check_cautions(tmp_path: Path) -> None:
    odd = tmp_path / "odd.toml"
    odd.write_text('extends = "2-4"\n[royalties.back]\nquads = 5\nstraight-flush = 3\n')
    result = capsa("rules", "check", str(odd))
    assert result.exit_code == 0
    assert result.stdout.startswith("caution: royalties.back: ")
    assert result.stdout.endswith(": a valid rule set\n")


# Standard input


def test_what_is_wrong_with_all_hands_is_told_once() -> None:
    result = capsa("solve", "-", "--players", "9", stdin=f"{HAND}\n{OTHER}\n")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "error: 9 players; the rules 2-4 are for 2 to 4\n"


def test_a_hand_a_line() -> None:
    result = capsa("solve", "-", *FEW, "--format", "json", stdin=f"{HAND}\n\n{OTHER}")
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert [answer["hand"][0] for answer in answers] == ["As", "Kd"]
    assert (result.exit_code, result.stderr) == (0, "")


def test_a_block_a_hand() -> None:
    result = capsa("solve", "-", *FEW, stdin=f"{HAND}\n{HAND}\n")
    one = capsa("solve", HAND, *FEW).stdout
    assert result.stdout == f"{one}\n{one}"


def test_no_hands_no_answers() -> None:
    result = capsa("solve", "-", *FEW, stdin="\n")
    assert (result.exit_code, result.output) == (0, "")


def test_goes_on_after_a_bad_line() -> None:
    result = capsa("solve", "-", *FEW, "--format", "json", stdin=f"{HAND}\nAs Kx\n{OTHER}\n")
    assert len(result.stdout.splitlines()) == 2
    assert result.stderr.startswith("error: line 2: not a hand: unknown 'Kx'")
    assert result.stderr.count("\n") == 1
    assert result.exit_code == 3


def test_a_bad_line_has_its_row_of_csv() -> None:
    arguments = ("solve", "-", *FEW, "--top", "1", "--format", "csv")
    result = capsa(*arguments, stdin=f"As Kx\n{HAND}\n")
    bad, good = csv.DictReader(io.StringIO(result.stdout))
    assert (bad["hand"], bad["rank"], bad["back"]) == ("As Kx", "", "")
    assert bad["error"] == "not a hand: unknown 'Kx' at 4; 1 readable card, a hand has 13"
    assert (good["rank"], good["error"]) == ("1", "")
    assert result.exit_code == 3


def test_a_row_of_csv_repeats_no_huge_line() -> None:
    result = capsa("solve", "-", *FEW, "--format", "csv", stdin="x" * 10_000)
    (bad,) = csv.DictReader(io.StringIO(result.stdout))
    assert bad["hand"] == "x" * 79 + "…"
    assert bad["error"].startswith("not a hand: unknown 'xxxxxxxxxxxxxxx…' at 1; ")


def test_bytes_that_are_no_text_spoil_their_line_only() -> None:
    lines = b"\xef\xbb\xbf" + HAND.encode() + b"\n\xff\xfe\n" + HAND.encode()
    done = process("solve", "-", *FEW, "--format", "json", input=lines, encoding=None)
    assert done.stdout.count(b"\n") == 2
    assert done.stderr.startswith(b"error: line 2: ")
    assert done.returncode == 3


# Wrong input


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["solve", "As Kd"], "not a hand: 2 cards, a hand has 13"),
        (["solve", HAND, "As"], "As twice"),
        (["solve", HAND[:-2], "1x"], "unknown '1x' at 38"),
        (["solve", HAND[:-2], "3\u0441"], "'\u0441' is U+0441 CYRILLIC SMALL LETTER ES, not c"),
        (["solve", ""], "no cards given; a hand has 13"),
        (["solve", "-", "As"], "unknown '-' at 1"),
        (["solve", HAND, "--rules", "2-5"], 'no rules are called "2-5"; '),
        (["solve", HAND, "--rules", "gone.toml"], "gone.toml: no such file"),
        (["solve", HAND, "--seat", "banker"], "the rules 2-4 have no banker, so there is no seat"),
        (["solve", HAND, "--opponents", "gone.csv"], "gone.csv: No such file or directory"),
        (["solve", HAND, "--opponents", "nobody"], "nobody"),
        (["solve", HAND, "--samples", "0"], "samples"),
        (["solve", HAND, "--samples", "-5"], "samples"),
        (
            ["solve", HAND, *FEW, "--samples", "1000000000"],
            " opponents without a card of this hand; ask for fewer",
        ),
        (["solve", HAND, "--players", "1"], "1 player"),
        (["solve", HAND, "--players", "5"], "players"),
        (["solve", HAND, "--seed", "-1"], "seed"),
        (["deal", "--seed", "-1"], "seed -1 is out of range"),
        (["rules", "show", "nope"], 'no rules are called "nope"; '),
        (["rules", "check", "gone.toml"], "gone.toml: no such file"),
    ],
)
def test_wrong_input_is_told_in_a_line(arguments: list[str], message: str) -> None:
    result = capsa(*arguments)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("error: ")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("command", [["solve", HAND, "--rules"], ["rules", "check"]])
def test_all_faults_of_a_rule_set_are_told(command: list[str], tmp_path: Path) -> None:
    bad = tmp_path / "bad.toml"
    bad.write_text('gun = 0\nmajorty = 1\nfoul = "x"\n')
    result = capsa(*command, str(bad))
    assert (result.exit_code, result.stdout) == (1, "")
    starts = [line.split(": ")[:3] for line in result.stderr.splitlines()]
    keys = ("gun", "majorty", "foul")
    assert starts == [["error", f"{bad}:{line}", key] for line, key in enumerate(keys, start=1)]


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["solve"],
        ["slove", HAND],
        ["solve", HAND, "--format", "xml"],
        ["solve", HAND, "--top", "many"],
        ["solve", HAND, "--top", "0"],
        ["solve", HAND, "--simples", "5"],
        ["deal", "-n", "-1"],
        ["rules", "show"],
    ],
)
def test_wrong_usage(arguments: list[str]) -> None:
    result = capsa(*arguments)
    assert result.exit_code == 2
    assert "Usage: capsa" in result.output or "Usage: root" in result.output


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (KeyboardInterrupt(), 130, ""),
        (MemoryError(), 1, "error: out of memory\n"),
        (PermissionError(13, "Permission denied", "pool"), 1, "error: pool: Permission denied\n"),
    ],
)
def test_what_may_happen_any_time(
    error: BaseException, code: int, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object) -> None:
        raise error

    monkeypatch.setattr("solver.deals.deal_many", stop)
    result = capsa("deal")
    assert (result.exit_code, result.output) == (code, message)


# Streams and places that fail


@pytest.mark.parametrize(
    "arguments",
    [
        ["deal", "-n", "20000"],
        ["solve", "-", *FEW],
        ["rules", "list"],
        ["--version"],
        ["--help"],
        ["solve", "--help"],
    ],
)
def test_a_reader_that_leaves_early_is_no_error(arguments: list[str]) -> None:
    read, write = os.pipe()
    os.close(read)
    done = process(*arguments, input=f"{HAND}\n" * 3, stdout=write)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device here")
@pytest.mark.parametrize("arguments", [["rules", "list"], ["--help"], ["--version"]])
def test_a_full_disk(arguments: list[str]) -> None:
    with open("/dev/full", "w") as full:
        done = process(*arguments, stdout=full)
    assert (done.returncode, done.stderr) == (1, "error: output: No space left on device\n")


def test_a_terminal_without_unicode() -> None:
    done = process("solve", HAND, *FEW, environment={"PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0
    assert "+/-" in done.stdout
    assert done.stdout.isascii()


def test_no_place_for_compiled_code(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    environment = {"XDG_CACHE_HOME": str(tmp_path / "file" / "cache"), "NUMBA_CACHE_DIR": ""}
    done = process("deal", environment=environment)
    assert done.returncode == 0
    assert done.stderr.startswith("no cache directory can be written, ")
    assert "NUMBA_CACHE_DIR or XDG_CACHE_HOME" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_pool_is_made_once_and_again_when_damaged(tmp_path: Path) -> None:
    environment = {"XDG_CACHE_HOME": str(tmp_path)}
    ask = ("solve", HAND, *FEW, "--opponents", "random", "--format", "csv")
    first, second = (process(*ask, environment=environment) for _ in range(2))
    assert first.stderr == "making the pool of random opponents, once\n"
    assert second.stderr == ""
    (file,) = tmp_path.rglob("*.npz")
    file.write_bytes(file.read_bytes()[:-1000])
    third = process(*ask, environment=environment)
    assert third.stderr == (
        f"the pool file {file} is damaged; making it again\n"
        "making the pool of random opponents, once\n"
    )
    assert first.stdout == second.stdout == third.stdout
    assert third.returncode == 0


# Batches


def test_batch(tmp_path: Path) -> None:
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text(f"id,hand\n1,{HAND}\n2,{OTHER}\n")
    result = capsa("batch", str(source), "-o", str(target), *FEW, "--jobs", "2")
    assert (result.exit_code, result.stdout) == (0, "")
    assert re.fullmatch(r"2 rows in 0:00:0\d\n", result.stderr)
    rows = list(csv.DictReader(io.StringIO(target.read_text())))
    assert [row["id"] for row in rows] == ["1", "2"]
    best = next(csv.DictReader(io.StringIO(capsa("solve", HAND, *FEW, "--format", "csv").stdout)))
    assert rows[0] | {"rank": "1", "hand": best["hand"], "id": ""} == best | {"id": ""}


def test_batch_goes_on_after_a_bad_row(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text(f"hand\nAs Kx\n{HAND}\n")
    result = capsa("batch", str(source), *FEW, "--quiet")
    assert result.exit_code == 3
    assert result.stdout.count("\n") == 3
    first, last = result.stderr.splitlines()
    assert first.startswith("error: line 2: not a hand: ")
    assert last == "error: 1 of 2 rows failed; see the column error"


def test_batch_without_a_file() -> None:
    result = capsa("batch", "gone.csv")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "error: gone.csv: No such file or directory\n"


def test_summary_of_a_batch(tmp_path: Path) -> None:
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text(f"hand\n{HAND}\n{OTHER}\nAs\n")
    batch = ("batch", str(source), *FEW, "--quiet", "--summary", "-o")
    lines = capsa(*batch, str(target)).stdout.splitlines()
    assert lines[0] == "3 rows, 1 of them in error"
    assert re.fullmatch(r"mean EV [+-]\d\.\d{4} ± \d\.\d{4} units", lines[1])
    assert lines[2] == "decisions: set 100.0%"
    assert lines[4].split() == ["front", "middle", "back"]
    assert lines[-3].split() == ["gap2", "line", "hardest", "decisions"]
    assert {line.split(maxsplit=2)[2] for line in lines[-2:]} == {HAND, OTHER}
    told = capsa(*batch, str(target), "--format", "json", "--resume")
    summary = json.loads(told.stdout)
    assert (summary["rows"], summary["failed"], told.exit_code) == (3, 1, 3)
    assert set(summary["hardest"][0]) == {"gap2", "line", "hand"}
    piped = capsa(*batch, "-")
    assert piped.stdout == target.read_text()
    assert piped.stderr.splitlines()[2] == "3 rows, 1 of them in error"


def test_progress_of_a_batch_in_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = iter([0, 0, 4.0, 10, 19, 20.5])
    monkeypatch.setattr("solver.cli_batch_view.time.monotonic", lambda: next(seconds))
    told = io.StringIO()
    with RowsBar(Console(file=told)) as rows:
        for done in (1000, 1000, 1500, 2000, 3000, 4000):
            rows(done, 4000, done // 2000)
    assert told.getvalue().splitlines() == [
        "2,000 of 4,000 rows, 100 rows/s, 0:00:20 left, 1 in error",
        "4,000 rows, 146 rows/s, 2 in error",
        "4,000 rows in 0:00:20, 2 in error",
    ]


def test_progress_of_a_batch_on_a_terminal() -> None:
    told = io.StringIO()
    with RowsBar(Console(file=told, force_terminal=True, width=100)) as rows:
        rows(0, 0, 0)
        rows(64, 0, 1)
        rows(64, 1000, 1)
    assert "64 of 1,000 rows, " in told.getvalue()
    assert told.getvalue().endswith("64 rows in 0:00:00, 1 in error\n")
