"""Files of deals in and files of answers out: CSV, gzipped CSV and Parquet."""

import codecs
import csv
import gzip
import hashlib
import io
import re
import shutil
import sys
import zlib
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from textwrap import shorten
from typing import Any, BinaryIO, Final, NamedTuple, cast

from solver.columns import BATCH_COLUMNS

_DELIMITERS: Final = ",;\t"
_BLOCK: Final = 1 << 20
_PARQUET_ROWS: Final = 1 << 16  # read at a time
_LONGEST: Final = 100  # lines of one row; a quote open for longer is a slip of the pen
_OPEN_QUOTE: Final = "unexpected end of data"  # what csv calls it
_NUMBERS: Final = {"ev": "Float64", "se": "Float64", "gap2": "Float64", "samples": "Int64"}


class BatchError(ValueError):
    """A batch that cannot start or go on; the message says why."""


class Row(NamedTuple):
    """A row of a file of deals."""

    line: int  # where it starts in the file; of Parquet, which row it is
    fields: list[str]
    text: str | None = None  # as it stands in a CSV file, without the end of the line
    fault: str | None = None  # why it cannot be parted into fields


@dataclass(frozen=True)
class Layout:
    """The columns of a file, where the hands are, and how its lines look."""

    header: list[str]
    hand: list[int]  # one column, or thirteen
    rules: int | None  # columns that override the options
    players: int | None
    delimiter: str = ","
    newline: str = "\n"
    bom: bool = False
    text: str | None = None  # the header as it stands in a CSV file

    def head(self) -> str:
        """Return the first line of the answers; rules of the file's own are not told twice."""
        return "\ufeff" * self.bom + self.line(Row(1, self.header, self.text), BATCH_COLUMNS)

    def line(self, row: Row, answer: Sequence[str]) -> str:
        """Return a row as it was, with its answer; broken ones are made to fit the columns."""
        if self.rules is not None:
            place = BATCH_COLUMNS.index("rules")
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
def open_source(path: str, column: str | None) -> Iterator[Source]:
    """Open a file of deals, once it is sure that all of it can be read.

    Parameters
    ----------
    path
        The file, Parquet or gzip if it is named so, or "-" for standard input.
    column
        The column of the hands; if None, ``hand``, or ``c1`` to ``c13``.

    Raises
    ------
    BatchError
        If the file is damaged, no UTF-8, or has no rows or no such column.
    OSError
        If it cannot be read.
    """
    if path.endswith(".parquet"):
        yield _open_parquet(path, column)
        return
    name = "standard input" if path == "-" else path
    digest, lines = ("", 0) if path == "-" else _look_through(path)
    with _opened(path) as file:
        text = io.TextIOWrapper(cast(BinaryIO, file), encoding="utf-8", newline="")
        line, head = _read_head(text, name)
        layout = _find_layout(head, name, column)
        rows = _with_first(_rows(text, name, line, layout.delimiter), name)
        yield Source(digest, max(0, lines - 1), layout, rows)


def _with_first(rows: Iterator[Row], name: str) -> Iterator[Row]:
    first = next(rows, None)
    if first is None:
        raise BatchError(f"{name} has no rows below its header")
    return chain([first], rows)


@contextmanager
def _opened(path: str) -> Iterator[BinaryIO | gzip.GzipFile]:
    if path == "-":
        yield sys.stdin.buffer
    elif path.endswith(".gz"):
        with gzip.open(path) as packed:
            yield packed
    else:
        with open(path, "rb") as file:
            yield file


def _look_through(path: str) -> tuple[str, int]:
    """Return the digest of a file's text and its lines; all of it must be UTF-8."""
    digest, decoder, lines = hashlib.sha256(), codecs.getincrementaldecoder("utf-8")(), 0
    try:
        with _opened(path) as file:
            while block := file.read(_BLOCK):
                kept = len(decoder.getstate()[0])
                decoder.decode(block)
                digest.update(block)
                lines += block.count(b"\n")
            decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        line = lines + 1 + block.count(b"\n", 0, max(0, error.start - kept))
        raise _not_text(path, line) from None
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise BatchError(f"{path} is a damaged gzip file: {error}") from None
    return digest.hexdigest(), lines


def _not_text(name: str, line: int) -> BatchError:
    return BatchError(f"{name} is not UTF-8 text (line {line}); save the file as UTF-8")


def _next_line(text: io.TextIOWrapper, name: str, line: int) -> str:
    try:
        return text.readline()
    except UnicodeDecodeError:  # only of standard input: files have been looked through
        raise _not_text(name, line) from None


