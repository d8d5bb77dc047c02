"""The front door: the best setting of a hand."""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evaluator.cards import Cards, parse_hand
from evaluator.kernels import workspace
from evaluator.naturals import natural_arrangement, natural_table
from evaluator.ranking import row_name, tables
from evaluator.settings import Setting
from solver import __version__
from solver.choosing import QUICK_NOTICE, choose_pool, is_everywhere, is_quick
from solver.deals import check_seed
from solver.declaring import declare_hands, naturals_of, strongest_naturals
from solver.estimate import Results, results, solve_hands
from solver.opponents import Field, Space, pack, space
from solver.pool import (
    DECLARE,
    DISJOINT,
    MADE,
    SET,
    SURRENDER,
    OpponentPool,
    PoolError,
    Progress,
    silent,
)
from solver.rules import ROWS, Natural, RuleSet, load_rules
from solver.scoring import terms_of
from solver.solution import DECISIONS, HeldNatural, RowChances, ScoredSetting, Solution

I64 = NDArray[np.int64]
F64 = NDArray[np.float64]

SAMPLES: Final = 10_000
_MANY: Final = 1_000_000
_COLOUR_NATURALS: Final = {"one-colour", "twelve-colours"}
_ALL_SUITS: Final = np.array(list(permutations(range(4))))
_COLOURS: Final = np.array([p for p in permutations(range(4)) if p[0] + p[3] == 3])


class SolveError(ValueError):
    """A question that cannot be answered; the message says why."""


@dataclass(frozen=True)
class Table:
    """Rules, players and opponents, checked and ready for any number of hands."""

    rules: RuleSet
    players: int
    pool: OpponentPool
    seed: int
    samples: int | None  # None: 10,000, or all there are
    opponents: str | None = None  # what the pool is called where every machine has it

    def __reduce__(self) -> tuple[Any, ...]:
        """Go to another machine with the opponents' name alone, if it has them too."""
        if self.opponents:
            return open_table, (
                *(self.rules, self.players, self.opponents, self.samples, self.seed),
            )
        return Table, (self.rules, self.players, self.pool, self.seed, self.samples)

    def __sizeof__(self) -> int:
        """Return the size of what has to be sent; joblib sends something big to a worker once."""
        pool = self.pool
        arrays = pool.strengths, pool.broken, pool.decisions
        return 0 if self.opponents else sum(array.nbytes for array in arrays)

    @property
    def wanted(self) -> int:
        """How many conditional opponents a hand is to meet at the most."""
        everybody = len(self.pool.hands) * len(_ALL_SUITS)
        if everybody > _MANY:  # of a large pool a hand meets about this share, and never 1.1 times
            everybody = int(1.1 * DISJOINT * everybody)
        return min(everybody, SAMPLES if self.samples is None else self.samples)


def open_table(
    rules: str | Path | RuleSet = "2-4",
    players: int = 2,
    opponents: str | Path | OpponentPool = "equilibrium",
    samples: int | None = None,
    seed: int = 0,
    progress: Progress = silent,
    strict: bool = False,
) -> Table:
    """Check and load what hands are solved for.

    The parameters are those of `solve`; if strict, no row of recorded settings may be illegal.
    """
    if not isinstance(rules, RuleSet):
        rules = load_rules(rules)
    fewest, most = rules.players
    if not fewest <= players <= most:
        raise SolveError(f"{players} players; the rules {rules.name} are for {fewest} to {most}")
    if samples is not None and samples < 2:
        raise SolveError(f"samples {samples}; a standard error needs at least 2")
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
    return Table(rules, players, pool, seed, samples, name)


@lru_cache(maxsize=32)  # a batch may ask for another rule set in every row
def field_of(rules: RuleSet, pool: OpponentPool) -> Field:
    """Return what the kernels need to know of a pool under a rule set."""
    terms, worths = terms_of(rules)
    records = np.empty(len(pool.hands), np.int64)
    packed = np.empty(len(pool.hands) if terms.royalties else 0, np.int64)
    naturals = find_naturals(rules, pool.hands)
    if rules.optional:
        naturals[pool.decisions != DECLARE] = -1
    if rules.surrender is not None:
        naturals[(naturals < 0) & (pool.decisions == SURRENDER)] = len(rules.naturals)
    units = np.append(naturals_of(rules).units, -(rules.surrender or 0))
    pack(pool.strengths, pool.broken, naturals, terms, worths, records, packed)
    return Field(pool.index, records, packed, units, relabellings_of(rules))


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


