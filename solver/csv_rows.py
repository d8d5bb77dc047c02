"""CSV as people and programs write it: any of three delimiters, gzipped or not, faults and all."""

import codecs
import csv
import gzip
import hashlib
import io
import sys
import zlib
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import BinaryIO, Final, NamedTuple, cast

_DELIMITERS: Final = ",;\t"
_BLOCK: Final = 1 << 20
_LONGEST: Final = 100  # lines of one row; a quote open for longer is a slip of the pen
_OPEN_QUOTE: Final = "unexpected end of data"  # what csv calls it


class FileError(ValueError):
    """A file that cannot be used; the message says why."""


class Row(NamedTuple):
    """A row of a file of deals."""

    line: int  # where it starts in the file; of Parquet, which row it is
    fields: list[str]
    text: str | None = None  # as it stands in a CSV file, without the end of the line
    fault: str | None = None  # why it cannot be parted into fields


class Head(NamedTuple):
    """The header of a file, and how its lines look."""

    header: list[str]
    delimiter: str
    newline: str
    bom: bool
    text: str  # the header as it stands in the file


class Sheet(NamedTuple):
    """A file that was looked through, with its rows to be read."""

    digest: str  # SHA-256 of its text, "" of standard input
    lines: int  # 0 of standard input
    head: Head
    rows: Iterator[Row]


@contextmanager
def open_sheet(path: str, fits: Callable[[list[str]], bool], needs: str) -> Iterator[Sheet]:
    """Open a CSV file, once it is sure that all of it can be read.

    Parameters
    ----------
    path
        The file, gzip if it is named so, or "-" for standard input.
    fits
        Whether a header makes sense; it tells which delimiter the file has.
    needs
        What the header must have, in words.

    Raises
    ------
    FileError
        If the file is damaged, no UTF-8, or has no header.
    OSError
        If it cannot be read.
    """
    name = "standard input" if path == "-" else path
    digest, lines = ("", 0) if path == "-" else _look_through(path)
    with _opened(path) as file:
        text = io.TextIOWrapper(cast(BinaryIO, file), encoding="utf-8", newline="")
        line, first = _read_head(text, name)
        if not first.strip("\ufeff\r\n"):
            raise FileError(f"{name} is empty; it needs a header row with {needs}")
        head = _make_sense(first, fits)
        yield Sheet(digest, lines, head, _rows(text, name, line, head.delimiter))


def _make_sense(first: str, fits: Callable[[list[str]], bool]) -> Head:
    """Part a header at the delimiter that makes sense of it, else at the most frequent one."""
    newline = "\r\n" if first.endswith("\r\n") else "\n"
    bom, text = first.startswith("\ufeff"), first.strip("\ufeff\r\n")
    headers = {delimiter: _parted(text, delimiter)[0] or [text] for delimiter in _DELIMITERS}
    likely = sorted(headers, key=lambda delimiter: -len(headers[delimiter]))
    delimiter = next((d for d in likely if fits(headers[d])), likely[0])
    return Head(headers[delimiter], delimiter, newline, bom, text)


def names_of(header: list[str]) -> list[str]:
    """Return the names of columns as they are compared."""
    return [name.strip().casefold() for name in header]


def with_first(rows: Iterator[Row], name: str) -> Iterator[Row]:
    """Return the rows of a file; FileError if there are none."""
    first = next(rows, None)
    if first is None:
        raise FileError(f"{name} has no rows below its header")
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
        raise FileError(f"{path} is a damaged gzip file: {error}") from None
    return digest.hexdigest(), lines


def _not_text(name: str, line: int) -> FileError:
    return FileError(f"{name} is not UTF-8 text (line {line}); save the file as UTF-8")


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
