"""What `capsa compare`, `solve --explain` and the quiz show to a person. Only renders."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

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
from solver.explanation import Explanation, Parts, part_lines
from solver.solution import SETTLED_UNITS


@dataclass(frozen=True)
class ExplanationView:
    """A solution for the console, its EV taken apart beside the second best."""

    explanation: Explanation

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield SolutionView(self.explanation.solution)
        yield ""
        yield parts_table(self.explanation.columns())
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
    """What a setting costs and where that comes from, for those who have the hand before them."""

    comparison: Comparison

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        mine, best = self.comparison.scored, self.comparison.solution.best
        drawn, sign = draws_suits(options), plus_minus(options)
        yield setting_table(mine, "your setting", drawn)
        yield ""
        worth = Text(f"EV {mine.ev:+z.3f} {sign} {mine.se:.3f} units", "bold")
        if (others := self.comparison.solution.others) > 1:
            worth.append(f" from all {others} opponents together")
        yield worth
        yield Text(
            f"rank {self.comparison.rank:,} of {self.comparison.legal_settings:,} legal settings"
        )
        style = "green" if self.comparison.cost <= SETTLED_UNITS else "yellow"
        yield Text(self.comparison.verdict.replace("±", sign), style)
        if self.comparison.is_best:
            return
        yield ""
        yield setting_table(best, "best setting", drawn)
        yield ""
        yield parts_table(self.comparison.columns())
        yield from _sentences(self.comparison.words)


def parts_table(columns: Mapping[str, Parts]) -> Table:
    """Return the parts of one EV or two and, of two, how much more the second has."""
    table = plain_table()
    table.add_column("")
    titles = [*columns, "difference"] if len(columns) > 1 else list(columns)
    for title in titles:
        table.add_column(title, justify="right")
    for label, units in part_lines([*columns.values()]):
        table.add_row(Text(label, "bold" if label == "EV" else "dim"), *units)
    return table


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
