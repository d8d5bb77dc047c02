"""What the benchmarks share: timing in turns, and lines of a table."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

I16 = NDArray[np.int16]
U16 = NDArray[np.uint16]
I64 = NDArray[np.int64]
F64 = NDArray[np.float64]

REPEATS = 9


def in_turns(jobs: dict[Any, Callable[[], object]], repeats: int = REPEATS) -> dict[Any, F64]:
    """Run every job once, for what is made once, then all in turns; return seconds of each run."""
    for job in jobs.values():
        job()
    times = {name: np.empty(repeats) for name in jobs}
    for repeat in range(repeats):
        for name, job in jobs.items():
            start = time.perf_counter()
            job()
            times[name][repeat] = time.perf_counter() - start
    return times


def row(what: str, figure: str, ratio: str = "", reach: str = "", verdict: str = "") -> None:
    print(f"{what:<45}{figure:>13}  {ratio:<16}  {reach:<12}  {verdict}".rstrip(), flush=True)


def judged(reached: bool) -> str:
    return "ok" if reached else "over"


def per_hand(seconds: F64, hands: int) -> str:
    return f"{seconds.min() / hands * 1e6:,.2f} µs"


def best_of(times: dict[Any, F64]) -> F64:
    return np.array([seconds.min() for seconds in times.values()])
