"""Measure batches, small and large: memory and rows a second; `scripts/bench_batch` runs this.

The larger file must need no more memory than 400 MB and be no slower a row than the smaller one.
Every row has fewer opponents than by default, so that it is the batch that is measured. Nothing
fails here: what misses its reach is marked "over".
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench_tools import judged

from evaluator.cards import Cards
from solver.deals import deal
from solver.solve import warm_up

SMALL = 10_000
SEED = 51


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=1_000_000, help="of the larger file")
    parser.add_argument("--samples", type=int, default=200, help="opponents of each row")
    options = parser.parse_args()
    warm_up()
    with tempfile.TemporaryDirectory() as directory:
        *_, start, _ = measure(Path(directory), 1, options.samples)
        small = measure(Path(directory), SMALL, options.samples)
        large = measure(Path(directory), options.rows, options.samples)
    print(f"{'rows':>12}{'seconds':>10}{'µs a row':>10}{'CPU µs a row':>14}{'MB at most':>12}")
    for rows, seconds, cpu, memory in (small, large):
        each = seconds / rows * 1e6, cpu / rows * 1e6
        print(f"{rows:>12,}{seconds:>10.1f}{each[0]:>10.1f}{each[1]:>14.1f}{memory / 1e6:>12.0f}")
    ratio = (large[2] - start) / large[0] / ((small[2] - start) / small[0])  # without the start-up
    print(
        f"a row of the larger one takes {ratio:.2f} x the CPU time, reach 1 x: {judged(ratio <= 1)}"
    )
    print(f"memory: {large[3] / 1e6:.0f} MB, reach 400 MB: {judged(large[3] <= 400e6)}")


def measure(
    directory: Path, rows: int, samples: int, jobs: int = os.cpu_count() or 1
) -> tuple[int, float, float, int]:
    """Solve a file of so many rows; return rows, seconds, seconds of CPU, bytes of memory."""
    source, target = directory / f"{rows}.csv", directory / f"{rows}-out.csv"
    with open(source, "w") as file:
        file.write("id,hand\n")
        for start in range(0, rows, SMALL):
            hands = map(Cards, deal(min(SMALL, rows - start), SEED + start))
            file.writelines(f"{i},{hand}\n" for i, hand in enumerate(hands, start))
    command = [
        sys.executable,
        "-m",
        "solver.cli",
        "batch",
        source,
        "-o",
        target,
        "--force",
        "--quiet",
    ]
    command += ["--samples", str(samples), "--jobs", str(jobs)]
    began = time.perf_counter()
    with subprocess.Popen(command) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - began
    if process.returncode:
        sys.exit(f"the batch of {rows:,} rows failed")
    scale = 1 if sys.platform == "darwin" else 1024
    return rows, seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * scale


if __name__ == "__main__":
    main()
