"""CSV of deals in, CSV of answers out."""

import csv
import io
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Final, TextIO

import numpy as np
from joblib import Parallel, delayed

from evaluator.cards import CardError, Cards, parse_hand
from solver.columns import BATCH_COLUMNS, units_text
from solver.solve import Answers, Table, open_table, run, shortage

BatchProgress = Callable[[int, int], None]  # rows done, rows in all (0: not known)

_CHUNK: Final = 64  # rows solved at a time by one thread: a twentieth of a second
_SHOWN_ERRORS: Final = 10
_DELIMITERS: Final = ",;\t"


class BatchError(ValueError):
    """A file that cannot be solved at all."""


@dataclass(frozen=True)
class BatchReport:
    """What a batch came to."""

    rows: int
    failed: int
    errors: tuple[str, ...]  # the first of them, each with its line


@dataclass(frozen=True)
class _Row:
    line: int
    fields: list[str]


@dataclass(frozen=True)
class _Layout:
    """The columns of a file, and where the hands are."""

    header: list[str]
    delimiter: str
    hand: list[int] = field(default_factory=list)  # one column, or thirteen

    def cards(self, row: _Row) -> str:
        if len(row.fields) != len(self.header):
            raise CardError(f"{len(row.fields)} fields, but the header has {len(self.header)}")
        return " ".join(row.fields[column] for column in self.hand)


def run_batch(
    source: str,
    target: str,
    *,
    rules: str = "2-4",
    players: int = 2,
    opponents: str = "greedy",
    samples: int | None = None,
    seed: int = 0,
    jobs: int = 1,
    force: bool = False,
    column: str | None = None,
    progress: BatchProgress | None = None,
    pool_progress: Callable[[str, float], None] | None = None,
) -> BatchReport:
    """Solve every row of a CSV file.

    Parameters
    ----------
    source, target
        Paths, or "-" for standard input and output. The target appears when it is complete.
    rules, players, opponents, samples, seed
        As for `solve`.
    jobs
        Threads; the output does not depend on how many.
    force
        Replace a target that exists.
    column
        The column of the hands; if None, ``hand``, or ``c1`` to ``c13``.
    progress, pool_progress
        Called with rows done and rows in all, and while a pool is made.

    Returns
    -------
    BatchReport
        A row that cannot be solved has the reason in its column ``error`` and is counted here.

    Raises
    ------
    BatchError
        If there is no such column, or the target exists.
    RulesError, PoolError, SolveError
        As `solve` does.
    OSError
        If a file cannot be read or written.
    """
    if target != "-" and Path(target).exists() and not force:
        raise BatchError(f"{target} exists; replace it with --force, or write to another file")
    with _reading(source) as text:
        layout = _read_layout(text, source, column)
        total = _count_rows(source)
        table = open_table(
            rules, players, opponents, samples, seed, *([pool_progress] if pool_progress else [])
        )
        with _writing(target) as out:
            writer = csv.writer(out, delimiter=layout.delimiter, lineterminator="\n")
            writer.writerow([*layout.header, *BATCH_COLUMNS])
            rows, errors = 0, []
            work = Parallel(n_jobs=jobs, prefer="threads", return_as="generator")
            chunks = _chunks(_rows(text, layout, source))
            for chunk, added in work(
                delayed(_solve_chunk)(chunk, layout, table) for chunk in chunks
            ):
                for row, answer in zip(chunk, added, strict=True):
                    fields = row.fields[: len(layout.header)]
                    fields += [""] * (len(layout.header) - len(fields))
                    writer.writerow([*fields, *answer])
                    if answer[-1]:
                        errors.append(f"line {row.line}: {answer[-1]}")
                rows += len(chunk)
                if progress:
                    progress(rows, total)
    return BatchReport(rows, len(errors), tuple(errors[:_SHOWN_ERRORS]))


