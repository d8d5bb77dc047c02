"""The front door: the best setting of a hand."""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import local
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluator.cards import Cards, parse_hand
from evaluator.kernels import Workspace, workspace
from evaluator.naturals import natural_arrangement
from evaluator.ranking import row_name, tables
from evaluator.settings import Setting
from solver import __version__
from solver.choosing import EQUILIBRIUM, notices
from solver.declaring import declare_hands, naturals_of
from solver.estimate import Results, results, solve_hands
from solver.opening import Table, find_naturals, open_table
from solver.opponents import Field, Space, space
from solver.pool import DECLARE, MADE, SET, SURRENDER, OpponentPool, Progress, silent
from solver.rules import ROWS, Natural, RuleSet, Seat
from solver.scoring import Terms, terms_of
from solver.solution import DECISIONS, HeldNatural, RowChances, ScoredSetting, Solution
from solver.wishes import DEALS, Risk, SolveError, Stake

I64 = NDArray[np.int64]
F64 = NDArray[np.float64]

_DONE = np.array([0, -2, -1])  # place in `Answers.risks` of the best setting, or what else is done


@dataclass(frozen=True)
class Answers:
    """What a table answers to hands (h,); units from one opponent."""

    settings: Results
    naturals: I64  # (h,) place of each hand's strongest natural in the rules' list, or -1
    declare_ev: F64  # (h,) of declaring it, 0 where there is none
    declare_se: F64
    values: F64 | None = None  # (h, 3) what the objective makes of setting, declaring, surrendering
    leads: F64 | None = None  # (h, 2) of the best setting by it over the second, and its error
    risks: F64 | None = None  # (h, top + 2, 6) fields of `Risk`: settings, declaring, surrendering

    def decided(self, table: Table) -> tuple[NDArray[np.uint8], F64, F64]:
        """Return what each does (h,), and the EVs and standard errors against all opponents."""
        found = self.settings
        evs = [found.ev[:, 0], self.declare_ev, found.surrender_ev]
        errors = [found.se[:, 0], self.declare_se, found.surrender_se]
        by = evs if self.values is None else self.values.T
        decisions, h = decide(table.rules, self.naturals >= 0, evs, by), np.arange(len(evs[0]))
        return (
            decisions,
            table.weight * np.stack(evs)[decisions, h],
            table.weight * np.stack(errors)[decisions, h],
        )

    def gap2(self, table: Table) -> F64:
        """Return the EV leads of the best settings over the second best (h,), nan without one."""
        gap = table.weight * self.settings.gap[:, :2]
        return np.where(self.settings.listed > 1, gap[:, 1] - gap[:, 0], np.nan)

    def risk(self, decisions: NDArray[np.uint8]) -> F64:
        """Return the fields of `Risk` (h, 6) of what each does, at a table that asks for them."""
        assert self.risks is not None
        found: F64 = self.risks[np.arange(len(decisions)), _DONE[decisions]]
        return found


def decide(
    rules: RuleSet,
    holds: NDArray[np.bool_],
    evs: Sequence[F64],
    values: Sequence[F64] | F64 | None = None,
) -> NDArray[np.uint8]:
    """Return what is best (h,): SET, DECLARE or SURRENDER.

    ``holds`` (h,) tells who holds a natural, and ``evs`` (h,) are those of the three. Where there
    are ``values`` these decide, and of equal ones the EVs: a chance to win is often 1 or 0.
    Everybody decides at once: what those learn who announce after others is left out.
    """
    by = evs if values is None else values

    def beats(one: int, other: int) -> NDArray[np.bool_]:
        level: NDArray[np.bool_] = (by[one] == by[other]) & (evs[one] > evs[other])
        return level | (by[one] > by[other])

    surrenders = beats(SURRENDER, SET) & (rules.surrender is not None)
    declares = np.where(surrenders, beats(DECLARE, SURRENDER), beats(DECLARE, SET))
    decisions = np.where(surrenders, SURRENDER, SET)
    return np.where(holds & (declares | (not rules.optional)), DECLARE, decisions).astype(np.uint8)


def run(table: Table, hands: I64, top: int) -> Answers:
    """Solve hands (h,), sets of cards, at a table; safe to call from several threads at once."""
    if table.joint:
        from solver.joint import run_jointly  # only here: it has kernels of its own

        return run_jointly(table, hands, top)
    field, (terms, worths) = table.field, terms_of(table.rules, table.seat)
    ranks = tables(table.rules.wheel)
    work, scratch = _kept.scratch(field, terms, table.wanted)
    found = results(len(hands), top)
    solve_hands(hands, field, terms, worths, ranks, table.seed, table.wanted, work, scratch, found)
    return Answers(found, *declaring(table, hands, scratch))


class _Kept(local):
    """A thread's scratch, for its next hand: to make it anew takes a third of solving one."""

    made: tuple[Field, int, Workspace, Space] | None = None

    def scratch(self, field: Field, terms: Terms, capacity: int) -> tuple[Workspace, Space]:
        """Return scratch for a field, which ``terms`` belong to."""
        if not self.made or self.made[0] is not field or self.made[1] != capacity:
            self.made = field, capacity, workspace(), space(field, terms, capacity)
        return self.made[2:]


_kept = _Kept()


