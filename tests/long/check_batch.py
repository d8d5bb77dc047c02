"""Large batches that are killed again and again, and two that meet an empty cache."""

import os
import subprocess
import sys
from pathlib import Path

from batch_support import kill_and_resume, write_deals

from solver.solve import warm_up


def test_twenty_kills_in_twenty_thousand_rows(tmp_path: Path) -> None:
    warm_up()
    killed = kill_and_resume(tmp_path, rows=20_000, kills=20, samples=10_000)
    assert killed == 20


def test_two_batches_on_an_empty_cache(tmp_path: Path) -> None:
    source = write_deals(tmp_path / "in.csv", 500)
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    environment.pop("NUMBA_CACHE_DIR", None)
    targets = [tmp_path / "1.csv", tmp_path / "2.csv"]
    runs = [
        subprocess.Popen(
            [sys.executable, "-m", "solver.cli", "batch", source, "-o", target, "--quiet"],
            env=environment,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        for target in targets
    ]
    told = [process.communicate(timeout=600)[1] for process in runs]
    assert [process.returncode for process in runs] == [3, 3]
    assert told[0] == told[1]
    assert all(line.startswith("error: ") for line in told[0].splitlines())
    assert targets[0].read_bytes() == targets[1].read_bytes()