@dataclass(frozen=True)
class Answers:
    """What a table answers to hands (h,); units from one opponent."""

    settings: Results
    naturals: I64  # (h,) place of each hand's strongest natural in the rules' list, or -1
    declare_ev: F64  # (h,) of declaring it, 0 where there is none
    declare_se: F64

    def decided(self, table: Table) -> tuple[NDArray[np.uint8], F64, F64]:
        """Return what each does (h,), and the EVs and standard errors against all opponents."""
        found = self.settings
        evs = [found.ev[:, 0], self.declare_ev, found.surrender_ev]
        errors = [found.se[:, 0], self.declare_se, found.surrender_se]
        decisions = decide(table.rules, self.naturals >= 0, evs)
        others, h = table.players - 1, np.arange(len(decisions))
        return (
            decisions,
            others * np.stack(evs)[decisions, h],
            others * np.stack(errors)[decisions, h],
        )


def decide(rules: RuleSet, holds: NDArray[np.bool_], evs: Sequence[F64]) -> NDArray[np.uint8]:
    """Return what is best (h,): SET, DECLARE or SURRENDER.

    ``holds`` (h,) tells who holds a natural, and ``evs`` (h,) are those of the three. Everybody
    decides at once: what those learn who announce after others is left out.
    """
    surrender = evs[SURRENDER] if rules.surrender is not None else np.full(len(holds), -np.inf)
    decisions = np.where(surrender > evs[SET], SURRENDER, SET)
    declares = evs[DECLARE] > np.maximum(surrender, evs[SET]) if rules.optional else True
    return np.where(holds & declares, DECLARE, decisions).astype(np.uint8)


def run(table: Table, hands: I64, top: int) -> Answers:
    """Solve hands (h,), sets of cards, at a table; safe to call from several threads at once."""
    field = field_of(table.rules, table.pool)
    terms, worths = terms_of(table.rules)
    ranks = tables(table.rules.wheel)
    scratch = space(field, terms, table.wanted)
    found = results(len(hands), top)
    solve_hands(
        hands, field, terms, worths, ranks, table.seed, table.wanted, workspace(), scratch, found
    )
    return Answers(found, *declaring(table, hands, scratch))


def declaring(table: Table, hands: I64, scratch: Space) -> tuple[I64, F64, F64]:
    """Return what `Answers` has of naturals: places in the rules' list, EVs and their errors."""
    places = find_naturals(table.rules, hands)
    ev, se = np.zeros(len(hands)), np.zeros(len(hands))
    if (places >= 0).any():
        declare_hands(
            hands,
            places,
            table.pool.hands,
            field_of(table.rules, table.pool),
            terms_of(table.rules)[0],
            naturals_of(table.rules),
            tables(table.rules.wheel),
            table.seed,
            table.wanted,
            scratch,
            ev,
            se,
        )
    return places, ev, se


def shortage(table: Table, samples: int) -> str | None:
    """Say what is wrong where a hand met so few conditional opponents, or None."""
    if table.samples is not None and samples < table.samples:
        return (
            f"{table.samples} samples asked for, but only {samples} conditional opponents exist "
            f"for this hand in the pool {table.pool.name}"
        )
    if samples < (least := 2 if table.samples else table.pool.fewest):
        fewer = f", or ask for --samples {samples}" if samples >= 2 else ""
        return (
            f"the pool {table.pool.name} has {samples} opponents without a card of this hand, but "
            f"{least} are needed; take a larger pool{fewer}"
        )
    return None