def _read_head(text: io.TextIOWrapper, name: str) -> tuple[int, str]:
    """Return the header, whatever it is delimited by, and the line after it."""
    line, head = 1, ""
    while not head.strip("\ufeff\r\n") or (head.count('"') % 2 and line <= _LONGEST):
        more = _next_line(text, name, line)
        if not more:
            break
        line, head = line + 1, head + more
    return line, head


def _rows(text: io.TextIOWrapper, name: str, line: int, delimiter: str) -> Iterator[Row]:
    """Read rows past any that are broken; ``line`` is the number of the first."""
    ahead: deque[str] = deque()  # read for a quote that was not closed after all
    while first := ahead.popleft() if ahead else _next_line(text, name, line):
        if first.strip("\r\n"):
            taken: list[str] = []
            fields, fault = _parted(first, delimiter)
            while fault == _OPEN_QUOTE and len(taken) < _LONGEST:
                more = ahead.popleft() if ahead else _next_line(text, name, line)
                if not more:
                    break
                taken.append(more)
                if '"' in more:
                    fields, fault = _parted("".join([first, *taken]), delimiter)
            if fault:
                ahead.extendleft(reversed(taken))
                taken, fields = [], first.rstrip("\r\n").split(delimiter)
                fault = "a quote is not closed" if fault == _OPEN_QUOTE else fault
            yield Row(line, fields, "".join([first, *taken]).rstrip("\r\n"), fault)
            line += len(taken)
        line += 1


def _parted(record: str, delimiter: str) -> tuple[list[str], str | None]:
    """Return the fields of a record, or what is wrong with it."""
    if '"' not in record:
        return record.rstrip("\r\n").split(delimiter), None
    try:
        return next(csv.reader([record], delimiter=delimiter, strict=True)), None
    except csv.Error as error:
        return [], str(error)


def _find_layout(head: str, name: str, column: str | None) -> Layout:
    """Return the layout of a file under the delimiter that makes sense of its header."""
    newline = "\r\n" if head.endswith("\r\n") else "\n"
    bom, head = head.startswith("\ufeff"), head.strip("\ufeff\r\n")
    if not head:
        raise BatchError(f"{name} is empty; it needs a header row with a column named hand")
    headers = {}
    for delimiter in _DELIMITERS:
        headers[delimiter] = _parted(head, delimiter)[0] or [head]
    likely = sorted(headers, key=lambda delimiter: -len(headers[delimiter]))
    fits = [d for d in likely if _find_hand(headers[d], column) is not None]
    delimiter = (fits or likely)[0]
    layout = layout_of(headers[delimiter], name, column)
    return replace(layout, delimiter=delimiter, newline=newline, bom=bom, text=head)


def _find_hand(header: list[str], column: str | None) -> list[int] | None:
    names = _names(header)
    thirteen = [f"c{i}" for i in range(1, 14)]
    for wanted in [_names([column])] if column else [["hand"], thirteen]:
        if all(name in names for name in wanted):
            return [names.index(name) for name in wanted]
    return None


def _names(header: list[str]) -> list[str]:
    return [name.strip().casefold() for name in header]


def layout_of(header: list[str], name: str, column: str | None) -> Layout:
    """Find the columns that matter in a header.

    Parameters
    ----------
    header
        The names of the columns, in any case.
    name
        What to call the file in errors.
    column
        The column of the hands; if None, ``hand``, or ``c1`` to ``c13``.

    Raises
    ------
    BatchError
        If there is no such column, one is there twice, or one is there that a batch adds.

    Examples
    --------
    >>> layout_of(["id", "Hand", "rules"], "deals.csv", None).hand
    [1]
    """
    names = _names(header)
    clashes = [
        title
        for title, key in zip(header, names, strict=True)
        if key != "rules" and key in BATCH_COLUMNS
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
    return Layout(header, hand, rules, players)


def _polars() -> Any:
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
    polars = _polars()
    try:
        yield polars
    except polars.exceptions.PolarsError as error:
        raise BatchError(f"{path}: {str(error).splitlines()[0]}") from None


def _open_parquet(path: str, column: str | None) -> Source:
    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    with _no_polars_errors(path) as polars:
        table = polars.scan_parquet(path)
        header = table.collect_schema().names()
        count = table.select(polars.len()).collect().item()
    layout = layout_of(header, path, column)
    rows = _with_first(_parquet_rows(path, count), path)
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
        types = {name: getattr(polars, kind) for name, kind in _NUMBERS.items()}
        table = polars.scan_csv(
            written, separator=layout.delimiter, infer_schema=False, schema_overrides=types
        )
        if source.endswith(".parquet"):
            added = polars.nth(range(len(layout.header), len(table.collect_schema())))
            parts = polars.scan_parquet(source), table.select(added)
            table = polars.concat(parts, how="horizontal")
        table.sink_parquet(made, row_group_size=_PARQUET_ROWS)
