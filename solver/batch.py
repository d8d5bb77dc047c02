"""A file of deals in, a file of answers out: any size, and nothing lost when it is stopped."""

import sys
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager, nullcontext
from copy import deepcopy
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

from joblib import Parallel, delayed, effective_n_jobs

from solver import __version__
from solver.batch_cluster import connected
from solver.batch_files import BatchError, Source, finish, need_polars, open_source
from solver.batch_journal import PartialFile, finished_run
from solver.batch_solve import Asker, arguments, solve_chunk
from solver.batch_tally import Answer, Summary, Tally
from solver.choosing import notices
from solver.columns import BATCH_COLUMNS, with_risk
from solver.csv_rows import FileError, Row
from solver.opening import Table, open_table
from solver.pool import Progress, silent
from solver.rules_model import RuleSet, Seat, digest
from solver.wishes import DEALS, Stake

_CHUNK: Final = 64  # rows solved at a time by one thread: a twentieth of a second
_JOINT_CHUNK: Final = 1  # ... and where others are dealt: a tenth of a second or far more a row
# Chunks handed out at a time: as many for each thread, so that it seldom waits for the others, but
# not more in all than bounds the memory, unless threads are very many.
_EACH, _ALL, _LEAST = 32, 512, 4

BatchProgress = Callable[[int, int, int], None]  # rows done, in all (0: not known), in error


@dataclass(frozen=True)
class BatchReport:
    """What a batch came to."""

    rows: int
    failed: int
    errors: tuple[str, ...]  # the first of them, each with its line
    summary: Summary
    again: bool = False  # nothing was done: an earlier run had finished


def run_batch(
    source: str,
    target: str,
    *,
    rules: str = "2-4",
    players: int = 2,
    opponents: str = "equilibrium",
    samples: int | None = None,
    seed: int = 0,
    jobs: int = 1,
    cluster: str | None = None,
    force: bool = False,
    resume: bool = False,
    strict: bool = False,
    column: str | None = None,
    progress: BatchProgress | None = None,
    pool_progress: Progress = silent,
    seat: Seat | None = None,
    stakes: str | Iterable[Stake] = (),
    objective: str = "ev",
    risk: bool = False,
    deals: int = DEALS,
) -> BatchReport:
    """Solve every row of a file.

    Parameters
    ----------
    source, target
        Paths, or "-" for standard input and output. Names ending in ``.gz`` and ``.parquet`` say
        what the files are. The target appears when it is complete; until then its rows are in
        ``TARGET.partial``, and ``TARGET.journal`` says how many are safe.
    rules, players, opponents, samples, seed, seat, stakes, objective, deals
        As for `solve`. Columns ``rules`` and ``players`` override them for their row.
    risk
        Whether to add columns that tell how the total of a deal spreads.
    jobs
        Threads; the output does not depend on how many.
    cluster
        The address of a Dask scheduler, whose workers solve instead.
    force
        Replace a target that exists, or a run that is unfinished.
    resume
        Go on with an unfinished run of the same input, options and version.
    strict
        Stop at the first row in error; and take no file of recorded settings with illegal rows.
    column
        The column of the hands; if None, ``hand``, or ``c1`` to ``c13``.
    progress, pool_progress
        Called with rows done, in all and in error; and while a pool is made, and with what is to
        be told of it.

    Returns
    -------
    BatchReport
        A row that cannot be solved has the reason in its column ``error`` and is counted here.

    Raises
    ------
    FileError
        If the file cannot be read. Its kind BatchError: if it has no usable column, the target
        must not be replaced, the run cannot be gone on with, the cluster fails, or, if strict, a
        row is in error.
    RulesError, PoolError, SolveError
        As `solve` does.
    OSError
        If a file cannot be opened.
    """
    if resume and "-" in (source, target):
        raise BatchError("standard input and output cannot be resumed; name files")
    if target != "-":
        _check_place(Path(target))
    if target.endswith(".parquet"):
        need_polars()  # told now and not when all the rows are done
    asked = opponents, samples, seed, pool_progress, strict
    worth = stakes if isinstance(stakes, str) else tuple(stakes)
    wishes: dict[str, Any] = {"stakes": worth, "objective": objective, "risk": risk, "deals": deals}

    def opener(rules: str | RuleSet, players: int, seat: Seat | None) -> Table:
        table = open_table(rules, players, *asked, **wishes, seat=seat)
        for notice in notices(table.pool, table.rules):
            pool_progress(notice, 1.0)
        return table

    with open_source(source, column, with_risk(BATCH_COLUMNS, risk)) as opened:
        table = opener(rules, players, seat)
        ask = Asker(opened.layout, table, opener)
        work = _Work(opened, ask, jobs, cluster, strict, progress)
        if target == "-":
            return _report(work.do(_to_stdout, Tally()), table)
        run = _identity(opened, table, column)
        if resume and (finished := finished_run(Path(target), run)):
            return _report(finished.tally, table, again=True)
        with PartialFile(Path(target), run, resume, force, keep=source != "-") as file:
            try:
                tally = work.do(file.write, deepcopy(file.journal.tally))
                file.finish(finish(file.path, file.target, source, opened.layout))
            except (FileError, OSError) as error:
                raise BatchError(_stopped(error, file)) from None
            except KeyboardInterrupt as error:
                raise KeyboardInterrupt(_stopped(error, file)) from None
        return _report(tally, table)