def declaring(table: Table, hands: I64, scratch: Space) -> tuple[I64, F64, F64]:
    """Return what `Answers` has of naturals: places in the rules' list, EVs and their errors."""
    places = find_naturals(table.rules, hands)
    ev, se = np.zeros(len(hands)), np.zeros(len(hands))
    if (places >= 0).any():
        declare_hands(
            hands,
            places,
            table.met.hands,
            table.field,
            terms_of(table.rules, table.seat)[0],
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
            f"{table.samples} samples asked for, but the pool {table.pool.name} has only {samples} "
            "opponents without a card of this hand; ask for fewer"
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
    stakes: str | Iterable[Stake] = (),
    objective: str = "ev",
    risk: bool = False,
    deals: int = DEALS,
    seat: Seat | None = None,
) -> Solution:
    """Find the best setting of a hand.

    Every setting that can be the best is scored against the same conditional opponents: hands of
    the pool that share no card with this one. Against n opponents the EV is n times that against
    one, as each pair settles by itself, and what home runs add is averaged over joint deals.

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
    stakes
        What a unit is worth against each opponent, such as (10, 100, 10); one each if empty. All
        that is counted in units is then in money.
    objective
        What the best setting has most of: "ev"; "win-chance"; or "risk:0.05", which is EV - 0.05 x
        variance of the deal's total.
    risk
        Whether to tell how a deal's total spreads.
    deals
        Joint deals for home runs, risk and the objective.
    seat
        Under rules with a banker: "banker", who plays each of the others and wins tied rows, or
        "player" (if None), who plays the banker alone.

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
        If players, samples, deals, stakes or objective are out of range.

    Examples
    --------
    >>> solution = solve("As Ks Qs Js 6s 5s 3s Qh 9h 2h Jd 8c 3c", opponents="greedy")
    >>> print(solution.best.setting.front)
    Qh 9h 8c
    >>> solution.best.se < 0.05
    True
    """
    cards = parse_hand(hand)
    wishes: dict[str, Any] = {"stakes": stakes, "objective": objective, "risk": risk}
    wishes |= {"deals": deals, "seat": seat}
    table = open_table(rules, players, opponents, samples, seed, progress, **wishes)
    return solve_at(table, cards, top)


def solve_at(table: Table, cards: Cards, top: int) -> Solution:
    """Solve a hand at a table that is open."""
    if top < 1:
        raise SolveError(f"top {top}; at least one setting is listed")
    _ = table.field  # loaded before the clock starts
    start = time.perf_counter()
    answers = run(table, np.array([cards.mask], np.int64), max(2, top))
    found = answers.settings
    seconds = time.perf_counter() - start
    problem = shortage(table, int(found.samples[0]))
    if problem:
        raise SolveError(problem)
    settings = tuple(scored_setting(found, place, table) for place in range(int(found.listed[0])))
    decisions, ev, se = answers.decided(table)
    risk = None
    if table.risk and answers.risks is not None:
        risks = [Risk(*row) for row in answers.risks[0].tolist()]
        settings = tuple(map(_with_risk, settings, risks))
        risk = Risk(*answers.risk(decisions)[0].tolist())
    place = int(answers.naturals[0])
    natural = table.rules.naturals[place] if place >= 0 else None
    second = settings[1] if len(settings) > 1 else None
    lead = None
    if second and answers.leads is not None:
        lead = float(answers.leads[0, 0]), float(answers.leads[0, 1])
    return Solution(
        hand=cards,
        rules=table.rules.name,
        players=table.players,
        opponents=table.pool.name,
        seed=table.seed,
        samples=int(found.samples[0]),
        seconds=seconds,
        version=__version__,
        decision=DECISIONS[decisions[0]],
        natural=natural and _held(natural, cards, table.rules),
        ev=float(ev[0]),
        se=float(se[0]),
        settings=settings[:top],
        second=second,
        notes=tuple(_notes(table, settings[0].ev)),
        stakes=tuple(map(float, table.stakes)),
        objective=str(table.objective),
        deals=table.joint_deals(int(found.samples[0])),
        risk=risk,
        lead=lead,
        seat=table.seat,
    )


def _with_risk(scored: ScoredSetting, risk: Risk) -> ScoredSetting:
    return replace(scored, risk=risk)


def _held(natural: Natural, cards: Cards, rules: RuleSet) -> HeldNatural:
    name, units, pairs, wheel_front = natural
    shown = natural_arrangement(cards, name, pairs, wheel_front, rules.wheel)
    return HeldNatural(name, units, shown)


def scored_setting(found: Results, place: int, table: Table) -> ScoredSetting:
    """Return what was found out about a setting of the first hand."""
    weight, here = table.weight, (0, place)
    names = (row_name(int(strength), table.rules.wheel) for strength in found.strengths[here])
    return ScoredSetting(
        setting=Setting(*(Cards.from_mask(int(row)) for row in found.rows[here])),
        names=dict(zip(ROWS, names, strict=True)),
        ev=weight * float(found.ev[here]),
        se=weight * float(found.se[here]),
        gap=weight * float(found.gap[here]),
        gap_se=weight * float(found.gap_se[here]),
        win=RowChances(*found.win[here].tolist()),
        tie=RowChances(*found.tie[here].tolist()),
        scoop=float(found.scoop[here]),
        scooped=float(found.scooped[here]),
        royalties=weight * float(found.royalties[here]),
    )


def _notes(table: Table, ev: float) -> Iterator[str]:
    """Say what is to be known of the opponents, and where a foul would be cheap."""
    rules, players = table.rules, table.players
    yield from notices(table.pool, rules)
    if table.joint and players > 2 and table.pool.name not in (EQUILIBRIUM, *MADE):
        yield (
            "Opponents who are dealt together set their hands as the best response to the pool, "
            "which tells only how its own hands were set."
        )
    if rules.foul != "scooped" and not table.stakes and ev < -rules.foul * table.others:
        price = rules.foul * table.others
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
    solve(hand, "shisanshui", 3, samples=2, deals=2, risk=True, progress=progress)  # joint deals
    simulate(MADE, deals=2, progress=progress)
