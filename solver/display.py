"""What the command line shows to a person: solutions, rule sets, progress. Only renders."""

import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from rich.console import Console, ConsoleOptions, RenderResult
from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from evaluator.cards import RANKS, SUIT_SYMBOLS, SUITS
from solver.rules import RuleSet
from solver.solution import LAID_OUT, ScoredSetting, Solution, laid_out

if TYPE_CHECKING:  # it would load numba, which showing a score does not need
    from solver.table import TableScore

_SUIT_STYLES = ("green", "cyan", "red", "bold")  # clubs, diamonds, hearts, spades: four colours


@dataclass(frozen=True)
class SolutionView:
    """A solution for the console; suits are drawn where the terminal can show them."""

    solution: Solution

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        drawn = draws_suits(options)
        view = _View(self.solution, drawn, plus_minus(options))
        yield view.hand()
        yield Text(self.solution.question, "dim")
        yield ""
        yield from view.decision()
        yield setting_table(self.solution.best, "best setting", drawn)
        yield ""
        yield from view.worth()
        yield view.verdict()
        if self.solution.best.risk:
            yield ""
            yield view.risks()
        if len(self.solution.settings) > 1:
            yield ""
            yield view.next_best()
        if self.solution.notes:
            yield ""
        for note in self.solution.notes:
            yield Text(note, "yellow")


@dataclass(frozen=True)
class _View:
    solution: Solution
    drawn: bool  # suits as symbols, not letters
    plus_minus: str

    def hand(self) -> Text:
        return shown_cards(self.solution.hand, self.drawn)

    def decision(self) -> Iterator[Text]:
        """Yield what to do where that is not simply to set the hand, or might not have been."""
        held = self.solution.natural
        answer = self._value(self.solution.ev, self.solution.se)
        if self.solution.decision == "surrender":
            yield Text(f"Surrender: EV {answer} {self.solution.paid_in}.", "bold")
        elif held and self.solution.decision == "declare":
            price = f"{held.units} {'unit' if held.units == 1 else 'units'} from each opponent"
            yield Text(
                f"Declare {held.name}, {price}: EV {answer} {self.solution.paid_in}.", "bold"
            )
            for row in LAID_OUT:
                yield Text(f"{row:<8}", "dim") + shown_cards(getattr(held.shown, row), self.drawn)
        elif held:
            yield Text(f"Do not declare {held.name}; the setting is worth more.", "bold")
        if self.solution.decision != "set":
            yield Text("Otherwise:")

    def worth(self) -> Iterator[Text]:
        best = self.solution.best
        line = Text(f"EV {self._value(best.ev, best.se)} {self.solution.paid_in}", "bold")
        if self.solution.others > 1:
            line.append(f" from all {self.solution.others} opponents together")
        if best.royalties:
            line.append(f", royalties {best.royalties:+z.3f}", "not bold")
        yield line
        yield Text(
            f"wins all three rows {_percent(best.scoop)}, loses all {_percent(best.scooped)}"
        )

    def verdict(self) -> Text:
        """Tell whether the best setting is the best for sure."""
        second, best = self.solution.second, self.solution.best
        if second is None:
            return Text("Every other setting is weaker in some row and stronger in none.", "green")
        if self.solution.objective != "ev":
            sure = "" if self.solution.settled else ", though not for sure"
            cost = f"{best.gap:.3f} {self.plus_minus} {best.gap_se:.3f}"
            of_what = "of EV, in money" if self.solution.stakes else "units of EV"
            return Text(
                f"The best for {self.solution.objective}{sure}; it costs {cost} {of_what}.",
                "green" if self.solution.settled else "yellow",
            )
        paid_in = self.solution.paid_in
        lead = f"{second.gap:.3f} {self.plus_minus} {second.gap_se:.3f} {paid_in}"
        if not self.solution.settled:
            return Text(
                f"Too close to call: it leads by {lead}; more --samples may tell.", "yellow"
            )
        if self.solution.second_is_as_good:
            cost = f"{second.gap:.3f} {paid_in}"
            return Text(f"The second best is as good: it costs {cost}.", "green")
        return Text(f"Clearly the best: it leads by {lead}.", "green")

    def risks(self) -> Table:
        """Tell how the total of a deal spreads, for the best setting and the next."""
        table = plain_table()
        for title in (
            "",
            "a deal's total: wins",
            "loses",
            "breaks even",
            "sd",
            "5% below",
            "5% above",
        ):
            table.add_column(title, justify="right")
        for rank, scored in enumerate(self.solution.settings, start=1):
            if risk := scored.risk:
                chances = map(_percent, (risk.win, risk.lose, risk.even))
                table.add_row(
                    str(rank), *chances, f"{risk.sd:.2f}", f"{risk.low:+zg}", f"{risk.high:+zg}"
                )
        return table

    def next_best(self) -> Table:
        table = plain_table()
        table.add_column("", justify="right", style="dim")
        for row in LAID_OUT:
            table.add_column(row)
        table.add_column("EV", justify="right", no_wrap=True)
        table.add_column("costs", justify="right", no_wrap=True)
        for rank, scored in enumerate(self.solution.settings[1:], start=2):
            table.add_row(str(rank), *self._row_cells(scored), *self._price_cells(scored))
        return table

    def _row_cells(self, scored: ScoredSetting) -> Iterator[Text]:
        for row in LAID_OUT:
            yield shown_cards(laid_out(getattr(scored.setting, row)), self.drawn)

    def _price_cells(self, scored: ScoredSetting) -> tuple[str, str]:
        return f"{scored.ev:+z.3f}", f"{scored.gap:.3f} {self.plus_minus} {scored.gap_se:.3f}"

    def _value(self, ev: float, se: float) -> str:
        return f"{ev:+z.3f} {self.plus_minus} {se:.3f}"