def _stopped(error: BaseException, file: PartialFile) -> str:
    """Say what stopped a batch, and how to go on."""
    what = str(error) or "stopped"
    if isinstance(error, OSError):
        what = f"{error.filename or file.target}: {error.strerror}"
    rows = file.journal.tally.rows
    safe = f"; {rows:,} {'row is' if rows == 1 else 'rows are'} safe, go on with --resume"
    return what + safe * file.keep


def _to_stdout(text: str, _tally: Tally) -> None:
    sys.stdout.buffer.write(text.encode())  # whatever the terminal's encoding is
    sys.stdout.flush()


def _check_place(path: Path) -> None:
    if path.is_dir():
        raise BatchError(f"{path} is a directory; name a file in it")
    if not path.parent.is_dir():
        raise BatchError(f"{path.parent} is no directory; make it, or write to another file")


def _identity(source: Source, table: Table, column: str | None) -> dict[str, str]:
    """Return all that the bytes of the answers depend on."""
    return {
        "version": __version__,
        "input": source.digest,
        "column": column or "default",
        "rules": f"{table.rules.name} ({digest(table.rules)})",
        "players": str(table.players),
        **({"seat": table.seat} if table.seat else {}),
        "opponents": f"{table.pool.name} ({table.pool.digest[:12]})",
        "samples": str(table.samples or "default"),
        "seed": str(table.seed),
        "stakes": ",".join(map(str, table.stakes)) or "1 each",
        "objective": str(table.objective),
        "risk": "asked for" if table.risk else "not asked for",
        "deals": str(table.deals),
    }


def _report(tally: Tally, table: Table, again: bool = False) -> BatchReport:
    summary = tally.summary(table.stakes)
    return BatchReport(tally.rows, tally.failed, tuple(tally.errors), summary, again)


@dataclass(frozen=True)
class _Work:
    """The rows of a source, and how they are to be solved."""

    source: Source
    ask: Asker
    jobs: int
    cluster: str | None
    strict: bool
    progress: BatchProgress | None

    def do(self, write: Callable[[str, Tally], None], tally: Tally) -> Tally:
        """Write what the tally does not count yet, in the order of the rows, and return it all."""
        layout = self.source.layout
        if not tally.rows:
            write(layout.head(), tally)
        self._tell(tally)
        with closing(self._solved(tally.rows)) as solved:
            for rows, answers in solved:
                lines = []
                for row, answer in zip(rows, answers, strict=True):
                    tally.add(self.source.place, row, layout, answer)
                    lines.append(layout.line(row, answer.columns))
                    if self.strict and answer.columns[-1]:
                        write("".join(lines), tally)
                        where = f"{self.source.place} {row.line}"
                        raise BatchError(f"{where}: {answer.columns[-1]}")
                write("".join(lines), tally)
                self._tell(tally)
        return tally

    def _tell(self, tally: Tally) -> None:
        if self.progress:
            self.progress(tally.rows, self.source.lines, tally.failed)

    def _solved(self, skipped: int) -> Generator[tuple[list[Row], list[Answer]], None, None]:
        """Yield chunks of rows with their answers; what is on the way never is more than a wave."""
        rows = islice(self.source.rows, skipped, None)
        table = self.ask.table
        size = _JOINT_CHUNK if table.joint and table.dealt > 1 else _CHUNK
        chunks = iter(lambda: list(islice(rows, size)), [])
        local = not self.cluster
        with connected(self.cluster, table) if self.cluster else nullcontext():
            work = Parallel(
                n_jobs=self.jobs if local else -1,
                prefer="threads" if local else None,
                return_as="generator",
                batch_size=1,
            )
            with work:
                while wave := list(islice(chunks, _wave(effective_n_jobs(work.n_jobs)))):
                    asked = (map(self.ask, chunk) for chunk in wave)
                    tasks = (delayed(solve_chunk)(*arguments(chunk)) for chunk in asked)
                    with _results(work, tasks) as results:
                        yield from zip(wave, results, strict=True)


def _wave(threads: int) -> int:
    return max(_LEAST * threads, min(_EACH * threads, _ALL))


@contextmanager
def _results(work: Parallel, tasks: Iterator[Any]) -> Iterator[Iterator[list[Answer]]]:
    results = work(tasks)
    try:
        yield results
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of work that is given up
            results.close()
