"""What `capsa batch` shows to a person: its progress and its summary."""

import time
from dataclasses import dataclass
from datetime import timedelta
from types import TracebackType
from typing import Final, Self

from rich.console import Console, ConsoleOptions, RenderResult
from rich.progress import BarColumn, Progress, TaskID, TextColumn
from rich.table import Table
from rich.text import Text

from solver.batch_tally import Summary
from solver.rules import CATEGORIES

_SECONDS: Final = 10  # between two lines of progress


class RowsBar:
    """Shows the progress over rows: live on a terminal, else in a line now and then."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live: Progress | None = None
        self._start: tuple[float, int] | None = None
        self._told = 0.0
        self._last = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _error: object, _trace: TracebackType | None
    ) -> None:
        if self._live:
            self._live.stop()
        if kind is None and self._last:
            self._console.print(Text(self._last), soft_wrap=True)

    def __call__(self, done: int, total: int, failed: int) -> None:
        """Tell rows done, in all (0: not known) and in error."""
        now = time.monotonic()
        if self._start is None:
            self._start, self._told = (now, done), now
        seconds, rows = now - self._start[0], done - self._start[1]
        errors = f", {failed:,} in error" if failed else ""
        self._last = f"{done:,} rows in {_clock(seconds)}{errors}"
        speed = rows / seconds if seconds else 0.0
        left = f", {_clock((total - done) / speed)} left" if speed and total > done else ""
        of = f" of {total:,}" if total > done else ""
        text = f"{done:,}{of} rows, {speed:,.0f} rows/s{left}{errors}"
        if self._console.is_terminal:
            self._draw(text, done, total)
        elif now - self._told >= _SECONDS:
            self._told = now
            self._console.print(Text(text), soft_wrap=True)

    def _draw(self, text: str, done: int, total: int) -> None:
        if self._live is None:
            columns = BarColumn(), TextColumn("{task.description}")
            self._live = Progress(*columns, console=self._console, transient=True)
            self._live.add_task("", total=None)
            self._live.start()
        self._live.update(TaskID(0), description=text, completed=done, total=total or None)


def _clock(seconds: float) -> str:
    return str(timedelta(seconds=round(seconds)))


@dataclass(frozen=True)
class SummaryView:
    """A summary for the console."""

    summary: Summary

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        summary = self.summary
        yield Text(f"{summary.rows:,} rows, {summary.failed:,} of them in error")
        if summary.mean_ev is None:
            return
        plus_minus = "+/-" if options.ascii_only else "±"
        error = "" if summary.mean_ev_se is None else f" {plus_minus} {summary.mean_ev_se:.4f}"
        stakes = ", ".join(f"{stake:g}" for stake in summary.stakes)
        paid_in = f"in money, stakes {stakes}" if stakes else "units"
        yield Text(f"mean EV {summary.mean_ev:+z.4f}{error} {paid_in}", "bold")
        shares = (f"{name} {_percent(share)}" for name, share in summary.decisions.items())
        yield Text(f"decisions: {', '.join(shares)}")
        yield ""
        yield self._categories()
        yield ""
        yield self._hardest()

    def _categories(self) -> Table:
        categories = self.summary.categories
        table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
        table.add_column("")
        for row in ("front", "middle", "back"):
            table.add_column(row, justify="right")
        found = {name for shares in categories.values() for name in shares}
        for name in (name for name in CATEGORIES if name in found):
            shares = (categories[row].get(name) for row in ("front", "middle", "back"))
            table.add_row(name, *("" if share is None else _percent(share) for share in shares))
        return table

    def _hardest(self) -> Table:
        table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
        for title in ("gap2", "line"):
            table.add_column(title, justify="right", no_wrap=True)
        table.add_column("hardest decisions")
        for hard in self.summary.hardest:
            table.add_row(f"{hard.gap2:.6f}", str(hard.line), Text(hard.hand))
        return table


def _percent(share: float) -> str:
    return f"{100 * share:.1f}%"
