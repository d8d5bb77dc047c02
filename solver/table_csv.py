"""Tables to settle and their stakes, read from CSV files; scores as CSV."""

import csv
import io
from collections.abc import Iterable, Mapping
from pathlib import Path

from solver.rules import ROWS, RuleSet
from solver.rules_check import closest
from solver.table import PlayedHand, Stake, TableError, TableScore, decimal_text, score_table

_TABLE = ("player", *ROWS)
_CHOICES = ("declare", "surrender")
_STAKES = ("player_a", "player_b", "unit")
_DELIMITERS = ",;\t"
_YES_OR_NO = {
    **dict.fromkeys(("yes", "y", "true", "1"), True),
    **dict.fromkeys(("no", "n", "false", "0", ""), False),
}

Row = tuple[str, Mapping[str, str]]  # where it stands, and its fields by column


def score_files(
    table: Path, rules: str | RuleSet, stakes: Path | None = None, banker: str | None = None
) -> TableScore:
    """Settle a table from a CSV file.

    Parameters
    ----------
    table
        Columns ``player, back, middle, front`` and, if there is something to say, ``declare`` (the
        name of a natural) and ``surrender`` (yes or no).
    rules, banker
        As for `score_table`.
    stakes
        Columns ``player_a, player_b, unit``; pairs that are not listed play for 1.

    Returns
    -------
    TableScore

    Raises
    ------
    TableError
        For all that is wrong with both files and the table, each with its file and line.
    RulesError
        If there are no such rules.
    OSError
        If a file cannot be read.
    """
    problems: list[str] = []
    rows = _read(table, _TABLE, _CHOICES, problems)
    hands = [_hand(place, fields, problems) for place, fields in rows]
    found = _read(stakes, _STAKES, (), problems) if stakes else []
    listed = [Stake(f["player_a"], f["player_b"], f["unit"], place) for place, f in found]
    if not rows:  # there is no table to look at
        raise TableError(problems or [f"{table}: no players"])
    try:
        score = score_table(hands, rules, listed, banker)
    except TableError as error:
        raise TableError([*problems, *error.problems]) from None
    if problems:
        raise TableError(problems)
    return score


def score_text(score: TableScore) -> str:
    """Return a score as CSV: a line for each pair, then each player's total with `b` empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("a", "b", "units", "unit", "amount", "reasons"))
    for pair in score.pairs:
        unit, amount = decimal_text(pair.unit), decimal_text(pair.amount)
        writer.writerow((pair.a, pair.b, pair.units, unit, amount, "; ".join(pair.reasons)))
    for player, total in score.totals.items():
        writer.writerow((player, "", "", "", decimal_text(total), "total"))
    return text.getvalue()


def _hand(place: str, fields: Mapping[str, str], problems: list[str]) -> PlayedHand:
    said = fields.get("surrender", "").casefold()
    if said not in _YES_OR_NO:
        who = f"{fields['player']}, " if fields["player"] else ""
        problems.append(f"{place}: {who}surrender is {said!r}; it must be yes or no")
    surrender = _YES_OR_NO.get(said, not any(fields[row] for row in ROWS))
    declare = "-".join(fields.get("declare", "").casefold().split())
    return PlayedHand(
        fields["player"],
        fields["back"],
        fields["middle"],
        fields["front"],
        declare,
        surrender,
        place,
    )


def _read(path: Path, needed: Iterable[str], more: Iterable[str], problems: list[str]) -> list[Row]:
    """Return the rows of a file that are not empty; what is wrong with it joins the problems."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        problems.append(f"{path}: not UTF-8 text; save the file as UTF-8")
        return []
    first = text.partition("\n")[0]
    delimiter = max(_DELIMITERS, key=first.count)
    reader = csv.reader(io.StringIO(text), delimiter=delimiter, strict=True)
    rows: list[Row] = []
    try:
        header = [name.strip().casefold() for name in next(reader, [])]
        wrong = _header_problems(header, needed, more)
        problems += (f"{path}:1: {problem}" for problem in wrong)
        for fields in reader:
            place, fields = f"{path}:{reader.line_num}", [field.strip() for field in fields]
            if len(fields) > len(header) and not wrong:
                problems.append(
                    f"{place}: {len(fields)} fields, but the header has {len(header)}; "
                    f"a field that has a {delimiter!r} in it goes into quotes"
                )
            elif any(fields) and not wrong:
                fields += [""] * (len(header) - len(fields))
                rows.append((place, dict(zip(header, fields, strict=True))))
    except csv.Error as error:
        problems.append(f"{path}:{reader.line_num}: {error}")
    return rows


def _header_problems(header: list[str], needed: Iterable[str], more: Iterable[str]) -> list[str]:
    """Columns that are missing, there twice or misspelt; others are nobody's business."""
    known = [*needed, *more]
    problems = [f"no column {name}" for name in needed if name not in header]
    problems += [f"two columns {name}" for name in known if header.count(name) > 1]
    missing = [name for name in known if name not in header]
    for name in header:
        if name not in known and (meant := closest(name, missing)):
            problems.append(f"unknown column {name!r}; {meant}")
    return problems
