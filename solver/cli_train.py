"""The commands `capsa train` and `capsa exploit`: opponents of one's own, and how good they are."""

import json
import os
from pathlib import Path
from typing import Annotated, Literal

import typer

from solver.cli_parts import Jobs, Opponents, Rules, answer, engine, rendered
from solver.rules import load_rules


def train(
    rules: Rules,
    jobs: Jobs = None,
    rounds: Annotated[
        int | None, typer.Option(min=1, help="Rounds of answering.", show_default="32")
    ] = None,
    records: Annotated[
        int | None,
        typer.Option(
            min=1000, help="Hands of the pool.", show_default="204800, more where colours count"
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Of the deals.", show_default="a fixed one")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE.npz", help="Where to; else it is kept for the rules."
        ),
    ] = None,
) -> None:
    """Train nearly unbeatable opponents for your own rules: a quarter of an hour on one core.

    Kept, they are what --opponents equilibrium means under these rules from then on. In a file,
    they are opponents by the name of that file; so they travel, and presets, which have opponents
    already, can be trained in other ways.
    """
    rule_set = load_rules(rules)
    with engine() as bar:
        from solver import choosing, equilibrium
        from solver.deals import check_seed
        from solver.pool import PoolError, write_pool
        from solver.shelf import shipped_path

        check_seed(seed or 0)
        if output is None and shipped_path(rule_set):
            raise PoolError(f"a pool for {rules} is shipped; train another one with --output FILE")
        if output and output.suffix != ".npz":
            raise PoolError(f"{output}: the name of a pool ends in .npz")
        path = output or choosing.full_path(rule_set)
        path.parent.mkdir(parents=True, exist_ok=True)  # told now, not after the training
        pool = equilibrium.train_pool(
            rule_set,
            rounds or equilibrium.ROUNDS,
            records,
            equilibrium.SEED if seed is None else seed,
            jobs or os.cpu_count() or 1,
            bar,
        )
        write_pool(pool, path)
    use = f"--opponents {output}" if output else f"--rules {rules}"
    answer(f"{path}\n")
    typer.echo(f"{len(pool.hands):,} opponents are ready: capsa solve … {use}", err=True)


def exploit(
    rules: Rules = "2-4",
    opponents: Opponents = "equilibrium",
    hands: Annotated[int, typer.Option(min=2, help="Hands to counter.")] = 20_000,
    jobs: Jobs = None,
    form: Annotated[
        Literal["table", "json"], typer.Option("--format", help="Form of the answer.")
    ] = "table",
) -> None:
    """Measure what a perfect counter-player wins from one who answers these opponents.

    The player sets fresh hands in the best way against the opponents, as solve does, and who
    counters him knows how. Answers chosen on one half of those hands and valued on the other half
    win less than the best ones do, the lower bound; valued where they were chosen they seem to win
    more, the upper bound. Setting the fresh hands, 262,144 or more, takes minutes, whatever --hands
    is: those are what the counter-player holds.
    """
    rule_set = load_rules(rules)
    with engine() as bar:
        from solver.choosing import choose_pool
        from solver.equilibrium import exploitability

        pool = choose_pool(opponents, rule_set, progress=bar)
        found = exploitability(
            rule_set, pool, hands, jobs=jobs or os.cpu_count() or 1, progress=bar
        ).to_dict()
    if form == "json":
        answer(json.dumps(found) + "\n")
        return
    from solver.display import Paragraphs, quality_lines

    asked = f"rules {rule_set.name}, opponents {pool.name}"
    answer(rendered(Paragraphs([asked, *quality_lines(found)])))
