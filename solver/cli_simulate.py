"""The command `capsa simulate`: whole tables played out, who wins how much."""

import json
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from solver.cli_parts import Jobs, Rules, Seed, answer, engine, rendered
from solver.rules import load_rules

if TYPE_CHECKING:
    from solver.simulation import Simulation


def simulate(
    seats: Annotated[
        str,
        typer.Option(
            metavar="A,B,…",
            help="Who sits at the table, two to four: equilibrium, greedy, random, FILE.csv of "
            "settings that a player made, FILE.npz of capsa train.",
        ),
    ],
    rules: Rules = "2-4",
    deals: Annotated[int, typer.Option(min=2, help="Deals to play.")] = 10_000,
    jobs: Jobs = None,
    seed: Seed = 0,
    strict: Annotated[
        bool, typer.Option("--strict", help="Take no FILE.csv with illegal rows.")
    ] = False,
    form: Annotated[
        Literal["table", "json"], typer.Option("--format", help="Form of the answer.")
    ] = "table",
) -> None:
    """Play whole tables and tell what each player wins, in units a deal.

    Every deal is played in every order of the seats, so that each player holds each hand, and
    settled by all clauses of the rules; under rules with a banker, every seat is it in turn. A
    player of recorded settings draws his hands from the file; the others are dealt the rest.
    """
    rule_set = load_rules(rules)
    with engine() as bar:
        from solver.simulation import simulate as play

        names = [name.strip() for name in seats.split(",")]
        played = play(names, rule_set, deals, seed, jobs or os.cpu_count() or 1, strict, bar)
    if form == "json":
        answer(json.dumps(played.to_dict()) + "\n")
        return
    from solver.display import Paragraphs

    answer(rendered(Paragraphs(_lines(played))))


def _lines(played: "Simulation") -> Iterator[str]:
    """Yield what was played, each player's units a deal with standard error, and the notes."""
    orders = "1 table" if played.tables == 1 else f"{played.tables} tables"
    yield f"rules {played.rules}, {played.deals:,} deals, each at {orders}"
    yield ""
    width = max(len(seat.name) for seat in played.seats)
    for seat in played.seats:
        yield f"{seat.name:<{width}}  {seat.units:+z.3f} ± {seat.se:.3f} units a deal"
    if played.notes:
        yield ""
    yield from played.notes
