"""Files of deals in and files of answers out: CSV, gzipped CSV and Parquet."""

import gzip
import hashlib
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import shorten
from typing import Any, Final

from solver.columns import BATCH_COLUMNS, RISK_COLUMNS
from solver.csv_rows import FileError, Row, names_of, open_sheet, with_first

_BLOCK: Final = 1 << 20
_PARQUET_ROWS: Final = 1 << 16  # read at a time
_NUMBERS: Final = {
    **dict.fromkeys(("ev", "se", "gap2", *RISK_COLUMNS), "Float64"),
    "samples": "Int64",
}


class BatchError(FileError):
    """A batch that cannot start or go on; the message says why."""


@dataclass(frozen=True)
class Layout:
    """The columns of a file, where the hands are, and how its lines look."""

    header: list[str]
    hand: list[int]  # one column, or thirteen
    rules: int | None  # columns that override the options
    players: int | None
    added: tuple[str, ...] = BATCH_COLUMNS  # columns of the answers
    delimiter: str = ","
    newline: str = "\n"
    bom: bool = False
    text: str | None = None  # the header as it stands in a CSV file

    def head(self) -> str:
        """Return the first line of the answers; rules of the file's own are not told twice."""
        return "\ufeff" * self.bom + self.line(Row(1, self.header, self.text), self.added)

    def line(self, row: Row, answer: Sequence[str]) -> str:
        """Return a row as it was, with its answer; broken ones are made to fit the columns."""
        answer = [*[""] * (len(self.added) - len(answer)), *answer]  # of some the error alone
        if self.rules is not None:
            place = self.added.index("rules")
            answer = [*answer[:place], *answer[place + 1 :]]
        width = len(self.header)
        own = row.text
        if own is None or row.fault or len(row.fields) != width:
            own = self._joined([*row.fields, *[""] * width][:width])
        return f"{own}{self.delimiter}{self._joined(answer)}{self.newline}"

    def _joined(self, fields: Sequence[str]) -> str:
        special = re.compile(f'["\r\n{self.delimiter}]')
        return self.delimiter.join(
            '"{}"'.format(field.replace('"', '""')) if special.search(field) else field
            for field in fields
        )


@dataclass(frozen=True)
class Source:
    """A file of deals, looked through, with its rows to be read."""

    digest: str  # SHA-256 of its text, "" of standard input
    lines: int  # about as many as rows, 0 of standard input
    layout: Layout
    rows: Iterator[Row]
    place: str = "line"  # what a row's place is called


@contextmanager
def open_source(
    path: str, column: str | None, added: tuple[str, ...] = BATCH_COLUMNS
) -> Iterator[Source]:
    """Open a file of deals, once it is sure that all of it can be read.

    Parameters
    ----------
    path
        The file, Parquet or gzip if it is named so, or "-" for standard input.
    column
        The column of the hands; if None, ``hand``, or ``c1`` to ``c13``.
    added
        The columns of the answers.

    Raises
    ------
    FileError
        If the file is damaged, no UTF-8, or has no rows.
    BatchError
        If it has no such column.
    OSError
        If it cannot be read.
    """
    if path.endswith(".parquet"):
        yield _open_parquet(path, column, added)
        return
    name = "standard input" if path == "-" else path

    def fits(header: list[str]) -> bool:
        return _find_hand(header, column) is not None

    with open_sheet(path, fits, "a column named hand") as sheet:
        header, delimiter, newline, bom, text = sheet.head
        layout = layout_of(header, name, column, added)
        layout = replace(layout, delimiter=delimiter, newline=newline, bom=bom, text=text)
        yield Source(sheet.digest, max(0, sheet.lines - 1), layout, with_first(sheet.rows, name))


def _find_hand(header: list[str], column: str | None) -> list[int] | None:
    names = names_of(header)
    thirteen = [f"c{i}" for i in range(1, 14)]
    for wanted in [names_of([column])] if column else [["hand"], thirteen]:
        if all(name in names for name in wanted):
            return [names.index(name) for name in wanted]
    return None


