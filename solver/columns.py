"""Solutions as rows of text for CSV files."""

import csv
import io
from collections.abc import Iterable, Mapping

from solver.solution import Solution

# What `capsa batch` adds to each row.
BATCH_COLUMNS = (
    *("back", "middle", "front", "decision", "ev", "se", "gap2"),
    *("samples", "rules", "error"),
)
SOLVE_COLUMNS = ("rank", "hand", *BATCH_COLUMNS)


def setting_rows(solution: Solution) -> list[dict[str, str]]:
    """Return a solution as one row for each listed setting: first the best, as in a batch.

    Parameters
    ----------
    solution
        The answer of `solve`.

    Returns
    -------
    list of dict of str
        `SOLVE_COLUMNS` but for `error`.
    """
    second = solution.second
    evs = [(scored.ev, scored.se) for scored in solution.settings]
    evs[0] = solution.ev, solution.se  # as in a batch
    return [
        {
            "rank": str(rank),
            "hand": str(solution.hand),
            **{row: str(getattr(scored.setting, row)) for row in ("back", "middle", "front")},
            "decision": solution.decision,
            "ev": units_text(ev),
            "se": units_text(se),
            "gap2": units_text(second.gap) if second else "",
            "samples": str(solution.samples),
            "rules": solution.rules,
        }
        for rank, (scored, (ev, se)) in enumerate(zip(solution.settings, evs, strict=True), 1)
    ]


def csv_text(rows: Iterable[Mapping[str, str]]) -> str:
    """Return rows as lines of CSV with `SOLVE_COLUMNS`; what a row does not have stays empty."""
    text = io.StringIO()
    csv.DictWriter(text, SOLVE_COLUMNS, lineterminator="\n").writerows(rows)
    return text.getvalue()


def units_text(value: float) -> str:
    """Return units as they stand in CSV: six decimals, and no minus before zero."""
    return f"{value:z.6f}"
