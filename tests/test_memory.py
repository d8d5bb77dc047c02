"""Commands stay small, however long a file is."""

import subprocess
import sys
from pathlib import Path

import pytest
from batch_support import write_deals

from evaluator.jit import CACHE_DIR
from solver.solve import warm_up

# The most that a child had is asked for in a small process of its own: one made from a large
# process, such as this, counts what that one had.
LAUNCHER = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""
HAND = "As Ks Qs Js 6s 5s 3s Qh 9h 2h Jd 8c 3c"
SCALE = 1 if sys.platform == "darwin" else 1024


@pytest.fixture(autouse=True)
def kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the commands load the compiled code of this process: compiling takes far more memory."""
    warm_up()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(CACHE_DIR or ""))


def megabytes(*arguments: str | Path) -> float:
    """Return the most memory that a command had, in MB."""
    command = [sys.executable, "-c", LAUNCHER, sys.executable, "-m", "solver.cli", *arguments]
    done = subprocess.run(command, check=True, capture_output=True, encoding="utf-8")
    return int(done.stdout) * SCALE / 1e6


@pytest.mark.parametrize(
    "wishes", ["2-4", "shisanshui", "shisanshui --players 4 --risk", "2-4 --risk --samples 50000"]
)
def test_solve_needs_at_most_250_mb(wishes: str) -> None:
    assert 50 < megabytes("solve", HAND, "--rules", *wishes.split()) <= 250


def test_batch_needs_no_more_for_a_longer_file(tmp_path: Path) -> None:
    short, long = (
        megabytes(
            *("batch", write_deals(tmp_path / f"{rows}.csv", rows), "--samples", "100"),
            *("-o", tmp_path / f"{rows}-out.csv", "--jobs", "1"),
        )
        for rows in (2_000, 20_000)
    )
    assert short > 50
    assert long <= min(400, short + 20)
