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
from dataclasses import replace
from functools import partial
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

import numpy as np
from bench_settings import bench_settings, rank_and_walk
from bench_tools import F64, I64, best_of, in_turns, judged, per_hand, row

from evaluator.cards import Cards
from evaluator.jit import kernel, lowest_bit
from evaluator.kernels import Workspace, canonical, rank_subsets, relabel, workspace
from evaluator.ranking import Tables, tables
from solver.candidates import find_candidates
from solver.deals import deal_many
from solver.estimate import race, results, solve_hands
from solver.opening import SAMPLES, open_table
from solver.opponents import (
    Field,
    Space,
    find_opponents,
    gather,
    link_records,
    note_seen,
    scan_index,
    space,
)
from solver.pool import on_cache_lines
from solver.rules import load_rules
from solver.scoring import Terms, Worths, terms_of
from solver.simulation import simulate
from solver.solve import run as run_table
from solver.solve import solve

HANDS = 1_000
RULE_SETS = Path(__file__).parents[1] / "solver" / "rulesets"
TOP = 5  # settings listed, as by `solve` unless told otherwise
STEPS = ("find opponents", "gather columns", "link records", "rank, frontier", "race")


def main() -> None:
    hands = np.empty(HANDS, np.int64)
    deal_many(1, 0, hands)
    row("what", "figure", "ratio", "reach")
    bench_settings(hands)
    bench_index(hands)
    bench_solve(hands)
    bench_payments(hands)
    bench_tables()
    bench_processes()


# Opponents


@kernel
def find(hands: I64, field: Field, wanted: int, space: Space) -> None:
    for h in range(hands.shape[0]):
        find_opponents(hands[h], field, 0, wanted, space)


@kernel
def scan(hands: I64, field: Field, space: Space) -> None:
    """Scan the index, and note who is found twice, without writing their records."""
    words = field.card_index.shape[1]
    for h in range(hands.shape[0]):
        for i in range(field.relabellings.shape[0]):
            renamed = relabel(hands[h], field.relabellings[i])
            for begin in range(0, words, space.scan.shape[0]):
                block = space.scan[: min(space.scan.shape[0], words - begin)]
                scan_index(renamed, field.card_index, begin, block)
                note_seen(begin, block, space)


@kernel
def unite_rows(hands: I64, field: Field, blocks: I64) -> None:
    """Read the 13 rows of each hand under all relabellings, in blocks, and nothing else."""
    index = field.card_index
    for h in range(hands.shape[0]):
        for i in range(field.relabellings.shape[0]):
            renamed = relabel(hands[h], field.relabellings[i])
            for begin in range(0, index.shape[1], blocks.shape[0]):
                block = blocks[: min(blocks.shape[0], index.shape[1] - begin)]
                block[:] = 0
                cards = renamed
                for _ in range(13):
                    held = index[lowest_bit(cards)][begin : begin + block.shape[0]]
                    cards &= cards - 1
                    for k in range(block.shape[0]):
                        block[k] |= held[k]


def bench_index(hands: I64) -> None:
    """Find all opponents under six relabellings, 10,000, so that both read the same rows."""
    field, terms, _, _ = opened("2-4")
    field = field._replace(relabellings=field.relabellings[:6])
    wanted = 2 * SAMPLES
    scratch, blocks = space(field, terms, wanted), on_cache_lines(256)
    times = in_turns(
        {
            "find": partial(find, hands, field, wanted, scratch),
            "scan": partial(scan, hands, field, scratch),
            "unite": partial(unite_rows, hands, field, blocks),
        }
    )
    ratios = {name: np.median(seconds / times["unite"]) for name, seconds in times.items()}
    reach = "<= 2 x", judged(bool(ratios["scan"] <= 2))
    for what, name, *goal in (
        ("scan the index for 10,000 opponents", "scan", *reach),
        ("  and write their records", "find"),
    ):
        row(what, per_hand(times[name], len(hands)), f"{ratios[name]:.2f} x probe", *goal)
    row("  probe: OR of the same rows", per_hand(times["unite"], len(hands)))


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

    def run(some: I64, samples: int = SAMPLES) -> None:
        solve_hands(some, field, terms, worths, table, 0, samples, work, scratch, found)

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

    call = in_turns({"empty": partial(run, hands[:0])})["empty"].min()
    for samples, median, high in ((SAMPLES, 600, 1_500), (1_000, 250, None)):
        ask = partial(run, samples=samples)
        singly = in_turns({h: partial(ask, hands[h : h + 1]) for h in range(len(hands))}, 3)
        show_spread(f"  single hands, {samples:,}", best_of(singly) - call, median, high)
    texts = [str(Cards.from_mask(int(hand))) for hand in hands]
    for samples in (SAMPLES, 1_000):
        ask = partial(solve, opponents="greedy", samples=samples)
        asked = best_of(in_turns({text: partial(ask, text) for text in texts}, 3))
        show_spread(f"solve() from Python, {samples:,}", asked)
    bench_joint(hands[:2])


def bench_joint(hands: I64) -> None:
    """Time whole tables of equilibrium players; hands by turns, as a hand's deals are kept."""
    table = open_table("shisanshui", 3)
    for players, deals, most in (
        *((3, 1_000, 0.3), (4, 1_000, 0.3)),
        *((3, 10_000, 1.0), (4, 10_000, 2.5)),
    ):
        asked = replace(table, players=players, deals=deals)
        ask = partial(run_table, asked)
        singly = in_turns({h: partial(ask, hands[h : h + 1], TOP) for h in range(len(hands))}, 3)
        seconds = best_of(singly).mean()
        what = f"{deals:,} joint deals, {players} players"
        row(what, f"{seconds:.2f} s", "", f"<= {most} s", judged(bool(seconds <= most)))


def opened(name: str) -> tuple[Field, Terms, Worths, Tables]:
    """Return what the kernels take for a preset and greedy opponents."""
    table = open_table(name, opponents="greedy")
    return table.field, *terms_of(table.rules, table.seat), tables(table.rules.wheel)


def show_spread(
    what: str, seconds: F64, median: int | None = None, high: int | None = None
) -> None:
    """Show median and 99th percentile, and whether they are within their reach in µs."""
    for name, share, most in (("median", 0.5, median), ("99th percentile", 0.99, high)):
        figure = np.quantile(seconds, share) * 1e6
        reach = (f"<= {most:,} µs", judged(figure <= most)) if most else ()
        row(f"{what}: {name}", f"{figure:,.1f} µs", "", *reach)


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
        most = 1.5 if terms_of(load_rules(name))[0].royalties else 0.5
        figure = seconds.min() * 1e9
        reach = f"<= {most} ns", judged(figure <= most)
        row(f"a payment under {name}", f"{figure:.2f} ns", f"{ratio:.2f} x 2-4", *reach)


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
    show_process("capsa solve", [capsa(ask, environment) for _ in range(5)], 1.2)
    show_process("capsa --help", [capsa(("--help",), environment) for _ in range(5)], 0.5)
    with tempfile.TemporaryDirectory() as empty:
        first = capsa(ask, {**environment, "XDG_CACHE_HOME": empty})
    show_process("capsa solve, first run ever", [first], 15)


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
