"""Batches that are stopped: what is safe, and how they go on."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from batch_support import SMALL, kill_and_resume, run, start, wait_for_rows, write_deals

from solver import batch as batch_module
from solver.batch import BatchReport, run_batch
from solver.batch_files import BatchError
from solver.batch_journal import PartialFile
from solver.solve import warm_up

FEW = ("--opponents", "greedy", "--samples", "20")
ROWS = 600


@pytest.fixture(scope="module", autouse=True)
def _warm() -> None:
    """Compile first, so that processes work and not compile when they are stopped."""
    warm_up()


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_deals(tmp_path_factory.mktemp("deals") / "in.csv", ROWS)


@pytest.fixture(scope="module")
def expected(source: Path) -> bytes:
    target = source.with_name("expected.csv")
    solve(source, target)
    return target.read_bytes()


def solve(source: Path, target: Path, **options: Any) -> BatchReport:
    return run_batch(str(source), str(target), **{"opponents": "greedy", "samples": 20, **options})


def stop_after(source: Path, target: Path, rows: int, error: BaseException, **options: Any) -> str:
    """Stop a run by an error when so many rows are done, and return what it tells."""

    def stop(done: int, *_: int) -> None:
        if done >= rows:
            raise error

    with pytest.raises((BatchError, KeyboardInterrupt)) as caught:
        solve(source, target, progress=stop, **options)
    assert not target.exists()
    return str(caught.value)


def partial(target: Path) -> Path:
    return target.with_name(f"{target.name}.partial")


def journal(target: Path) -> Path:
    return target.with_name(f"{target.name}.journal")


# Going on


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize("rows", [0, 64, 320, 600])
def test_what_was_done_is_not_done_again(
    source: Path, expected: bytes, tmp_path: Path, rows: int, jobs: int
) -> None:
    target = tmp_path / "out.csv"
    told = stop_after(source, target, rows, OSError(5, "Input/output error"))
    assert told == f"{target}: Input/output error; {rows} rows are safe, go on with --resume"
    counts: list[int] = []
    solve(source, target, resume=True, jobs=jobs, progress=lambda done, *_: counts.append(done))
    assert counts[0] == rows
    assert target.read_bytes() == expected
    assert not partial(target).exists()


@pytest.mark.parametrize("spoil", [b'599,"As K', b"\xff" * 5000, b"1,2\n"], ids=repr)
def test_a_torn_end_is_cut_off(source: Path, expected: bytes, tmp_path: Path, spoil: bytes) -> None:
    target = tmp_path / "out.csv"
    stop_after(source, target, 320, KeyboardInterrupt())
    with open(partial(target), "ab") as file:
        file.write(spoil)
    assert solve(source, target, resume=True).rows == ROWS
    assert target.read_bytes() == expected


def test_rows_that_the_disk_has_lost_are_done_again(
    source: Path, expected: bytes, tmp_path: Path
) -> None:
    target = tmp_path / "out.csv"
    stop_after(source, target, 320, KeyboardInterrupt())
    with open(partial(target), "r+b") as file:
        file.truncate(1000)
    solve(source, target, resume=True)
    assert target.read_bytes() == expected


@pytest.mark.parametrize("text", ["", "{", "[]", '{"run": {}}', '{"run": {}, "tally": {"x": 1}}'])
def test_without_a_journal_it_starts_again(
    source: Path, expected: bytes, tmp_path: Path, text: str
) -> None:
    target = tmp_path / "out.csv"
    stop_after(source, target, 320, KeyboardInterrupt())
    journal(target).write_text(text)
    solve(source, target, resume=True)
    assert target.read_bytes() == expected


def test_with_nothing_to_resume_it_starts(source: Path, expected: bytes, tmp_path: Path) -> None:
    assert solve(source, tmp_path / "out.csv", resume=True).rows == ROWS
    assert (tmp_path / "out.csv").read_bytes() == expected


@pytest.mark.parametrize("name", ["out.csv.gz", "out.parquet"])
def test_packed_files_are_the_same_bytes_too(source: Path, tmp_path: Path, name: str) -> None:
    target, other = tmp_path / name, tmp_path / "other" / name
    other.parent.mkdir()
    stop_after(source, target, 320, KeyboardInterrupt())
    solve(source, target, resume=True)
    solve(source, other, jobs=2)
    assert target.read_bytes() == other.read_bytes()


def test_a_run_stopped_while_it_packs(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, other = tmp_path / "out.csv.gz", tmp_path / "other.csv.gz"
    solve(source, other)

    def full(*_: object) -> None:
        (tmp_path / "out.csv.gz.packed").write_bytes(b"half")
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(batch_module, "finish", full)
        told = stop_after(source, target, ROWS + 1, AssertionError())
    assert told.startswith(f"{target}: No space left on device; 600 rows are safe")
    solve(source, target, resume=True)
    assert target.read_bytes() == other.read_bytes()
    assert not list(tmp_path.glob("*.packed"))


# Finished runs


def test_a_finished_run_ends_as_it_did(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    first = run(source, "-o", target, *SMALL, "--quiet")
    before = target.stat().st_mtime_ns
    code, told = run(source, "-o", target, *SMALL, "--resume")
    lines = told.splitlines()
    assert lines[0] == f"{target} is finished: an earlier run has done its 600 rows"
    assert (code, lines[1:]) == (first[0], first[1].splitlines())
    assert code == 3
    assert target.stat().st_mtime_ns == before


def test_its_summary_is_told_again(source: Path, tmp_path: Path) -> None:
    first = solve(source, tmp_path / "out.csv")
    again = solve(source, tmp_path / "out.csv", resume=True)
    assert (again.summary, again.again) == (first.summary, True)


def test_a_target_that_was_changed_since_is_not_finished(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    solve(source, target)
    target.write_text("precious")
    with pytest.raises(BatchError) as caught:
        solve(source, target, resume=True)
    told = f"{target} is not what that run wrote; start again with --force"
    assert str(caught.value) == told
    assert target.read_text() == "precious"


# Other runs


@pytest.mark.parametrize("finished", [True, False])
@pytest.mark.parametrize(
    ("options", "differing"),
    [
        ({"samples": 21}, "samples was 20, now 21"),
        ({"seed": 1, "players": 3}, "players was 2, now 3; seed was 0, now 1"),
        ({"rules": "1-6"}, r"rules was 2-4 \(\w+\), now 1-6 \(\w+\)"),
        ({"opponents": "random"}, r"opponents was greedy \(\w+\), now random \(\w+\)"),
        ({"column": "hand"}, "column was default, now hand"),
    ],
    ids=lambda value: "" if isinstance(value, str) else "-".join(value),
)
def test_another_run_is_refused(
    source: Path, tmp_path: Path, options: dict[str, Any], differing: str, finished: bool
) -> None:
    target = tmp_path / "out.csv"
    if finished:
        solve(source, target)
    else:
        stop_after(source, target, 64, KeyboardInterrupt())
    with pytest.raises(BatchError, match=f"cannot resume another run: {differing}; ask for"):
        solve(source, target, resume=True, **options)


def test_another_input_is_refused(source: Path, expected: bytes, tmp_path: Path) -> None:
    target, other = tmp_path / "out.csv", write_deals(tmp_path / "in.csv", ROWS, seed=5)
    stop_after(source, target, 64, KeyboardInterrupt())
    with pytest.raises(BatchError, match=r"another run: input was \w{64}, now \w{64}; ask"):
        solve(other, target, resume=True)
    solve(source, target, resume=True)
    assert target.read_bytes() == expected


def test_another_version_is_refused(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "out.csv"
    stop_after(source, target, 64, KeyboardInterrupt())
    monkeypatch.setattr(batch_module, "__version__", "9.9")
    with pytest.raises(BatchError, match=r"another run: version was .*, now 9\.9; ask"):
        solve(source, target, resume=True)


def test_an_unfinished_run_is_not_thrown_away(
    source: Path, expected: bytes, tmp_path: Path
) -> None:
    target = tmp_path / "out.csv"
    stop_after(source, target, 64, KeyboardInterrupt())
    with pytest.raises(BatchError) as caught:
        solve(source, target)
    assert str(caught.value) == (
        f"{target}: an unfinished run has done 64 rows; "
        "go on with --resume, or start again with --force"
    )
    solve(source, target, force=True, seed=1)
    assert target.read_bytes() != expected


def test_a_target_without_a_journal_is_not_resumed(source: Path, tmp_path: Path) -> None:
    (tmp_path / "out.csv").write_text("precious")
    with pytest.raises(BatchError, match=r"out\.csv exists; replace it with --force"):
        solve(source, tmp_path / "out.csv", resume=True)


def test_one_process_at_a_time(tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    with PartialFile(target, {}, resume=False, force=False, keep=True):
        for force in (True, False):
            with pytest.raises(BatchError) as caught:
                PartialFile(target, {}, resume=True, force=force, keep=True)
            assert str(caught.value) == f"{target}: another batch is writing this file"


@pytest.mark.parametrize("names", [("-", "out.csv"), ("in.csv", "-")])
def test_streams_cannot_be_resumed(names: tuple[str, str]) -> None:
    with pytest.raises(BatchError, match="standard input and output cannot be resumed"):
        run_batch(*names, resume=True)


def test_a_stopped_run_of_standard_input_leaves_nothing(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    with (
        open(source, "rb") as stdin,
        subprocess.Popen(
            [sys.executable, "-m", "solver.cli", "batch", "-", "-o", str(target), "--strict"],
            stdin=stdin,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        ) as process,
    ):
        _, told = process.communicate()
    assert process.returncode == 1
    assert told.endswith(" a hand has 13\n")
    assert list(tmp_path.iterdir()) == []


# Strict


def test_strict_stops_at_the_first_bad_row(source: Path, expected: bytes, tmp_path: Path) -> None:
    hands = source.read_text().splitlines()
    source = tmp_path / "in.csv"
    source.write_text("\n".join([hands[0], *hands[2:]]))  # the first row is bad
    target = tmp_path / "out.csv"
    with pytest.raises(BatchError) as caught:
        solve(source, target, strict=True, jobs=2)
    assert str(caught.value) == (
        "line 51: not a hand: unknown 'Kx' at 4; 1 readable card, a hand has 13; "
        "50 rows are safe, go on with --resume"
    )
    assert json.loads(journal(target).read_text())["tally"]["rows"] == 50
    solve(source, target, resume=True)
    lines = expected.splitlines(keepends=True)
    assert target.read_bytes() == b"".join([lines[0], *lines[2:]])


# Processes


def test_killed_and_resumed(tmp_path: Path) -> None:
    assert kill_and_resume(tmp_path, rows=3000, kills=3, samples=1000) > 0


def test_interrupted(tmp_path: Path) -> None:
    source, target = write_deals(tmp_path / "in.csv", 6000), tmp_path / "out.csv"
    with start(source, "-o", target, *SMALL) as process:
        wait_for_rows(process, target)
        process.send_signal(signal.SIGINT)
        told = process.communicate(timeout=60)[1].splitlines()
    assert process.returncode == 130
    assert told[-1].startswith("error: stopped; ")
    assert told[-1].endswith(" rows are safe, go on with --resume")
    assert len(told) == 1
    safe = json.loads(journal(target).read_text())
    assert safe["tally"]["rows"] > 0
    assert partial(target).stat().st_size >= safe["bytes"]
    assert run(source, "-o", target, "--resume", *SMALL)[0] == 3
    run(source, "-o", tmp_path / "expected.csv", *SMALL)
    assert target.read_bytes() == (tmp_path / "expected.csv").read_bytes()


def test_a_file_that_may_not_grow(source: Path, expected: bytes, tmp_path: Path) -> None:
    """A write that fails wherever this runs; the small disk below needs leave to be made."""
    target = tmp_path / "out.csv"
    command = [sys.executable, "-m", "solver.cli", "batch", source, "-o", target]
    limited = ["sh", "-c", 'ulimit -f 128; exec "$@"', "sh", *map(str, command)]
    done = subprocess.run(
        [*limited, *FEW, "--quiet"], capture_output=True, encoding="utf-8", timeout=60
    )
    assert done.returncode == 1
    assert done.stderr.startswith(f"error: {target}: File too large; ")
    assert done.stderr.endswith(" rows are safe, go on with --resume\n")
    assert not target.exists()
    assert run(source, "-o", target, "--resume", *FEW)[0] == 3
    assert target.read_bytes() == expected


ON_A_SMALL_DISK = """
mount -t tmpfs -o size=64k none "$1" || exit 99
shift
"$@"
echo "exit $?"
mount -o remount,size=10m "$DISK"
"$@" --resume
echo "exit $?"
cp "$DISK/out.csv" "$DISK/../"
"""


def test_a_disk_that_fills_up(source: Path, expected: bytes, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    command = [sys.executable, "-m", "solver.cli", "batch", source, "-o", disk / "out.csv"]
    arguments = ["sh", "-c", ON_A_SMALL_DISK, "sh", disk, *command, *FEW]
    try:
        done = subprocess.run(
            ["unshare", "--user", "--map-root-user", "--mount", *map(str, arguments), "--quiet"],
            env={"DISK": str(disk), **os.environ},
            capture_output=True,
            encoding="utf-8",
            timeout=120,
        )
    except FileNotFoundError:
        pytest.skip("no unshare here")
    if done.returncode == 99 or "unshare:" in done.stderr:
        pytest.skip("no small disk can be made here")
    assert done.stdout == "exit 1\nexit 3\n"
    first = done.stderr.splitlines()[0]
    assert first.startswith(f"error: {disk}/out.csv: No space left on device; ")
    assert first.endswith(" rows are safe, go on with --resume")
    assert (tmp_path / "out.csv").read_bytes() == expected
