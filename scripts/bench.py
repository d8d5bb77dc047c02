"""Measure the speed of everything that is waited for; `scripts/bench` runs this.

Kernels are timed in turns with limit probes that are compiled in the same run. A figure is the
best of its repeats; a ratio is the median over the repeats, and tells more than the figure where
other work disturbs the machine. Nothing fails here: what misses its reach is marked "over".
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import combinations
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from typing import Any

import numpy as np
from numpy.typing import NDArray
from phevaluator import evaluate_cards

from evaluator.cards import Cards
from evaluator.jit import kernel
from evaluator.kernels import (
    FRONTS,
    Workspace,
    canonical,
    find_frontier,
    rank_subsets,
    relabel,
    workspace,
)
from evaluator.ranking import CLASSES, FIVES, SPLITS, Tables, tables
from solver.candidates import find_candidates
from solver.deals import deal_many
from solver.estimate import race, results, solve_hands
from solver.opponents import Field, Space, find_opponents, gather, link_records, space
from solver.rules import load_rules
from solver.scoring import Terms, Worths, terms_of
from solver.simulation import simulate
from solver.solve import SAMPLES, field_of, open_table, solve
from solver.solve import run as run_table

I16 = NDArray[np.int16]
U16 = NDArray[np.uint16]
I64 = NDArray[np.int64]
F64 = NDArray[np.float64]

HANDS = 1_000
RULE_SETS = Path(__file__).parents[1] / "solver" / "rulesets"
REPEATS = 9
TOP = 5  # settings listed, as by `solve` unless told otherwise
STEPS = ("find opponents", "gather columns", "link records", "rank, frontier", "race")


def main() -> None:
    hands = np.empty(HANDS, np.int64)
    deal_many(1, 0, hands)
    row("what", "figure", "ratio", "reach")
    bench_settings(hands)
    bench_solve(hands)
    bench_payments(hands)
    bench_tables()
    bench_processes()


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


# Settings of a hand


@kernel
def rank(hands: I64, table: Tables, work: Workspace) -> None:
    for h in range(hands.shape[0]):
        rank_subsets(hands[h], table, work)


@kernel
def rank_and_walk(hands: I64, table: Tables, work: Workspace) -> int:
    count = 0
    for h in range(hands.shape[0]):
        rank_subsets(hands[h], table, work)
        count += find_frontier(table, work)
    return count


@kernel
def look_up(hands: int, places: U16, table: I16, out: I16) -> None:
    """Look up and store a strength for each subset, as often as there are hands."""
    for h in range(hands):
        table[h & 1023] = h  # so that the compiler cannot do it once for all hands
        for i in range(places.shape[0]):
            out[i] = table[np.uint64(places[i])]


@kernel
def pair_up(
    hands: int, high: U16, low: U16, fives: I16, fronts: I16, ones: I16, others: I16
) -> int:
    """Load both strengths of each split, take min and max, and compare; as often as hands.

    In narrow integers and three plain loops, the fastest of the forms tried.
    """
    total = 0
    for h in range(hands):
        fives[h & 1023] = h
        for front in range(high.shape[0]):
            halves = high[front], low[front]
            for k in range(SPLITS):
                ones[k] = fives[halves[0][k]]
            for k in range(SPLITS):
                others[k] = fives[halves[1][k]]
            legal = strongest = np.int16(0)
            for k in range(SPLITS):
                strongest = max(strongest, max(ones[k], others[k]))
                legal = np.int16(legal + (min(ones[k], others[k]) >= fronts[front]))
            total += strongest + legal
    return total


def rank_splits(hand: Cards) -> list[tuple[int, int, int]]:
    """Rank the rows of all 72,072 splits, as one would in plain Python."""
    splits = []
    for front in combinations(hand, 3):
        rest = [card for card in hand if card not in front]
        strength = rank_front(front)
        for back in combinations(rest, 5):
            middle = [card for card in rest if card not in back]
            splits.append((evaluate_cards(*back), evaluate_cards(*middle), strength))
    return splits


def rank_splits_once(hand: Cards) -> list[tuple[int, int, int]]:
    """Do the same, but rank each of the 1,287 fives only once."""
    ranks = {five: evaluate_cards(*five) for five in combinations(hand, 5)}
    splits = []
    for front in combinations(hand, 3):
        rest = [card for card in hand if card not in front]
        strength = rank_front(front)
        fives = [ranks[five] for five in combinations(rest, 5)]
        # the complement of the first of all fives is the last one
        splits += [
            (back, middle, strength) for back, middle in zip(fives, fives[::-1], strict=True)
        ]
    return splits


def rank_front(front: tuple[int, ...]) -> int:
    a, b, c = sorted((card >> 2 for card in front), reverse=True)
    pair = b if b in (a, c) else -1
    return ((a == c) * 14 + pair + 1) * 13**3 + a * 13**2 + b * 13 + c


def bench_settings(hands: I64) -> None:
    table, work = tables(), workspace()
    random = np.random.default_rng(0)
    places = random.integers(0, len(table.unsuited), FRONTS + FIVES).astype(np.uint16)
    unsuited, strengths = table.unsuited.copy(), np.empty(len(places), np.int16)
    fives = random.integers(0, CLASSES, FIVES).astype(np.int16)
    fronts = random.integers(0, CLASSES, FRONTS).astype(np.int16)
    ones, others = np.empty(SPLITS, np.int16), np.empty(SPLITS, np.int16)
    n = len(hands)
    times = in_turns(
        {
            "look up": lambda: look_up(n, places, unsuited, strengths),
            "rank": lambda: rank(hands, table, work),
            "pair up": lambda: pair_up(n, table.high, table.low, fives, fronts, ones, others),
            "both": lambda: rank_and_walk(hands, table, work),
        }
    )
    times["walk"] = times["both"] - times["rank"]
    for what, name, probe, probed, most in (
        ("rank all 1,573 subsets of a hand", "rank", "look up", "1,573 look-ups and stores", 3),
        (
            "frontier of a hand, when ranked",
            "walk",
            "pair up",
            "36,036 pairs, min, max, compare",
            4,
        ),
    ):
        ratio = np.median(times[name] / times[probe])
        reach = f"<= {most} x", judged(ratio <= most)
        row(what, per_hand(times[name], n), f"{ratio:.2f} x probe", *reach)
        row(f"  probe: {probed}", per_hand(times[probe], n))

    some = [Cards.from_mask(int(hand)) for hand in hands[:2]]
    slow = in_turns(
        {
            "ours": lambda: rank_and_walk(hands, table, work),
            "plain": lambda: list(map(rank_splits, some)),
            "each five once": lambda: list(map(rank_splits_once, some)),
        },
        3,
    )
    ours = slow["ours"] / n * len(some)
    ratio = np.median(slow["plain"] / ours)
    reach = ">= 1,000 x", judged(ratio >= 1_000)
    row("72,072 splits in plain Python", per_hand(slow["plain"], 2), f"{ratio:,.0f} x ours", *reach)
    ratio = np.median(slow["each five once"] / ours)
    row("  ranking each five once", per_hand(slow["each five once"], 2), f"{ratio:,.0f} x ours")


# Solving


@kernel
def solve_up_to(
    last: int,
    hands: I64,
    field: Field,
    terms: Terms,
    worths: Worths,
    table: Tables,
    wanted: int,
    work: Workspace,
    space: Space,
) -> tuple[int, int]:
    """Do the first steps of `solve_hands`; return the last hand's candidates and opponents."""
    candidates = setting = 0
    for h in range(hands.shape[0]):
        suits = field.relabellings[canonical(hands[h], field.relabellings)]
        hand = relabel(hands[h], suits)
        count = find_opponents(hand, field, 0, wanted, space)
        if last >= 1:
            setting = gather(0, count, field, terms, space)
        if last >= 2:
            link_records(count, space)
        if last >= 3:
            rank_subsets(hand, table, work)
            candidates = find_candidates(hand, terms, worths, table, work)
        if last >= 4:
            space.sums[:candidates] = 0
            race(candidates, min(candidates, TOP), 0, setting, terms, worths, work, space)
    return candidates, setting


