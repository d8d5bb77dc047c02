"""Batches as people run them: processes, started, stopped, killed."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

from evaluator.jit import CACHE_DIR
from solver.deals import deal

SMALL = ("--opponents", "greedy", "--samples", "200", "--jobs", "2")


def write_deals(path: Path, rows: int, seed: int = 31) -> Path:
    """Write a file of deals of which every fiftieth is none."""
    hands = [str(hand) for hand in deal(rows, seed)]
    hands[::50] = ["As Kx"] * len(hands[::50])
    text = "".join(f"{i},{hand}\n" for i, hand in enumerate(hands))
    path.write_text(f"id,hand\n{text}")
    return path


def start(*arguments: str | Path) -> subprocess.Popen[str]:
    """Start `capsa batch`, with the code that this process has compiled."""
    return subprocess.Popen(
        [sys.executable, "-m", "solver.cli", "batch", *map(str, arguments)],
        env={**os.environ, "NUMBA_CACHE_DIR": str(CACHE_DIR or "")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


def run(*arguments: str | Path) -> tuple[int, str]:
    """Run `capsa batch`; return its exit code and what it told."""
    with start(*arguments) as process:
        _, told = process.communicate(timeout=300)
    return process.returncode, told


def wait_for(what: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "waited for too long"
        time.sleep(0.01)


def size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def wait_for_rows(process: subprocess.Popen[str], target: Path, more_than: int = 200) -> None:
    """Wait until a run has added to what there was of its target, or is over."""
    partial = target.with_name(f"{target.name}.partial")
    wait_for(lambda: size(partial) > more_than or process.poll() is not None)


def kill_and_resume(directory: Path, rows: int, kills: int, samples: int) -> int:
    """Check that a run killed at random moments ends with the bytes of one left alone.

    Returns how often it was killed before it was done. A moment is a while after new rows are
    written, so short that most of the kills come before the end on a machine of any speed; one in
    five comes before new rows, while the program starts.
    """
    source = write_deals(directory / "in.csv", rows)
    expected, target = directory / "expected.csv", directory / "out.csv"
    options = ("--opponents", "greedy", "--samples", str(samples), "--jobs", "1")
    started = time.perf_counter()
    assert run(source, "-o", expected, *options)[0] == 3
    longest = 0.6 * (time.perf_counter() - started) / kills
    partial, random, killed = directory / "out.csv.partial", Random(rows), 0
    while killed < kills and not target.exists():
        before = size(partial)
        with start(source, "-o", target, "--resume", *options) as process:
            if random.random() < 0.8:
                wait_for_rows(process, target, before)
            time.sleep(random.uniform(0, longest))
            process.kill()
        killed += not target.exists()
    code, told = run(source, "-o", target, "--resume", *options)
    assert code == 3
    assert f"{-(-rows // 50):,} of {rows:,} rows failed" in told
    assert target.read_bytes() == expected.read_bytes()
    left = {path.name for path in directory.iterdir()}
    assert left == {"in.csv", "expected.csv", "out.csv", "expected.csv.journal", "out.csv.journal"}
    return killed
