"""The command `capsa compare`."""

import json
from typing import Annotated, Literal

import typer

from evaluator.cards import parse_hand
from solver.cli_parts import (
    HomeRunDeals,
    Opponents,
    Players,
    Rules,
    Samples,
    SeatOption,
    Seed,
    Strict,
    answer,
    engine,
    rendered,
)
from solver.rules import load_rules
from solver.wishes import DEALS


def compare(
    cards: Annotated[
        list[str], typer.Argument(metavar="CARDS", help="One hand of 13 cards, quoted or not.")
    ],
    setting: Annotated[
        str,
        typer.Option(metavar="'BACK / MIDDLE / FRONT'", help="Its three rows in any order."),
    ],
    rules: Rules = "2-4",
    players: Players = 2,
    seat: SeatOption = None,
    opponents: Opponents = "equilibrium",
    samples: Samples = None,
    seed: Seed = 0,
    strict: Strict = False,
    deals: HomeRunDeals = DEALS,
    form: Annotated[
        Literal["table", "json"], typer.Option("--format", help="Form of the answer.")
    ] = "table",
) -> None:
    """Tell what a setting of your own costs against the best one, and where that comes from.

    The rank counts the legal settings that are worth more; settings worth the same share it.
    """
    hand = parse_hand(" ".join(cards))  # a typing error is told before anything slow is loaded
    rule_set = load_rules(rules)
    with engine() as bar:
        from solver.comparison import compare as compare_setting

        comparison = compare_setting(
            hand,
            setting,
            rules=rule_set,
            players=players,
            seat=seat,
            opponents=opponents,
            samples=samples,
            seed=seed,
            progress=bar,
            strict=strict,
            deals=deals,
        )
    if form == "json":
        answer(json.dumps(comparison.to_dict()) + "\n")
        return
    from solver.cli_compare_view import ComparisonView

    answer(rendered(ComparisonView(comparison)))
