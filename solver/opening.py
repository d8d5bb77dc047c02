"""A table to solve hands at: rules, players and opponents, checked and loaded."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import permutations
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evaluator.naturals import natural_table
from solver.choosing import choose_pool, is_everywhere
from solver.deals import check_seed
from solver.declaring import naturals_of, strongest_naturals
from solver.opponents import Field, pack
from solver.pool import DECLARE, DISJOINT, SURRENDER, OpponentPool, PoolError, Progress, silent
from solver.rules import FACING, RuleSet, Seat, load_rules
from solver.scoring import terms_of
from solver.wishes import (
    DEALS,
    EV,
    MOST_DEALS,
    Objective,
    SolveError,
    Stake,
    parse_objective,
    parse_stakes,
)

I64 = NDArray[np.int64]

SAMPLES: Final = 10_000
_MANY: Final = 1_000_000
_COLOUR_NATURALS: Final = {"one-colour", "twelve-colours"}
_ALL_SUITS: Final = np.array(list(permutations(range(4))))
_COLOURS: Final = np.array([p for p in permutations(range(4)) if p[0] + p[3] == 3])


@dataclass(frozen=True)
class Table:
    """Rules, players and opponents, checked and ready for any number of hands."""

    rules: RuleSet
    players: int
    pool: OpponentPool
    seed: int
    samples: int | None  # None: 10,000, or all there are
    opponents: str | None = None  # what the pool is called where every machine has it
    stakes: tuple[Fraction, ...] = ()  # what a unit is worth against each opponent; () is one each
    objective: Objective = EV
    risk: bool = False  # whether to tell how a deal's total spreads
    deals: int = DEALS  # joint ones, where the table matters as a whole
    seat: Seat | None = None  # the hand's own, under rules with a banker

    def __reduce__(self) -> tuple[Any, ...]:
        """Go to another machine with the opponents' name alone, if it has them too."""
        state = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return _arrived, (state | {"pool": None} if self.opponents else state,)

    def __sizeof__(self) -> int:
        """Return the size of what has to be sent; joblib sends something big to a worker once."""
        pool = self.pool
        arrays = pool.strengths, pool.broken, pool.decisions
        return 0 if self.opponents else sum(array.nbytes for array in arrays)

    @property
    def others(self) -> int:
        """How many opponents pay the hand or are paid by it: all, but of a banker's only he."""
        return 1 if self.seat == "player" else self.players - 1

    @property
    def met(self) -> OpponentPool:
        """The pool of those opponents."""
        return self.pool.seats[FACING[self.seat]]

    @property
    def field(self) -> Field:
        """What the kernels need to know of them."""
        return field_of(self.rules, self.pool, self.seat)

    @property
    def wanted(self) -> int:
        """How many conditional opponents a hand is to meet at the most."""
        everybody = len(self.met.hands) * len(_ALL_SUITS)
        if everybody > _MANY:  # of a large pool a hand meets about this share, and never 1.1 times
            everybody = int(1.1 * DISJOINT * everybody)
        return min(everybody, SAMPLES if self.samples is None else self.samples)

    @property
    def weight(self) -> float:
        """What an EV against one opponent is worth against all of them: how many, or the stakes."""
        return float(sum(self.stakes)) if self.stakes else self.others

    @property
    def home_runs(self) -> bool:
        """Whether gunning everybody pays more."""
        large = self.players >= self.rules.home_run_min_players
        return self.rules.home_run > 1 and large

    @property
    def joint(self) -> bool:
        """Whether opponents have to be dealt together."""
        return self.home_runs or self.risk or self.objective != EV

    @property
    def dealt(self) -> int:
        """How many opponents a joint deal has: home runs may depend on those met by others."""
        return self.players - 1 if self.home_runs else self.others

    def joint_deals(self, met: int) -> int:
        """Return how many joint deals a hand sees that met so many opponents, one by one."""
        return 0 if not self.joint else self.deals if self.dealt > 1 else met


def _arrived(state: dict[str, Any]) -> Table:
    table = dict(state)
    table["pool"] = table["pool"] or choose_pool(table["opponents"], table["rules"])
    return Table(**table)


