"""Practice: hands to set, and what the answers cost."""

import csv
import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from evaluator.cards import Cards
from solver.columns import units_text
from solver.comparison import Comparison
from solver.deals import deal_many
from solver.opening import Table
from solver.pool import SET
from solver.solution import SETTLED_UNITS
from solver.solve import run

LOG_COLUMNS: Final = (
    *("hand", "back", "middle", "front", "rules", "players", "opponents", "samples"),
    *("ev", "cost", "cost_se", "rank", "legal_settings"),
    *("best_back", "best_middle", "best_front"),
)
_HEADER: Final = ",".join(LOG_COLUMNS)
_DEALS: Final = 16  # looked at for each question


class LogError(ValueError):
    """A file that is not the log of a quiz."""


def questions(table: Table, hard: bool = False, seed: int = 0) -> Iterator[Cards]:
    """Yield hands to practise with, without end.

    Hands that are better declared or surrendered than set are passed over. They are chosen by what
    pairs pay, as 16 hands with home runs would take seconds.

    Parameters
    ----------
    table
        What is played, and against whom.
    hard
        Of every 16 deals ask the one whose best setting leads the second best by the least, but
        by more than 0.005 units, so that it matters.
    seed
        Draws the hands.

    Examples
    --------
    >>> from solver.opening import open_table
    >>> print(next(questions(open_table("2-4", opponents="greedy"), seed=7)))
    Kh Kd Kc Qh Js Jh 9s 8s 7d 6d 5s 5h 2h
    """
    table = replace(table, rules=replace(table.rules, home_run=1))
    hands = np.empty(_DEALS, np.int64)
    for number in itertools.count():
        deal_many(seed, _DEALS * number, hands)
        answers = run(table, hands, 2)
        gaps = table.weight * answers.settings.gap[:, 1]
        fits = answers.decided(table)[0] == SET
        if hard:
            fits &= gaps > SETTLED_UNITS
        if fits.any():
            order = np.where(fits, gaps if hard else 0, np.inf)
            yield Cards.from_mask(int(hands[order.argmin()]))


@dataclass
class Score:
    """How a session went."""

    answers: int = 0
    best: int = 0  # as good as the best setting, within 0.005 units
    cost: float = 0.0  # units in all

    def add(self, comparison: Comparison) -> None:
        """Count an answer."""
        self.answers += 1
        self.best += comparison.cost <= SETTLED_UNITS
        self.cost += comparison.cost

    def __str__(self) -> str:
        if not self.answers:
            return "no answers"
        return (
            f"{self.answers} {'answer' if self.answers == 1 else 'answers'}, "
            f"{self.best} as good as the best; "
            f"{self.cost:.3f} units lost, {self.cost / self.answers:.3f} a hand"
        )


@contextmanager
def open_log(path: Path | None) -> Iterator[Callable[[Comparison], None]]:
    """Give what appends an answer to a CSV file, or does nothing without one.

    Raises
    ------
    LogError
        If the file has other columns than `LOG_COLUMNS`.
    OSError
        If it cannot be read or written.
    """
    if path is None:
        yield lambda _comparison: None
        return
    with path.open("a+", encoding="utf-8", newline="") as file:
        file.seek(0)
        try:
            text = file.read()
        except UnicodeDecodeError:
            text = "?"
        head, *_ = text.splitlines() or [_HEADER]
        if head != _HEADER:
            raise LogError(f"{path}: its columns are not those of a quiz log; name another file")
        if not text:
            file.write(f"{_HEADER}\n")
        elif not text.endswith("\n"):
            file.write("\n")
        writer = csv.DictWriter(file, LOG_COLUMNS, lineterminator="\n")

        def append(comparison: Comparison) -> None:
            writer.writerow(_record(comparison))
            file.flush()

        yield append


def _record(comparison: Comparison) -> dict[str, str | int]:
    solution, scored = comparison.solution, comparison.scored
    rows = ("back", "middle", "front")
    return {
        "hand": str(solution.hand),
        **{row: str(getattr(scored.setting, row)) for row in rows},
        "rules": solution.rules,
        "players": solution.players,
        "opponents": solution.opponents,
        "samples": solution.samples,
        "ev": units_text(scored.ev),
        "cost": units_text(comparison.cost),
        "cost_se": units_text(comparison.cost_se),
        "rank": comparison.rank,
        "legal_settings": comparison.legal_settings,
        **{f"best_{row}": str(getattr(solution.best.setting, row)) for row in rows},
    }
