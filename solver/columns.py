"""Solutions as rows of text for CSV files."""

import csv
import io
from collections.abc import Iterable, Mapping

from solver.solution import Solution
from solver.wishes import Risk

# What `capsa batch` adds to each row.
BATCH_COLUMNS = (
    *("back", "middle", "front", "decision", "ev", "se", "gap2"),
    *("samples", "rules", "error"),
)
RISK_COLUMNS = tuple(Risk.__dataclass_fields__)
SOLVE_COLUMNS = ("rank", "hand", *BATCH_COLUMNS)


def with_risk(columns: tuple[str, ...], risk: bool) -> tuple[str, ...]:
    """Return columns with those of the risk, if it is asked for, before the last one, the error.

    >>> with_risk(BATCH_COLUMNS, True)[-4:]
    ('even', 'low', 'high', 'error')
    """
    return (*columns[:-1], *RISK_COLUMNS * risk, columns[-1])


def setting_rows(solution: Solution) -> list[dict[str, str]]:
    """Return a solution as one row for each listed setting: first the best, as in a batch.

    Parameters
    ----------
    solution
        The answer of `solve`.

    Returns
    -------
    list of dict of str
        `SOLVE_COLUMNS` but for `error`, and `RISK_COLUMNS` if it was asked for.
    """
    gap2 = solution.gap2
    told = [(scored.ev, scored.se, scored.risk) for scored in solution.settings]
    told[0] = solution.ev, solution.se, solution.risk  # as in a batch
    return [
        {
            "rank": str(rank),
            "hand": str(solution.hand),
            **{row: str(getattr(scored.setting, row)) for row in ("back", "middle", "front")},
            "decision": solution.decision,
            "ev": units_text(ev),
            "se": units_text(se),
            "gap2": "" if gap2 is None else units_text(gap2),
            "samples": str(solution.samples),
            "rules": solution.rules,
            **({name: units_text(value) for name, value in risk.to_dict().items()} if risk else {}),
        }
        for rank, (scored, (ev, se, risk)) in enumerate(
            zip(solution.settings, told, strict=True), 1
        )
    ]


def csv_text(rows: Iterable[Mapping[str, str]], columns: Iterable[str]) -> str:
    """Return rows as lines of CSV with these columns; what a row does not have stays empty."""
    text = io.StringIO()
    csv.DictWriter(text, list(columns), lineterminator="\n").writerows(rows)
    return text.getvalue()


def units_text(value: float) -> str:
    """Return units as they stand in CSV: six decimals, and no minus before zero."""
    return f"{value:z.6f}"