def open_table(
    rules: str | Path | RuleSet = "2-4",
    players: int = 2,
    opponents: str | Path | OpponentPool = "equilibrium",
    samples: int | None = None,
    seed: int = 0,
    progress: Progress = silent,
    strict: bool = False,
    stakes: str | Iterable[Stake] = (),
    objective: str = "ev",
    risk: bool = False,
    deals: int = DEALS,
    seat: Seat | None = None,
) -> Table:
    """Check and load what hands are solved for.

    The parameters are those of `solve`; if strict, no row of recorded settings may be illegal.
    """
    if not isinstance(rules, RuleSet):
        rules = load_rules(rules)
    fewest, most = rules.players
    if not fewest <= players <= most:
        noun = "player" if players == 1 else "players"
        raise SolveError(f"{players} {noun}; the rules {rules.name} are for {fewest} to {most}")
    if samples is not None and samples < 2:
        raise SolveError(f"samples {samples}; a standard error needs at least 2")
    if not 2 <= deals <= MOST_DEALS:
        raise SolveError(f"deals {deals:,}; use 2 to {MOST_DEALS:,}")
    if seat not in FACING:
        raise SolveError(f"no seat is called {seat!r}; use banker or player")
    if seat and not rules.banker:
        raise SolveError(f"the rules {rules.name} have no banker, so there is no seat to choose")
    seat = seat or ("player" if rules.banker else None)
    worth = parse_stakes(stakes, 1 if seat == "player" else players - 1) if stakes else ()
    aim = parse_objective(objective)
    check_seed(seed)
    if isinstance(opponents, OpponentPool):
        pool, name = opponents, None
    else:
        pool = choose_pool(opponents, rules, strict, progress)
        name = str(opponents) if is_everywhere(opponents, rules) else None
    if pool.wheel != rules.wheel:
        raise PoolError(
            f"the pool {pool.name} was set with the wheel {pool.wheel}, "
            f"but under the rules {rules.name} it is {rules.wheel}"
        )
    wishes = worth, aim, risk, deals
    return Table(rules, players, pool, seed, samples, name, *wishes, seat=seat)


@lru_cache(maxsize=32)  # a batch may ask for another rule set in every row
def field_of(rules: RuleSet, pool: OpponentPool, seat: Seat | None = None) -> Field:
    """Return what the kernels need to know of those in a pool whom one meets under a rule set.

    Under rules with a banker that depends on one's seat.
    """
    theirs = FACING[seat]
    pool = pool.seats[theirs]
    terms, worths = terms_of(rules, theirs)
    records = np.empty(len(pool.hands), np.int64)
    packed = np.empty(len(pool.hands) if terms.royalties else 0, np.int64)
    naturals = actions(rules, pool.hands, pool.decisions)
    units = np.append(naturals_of(rules).units, -(rules.surrender or 0))
    pack(pool.strengths, pool.broken, naturals, terms, worths, records, packed)
    return Field(pool.index, records, packed, units, relabellings_of(rules))


def actions(rules: RuleSet, hands: I64, decisions: NDArray[np.uint8]) -> I64:
    """Return the place of what each hand (h,) declares in the rules' list, or -1 where it is set.

    The place behind the last is surrender.
    """
    places = find_naturals(rules, hands)
    if rules.optional:
        places[decisions != DECLARE] = -1
    if rules.surrender is not None:
        places[(places < 0) & (decisions == SURRENDER)] = len(rules.naturals)
    return places


def relabellings_of(rules: RuleSet) -> I64:
    """Return the suit permutations (n, 4) that keep the naturals of a rule set: all 24, or 8."""
    colours = _COLOUR_NATURALS.intersection(natural.name for natural in rules.naturals)
    return _COLOURS if colours else _ALL_SUITS


def find_naturals(rules: RuleSet, hands: I64) -> I64:
    """Return the place in the rules' list of the strongest natural of each hand (h,), or -1."""
    places = np.full(len(hands), -1, np.int64)
    if rules.naturals:
        strongest_naturals(hands, naturals_of(rules), natural_table(), places)
    return places