def bench_solve(hands: I64) -> None:
    field, terms, worths, table = opened("2-4")
    work, scratch, found = workspace(), space(field, terms, SAMPLES), results(len(hands), TOP)

    def run(some: I64) -> None:
        solve_hands(some, field, terms, worths, table, 0, SAMPLES, work, scratch, found)

    up_to = {
        step: partial(solve_up_to, last, hands, field, terms, worths, table, SAMPLES, work, scratch)
        for last, step in enumerate(STEPS)
    }
    times = in_turns({**up_to, f"describe the best {TOP}": partial(run, hands)}, 5)
    row(f"solve_hands: 2-4, {SAMPLES:,} opponents", per_hand(list(times.values())[-1], len(hands)))
    before = 0.0
    for step, seconds in times.items():
        row(f"  {step}", f"{(np.median(seconds) - before) / len(hands) * 1e6:,.1f} µs")
        before = float(np.median(seconds))

    singly = in_turns({h: partial(run, hands[h : h + 1]) for h in range(len(hands))}, 3)
    call = in_turns({"empty": partial(run, hands[:0])})["empty"].min()
    show_spread("  of single hands", best_of(singly) - call)
    texts = [str(Cards.from_mask(int(hand))) for hand in hands]
    show_spread(
        "solve() from Python",
        best_of(in_turns({t: partial(solve, t, opponents="greedy") for t in texts}, 3)),
    )
    bench_joint(hands[:1])


