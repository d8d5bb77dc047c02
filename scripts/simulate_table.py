"""Play equilibrium players against greedy and random ones, two at a table, under every preset.

Prints the table of README's "Whole tables", in Markdown; `scripts/simulate_table` runs this.
"""

import argparse
import os

from solver import simulate
from solver.pool import MADE
from solver.rules import preset_names


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="presets (default: all)")
    parser.add_argument("--deals", type=int, default=25_000, help="of each two strategies")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="threads")
    given = parser.parse_args()
    print(f"| rules | {' | '.join(f'against {other}' for other in MADE)} |")
    print("|---|--:|--:|")
    for name in given.names or preset_names():
        cells = [f"`{name}`"]
        for other in MADE:
            seats = "equilibrium", other
            best, _ = simulate(seats, name, given.deals, given.seed, given.jobs).seats
            cells.append(f"{best.units:+.3f} ± {best.se:.3f}")
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
