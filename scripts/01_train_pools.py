"""Train the pools that are shipped and measure them, all or those of the named presets.

A pool follows from the rules, its seed and these options alone, whatever the number of threads, so
that training one again gives the same arrays; the file DIGESTS beside the pools says which.
"""

import argparse
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from solver.equilibrium import ROUNDS, exploitability, train_pool
from solver.pool import OpponentPool, write_pool
from solver.rules import RuleSet, digest, load_rules, preset_names
from solver.shelf import DIGESTS, SHELF, about_pool, shelf_name

HANDS = 10_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="presets (default: all)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="threads")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--records", type=int, help="hands of a pool")
    parser.add_argument("--hands", type=int, default=HANDS, help="on which to measure it")
    parser.add_argument("--fresh", type=int, help="hands of the pool against it")
    parser.add_argument("--out", type=Path, default=SHELF, help="directory of the pools")
    parser.add_argument("--table", action="store_true", help="only print how good they are")
    given = parser.parse_args()
    if given.table:
        print("\n".join(table(given.names or preset_names(), given.out)))
        return
    for rules in different(given.names or preset_names()):
        start = time.perf_counter()
        pool = trained(rules, given.rounds, given.records, given.hands, given.fresh, given.jobs)
        path = shelve(pool, rules, given.out)
        print(f"{told(pool)}, {path.stat().st_size:,} bytes, {time.perf_counter() - start:.0f} s")


def different(names: list[str] | tuple[str, ...]) -> list[RuleSet]:
    """Return the rule sets, one for each way of paying."""
    return list({digest(rules): rules for rules in map(load_rules, names)}.values())


def trained(
    rules: RuleSet, rounds: int, records: int | None, hands: int, fresh: int | None, jobs: int
) -> OpponentPool:
    """Return a pool that knows how exploitable it is."""
    pool = train_pool(rules, rounds, records, jobs=jobs)
    measured = exploitability(rules, pool, hands, fresh, jobs=jobs)
    return replace(pool, about={**pool.about, "exploitability": measured.to_dict()})


def shelve(pool: OpponentPool, rules: RuleSet, directory: Path) -> Path:
    """Write a pool in the place of any for the same rules, and its digest into the list."""
    for old in directory.glob(f"*-{digest(rules)}.npz"):
        old.unlink()
    path = directory / shelf_name(rules)
    write_pool(pool, path)
    listed = directory / DIGESTS
    lines = listed.read_text().splitlines() if listed.exists() else []
    lines = [line for line in lines if digest(rules) not in line] + [f"{pool.digest}  {path.name}"]
    listed.write_text(
        "".join(f"{line}\n" for line in sorted(lines, key=lambda line: line.split()[1]))
    )
    return path


def told(pool: OpponentPool) -> str:
    measured = pool.about["exploitability"]
    lower, upper = bounds(measured)
    edge = f", banker's edge {measured['edge']:+.5f}" if "edge" in measured else ""
    exploited = f"{lower} to {upper} units, spread {measured['score_sd']:.3f}{edge}"
    return f"{pool.about['rules']}: {exploited}"


def bounds(measured: Mapping[str, Any]) -> Iterator[str]:
    for name in ("lower", "upper"):
        yield f"{measured[name]:+.6f} ± {measured[f'{name}_se']:.6f}"


def table(names: list[str] | tuple[str, ...], directory: Path) -> Iterator[str]:
    """Yield a table, in Markdown, of how exploitable the pools of a directory are."""
    yield "| rules | spread of a deal | lower bound | upper bound | midpoint, in spreads |"
    yield "|---|--:|--:|--:|--:|"
    for rules in map(load_rules, names):
        for path in directory.glob(f"*-{digest(rules)}.npz"):
            measured = about_pool(path)["exploitability"]
            spread, middle = measured["score_sd"], (measured["lower"] + measured["upper"]) / 2
            cells = f"`{rules.name}`", f"{spread:.2f}", *bounds(measured), f"{middle / spread:.6f}"
            yield f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
