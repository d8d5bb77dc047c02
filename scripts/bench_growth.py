"""Measure how times grow with opponents, pools and files; `scripts/bench_growth` runs this.

Times a hand are fitted by power laws: an exponent of 1 means twice the work in twice the time.
Those of files are fitted by a start-up and a speed. Prints a table, and draws docs/growth.png.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import matplotlib as mpl
import numpy as np
from bench_batch import measure
from bench_tools import F64, judged, row

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
    """How one figure grows with another, and the curve closest to it."""

    what: str
    over: str
    unit: str
    x: tuple[int, ...]
    y: list[float]
    curve: Callable[[F64], F64]
    told: str  # of the curve

    def show(self) -> None:
        for x, y in zip(self.x, self.y, strict=True):
            row(f"{self.what}: {x:,} {self.over}", f"{y:,.2f} {self.unit}")
        row(f"  {self.told}", "")


def power_law(what: str, over: str, x: tuple[int, ...], times: list[float]) -> Line:
    """Fit milliseconds a hand."""
    exponent, level = np.polyfit(np.log(x), np.log(times), 1)
    told = f"grows with the power {exponent:.2f}"
    return Line(what, over, "ms", x, times, lambda x: np.exp(level) * x**exponent, told)


def start_and_speed(what: str, rows: tuple[int, ...], seconds: list[float]) -> Line:
    """Fit the rows a second of files, which take a while to start and then so long a row."""
    each, start = np.polyfit(rows, seconds, 1, w=1 / np.array(seconds))
    told = f"starts in {start:.1f} s, then {1 / each:,.0f} rows/s"
    speeds = [count / took for count, took in zip(rows, seconds, strict=True)]
    return Line(what, "rows", "rows/s", rows, speeds, lambda x: x / (start + each * x), told)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, nargs="+", default=ROWS, help="of the files")
    rows = tuple(parser.parse_args().rows)
    warm_up()
    pool = make_pool("greedy", records=int(1.02 * OPPONENTS[-1] / DISJOINT / RELABELLINGS))
    draw([[grow_opponents(pool)], [grow_pools(pool)], grow_files(rows)])


def grow_opponents(pool: OpponentPool) -> Line:
    times = [solve_time(pool, samples) for samples in OPPONENTS]
    return shown(power_law("solve", "opponents", OPPONENTS, times))


def grow_pools(pool: OpponentPool) -> Line:
    times = [solve_time(pool.part(slice(records)), None) for records in RECORDS]
    return shown(power_law(f"solve, {SAMPLES:,} opponents", "records", RECORDS, times))


def grow_files(rows: tuple[int, ...]) -> list[Line]:
    lines = []
    with tempfile.TemporaryDirectory() as directory:
        for jobs in (1, 2):
            seconds = [measure(Path(directory), count, SAMPLES, jobs)[1] for count in rows]
            lines.append(shown(start_and_speed(f"batch --jobs {jobs}", rows, seconds)))
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
            axis.plot(line.x, line.y, f"k{marker}", markerfacecolor="none", label=line.what)
            x = np.geomspace(line.x[0], line.x[-1])
            axis.plot(x, line.curve(x), f"k{style}", label=line.told)
        figures = np.log10([y for line in lines for y in line.y])
        decades = 10 ** np.floor(figures.min()), 10 ** np.ceil(figures.max())
        axis.set(xscale="log", yscale="log", xlabel=line.over, ylim=decades)
        axis.set_ylabel("rows a second" if line.unit == "rows/s" else "milliseconds a hand")
        axis.legend(fontsize="small")
    FIGURE.parent.mkdir(exist_ok=True)
    figure.savefig(FIGURE, dpi=120)
    print(f"drawn: {FIGURE}")


if __name__ == "__main__":
    main()
