"""Opponents as a pool: many dealt hands, each with the setting its owner plays.

The deals follow from a seed, so a pool is kept as its settings' strengths alone, and the files of
made pools and shipped ones are the same.
"""

import hashlib
import json
import os
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import platformdirs
from numpy.typing import NDArray

from evaluator.broken import broken_code
from evaluator.jit import kernel, lowest_bit, merged
from evaluator.kernels import Workspace, rank_subsets, split_masks, workspace
from evaluator.ranking import FIVES, FRONTS, SPLITS, Tables, Wheel, tables
from solver.deals import below, deal_many, step, stream
from solver.rules_model import Seat

if TYPE_CHECKING:
    import polars

I64 = NDArray[np.int64]
Progress = Callable[[str, float], None]  # what is being done, and the share of it done

RECORDS: Final = 131_072  # a quarter more than ten thousand conditional opponents need
DISJOINT: Final = 8_122_425_444 / 635_013_559_600  # of all hands, those disjoint from a given one
SET, DECLARE, SURRENDER = range(3)  # what a player can do
MADE: Final = ("greedy", "random")
_SEED: Final = 0x0CA95A  # apart from the small seeds that people deal and solve with
_FORMAT: Final = 3
_CHUNK: Final = 8192
_DAMAGED: Final = (  # RuntimeError: a flag of the zip file asks for what Python cannot do
    *(ValueError, KeyError, TypeError, EOFError, RuntimeError, zlib.error, zipfile.BadZipFile),
)


class PoolError(ValueError):
    """A pool that cannot be had or used."""


def silent(_what: str, _share: float) -> None:
    """Report nothing."""


