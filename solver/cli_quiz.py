"""The command `capsa quiz`."""

import secrets
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from solver.cli_parts import (
    HomeRunDeals,
    Opponents,
    Players,
    Rules,
    Samples,
    SeatOption,
    Strict,
    answer,
    engine,
    rendered,
    tell_error,
)
from solver.rules import load_rules
from solver.wishes import DEALS

if TYPE_CHECKING:
    from evaluator.cards import Cards
    from solver.comparison import Comparison
    from solver.opening import Table

_SEEDS: Final = 1_000_000
_LEAVING: Final = ("q", "quit", "exit")


def quiz(
    rules: Rules = "2-4",
    players: Players = 2,
    seat: SeatOption = None,
    opponents: Opponents = "equilibrium",
    samples: Samples = None,
    strict: Strict = False,
    hard: Annotated[
        bool, typer.Option("--hard", help="Ask hands whose two best settings are close.")
    ] = False,
    seed: Annotated[
        int | None, typer.Option(help="Same seed, same hands.", show_default="another every time")
    ] = None,
    log: Annotated[
        Path | None, typer.Option(metavar="FILE.csv", help="Append your answers to this file.")
    ] = None,
    deals: HomeRunDeals = DEALS,
) -> None:
    """Practise: set hands and learn what each answer costs, and why.

    The three rows may come in any order and any notation. Ctrl-C or the end of input leaves. Hands
    that are better declared or surrendered than set are not asked. The log's columns hand, back,
    middle and front are what other commands read.
    """
    rule_set = load_rules(rules)
    with engine() as bar:
        from solver.opening import open_table

        wishes: dict[str, Any] = {"strict": strict, "deals": deals, "seat": seat}
        table = open_table(rule_set, players, opponents, samples, progress=bar, **wishes)
        _practise(table, hard, secrets.randbelow(_SEEDS) if seed is None else seed, log)


def _practise(table: "Table", hard: bool, seed: int, log: Path | None) -> None:
    """Ask hands until the user leaves."""
    from solver.cli_compare_view import HandView, VerdictView
    from solver.quiz import Score, open_log, questions

    score = Score()
    seat = f", seat {table.seat}" if table.seat else ""
    asked = f"rules {table.rules.name}, {table.players} players{seat}"
    answer(f"{asked}, opponents {table.pool.name}, seed {seed}\n")
    answer("Answer with three rows, as in BACK / MIDDLE / FRONT; q leaves.\n")
    with open_log(log) as record:
        try:
            for number, hand in enumerate(questions(table, hard, seed), start=1):
                answer(f"\nHand {number}\n{rendered(HandView(hand))}")
                comparison = _answered(table, hand)
                record(comparison)
                score.add(comparison)
                answer(f"{rendered(VerdictView(comparison))}\n{score}\n")
        except (EOFError, KeyboardInterrupt):
            answer(f"\n{score}\n")


def _answered(table: "Table", hand: "Cards") -> "Comparison":
    """Ask for a setting until there is a legal one; raise EOFError when the user leaves."""
    from solver.comparison import SettingError, compare

    while True:
        answer("your setting: ")
        text = sys.stdin.readline() if sys.stdin else ""
        if not text or text.strip().lower() in _LEAVING:
            raise EOFError
        try:
            return compare(
                hand,
                text,
                rules=table.rules,
                players=table.players,
                seat=table.seat,
                opponents=table.pool,
                samples=table.samples,
                seed=table.seed,
                deals=table.deals,
            )
        except SettingError as error:
            tell_error(str(error))