def bench_joint(hand: I64) -> None:
    """Time whole tables of players who answer a pool; a greedy one costs no training here."""
    table = open_table("shisanshui", 3, "greedy")
    pool = replace(table.pool, name="answering")  # or they would set as greedy players do
    for players, deals, most in ((3, 1_000, 0.3), (3, 10_000, 1.0), (4, 10_000, 2.5)):
        asked = replace(table, players=players, pool=pool, opponents=None, deals=deals)
        seconds = in_turns({"run": partial(run_table, asked, hand, TOP)}, 3)["run"].min()
        what = f"{deals:,} joint deals, {players} players"
        row(what, f"{seconds:.2f} s", "", f"<= {most} s", judged(bool(seconds <= most)))


def opened(name: str) -> tuple[Field, Terms, Worths, Tables]:
    """Return what the kernels take for a preset and greedy opponents."""
    table = open_table(name, opponents="greedy")
    return field_of(table.rules, table.pool), *terms_of(table.rules), tables(table.rules.wheel)


def best_of(times: dict[Any, F64]) -> F64:
    return np.array([seconds.min() for seconds in times.values()])


def show_spread(what: str, seconds: F64) -> None:
    median, high = np.quantile(seconds, [0.5, 0.99]) * 1e6
    row(f"{what}: median", f"{median:,.1f} µs", "", "<= 2,000 µs", judged(median <= 2_000))
    row(f"{what}: 99th percentile", f"{high:,.1f} µs")


# Payments


@kernel
def score_often(
    times: int,
    candidates: int,
    setting: int,
    terms: Terms,
    worths: Worths,
    work: Workspace,
    space: Space,
) -> None:
    """Score every candidate on every opponent: none is dropped where all are kept."""
    for _ in range(times):
        space.sums[:candidates] = 0
        race(candidates, candidates, 0, setting, terms, worths, work, space)


def bench_payments(hands: I64) -> None:
    rich = next(h[None] for h in hands if rank_and_walk(h[None], tables(), workspace()) >= 100)
    often = 20
    jobs, payments = {}, {}
    for name in ("2-4", "1-6", "shisanshui", "pusoy"):
        field, terms, worths, table = opened(name)
        work, scratch = workspace(), space(field, terms, SAMPLES)
        met = solve_up_to(3, rich, field, terms, worths, table, SAMPLES, work, scratch)
        jobs[name] = partial(score_often, often, *met, terms, worths, work, scratch)
        payments[name] = often * met[0] * met[1]
    times = in_turns(jobs)
    each = {name: times[name] / payments[name] for name in jobs}
    for name, seconds in each.items():
        ratio = np.median(seconds / each["2-4"])
        general = terms_of(load_rules(name))[0].royalties
        reach = ("<= 3 x", judged(ratio <= 3)) if general else ()
        row(
            f"a payment under {name}", f"{seconds.min() * 1e9:.2f} ns", f"{ratio:.2f} x 2-4", *reach
        )


# Whole tables


def bench_tables() -> None:
    deals = 1_024
    for seats in (("greedy", "random"), ("equilibrium", "greedy", "random")):
        play = partial(simulate, seats, deals=deals)
        played = play()
        seconds = in_turns({seats: play}, 3)[seats].min()
        figure = f"{deals / seconds:,.0f} / s"
        row(f"deals of {', '.join(seats)}", figure, f"{played.tables} tables each")


# Files and whole processes


def bench_processes() -> None:
    files = list(RULE_SETS.glob("*.toml"))  # by their paths, as presets are kept once read
    read = in_turns({"read": lambda: [load_rules(file) for file in files]})["read"].min() * 1e3
    row(f"read all {len(files)} presets", f"{read:.1f} ms", "", "<= 50 ms", judged(read <= 50))
    ask = "solve", "As Ks Qs Js 6s 5s 3s Qh 9h 2h Jd 8c 3c"
    environment = {k: v for k, v in os.environ.items() if k != "NUMBA_CACHE_DIR"}
    show_process("capsa solve", [capsa(ask, environment) for _ in range(5)], 1.5)
    show_process("capsa --help", [capsa(("--help",), environment) for _ in range(5)], 0.5)
    with tempfile.TemporaryDirectory() as empty:
        first = capsa(ask, {**environment, "XDG_CACHE_HOME": empty})
    show_process("capsa solve, first run ever", [first], 20)


def capsa(arguments: tuple[str, ...], environment: dict[str, str]) -> tuple[float, float]:
    """Run a command; return the seconds that it took and those of CPU time."""
    command = sys.executable, "-m", "solver.cli", *arguments
    start, before = time.perf_counter(), getrusage(RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True, env=environment)
    after = getrusage(RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.perf_counter() - start, cpu


def show_process(what: str, runs: list[tuple[float, float]], most: float) -> None:
    seconds, cpu = np.median(runs, axis=0)
    row(what, f"{seconds:.2f} s", f"{cpu:.2f} s of CPU", f"<= {most} s", judged(seconds <= most))


if __name__ == "__main__":
    main()
