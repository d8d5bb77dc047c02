"""Whole tables played out in duplicate: which strategy wins how much from which others."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import permutations, product
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from evaluator.ranking import tables
from solver import __version__
from solver.choosing import notices
from solver.declaring import naturals_of
from solver.duplicate import Plays, Recorded, deal_tables, key_naturals, settle_deals
from solver.opening import Table, field_of, find_naturals, open_table, relabellings_of
from solver.pool import DECLARE, SET, SURRENDER, OpponentPool, PoolError, Progress, silent
from solver.rules import FACING, RuleSet, load_rules, seats_of
from solver.setter import set_hands
from solver.settling import clauses_of
from solver.wishes import SolveError

I64 = NDArray[np.int64]
F64 = NDArray[np.float64]

_CHUNK: Final = 512  # deals that a thread plays at a time
_MOST_RECORDED: Final = 2  # of three dealt hands, one in five million shares no card
_RECORDED_NOTE: Final = (
    "A recorded player always holds the hands he was recorded with, so his units, and those of "
    "the others, are partly the luck of these hands; only the others change seats."
)
_HOME_RUN_NOTE: Final = "Home runs are paid, but nobody sets a hand with them in mind."


@dataclass(frozen=True)
class SeatResult:
    """What one strategy won."""

    name: str  # numbered where several seats have the same
    units: float  # a deal, from all others at the table together
    se: float


@dataclass(frozen=True)
class Simulation:
    """Deals played out, each at several tables."""

    rules: str
    deals: int
    tables: int  # at which each deal was played: one for each order of the seats, and banker
    seed: int
    seconds: float
    version: str
    seats: tuple[SeatResult, ...]  # in the order given; their units add up to zero
    notes: tuple[str, ...]  # what else to know, in sentences

    def to_dict(self) -> dict[str, Any]:
        """Return it in the form of ``capsa simulate --format json``."""
        return asdict(self)


def simulate(
    seats: Sequence[str | Path | OpponentPool],
    rules: str | Path | RuleSet = "2-4",
    deals: int = 10_000,
    seed: int = 0,
    jobs: int = 1,
    strict: bool = False,
    progress: Progress = silent,
) -> Simulation:
    """Play whole tables in duplicate: every deal in every order of the seats.

    So every strategy holds every hand of a deal against every arrangement of the others, and the
    luck of the deal cancels; copies of one strategy set a hand alike and win the same. Under rules
    with a banker every seat deals as the banker in turn. Tables settle by all clauses (rules.md
    section 1), while each hand is set by `setter.set_hands`, with pairs in mind.

    Recorded settings (.csv) are all that is known of their player, so he draws one of his hands, in
    which suits are named anew; the others are dealt the rest, and only they change seats.

    Parameters
    ----------
    seats
        A strategy for each seat: opponents as for `solve`. The same one may sit there twice.
    rules
        The name of a preset, the path of a TOML file, or a rule set.
    deals
        How many, 2 or more.
    seed
        Deal i depends only on (seed, i).
    jobs
        Threads; the result does not depend on how many.
    strict
        Whether an illegal row of recorded settings is an error; else it is skipped.
    progress
        Called with a description and the share done.

    Returns
    -------
    Simulation
        Standard errors are over the deals and, with recorded settings, over their records as well,
        which come again from deal to deal.

    Raises
    ------
    RulesError
        If the rules cannot be read.
    PoolError
        If a strategy cannot be had, or recorded hands almost always share cards.
    SolveError
        If the rules are for more or fewer players, or deals is out of range.

    Examples
    --------
    >>> greedy, random = simulate(["greedy", "random"], deals=200).seats
    >>> greedy.units > 0 == greedy.units + random.units
    True
    """
    if not seats:
        raise SolveError("no seats; name a strategy for each")
    if deals < 2:
        raise SolveError(f"{deals} deals; a standard error needs at least 2")
    rule_set = rules if isinstance(rules, RuleSet) else load_rules(rules)
    game = _game(rule_set, _open(seats, rule_set, seed, strict, progress))
    start = time.perf_counter()
    what = f"playing {deals:,} deals"
    progress(what, 0.0)
    played: list[_Played] = []
    for part in Parallel(n_jobs=jobs, prefer="threads", return_as="generator")(
        delayed(_play)(game, seed, first, min(_CHUNK, deals - first))
        for first in range(0, deals, _CHUNK)
    ):
        played.append(part)
        progress(what, min(1.0, len(played) * _CHUNK / deals))
    won = np.concatenate([part.units for part in played], axis=1)
    units = won / (game.tables * np.bincount(game.seats)[:, None])
    means = units.mean(axis=1)
    errors = _errors(units, np.concatenate([part.records for part in played]))
    return Simulation(
        rules=game.rules.name,
        deals=deals,
        tables=game.tables,
        seed=seed,
        seconds=time.perf_counter() - start,
        version=__version__,
        seats=tuple(
            SeatResult(name, float(means[who]), float(errors[who]))
            for name, who in zip(_names(game), game.seats, strict=True)
        ),
        notes=tuple(_notes(game)),
    )


def _open(
    seats: Sequence[str | Path | OpponentPool],
    rules: RuleSet,
    seed: int,
    strict: bool,
    progress: Progress,
) -> list[Table]:
    """Return the strategies of the seats, or raise PoolError with all that cannot be had."""
    opened, problems = [], []
    for seat in seats:
        try:
            opened.append(open_table(rules, len(seats), seat, None, seed, progress, strict))
        except PoolError as error:
            problems.append(str(error))
    if problems:
        raise PoolError("\n".join(dict.fromkeys(problems)))
    return opened


class _Game(NamedTuple):
    """Who plays what, ready for any deal."""

    rules: RuleSet
    strategies: list[Table]  # each once
    seats: list[int]  # the strategies in the order in which they were named
    seatings: I64  # (n, seats) ... and in those in which they sit; recorded ones always come first
    banks: I64  # (b,) seats of the banker one after another, or -1 for none
    recorded: Recorded

    @property
    def tables(self) -> int:
        """At how many tables a deal is played."""
        return len(self.seatings) * len(self.banks)

    @property
    def home_runs(self) -> bool:
        """Whether a table of so many pays home runs."""
        enough = self.seatings.shape[1] >= self.rules.home_run_min_players
        return enough and self.rules.home_run > 1

    @property
    def fixed(self) -> int:
        """How many seats, the first ones, hold recorded hands."""
        return len(self.recorded.starts) - 1


class _Played(NamedTuple):
    units: I64  # (strategies, deals) won at all tables of a deal
    records: I64  # (deals, recorded seats) whose hands were drawn


def _game(rules: RuleSet, opened: list[Table]) -> _Game:
    """Seat the strategies, those of recorded settings first."""
    in_order = sorted(opened, key=lambda table: table.pool.dealt is None)
    strategies = list({table.pool: table for table in in_order}.values())
    for table in strategies:
        for seat in seats_of(rules):
            field_of(rules, table.pool, seat)  # once, before several threads ask for it
    who = {table.pool: place for place, table in enumerate(strategies)}
    hands = [table.pool.dealt for table in in_order if table.pool.dealt is not None]
    fixed = len(hands)
    if fixed > _MOST_RECORDED:
        raise PoolError(
            f"{fixed} seats have recorded settings; use at most {_MOST_RECORDED}, since hands of "
            "more almost always share cards"
        )
    seating = [who[table.pool] for table in in_order]
    seatings = sorted({(*seating[:fixed], *rest) for rest in permutations(seating[fixed:])})
    return _Game(
        rules,
        strategies,
        [who[table.pool] for table in opened],
        np.array(seatings),
        np.arange(len(opened)) if rules.banker else np.array([-1]),
        Recorded(
            np.concatenate([np.empty(0, np.int64), *hands]),
            np.cumsum([0, *map(len, hands)]),
            relabellings_of(rules),
        ),
    )


def _play(game: _Game, seed: int, first: int, n: int) -> _Played:
    """Play n deals from the first on."""
    hands = np.empty((n, game.seatings.shape[1]), np.int64)
    records = np.empty((n, game.fixed), np.int64)
    if not deal_tables(seed, first, game.recorded, hands, records):
        names = (game.strategies[who].pool.name for who in game.seatings[0, : game.fixed])
        raise PoolError(
            f"hands recorded in {' and '.join(names)} almost always share cards; record more"
        )
    plays = _plays(game, seed, hands, records)
    units = np.empty((len(game.strategies), n), np.int64)
    clauses = clauses_of(game.rules)
    settle_deals(plays, game.seatings, game.banks, game.home_runs, clauses, units)
    return _Played(units, records)


def _plays(game: _Game, seed: int, hands: I64, records: I64) -> Plays:
    """Return what every strategy would do with the hands that it can hold."""
    rules, strategies = game.rules, game.strategies
    roles = seats_of(rules)
    shape = (len(roles) * len(strategies), *hands.shape)
    naturals = find_naturals(rules, hands.ravel()).reshape(hands.shape)
    keys = np.empty_like(hands)
    key_naturals(hands, naturals, naturals_of(rules).kinds, tables(rules.wheel), keys)
    strengths = np.zeros((*shape, 3), np.int16)
    broken, decisions = np.zeros(shape, np.uint8), np.zeros(shape, np.uint8)
    for seat, drawn in enumerate(records.T):
        who = game.seatings[0, seat]
        pool, ways = strategies[who].pool, slice(who, None, len(strategies))
        strengths[ways, :, seat] = pool.strengths[drawn]
        broken[ways, :, seat] = pool.broken[drawn]
        holds = naturals[:, seat] >= 0
        decisions[ways, :, seat] = _allowed(rules, pool.decisions[drawn], holds)
    dealt = hands[:, game.fixed :]
    for way, (role, table) in enumerate(product(roles, strategies)):
        if table.pool.dealt is None:
            met = replace(table, seat=FACING[role])  # who meets such
            play = set_hands(met, dealt.ravel(), seed)
            strengths[way, :, game.fixed :] = play.settings.strengths.reshape(*dealt.shape, 3)
            broken[way, :, game.fixed :] = play.settings.broken.reshape(dealt.shape)
            decisions[way, :, game.fixed :] = play.decisions.reshape(dealt.shape)
    return Plays(strengths, broken, decisions, naturals, keys)


def _allowed(
    rules: RuleSet, decisions: NDArray[np.uint8], holds: NDArray[np.bool_]
) -> NDArray[np.uint8]:
    """Return what recorded decisions are under the rules, as `opening.field_of` takes them."""
    if rules.surrender is None:
        decisions = np.where(decisions == SURRENDER, SET, decisions)
    if not rules.optional:
        decisions = np.where(holds, DECLARE, decisions)
    return decisions.astype(np.uint8)


def _errors(units: F64, records: I64) -> F64:
    """Return the standard errors of mean units (strategies,).

    Deals with the same record, records (deals, seats), are not independent: each seat's records
    are clusters (Cameron, Gelbach and Miller, "Robust inference with multiway clustering", 2011),
    whose overlap is single deals.
    """
    deals = units.shape[1]
    rest = units - units.mean(axis=1, keepdims=True)
    alone = (rest**2).sum(axis=1)
    total = alone.copy()
    for drawn in records.T:
        sums = np.array([np.bincount(drawn, of_strategy) for of_strategy in rest])
        total += np.maximum(0, (sums**2).sum(axis=1) - alone)
    errors: F64 = np.sqrt(total / (deals * (deals - 1)))
    return errors


def _names(game: _Game) -> Iterator[str]:
    """Yield the seats' names, with a number where several have the same."""
    names = [game.strategies[who].pool.name for who in game.seats]
    for seat, name in enumerate(names):
        number = names[: seat + 1].count(name)
        yield f"{name} {number}" if names.count(name) > 1 else name


def _notes(game: _Game) -> Iterator[str]:
    """Say what the units depend on."""
    if game.fixed:
        yield _RECORDED_NOTE
    if game.home_runs:
        yield _HOME_RUN_NOTE
    yield from {
        notice: None for table in game.strategies for notice in notices(table.pool, game.rules)
    }