def draws_suits(options: ConsoleOptions) -> bool:
    """Tell whether suits are drawn as symbols, not written as letters."""
    return options.is_terminal and not options.ascii_only


def plus_minus(options: ConsoleOptions) -> str:
    """Return what stands before a standard error."""
    return "+/-" if options.ascii_only else "±"


def setting_table(scored: ScoredSetting, title: str, drawn: bool) -> Table:
    """Return a setting as it lies on the table, row by row, with what the rows win."""
    table = plain_table()
    table.add_column("")
    table.add_column(title, justify="center", no_wrap=True)
    table.add_column("")
    table.add_column("wins", justify="right")
    table.add_column("ties", justify="right")
    for row in LAID_OUT:
        cards = shown_cards(laid_out(getattr(scored.setting, row)), drawn)
        chances = (_percent(getattr(chance, row)) for chance in (scored.win, scored.tie))
        table.add_row(Text(row, "dim"), cards, scored.names[row], *chances)
    return table


def plain_table() -> Table:
    """Return an empty table without lines."""
    return Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")


def _percent(chance: float) -> str:
    return f"{100 * chance:.1f}%"


def shown_cards(cards: Iterable[int], drawn: bool) -> Text:
    """Return cards in the colours of their suits, which are symbols where they can be drawn."""
    suits = SUIT_SYMBOLS if drawn else SUITS
    return Text(" ").join(
        Text(RANKS[card // 4] + suits[card % 4], _SUIT_STYLES[card % 4]) for card in cards
    )


def rules_table(rule_sets: Iterable[RuleSet]) -> Table:
    """Return one line for each rule set: how it is called and how well it is sourced."""
    table = plain_table()
    table.add_column("name", no_wrap=True)
    table.add_column("title")
    table.add_column("source")
    table.add_column("sourcing", no_wrap=True)
    for rules in rule_sets:
        table.add_row(*map(Text, (rules.name, rules.title, rules.source, rules.sourcing)))
    return table


def score_lines(score: "TableScore") -> Iterator[str]:
    """Yield who pays whom and why, pair by pair, then each player's total."""
    for pair in score.pairs:
        payer, payee = (pair.b, pair.a) if pair.units > 0 else (pair.a, pair.b)
        if pair.units:
            owed = f"{abs(pair.units)} {'unit' if abs(pair.units) == 1 else 'units'}"
            price = "" if pair.unit == 1 else f" of {pair.unit:f}: {abs(pair.amount):f}"
            yield f"{payer} pays {payee} {owed}{price}"
        else:
            yield f"{pair.a} and {pair.b} pay each other nothing"
        yield from (f"  {reason}" for reason in pair.reasons)
        yield ""
    yield "Totals"
    width = max(map(len, score.totals))
    for player, total in score.totals.items():
        yield f"  {player:<{width}}  {total:+f}" if total else f"  {player:<{width}}   0"


def shelf_lines(rules: RuleSet) -> Iterator[str]:
    """Yield what is known of the equilibrium opponents for a rule set, as far as shipped."""
    from solver.shelf import about_pool, shipped_path

    path = shipped_path(rules)
    if path is None:
        yield (
            "Opponents: no pool is shipped; the first solve trains one, in about a minute, and "
            "keeps it."
        )
    else:
        about = about_pool(path)
        yield (
            f"Opponents: a pool of {about['records']:,} hands is shipped, trained for "
            f"{about['rounds']} rounds by version {about['version']} with seed {about['seed']}."
        )
        if measured := about.get("exploitability"):
            yield from quality_lines(measured)


def quality_lines(measured: Mapping[str, Any]) -> Iterator[str]:
    """Yield the bounds of an exploitability, as of ``Exploitability.to_dict``."""
    spread = measured["score_sd"]
    yield (
        "Exploitability: what a perfect counter-player wins from the best response to them, in "
        f"units a deal, measured on {measured['hands']:,} hands:"
    )
    for bound in ("lower", "upper"):
        units, error = measured[bound], measured[f"{bound}_se"]
        share = f"{units / spread:+z.5f} standard deviations of a deal's score"
        yield f"  {bound} bound {units:+z.5f}, standard error {error:.5f}; {share}"
    yield f"A deal's score has a standard deviation of {spread:.2f} units."
    if "edge" in measured:
        edge = f"{measured['edge']:+z.4f} units a deal from each of them"
        yield f"The banker's edge over players as good as he is: {edge}."


@dataclass(frozen=True)
class Paragraphs:
    """Lines of text: broken between words on a terminal, indented; whole in a pipe."""

    lines: Iterable[str]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in self.lines:
            if options.is_terminal:
                indent = " " * (len(line) - len(line.lstrip()) + 2)
                line = textwrap.fill(
                    line, options.max_width, subsequent_indent=indent, break_on_hyphens=False
                )
            yield Text(line, no_wrap=True, overflow="ignore")


class Bar:
    """Tells each task once and, on a terminal, shows a bar until it is done; then it is gone."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self._told: set[str] = set()
        self._bar: Progress | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._stop()

    def tell(self, what: str) -> None:
        """Tell something in a line, the first time it is told."""
        if what not in self._told:
            self._told.add(what)
            self.console.print(Text(what), soft_wrap=True)

    def __call__(self, what: str, share_done: float) -> None:
        """Show that a share of the task is done, 0 to 1."""
        self.tell(what)
        if share_done >= 1:
            self._stop()
        elif self.console.is_terminal:
            if self._bar is None:
                columns = (BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
                self._bar = Progress(*columns, console=self.console, transient=True)
                self._bar.add_task("", total=1.0)
                self._bar.start()
            self._bar.update(TaskID(0), completed=share_done)

    def _stop(self) -> None:
        if self._bar:
            self._bar.stop()
            self._bar = None