def _solve_chunk(
    chunk: list[_Row], layout: _Layout, table: Table
) -> tuple[list[_Row], list[list[str]]]:
    """Return the chunk with what is added to each of its rows."""
    hands: list[int] = []
    reasons: list[str | None] = []
    for row in chunk:
        try:
            hands.append(parse_hand(layout.cards(row)).mask)
            reasons.append(None)
        except CardError as error:
            reasons.append(str(error))
    answers = run(table, np.array(hands, np.int64), 2)
    added, solved = [], 0
    for reason in reasons:
        if reason is None:
            reason = shortage(table, int(answers.settings.samples[solved]))
            added.append(_failed(reason) if reason else _answered(answers, solved, table))
            solved += 1
        else:
            added.append(_failed(reason))
    return chunk, added


def _failed(reason: str) -> list[str]:
    return [""] * (len(BATCH_COLUMNS) - 1) + [reason]


def _answered(answers: Answers, h: int, table: Table) -> list[str]:
    found, others = answers.settings, table.players - 1
    decision, ev, se = answers.decision(h, table)
    return [
        *(str(Cards.from_mask(int(row))) for row in found.rows[h, 0]),
        decision,
        units_text(ev),
        units_text(se),
        units_text(others * float(found.gap[h, 1])) if found.listed[h] > 1 else "",
        str(int(found.samples[h])),
        table.rules.name,
        "",
    ]


def _chunks(rows: Iterator[_Row]) -> Iterator[list[_Row]]:
    while chunk := list(islice(rows, _CHUNK)):
        yield chunk


def _rows(text: TextIO, layout: _Layout, source: str) -> Iterator[_Row]:
    reader = csv.reader(text, delimiter=layout.delimiter)
    line = 1  # the header's
    while True:
        start = line + reader.line_num + 1
        try:
            fields = next(reader)
        except StopIteration:
            return
        except (csv.Error, UnicodeDecodeError) as error:
            raise BatchError(f"{source}, line {start}: {_reason(error)}") from None
        if fields:
            yield _Row(start, fields)


def _reason(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "not UTF-8 text; save the file as UTF-8"
    return str(error)


def _read_layout(text: TextIO, source: str, column: str | None) -> _Layout:
    """Read the header and find the columns of the hands."""
    try:
        line = text.readline()
    except UnicodeDecodeError as error:
        raise BatchError(f"{source}, line 1: {_reason(error)}") from None
    delimiter = max(_DELIMITERS, key=line.count)
    header = next(csv.reader([line], delimiter=delimiter), [])
    if not any(header):
        raise BatchError(f"{source} is empty; it needs a header row with a column named hand")
    names = [name.strip().casefold() for name in header]
    clashes = [name for name in header if name.strip() in BATCH_COLUMNS]
    if clashes:
        raise BatchError(f"{source} has columns that batch adds: {', '.join(clashes)}; rename them")
    wanted = (
        [[column.strip().casefold()]] if column else [["hand"], [f"c{i}" for i in range(1, 14)]]
    )
    for candidates in wanted:
        if all(name in names for name in candidates):
            return _Layout(header, delimiter, [names.index(name) for name in candidates])
    needed = f"no column {column!r}" if column else "no column named hand, nor c1 to c13"
    raise BatchError(f"{source} has {needed}; its columns are {', '.join(header)}")


def _count_rows(source: str) -> int:
    """Return how many lines follow the header: about the rows, enough for a progress bar."""
    if source == "-":
        return 0
    with open(source, "rb") as file:
        blocks: Iterable[bytes] = iter(lambda: file.read(1 << 20), b"")
        return max(0, sum(block.count(b"\n") for block in blocks) - 1)


@contextmanager
def _reading(source: str) -> Iterator[TextIO]:
    if source == "-":
        yield io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8-sig", newline="")
    else:
        with open(source, encoding="utf-8-sig", newline="") as text:
            yield text


@contextmanager
def _writing(target: str) -> Iterator[TextIO]:
    """Open a target that appears only once all of it is written."""
    if target == "-":
        yield sys.stdout
        sys.stdout.flush()
        return
    path = Path(target)
    if not path.parent.is_dir():
        raise BatchError(f"{target}: there is no directory {path.parent}")
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with open(descriptor, "w", encoding="utf-8", newline="") as out:
            yield out
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
