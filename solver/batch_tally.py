"""What the rows of a batch come to."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import sqrt
from typing import Any, Final, NamedTuple

from evaluator.ranking import Category
from solver.batch_files import Layout
from solver.columns import BATCH_COLUMNS
from solver.csv_rows import Row
from solver.rules import ROWS

_SHOWN: Final = 10  # errors, and hardest decisions
_MICRO: Final = 1_000_000
_DECISION, _EV, _GAP = map(BATCH_COLUMNS.index, ("decision", "ev", "gap2"))


class Answer(NamedTuple):
    """What a row is answered."""

    columns: list[str]  # what the layout adds; of a row in error the last, the error, alone
    categories: Sequence[int] = ()  # of back, middle, front; none of a row in error


@dataclass(frozen=True)
class Hard:
    """A decision between settings that are nearly as good as each other."""

    gap2: float  # units between the best and the second, whichever has the higher EV
    line: int
    hand: str


@dataclass(frozen=True)
class Summary:
    """The answers of a batch as a whole."""

    rows: int
    failed: int
    mean_ev: float | None  # units of a decision; None if no row was solved
    mean_ev_se: float | None  # by the spread of the hands; None of fewer than two
    decisions: dict[str, float]  # shares, 0 to 1
    categories: dict[str, dict[str, float]]  # row -> category -> share, weakest first
    hardest: list[Hard]  # smallest gap2 first
    stakes: tuple[float, ...] = ()  # a unit's worth against each opponent; EVs are then in money


@dataclass
class Tally:
    """Counts over rows; only whole numbers, so that resuming changes nothing."""

    rows: int = 0
    failed: int = 0
    errors: list[str] = field(default_factory=list)  # the first of them
    micro_ev: int = 0  # sum of EVs in millionths of a unit, as they are written
    squared_ev: int = 0
    decisions: dict[str, int] = field(default_factory=dict)
    categories: list[list[int]] = field(default_factory=lambda: [[0] * len(Category) for _ in ROWS])
    hardest: list[list[Any]] = field(default_factory=list)  # millionths, line, hand

    def add(self, place: str, row: Row, layout: Layout, answer: Answer) -> None:
        """Count a row; ``place`` is what lines are called in its file."""
        self.rows += 1
        if error := answer.columns[-1]:
            self.failed += 1
            if len(self.errors) < _SHOWN:
                self.errors.append(f"{place} {row.line}: {error}")
            return
        micro = _micro(answer.columns[_EV])
        self.micro_ev += micro
        self.squared_ev += micro * micro
        decision = answer.columns[_DECISION]
        self.decisions[decision] = self.decisions.get(decision, 0) + 1
        for counts, category in zip(self.categories, answer.categories, strict=True):
            counts[category] += 1
        if answer.columns[_GAP]:
            gap = abs(_micro(answer.columns[_GAP]))
            if len(self.hardest) < _SHOWN or gap < self.hardest[-1][0]:
                hand = " ".join(row.fields[column] for column in layout.hand)
                self.hardest.append([gap, row.line, hand])
                self.hardest = sorted(self.hardest)[:_SHOWN]

    def summary(self, stakes: Iterable[Fraction] = ()) -> Summary:
        """Return what the counts say of deals for these stakes."""
        solved = self.rows - self.failed
        mean = self.micro_ev / solved / _MICRO if solved else None
        error = None
        if solved > 1:
            squares = solved * self.squared_ev - self.micro_ev**2  # exact
            error = sqrt(squares / (solved - 1)) / solved / _MICRO
        return Summary(
            rows=self.rows,
            failed=self.failed,
            mean_ev=mean,
            mean_ev_se=error,
            decisions={name: count / solved for name, count in sorted(self.decisions.items())},
            categories={
                row: {
                    kind.name.lower().replace("_", "-"): counts[kind] / solved
                    for kind in Category
                    if counts[kind]
                }
                for row, counts in zip(ROWS, self.categories, strict=True)
            },
            hardest=[Hard(gap / _MICRO, line, hand) for gap, line, hand in self.hardest],
            stakes=tuple(map(float, stakes)),
        )


def _micro(units: str) -> int:
    """Return units with six decimals as millionths."""
    return int(units.replace(".", ""))
