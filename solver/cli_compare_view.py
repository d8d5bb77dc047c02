"""What `capsa compare`, `solve --explain` and the quiz show to a person. Only renders."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Final

from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from evaluator.cards import Cards
from solver.comparison import Comparison
from solver.display import (
    SolutionView,
    draws_suits,
    plain_table,
    plus_minus,
    setting_table,
    shown_cards,
)
from solver.explanation import Explanation, Parts
from solver.solution import LAID_OUT, SETTLED_UNITS, Z_95

_LABELS: Final = {  # of the parts, as they lie on the table and then as the rules pay them
    **{row: row for row in LAID_OUT},
    "majority": "more rows",
    "scoop": "all three rows",
    "gun": "gun",
    "royalties_won": "royalties won",
    "royalties_paid": "royalties paid",
    "broken": "broken royalties",
    "naturals": "opponents' naturals",
    "surrender": "opponents who surrender",
}


@dataclass(frozen=True)
class ExplanationView:
    """A solution for the console, its EV taken apart beside the second best."""

    explanation: Explanation

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield SolutionView(self.explanation.solution)
        yield ""
        columns = {"best": self.explanation.parts[0]}
        if self.explanation.second:
            columns["second best"] = self.explanation.second
        yield parts_table(columns)
        yield from _sentences(self.explanation.words)


@dataclass(frozen=True)
class ComparisonView:
    """A setting for the console, beside the best one: what it costs and where that comes from."""

    comparison: Comparison

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield shown_cards(self.comparison.solution.hand, draws_suits(options))
        yield Text(self.comparison.solution.question, "dim")
        yield ""
        yield VerdictView(self.comparison)
        notes = [*_better_decision(self.comparison), *self.comparison.solution.notes]
        if notes:
            yield ""
        for note in notes:
            yield Text(note, "yellow")


@dataclass(frozen=True)
class HandView:
    """The cards of a hand, from the highest to the lowest, and suit by suit."""

    hand: Cards

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        drawn = draws_suits(options)
        suits = [[card for card in self.hand if card % 4 == suit] for suit in (3, 2, 1, 0)]
        yield shown_cards(self.hand, drawn)
        yield Text("   ").join(shown_cards(suit, drawn) for suit in suits if suit)


@dataclass(frozen=True)
class VerdictView:
    """The same without the question."""

    comparison: Comparison

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        mine, best = self.comparison.scored, self.comparison.solution.best
        drawn, sign = draws_suits(options), plus_minus(options)
        yield setting_table(mine, "your setting", drawn)
        yield ""
        yield Text(f"EV {mine.ev:+z.3f} {sign} {mine.se:.3f} units", "bold")
        yield Text(
            f"rank {self.comparison.rank:,} of {self.comparison.legal_settings:,} legal settings"
        )
        yield _price(self.comparison, sign)
        if mine.setting == best.setting:
            return
        yield ""
        yield setting_table(best, "best setting", drawn)
        yield ""
        yield parts_table({"best": self.comparison.best_parts, "yours": self.comparison.parts})
        yield from _sentences(self.comparison.words)


def parts_table(columns: Mapping[str, Parts]) -> Table:
    """Return the parts of one EV or two and, of two, how much more the second has."""
    table = plain_table()
    table.add_column("")
    titles = [*columns, "difference"] if len(columns) > 1 else list(columns)
    for title in titles:
        table.add_column(title, justify="right")
    parts = [asdict(column) for column in columns.values()]
    for name, label in _LABELS.items():
        units = [part[name] for part in parts]
        if any(units):
            table.add_row(Text(label, "dim"), *_units(units))
    table.add_row(Text("EV", "bold"), *_units([sum(part.values()) for part in parts]))
    return table


def _units(units: list[float]) -> Iterator[str]:
    for number in [*units, *(last - first for first, last in [units] if len(units) > 1)]:
        yield f"{number:+z.3f}"


def _price(comparison: Comparison, sign: str) -> Text:
    """Say what the setting costs, and whether chance alone may have made the difference."""
    cost, error = comparison.cost, comparison.cost_se
    price = f"{cost:.3f} {sign} {error:.3f} units"
    if comparison.scored.setting == comparison.solution.best.setting:
        return Text("This is the best setting.", "green")
    if cost <= SETTLED_UNITS:
        return Text(f"As good as the best setting: it costs {price}.", "green")
    if cost < Z_95 * error:
        return Text(f"Too close to call: it costs {price}; more --samples may tell.", "yellow")
    return Text(f"It costs {price} against the best setting.", "red")


def _better_decision(comparison: Comparison) -> Iterator[str]:
    """Yield what would be better than any setting."""
    solution = comparison.solution
    if solution.decision != "set":
        yield f"Better than any setting is to {solution.answer}."


def _sentences(words: tuple[str, ...]) -> Iterator[Text | str]:
    if words:
        yield ""
    for sentence in words:
        yield Text(sentence)