@dataclass(frozen=True, eq=False)
class OpponentPool:
    """Opponents: record i was dealt ``hands[i]`` and sets it with ``strengths[i]``."""

    name: str
    wheel: Wheel
    seed: int  # record i's hand is deal i of this seed
    strengths: NDArray[np.int16]  # (records, 3) back, middle, front
    broken: NDArray[np.uint8]  # (records,) quads and straight flushes no row shows: broken_code
    decisions: NDArray[np.uint8]  # (records,) SET, DECLARE (a natural, if it holds one), SURRENDER
    about: Mapping[str, Any] = field(default_factory=dict)  # how it was made, for people
    dealt: I64 | None = None  # (records,) hands that follow from no seed
    fewest: int = 2  # conditional opponents that an estimate needs
    bankers: int | None = None  # from this record on they play the banker, those before it him

    @cached_property
    def hands(self) -> I64:
        """Hands as sets of cards, shape (records,)."""
        if self.dealt is not None:
            return self.dealt
        hands = np.empty(len(self.strengths), np.int64)
        deal_many(self.seed, 0, hands)
        return hands

    @cached_property
    def index(self) -> I64:
        """Bit rows over the records, shape (52, words): who holds the card."""
        words = -(-len(self.hands) // 64)
        index = on_cache_lines(52 * words).reshape(52, words)
        _fill_index(self.hands, index)
        return index

    @cached_property
    def digest(self) -> str:
        """SHA-256 of how the pool plays, in hexadecimal."""
        digest = hashlib.sha256(repr((_FORMAT, self.name, self.wheel, self.seed)).encode())
        digest.update(np.ascontiguousarray(self.strengths, "<i2").tobytes())
        digest.update(self.broken.tobytes())
        digest.update(self.decisions.tobytes())
        if self.dealt is not None:
            digest.update(self.dealt.astype("<i8").tobytes())
        if self.bankers is not None:
            digest.update(repr(self.bankers).encode())
        return digest.hexdigest()

    def part(self, records: slice) -> "OpponentPool":
        """Return a pool of some of the records."""
        compact = np.ascontiguousarray  # every second record would compile kernels anew
        return replace(
            self,
            strengths=compact(self.strengths[records]),
            broken=compact(self.broken[records]),
            decisions=compact(self.decisions[records]),
            dealt=compact(self.hands[records]),
            bankers=None,
        )

    @cached_property
    def seats(self) -> Mapping[Seat | None, "OpponentPool"]:
        """How each seat is played: the same way in all, unless some records are a banker's."""
        players = bankers = self
        if self.bankers is not None:
            players, bankers = self.part(slice(self.bankers)), self.part(slice(self.bankers, None))
        return {None: self, "player": players, "banker": bankers}

    def playing(
        self,
        strengths: NDArray[np.int16],
        broken: NDArray[np.uint8],
        decisions: NDArray[np.uint8],
    ) -> "OpponentPool":
        """Return a pool of the same hands, set in other ways."""
        pool = replace(self, strengths=strengths, broken=broken, decisions=decisions)
        vars(pool).update(hands=self.hands, index=self.index)
        return pool

    def to_frame(self) -> "polars.DataFrame":
        """Return one line for each record as a data frame: `solver.frames.pool_frame`."""
        from solver.frames import pool_frame

        return pool_frame(self)


def on_cache_lines(size: int) -> I64:
    """Return an empty array (size,) of which no vector lies on two cache lines: a third faster."""
    whole = np.empty(size + 8, np.int64)
    begin = -whole.ctypes.data % 64 // 8
    return whole[begin : begin + size]


@kernel
def _fill_index(hands: I64, index: I64) -> None:
    """Set the bit of each record in the rows of its cards; the padding holds every card."""
    index[:] = 0
    for record in range(64 * index.shape[1]):
        bit = np.int64(1) << (record & 63)
        cards = hands[record] if record < hands.shape[0] else (np.int64(1) << 52) - 1
        while cards:
            index[lowest_bit(cards), record >> 6] |= bit
            cards &= cards - 1


@merged
def _set_greedy(hand: int, table: Tables, work: Workspace) -> np.int64:
    """Return the split with the strongest back, then the strongest middle, then front."""
    rank_subsets(hand, table, work)
    strongest = np.int16(0)
    for five in range(FIVES):
        strongest = max(strongest, work.fives[five])
    best = 0
    best_middle = best_front = np.int16(-1)
    for five in range(FIVES):
        if work.fives[five] < strongest:
            continue
        for front in range(FRONTS):
            if table.front_masks[front] & table.five_masks[five]:
                continue
            high, low = table.high[front], table.low[front]
            k = 0
            while high[k] != five and low[k] != five:
                k += 1
            middle = work.fives[low[k] if high[k] == five else high[k]]
            value = work.threes[front]
            if middle > best_middle or (middle == best_middle and value > best_front):
                best, best_middle, best_front = front * SPLITS + k, middle, value
    return np.int64(best)


@merged
def _set_random(hand: int, seed: int, index: int, table: Tables, work: Workspace) -> np.int64:
    """Return a split drawn uniformly from the legal ones, by trying until one is legal."""
    rank_subsets(hand, table, work)
    state = stream(seed, index) ^ np.uint64(0x5E771465)
    while True:
        state = step(state)
        split = below(state, work.threes.shape[0] * SPLITS)
        front, k = divmod(split, SPLITS)
        weaker = min(work.fives[table.high[front, k]], work.fives[table.low[front, k]])
        if weaker >= work.threes[front]:
            return split


@kernel
def set_by_name(
    greedy: bool,
    seed: int,
    indices: I64,
    hands: I64,
    table: Tables,
    work: Workspace,
    strengths: NDArray[np.int16],
    broken: NDArray[np.uint8],
) -> None:
    """Set hands (n,) as greedy or random players do; random ones draw from (seed, index)."""
    for i in range(hands.shape[0]):
        if greedy:
            split = int(_set_greedy(hands[i], table, work))
        else:
            split = int(_set_random(hands[i], seed, indices[i], table, work))
        front, k = divmod(split, SPLITS)
        one, other = work.fives[table.high[front, k]], work.fives[table.low[front, k]]
        strengths[i, 0] = max(one, other)
        strengths[i, 1] = min(one, other)
        strengths[i, 2] = work.threes[front]
        back, middle, _ = split_masks(split, table, work)
        broken[i] = broken_code(hands[i], back, middle)


def make_pool(
    name: str,
    wheel: Wheel = "lowest",
    records: int = RECORDS,
    seed: int = _SEED,
    progress: Progress = silent,
) -> OpponentPool:
    """Make a pool of opponents that need no training.

    Parameters
    ----------
    name
        "greedy": strongest back, then middle, then front; "random": any legal setting alike.
    wheel
        Where A-2-3-4-5 stands among the straights.
    records
        How many hands.
    seed
        Record i is dealt deal i of this seed.
    progress
        Called with a description and the share done.

    Returns
    -------
    OpponentPool

    Raises
    ------
    PoolError
        If the name is another.

    Examples
    --------
    >>> make_pool("random", records=128).strengths.shape
    (128, 3)
    """
    if name not in MADE:
        raise PoolError(f"no opponents are called {name!r}; use {' or '.join(MADE)}")
    hands = np.empty(records, np.int64)
    deal_many(seed, 0, hands)
    strengths = np.empty((records, 3), np.int16)
    broken = np.empty(records, np.uint8)
    table, work = tables(wheel), workspace()
    for start in range(0, records, _CHUNK):
        progress(f"making the pool of {name} opponents, once", start / records)
        part = slice(start, start + _CHUNK)
        indices = np.arange(start, min(start + _CHUNK, records))
        chunk = indices, hands[part], table, work, strengths[part], broken[part]
        set_by_name(name == "greedy", seed, *chunk)
    progress(f"making the pool of {name} opponents, once", 1.0)
    return OpponentPool(name, wheel, seed, strengths, broken, np.full(records, DECLARE, np.uint8))


def load_pool(name: str, wheel: Wheel = "lowest", progress: Progress = silent) -> OpponentPool:
    """Return a pool from the user's cache directory, made on first use and when damaged.

    Parameters
    ----------
    name
        "greedy" or "random".
    wheel
        Where A-2-3-4-5 stands among the straights.
    progress
        Called with a description and the share done while the pool is made.

    Returns
    -------
    OpponentPool

    Raises
    ------
    PoolError
        If there are no such opponents.

    Examples
    --------
    >>> len(load_pool("random").hands)
    131072
    """
    return kept_pool(
        kept_path(f"{name}-{wheel}"),
        lambda pool: (pool.name, pool.wheel, pool.seed) == (name, wheel, _SEED),
        lambda: make_pool(name, wheel, progress=progress),
        progress,
    )


def kept_path(key: str) -> Path:
    """Return where a pool is kept in the user's cache directory."""
    return platformdirs.user_cache_path("capsa") / "pools" / f"{key}-{_FORMAT}.npz"


def kept_pool(
    path: Path,
    fits: Callable[[OpponentPool], bool],
    make: Callable[[], OpponentPool],
    progress: Progress,
) -> OpponentPool:
    """Read a kept pool; make and keep it if it is missing, damaged or does not fit."""
    try:
        pool = read_pool(path)
        if fits(pool):
            return pool
    except FileNotFoundError:
        pass
    except (OSError, PoolError) as error:
        progress(f"{error}; making it again", 0.0)
    pool = make()
    try:
        write_pool(pool, path)
    except OSError as error:
        progress(f"cannot keep the pool in {path.parent} ({error.strerror})", 1.0)
    return pool


def write_pool(pool: OpponentPool, path: Path) -> None:
    """Write a pool so that a reader sees all of it or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    head = {"format": _FORMAT, "name": pool.name, "wheel": pool.wheel, "seed": pool.seed}
    head |= {"digest": pool.digest, "about": dict(pool.about)}
    if pool.bankers is not None:
        head["bankers"] = pool.bankers
    arrays: dict[str, Any] = {
        "strengths": np.asfortranarray(pool.strengths, "<i2"),  # by rows of settings: packs better
        "broken": pool.broken,
        "decisions": pool.decisions,
    }
    if pool.dealt is not None:
        arrays["dealt"] = pool.dealt
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, suffix=".partial")
    try:
        with os.fdopen(descriptor, "wb") as file:
            np.savez_compressed(file, head=np.array(json.dumps(head)), **arrays)
        os.chmod(temporary, 0o644)  # what is made as temporary is its owner's alone
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def read_pool(path: Path) -> OpponentPool:
    """Read a pool and check its digest; raise PoolError if the file is not whole."""
    try:
        with open(path, "rb") as opened, np.load(opened, allow_pickle=False) as file:
            head = json.loads(str(file["head"]))
            strengths = np.ascontiguousarray(file["strengths"], np.int16)
            broken, decisions = file["broken"], file["decisions"]
            dealt = file.get("dealt")
        key = head["name"], head["wheel"], head["seed"]
        plays = strengths, broken, decisions
        pool = OpponentPool(*key, *plays, head["about"], dealt, bankers=head.get("bankers"))
        if head["format"] != _FORMAT or head["digest"] != pool.digest:
            raise ValueError
    except _DAMAGED as error:
        raise PoolError(f"the pool file {path} is damaged") from error
    return pool
