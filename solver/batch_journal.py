"""The file of a batch while it is written, and the journal from which it can go on.

Rows go to ``NAME.partial``. ``NAME.journal`` says how many rows and bytes of it are safe on the
disk, and of which run: it is replaced as a whole, and only after the bytes it vouches for. So
whatever stops a batch, what the journal tells is true, and all that comes later is cut off.
"""

import fcntl
import hashlib
import json
import os
import time
from contextlib import suppress
from copy import deepcopy
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Final, Self

from solver.batch_files import BatchError
from solver.batch_tally import Tally

_SECONDS: Final = 1.0  # between two entries


@dataclass(frozen=True)
class Journal:
    """How far a run is."""

    run: dict[str, str]  # all that its bytes depend on
    bytes: int = 0
    tally: Tally = field(default_factory=Tally)  # of the rows in those bytes
    finished: str | None = None  # SHA-256 of the target


class PartialFile:
    """The answers so far, in a file beside the target; one process at a time has it.

    Parameters
    ----------
    target
        Where the answers go when they are complete.
    run
        What the bytes depend on: names and values, to tell runs apart.
    resume
        Go on with an unfinished run, if there is one.
    force
        Replace whatever is there.
    keep
        Leave an unfinished file where it is; else it could not be gone on with, so it is removed.

    Raises
    ------
    BatchError
        If there is something that must not be replaced or gone on with.
    OSError
        If the file cannot be written.
    """

    def __init__(
        self, target: Path, run: dict[str, str], resume: bool, force: bool, keep: bool
    ) -> None:
        self.target, self.keep = target, keep
        self.path, self._journal_path = _beside(target, "partial"), _beside(target, "journal")
        self._check(run, resume, force)
        self._file = open(self.path, "ab", buffering=0)  # noqa: SIM115 - closed by __exit__
        try:
            self._lock()
            self._begin(run, resume)
        except BaseException:
            self._file.close()
            raise

    def _check(self, run: dict[str, str], resume: bool, force: bool) -> None:
        old = _read(self._journal_path)
        partial, target = self.path.exists(), self.target.exists()
        if force or not (partial or target):
            return
        if resume and old and (partial or old.finished):
            differing = [
                f"{name} was {old.run.get(name)}, now {run.get(name)}"
                for name in sorted({*old.run, *run})
                if old.run.get(name) != run.get(name)
            ]
            if differing:
                raise BatchError(
                    f"{self.target}: cannot resume another run: {'; '.join(differing)}; "
                    "ask for the same, or start again with --force"
                )
            if not partial:
                raise BatchError(
                    f"{self.target} is not what that run wrote; start again with --force"
                )
        elif partial and old and old.tally.rows and not resume:
            raise BatchError(
                f"{self.target}: an unfinished run has done {old.tally.rows:,} rows; "
                "go on with --resume, or start again with --force"
            )
        elif target:
            raise BatchError(
                f"{self.target} exists; replace it with --force, or write to another file"
            )

    def _lock(self) -> None:
        """Keep other processes off; the file must not have been finished in the meantime."""
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            ours = os.path.samestat(os.fstat(self._file.fileno()), os.stat(self.path))
        except (BlockingIOError, FileNotFoundError):
            ours = False
        if not ours:
            raise BatchError(f"{self.target}: another batch is writing this file")

    def _begin(self, run: dict[str, str], resume: bool) -> None:
        old = _read(self._journal_path) if resume else None
        size = os.fstat(self._file.fileno()).st_size
        if old and old.run == run and old.tally.rows and old.bytes <= size:
            self.journal = replace(old, finished=None)
        else:
            self.journal = Journal(run)
        self._file.truncate(self.journal.bytes)
        self.commit()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        if self.journal.finished is None and self.keep:
            with suppress(OSError):  # if the disk is full, the journal stays as it was
                self.commit()
        elif self.journal.finished is None:
            for path in (self.path, self._journal_path):
                path.unlink(missing_ok=True)
        self._file.close()

    def write(self, text: str, tally: Tally) -> None:
        """Add whole rows; the tally is of all rows so far."""
        data = memoryview(text.encode())
        end = self.journal.bytes + len(data)
        while data:
            data = data[self._file.write(data) :]
        # in one go, as an interrupt may come between any two others; a copy, as tallies go on
        self.journal = replace(self.journal, bytes=end, tally=deepcopy(tally))
        if time.monotonic() - self._committed > _SECONDS:
            self.commit()

    def commit(self) -> None:
        """Make what was written safe, and say so in the journal."""
        os.fsync(self._file)
        _write(self._journal_path, self.journal)
        self._committed = time.monotonic()

    def finish(self, made: Path) -> None:
        """Put the finished file, made of the written lines, in its place."""
        with open(made, "rb") as file:
            os.fsync(file)
            finished = hashlib.file_digest(file, "sha256").hexdigest()
        self.journal = replace(self.journal, finished=finished)
        self.commit()
        os.replace(made, self.target)
        if made != self.path:
            os.unlink(self.path)
        _sync_directory(self.target)


def finished_run(target: Path, run: dict[str, str]) -> Journal | None:
    """Return the journal of a run if it is finished and the target is what it wrote."""
    old = _read(_beside(target, "journal"))
    if old is None or not old.finished or old.run != run or _beside(target, "partial").exists():
        return None
    try:
        with open(target, "rb") as file:
            same = hashlib.file_digest(file, "sha256").hexdigest() == old.finished
    except FileNotFoundError:
        return None
    return old if same else None


def _beside(target: Path, what: str) -> Path:
    return target.with_name(f"{target.name}.{what}")


def _read(path: Path) -> Journal | None:
    """Return a journal, or None if there is none that can be read."""
    try:
        journal = json.loads(path.read_bytes())
        return Journal(**{**journal, "tally": Tally(**journal["tally"])})
    except (FileNotFoundError, ValueError, TypeError, KeyError):
        return None


def _write(path: Path, journal: Journal) -> None:
    temporary = _beside(path, "new")
    try:
        with open(temporary, "w", encoding="utf-8") as file:
            json.dump(asdict(journal), file, indent=1)
            file.flush()
            os.fsync(file)
        os.replace(temporary, path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
    _sync_directory(path)


def _sync_directory(path: Path) -> None:
    """Make a rename safe."""
    descriptor = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