def layout_of(
    header: list[str], name: str, column: str | None, added: tuple[str, ...] = BATCH_COLUMNS
) -> Layout:
    """Find the columns that matter in a header.

    Parameters
    ----------
    header
        The names of the columns, in any case.
    name
        What to call the file in errors.
    column
        The column of the hands; if None, ``hand``, or ``c1`` to ``c13``.
    added
        The columns of the answers.

    Raises
    ------
    BatchError
        If there is no such column, one is there twice, or one is there that a batch adds.

    Examples
    --------
    >>> layout_of(["id", "Hand", "rules"], "deals.csv", None).hand
    [1]
    """
    names = names_of(header)
    clashes = [
        title for title, key in zip(header, names, strict=True) if key != "rules" and key in added
    ]
    if clashes:
        raise BatchError(f"{name} has columns that batch adds: {', '.join(clashes)}; rename them")
    hand = _find_hand(header, column)
    if hand is None:
        needed = f"no column {column!r}" if column else "no column named hand, nor c1 to c13"
        found = shorten(", ".join(header), 200)
        raise BatchError(f"{name} has {needed}; its columns are {found}")
    twice = {
        key
        for key in [*(names[place] for place in hand), "rules", "players"]
        if names.count(key) > 1
    }
    if twice:
        raise BatchError(
            f"{name} has several columns {', '.join(sorted(twice))}; rename all but one"
        )
    rules, players = (names.index(key) if key in names else None for key in ("rules", "players"))
    return Layout(header, hand, rules, players, added)


def need_polars() -> Any:
    """Return polars, or say how to get it."""
    try:
        import polars
    except ImportError:
        raise BatchError(
            "Parquet needs polars: pip install 'capsa-susun[analysis]', or use CSV"
        ) from None
    return polars


@contextmanager
def _no_polars_errors(path: str | Path) -> Iterator[Any]:
    """Give polars; what it makes of a file that it cannot read or write is told in a line."""
    polars = need_polars()
    try:
        yield polars
    except polars.exceptions.PolarsError as error:
        raise BatchError(f"{path}: {str(error).splitlines()[0]}") from None


def _open_parquet(path: str, column: str | None, added: tuple[str, ...]) -> Source:
    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    with _no_polars_errors(path) as polars:
        table = polars.scan_parquet(path)
        header = table.collect_schema().names()
        count = table.select(polars.len()).collect().item()
    layout = layout_of(header, path, column, added)
    rows = with_first(_parquet_rows(path, count), path)
    return Source(digest, count, layout, rows, "row")


def _parquet_rows(path: str, count: int) -> Iterator[Row]:
    for start in range(0, count, _PARQUET_ROWS):
        with _no_polars_errors(path) as polars:
            some = polars.scan_parquet(path).slice(start, _PARQUET_ROWS).collect()
        for number, values in enumerate(some.iter_rows(), start=start + 1):
            yield Row(number, ["" if value is None else str(value) for value in values])


def finish(written: Path, target: Path, source: str, layout: Layout) -> Path:
    """Turn written lines of CSV into what the target is named for.

    Returns the finished file, which is ``written`` itself or stands beside it. Bytes depend on
    the lines alone: gzip's time stamp is left out.
    """
    made = written.with_name(f"{target.name}.packed")
    try:
        if target.name.endswith(".gz"):
            _write_gzip(written, made)
        elif target.name.endswith(".parquet"):
            _write_parquet(written, made, source, layout)
        else:
            return written
    except BaseException:
        made.unlink(missing_ok=True)  # a full disk needs the room
        raise
    return made


def _write_gzip(written: Path, made: Path) -> None:
    with (
        open(written, "rb") as plain,
        open(made, "wb") as file,
        gzip.GzipFile("", "wb", 6, file, mtime=0) as packed,
    ):
        shutil.copyfileobj(plain, packed, _BLOCK)


def _write_parquet(written: Path, made: Path, source: str, layout: Layout) -> None:
    """Write the lines as Parquet; columns that came from Parquet are what they were."""
    with _no_polars_errors(made) as polars:
        numbers = {name: kind for name, kind in _NUMBERS.items() if name in layout.added}
        types = {name: getattr(polars, kind) for name, kind in numbers.items()}
        table = polars.scan_csv(
            written, separator=layout.delimiter, infer_schema=False, schema_overrides=types
        )
        if source.endswith(".parquet"):
            added = polars.nth(range(len(layout.header), len(table.collect_schema())))
            parts = polars.scan_parquet(source), table.select(added)
            table = polars.concat(parts, how="horizontal")
        table.sink_parquet(made, row_group_size=_PARQUET_ROWS)