def solve(
    hand: str | Iterable[int],
    rules: str | Path | RuleSet = "2-4",
    players: int = 2,
    opponents: str | Path | OpponentPool = "equilibrium",
    samples: int | None = None,
    top: int = 5,
    seed: int = 0,
    progress: Progress = silent,
) -> Solution:
    """Find the best setting of a hand.

    Every setting that can be the best is scored against the same conditional opponents: hands of
    the pool that share no card with this one. Against n opponents the EV is n times that against
    one, as each pair settles by itself.

    Parameters
    ----------
    hand
        13 cards, as text or as card numbers.
    rules
        The name of a preset, the path of a TOML file, or a rule set.
    players
        Players at the table, the hand's own included.
    opponents
        "equilibrium", who are nearly unbeatable; "greedy"; "random"; a pool, or the path of one
        (.npz); or the path of recorded settings (.csv), see `solver.recorded.read_recorded`.
    samples
        Exactly so many conditional opponents; if None, 10,000 or all there are.
    top
        How many settings to list at the most.
    seed
        Draws which of the conditional opponents are met, and nothing else.
    progress
        Called with a description and the share done while a pool is made, and with what is to
        be told of it.

    Returns
    -------
    Solution

    Raises
    ------
    CardError
        Unless the hand is 13 different cards.
    RulesError
        If the rules cannot be read.
    PoolError
        If the opponents cannot be had.
    SolveError
        If players or samples are out of range.

    Examples
    --------
    >>> solution = solve("As Ks Qs Js 6s 5s 3s Qh 9h 2h Jd 8c 3c", opponents="greedy")
    >>> print(solution.best.setting.front)
    Qh 9h 8c
    >>> solution.best.se < 0.05
    True
    """
    cards = parse_hand(hand)
    if top < 1:
        raise SolveError(f"top {top}; at least one setting is listed")
    table = open_table(rules, players, opponents, samples, seed, progress)
    field_of(table.rules, table.pool)  # loaded before the clock starts
    start = time.perf_counter()
    answers = run(table, np.array([cards.mask], np.int64), max(2, top))
    found = answers.settings
    seconds = time.perf_counter() - start
    problem = shortage(table, int(found.samples[0]))
    if problem:
        raise SolveError(problem)
    settings = tuple(scored_setting(found, place, table) for place in range(int(found.listed[0])))
    decisions, ev, se = answers.decided(table)
    place = int(answers.naturals[0])
    natural = table.rules.naturals[place] if place >= 0 else None
    return Solution(
        hand=cards,
        rules=table.rules.name,
        players=players,
        opponents=table.pool.name,
        seed=seed,
        samples=int(found.samples[0]),
        seconds=seconds,
        version=__version__,
        decision=DECISIONS[decisions[0]],
        natural=natural and _held(natural, cards, table.rules),
        ev=float(ev[0]),
        se=float(se[0]),
        settings=settings[:top],
        second=settings[1] if len(settings) > 1 else None,
        notes=tuple(_notes(table, settings[0].ev)),
    )


def _held(natural: Natural, cards: Cards, rules: RuleSet) -> HeldNatural:
    name, units, pairs, wheel_front = natural
    shown = natural_arrangement(cards, name, pairs, wheel_front, rules.wheel)
    return HeldNatural(name, units, shown)


def scored_setting(found: Results, place: int, table: Table) -> ScoredSetting:
    """Return what was found out about a setting of the first hand."""
    others, here = table.players - 1, (0, place)
    names = (row_name(int(strength), table.rules.wheel) for strength in found.strengths[here])
    return ScoredSetting(
        setting=Setting(*(Cards.from_mask(int(row)) for row in found.rows[here])),
        names=dict(zip(ROWS, names, strict=True)),
        ev=others * float(found.ev[here]),
        se=others * float(found.se[here]),
        gap=others * float(found.gap[here]),
        gap_se=others * float(found.gap_se[here]),
        win=RowChances(*found.win[here].tolist()),
        tie=RowChances(*found.tie[here].tolist()),
        scoop=float(found.scoop[here]),
        scooped=float(found.scooped[here]),
        royalties=others * float(found.royalties[here]),
    )


def _notes(table: Table, ev: float) -> Iterator[str]:
    """Say what the EVs leave out, who was trained quickly, and where a foul would be cheap."""
    rules, players = table.rules, table.players
    if is_quick(table.pool):
        yield QUICK_NOTICE
    if rules.home_run > 1 and players >= rules.home_run_min_players:
        yield f"The EV leaves out home runs: gunning everyone pays {rules.home_run} times as much."
    if rules.banker:
        yield "The EV leaves out the banker: one seat plays all others and wins tied rows."
    if rules.foul != "scooped" and ev < -rules.foul * (players - 1):
        price = rules.foul * (players - 1)
        yield f"A foul would cost only {price} units, but nobody is taken to foul on purpose."


def warm_up(progress: Progress = silent) -> None:
    """Compile every kernel and make the pools, so that later calls start at once."""
    from solver.comparison import compare  # only here: solving alone takes no EV apart ...
    from solver.simulation import simulate  # ... and settles no tables
    from solver.table import PlayedHand, score_table

    for name in MADE:
        solve(range(13), "2-4", opponents=name, samples=2, progress=progress)
    hands = {"A": range(13), "B": range(13, 26)}  # a natural each, which has kernels of its own
    players = []
    for player, hand in hands.items():
        solution = solve(hand, "shisanshui", 2, "greedy", samples=2, progress=progress)
        players.append(PlayedHand(player, *solution.best.setting))
    score_table(players, "shisanshui")
    compare(hand, solution.best.setting, rules="shisanshui", opponents="greedy", samples=2)
    simulate(MADE, deals=2, progress=progress)
