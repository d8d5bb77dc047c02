"""Measure how times grow with opponents, pools and files; `scripts/bench_growth` runs this.

Every line of figures is fitted by a power law: an exponent of 1 means twice the work in twice the
time. Prints a table, and draws docs/growth.png.
"""

import argparse
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import matplotlib as mpl
import numpy as np
from bench_batch import measure
from bench_tools import judged, row
from numpy.typing import NDArray

from solver.deals import deal_many
from solver.opening import SAMPLES, open_table
from solver.pool import DISJOINT, OpponentPool, make_pool
from solver.solve import run, warm_up

FIGURE = Path(__file__).parents[1] / "docs" / "growth.png"
HANDS = 50
REPEATS = 3
TOP = 5  # settings listed, as by `solve` unless told otherwise
OPPONENTS = (1_000, 10_000, 100_000, 1_000_000)
RECORDS = (1 << 15, 1 << 16, 1 << 17, 1 << 18, 1 << 19, 1 << 20)  # the least has 10,000 opponents
ROWS = (1_000, 10_000, 100_000)
RELABELLINGS = 24


@dataclass(frozen=True)
class Line:
    """How one figure grows with another."""

    what: str
    over: str
    unit: str
    x: tuple[int, ...]
    y: list[float]

    @property
    def fit(self) -> tuple[float, float]:
        """Exponent and factor of the power law closest to the figures."""
        exponent, level = np.polyfit(np.log(self.x), np.log(self.y), 1)
        return float(exponent), float(np.exp(level))

    def show(self) -> None:
        for x, y in zip(self.x, self.y, strict=True):
            row(f"{self.what}: {x:,} {self.over}", f"{y:,.2f} {self.unit}")
        row(f"  grows with the power {self.fit[0]:.2f}", "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, nargs="+", default=ROWS, help="of the files")
    rows = tuple(parser.parse_args().rows)
    warm_up()
    pool = make_pool("greedy", records=int(1.02 * OPPONENTS[-1] / DISJOINT / RELABELLINGS))
    draw([[grow_opponents(pool)], [grow_pools(pool)], grow_files(rows)])


def grow_opponents(pool: OpponentPool) -> Line:
    times = [solve_time(pool, samples) for samples in OPPONENTS]
    return shown(Line("solve", "opponents", "ms", OPPONENTS, times))


def grow_pools(pool: OpponentPool) -> Line:
    times = [solve_time(pool.part(slice(records)), None) for records in RECORDS]
    return shown(Line(f"solve, {SAMPLES:,} opponents", "records in the pool", "ms", RECORDS, times))


def grow_files(rows: tuple[int, ...]) -> list[Line]:
    lines = []
    with tempfile.TemporaryDirectory() as directory:
        for jobs in (1, 2):
            runs = [measure(Path(directory), count, SAMPLES, jobs) for count in rows]
            speeds = [count / seconds for count, seconds, *_ in runs]
            lines.append(shown(Line(f"batch --jobs {jobs}", "rows", "rows/s", rows, speeds)))
    one, two = (line.y[-1] for line in lines)
    reached = two >= 1.8 * one and two >= 2_500
    reach = ">= 1.8 x, >= 2,500 rows/s", judged(reached)
    row(
        f"batch, {rows[-1]:,} rows, two jobs",
        f"{two:,.0f} rows/s",
        f"{two / one:.2f} x one",
        *reach,
    )
    return lines


def solve_time(pool: OpponentPool, samples: int | None) -> float:
    """Return the milliseconds that a hand takes, the best of a few runs of the same hands."""
    hands = np.empty(HANDS, np.int64)
    deal_many(1, 0, hands)
    table = open_table("2-4", opponents=pool, samples=samples)
    run(table, hands[:1], TOP)  # what is made once for a pool
    best = np.inf
    for _ in range(REPEATS):
        start = time.perf_counter()
        run(table, hands, TOP)
        best = min(best, time.perf_counter() - start)
    return float(best / HANDS * 1e3)


def shown(line: Line) -> Line:
    line.show()
    return line


def draw(panels: list[list[Line]]) -> None:
    mpl.use("agg")  # a file is drawn, on no screen
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, len(panels), figsize=(11, 3.4), layout="constrained")
    for axis, lines in zip(axes, panels, strict=True):
        for line, marker, style in zip(lines, "os", ("--", ":"), strict=False):
            exponent, factor = line.fit
            x: NDArray[np.float64] = np.array(line.x, float)
            axis.plot(x, line.y, f"k{marker}", markerfacecolor="none", label=line.what)
            axis.plot(x, factor * x**exponent, f"k{style}", label=f"power {exponent:.2f}")
        axis.set(xscale="log", yscale="log", xlabel=line.over)
        axis.set_ylabel("rows a second" if line.unit == "rows/s" else "milliseconds a hand")
        axis.legend(fontsize="small")
    FIGURE.parent.mkdir(exist_ok=True)
    figure.savefig(FIGURE, dpi=120)
    print(f"drawn: {FIGURE}")


if __name__ == "__main__":
    main()
