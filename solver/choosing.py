"""Opponents by name or by file: made, shipped, trained when first asked for, or recorded."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Final

from solver.pool import (
    MADE,
    OpponentPool,
    PoolError,
    Progress,
    kept_path,
    kept_pool,
    load_pool,
    read_pool,
    silent,
)
from solver.rules import RuleSet, digest
from solver.shelf import shipped_path

EQUILIBRIUM: Final = "equilibrium"
QUICK_NOTICE: Final = (
    "These opponents were trained in a hurry, so they are a little easier to beat than they could "
    "be: capsa train --rules FILE trains full ones, once."
)

_pools: dict[tuple[object, ...], OpponentPool] = {}  # loaded, for the next hand
_loading = Lock()  # so that threads which start together load a pool once


def choose_pool(
    opponents: str | Path,
    rules: RuleSet,
    strict: bool = False,
    progress: Progress = silent,
) -> OpponentPool:
    """Return the opponents of that name, or in that file, for a rule set.

    Parameters
    ----------
    opponents
        "equilibrium": the pool shipped for rules that pay as these do; else the one that `capsa
        train` has kept; else one trained quickly, and kept. "greedy" or "random". Or a path:
        ``.npz`` a pool, ``.csv`` or ``.csv.gz`` recorded settings.
    rules
        What they play.
    strict
        Whether an illegal row of recorded settings is an error; else it is told and skipped.
    progress
        Called with a description and the share done, and with what is to be told.

    Raises
    ------
    PoolError
        If there are no such opponents, or their file cannot be used.
    OSError
        If it cannot be read.

    Examples
    --------
    >>> from solver.rules import load_rules
    >>> choose_pool("greedy", load_rules("2-4")).name
    'greedy'
    """
    name = str(opponents)
    key: tuple[object, ...]
    if name == EQUILIBRIUM:
        key = name, digest(rules)
    elif name in MADE:
        key = name, rules.wheel
    elif name.endswith((".npz", ".csv", ".csv.gz")):
        found = Path(name).stat()
        key = name, digest(rules), strict, found.st_size, found.st_mtime_ns
    else:
        known = ", ".join((EQUILIBRIUM, *MADE))
        raise PoolError(
            f"no opponents are called {name!r}; use {known}, "
            "or a file: .csv of recorded settings, .npz of a trained pool"
        )
    with _loading:
        if key not in _pools:
            _pools[key] = _load(name, rules, strict, progress)
        return _pools[key]


def is_quick(pool: OpponentPool) -> bool:
    """Tell whether a pool was trained in a hurry."""
    return bool(pool.about.get("quick"))


def notices(pool: OpponentPool, rules: RuleSet) -> Iterator[str]:
    """Yield what to tell of how these opponents were trained, before they play by these rules."""
    if is_quick(pool):
        yield QUICK_NOTICE
    if pool.about.get("digest", digest(rules)) != digest(rules):
        yield f"These opponents were trained for the rules {pool.about['rules']}, not {rules.name}."


def is_everywhere(opponents: str | Path, rules: RuleSet) -> bool:
    """Tell whether every machine with this program has the same opponents of that name."""
    return opponents in MADE or (opponents == EQUILIBRIUM and shipped_path(rules) is not None)


def full_path(rules: RuleSet) -> Path:
    """Return where `capsa train` keeps the pool for a rule set."""
    return kept_path(f"{EQUILIBRIUM}-{digest(rules)}")


def _load(name: str, rules: RuleSet, strict: bool, progress: Progress) -> OpponentPool:
    if name == EQUILIBRIUM:
        return _equilibrium(rules, progress)
    if name in MADE:
        return load_pool(name, rules.wheel, progress)
    if name.endswith(".npz"):
        return replace(read_pool(Path(name)), name=Path(name).name)
    from solver.recorded import read_recorded  # few ask for it

    return read_recorded(name, rules, strict, progress)


def _equilibrium(rules: RuleSet, progress: Progress) -> OpponentPool:
    if shipped := shipped_path(rules):
        try:
            return read_pool(shipped)
        except PoolError as error:
            raise PoolError(f"{error}; install capsa again") from None
    full = full_path(rules)
    if full.exists():
        try:
            return read_pool(full)
        except PoolError as error:
            raise PoolError(f"{error}; remove it, or train it again with capsa train") from None
    return _quick(rules, progress)


def _quick(rules: RuleSet, progress: Progress) -> OpponentPool:
    from solver.equilibrium import QUICK_RECORDS, QUICK_ROUNDS, train_pool  # it imports solve

    def make() -> OpponentPool:
        def tell(what: str, share: float) -> None:
            progress(f"{what}, once (about a minute)", share)

        jobs = os.cpu_count() or 1
        pool = train_pool(rules, QUICK_ROUNDS, QUICK_RECORDS, jobs=jobs, progress=tell)
        return replace(pool, about={**pool.about, "quick": True})

    def fits(pool: OpponentPool) -> bool:  # not one that another version of the program trained
        trained = pool.about.get("rounds"), len(pool.strengths)
        return is_quick(pool) and trained == (QUICK_ROUNDS, QUICK_RECORDS)

    path = kept_path(f"quick-{digest(rules)}")
    with _alone(path):
        return kept_pool(path, fits, make, progress)


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Keep other processes from training the same pool meanwhile; they wait for this one's."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = open(path.with_suffix(".lock"), "w")  # noqa: SIM115 - closed below
    except OSError:  # nothing can be kept here, so there is nothing to wait for
        yield
        return
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
