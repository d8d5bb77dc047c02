"""Several opponents dealt at once: clauses that look at the whole table, and the risk of a deal.

The EV against one opponent comes from the pair estimate all the same; only what a home run adds
is averaged over joint deals. Deal i has the i-th conditional opponent as the first one, and the
others are dealt what is left. So both averages are over the pool's records, and standard errors,
clustered by record, hold for their sum.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache, partial
from math import lcm
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluator.broken import broken_code
from evaluator.kernels import workspace
from evaluator.naturals import natural_key
from evaluator.ranking import tables
from solver.declaring import naturals_of, pay_naturals
from solver.estimate import Results, results, solve_hands
from solver.joint_deals import PLACE, deal_others, settle, show
from solver.opening import Table, actions, relabellings_of
from solver.opponents import Space, space
from solver.rules import FACING
from solver.scoring import Terms, terms_of
from solver.setter import set_hands
from solver.solve import Answers, declaring
from solver.wishes import EV, Objective

I16 = NDArray[np.int16]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
F64 = NDArray[np.float64]

# Settings that are looked at as a whole: the best against pairs, which is all of them but for one
# hand in fifty. With the best 32 alone 2 in 100 hands of a banker missed the best for home runs,
# 0.02 units a hand, and 4 in 10 that of risk:0.5 under shisanshui.
WIDE: Final = 512
_QUANTILES: Final = (0.05, 0.95)


def run_jointly(table: Table, hands: I64, top: int) -> Answers:
    """Do what `solver.solve.run` does, for tables whose deals matter as a whole."""
    field, (terms, worths) = table.field, terms_of(table.rules, table.seat)
    ranks = tables(table.rules.wheel)
    work, scratch = workspace(), space(field, terms, table.wanted)
    naturals, declare_ev, declare_se = declaring(table, hands, scratch)
    found = results(len(hands), top)
    values, leads = np.zeros((len(hands), 3)), np.zeros((len(hands), 2))
    risks = np.zeros((len(hands), top + 2, 6))
    paired = table.objective == EV and not table.home_runs  # the best against pairs is the best
    for h in range(len(hands)):
        wide = results(1, top if paired else max(top, WIDE))
        solve_hands(
            *(hands[h : h + 1], field, terms, worths, ranks),
            *(table.seed, table.wanted, work, scratch, wide),
        )
        found.samples[h] = wide.samples[0]
        if found.samples[h] < 2:
            continue
        hand = int(hands[h])
        meeting = _meet(table, hand, scratch, int(wide.samples[0]))
        heroes = _shown(table, hand, wide)
        means = np.array([meeting.means(one) for one in map(meeting.score, heroes)])
        order = np.lexsort(-means.T)  # by the values, and of equal ones by the EVs
        listed = [meeting.score(heroes[k]) for k in order[: max(2, top)]]
        best = meeting.ev(meeting.score(heroes[means[:, 0].argmax()]))
        _enter(h, order[:top], wide, best, map(meeting.ev, listed), table.weight, found)
        first, *second = map(meeting.value, listed[:2])
        if second:
            lead = first.minus(second[0])
            leads[h] = lead.mean, lead.spread()
        if table.risk or table.objective != EV:
            others = meeting.declare(hand, int(naturals[h])), meeting.surrender()
            evs = table.weight * declare_ev[h], table.weight * wide.surrender_ev[0]
            values[h] = first.mean, *map(partial(_worth, table.objective), evs, others)
            shown = [one.totals for one in listed[:top]]
            risks[h, : len(shown)] = [_risk(totals) for totals in shown]
            risks[h, top:] = [_risk(totals) for totals in others]
    other = table.objective != EV
    by = values if other else None
    return Answers(found, naturals, declare_ev, declare_se, by, leads if other else None, risks)


def enter_home_runs(table: Table, hand: int, space: Space, found: Results) -> None:
    """Put home runs into what row 0 says of a hand's settings, the first being the best.

    ``space`` has the opponents that it met.
    """
    meeting = _meet(table, hand, space, int(found.samples[0]))
    evs = [meeting.ev(meeting.score(hero)) for hero in _shown(table, hand, found)]
    _enter(0, np.arange(len(evs)), found, evs[0], evs, table.weight, found)


def weigh_all(
    table: Table,
    hand: int,
    strengths: I16,
    broken: NDArray[np.uint8],
    sums: I64,
    space: Space,
    met: int,
) -> F64:
    """Return the EVs (n,) of any number of settings of a hand but for what is the same for all.

    ``sums`` (n,) are what pairs pay, and ``space`` has the opponents that it met, so many.
    """
    meeting = _meet(table, hand, space, met)
    heroes, first, place = np.unique(
        _heroes(table, strengths, broken), axis=0, return_index=True, return_inverse=True
    )
    return meeting.weigh(heroes, sums[first] / met)[place.ravel()]  # numpy 2.0 keeps an axis


class _Measured(NamedTuple):
    """A number measured on records of the pool."""

    mean: float
    parts: NDArray[Any]  # (records,) each record's part of the mean's error

    def spread(self) -> float:
        """Return the standard error of the mean, clustered as in `opponents.spread`."""
        records = len(self.parts)
        return float(np.sqrt((self.parts**2).sum() * records / max(1, records - 1)))

    def plus(self, other: "_Measured", times: float = 1.0) -> "_Measured":
        return _Measured(self.mean + times * other.mean, self.parts + times * other.parts)

    def minus(self, other: "_Measured") -> "_Measured":
        return self.plus(other, -1.0)


class _Scores(NamedTuple):
    """What a setting wins."""

    alone: NDArray[Any]  # (m,) of all opponents, were each like one that the hand meets alone
    runs: F64  # (d,) by home runs in each joint deal, if not with one opponent alone
    totals: F64  # (d,) in all


@dataclass(frozen=True)
class _Meeting:
    """Whom a hand meets: opponents alone, and several dealt together."""

    table: Table
    fixed: I64  # what one who sets is paid by a natural of each place, and last by who surrenders
    terms: Terms
    stakes: I64  # (n,) in whole numbers, so that sums stay exact ...
    scale: int  # ... of which so many are one
    pairs: I16  # (m, 1, 8) what those met alone show
    one: I64  # (m,) the numbers of their records
    hands: I64  # (d, n) dealt together
    seats: I16  # (d, n, 8) what these show
    several: I64  # (d,) the numbers of the records that come first there
    records: int  # how many there are

    def score(self, hero: I16) -> _Scores:
        """Settle a setting with them."""
        alone, _ = self._settle(hero, self.pairs)
        units, runs = self._settle(hero, self.seats)
        weighted = self.table.weight * alone[:, 0]
        return _Scores(weighted, self._total(runs), self._total(units + runs))

    def weigh(self, heroes: I16, alone: F64) -> F64:
        """Return the EVs of many settings (k, 8), of which pairs pay so much (k,) on average."""
        if self.table.rules.banker:  # some home runs are part of what pairs pay
            alone = np.array([self._settle(hero, self.pairs)[0].mean() for hero in heroes])
        rows = self.seats[..., :3]  # for a home run the hand beats everybody, or somebody the rest
        able = (rows <= heroes.max(axis=0)[:3]).all(axis=(1, 2))
        able |= (rows == rows.max(axis=1, keepdims=True)).all(axis=2).any(axis=1)
        seats = self.seats[able]
        runs = [self._total(self._settle(hero, seats)[1]).sum() for hero in heroes]
        evs: F64 = self.table.weight * alone + np.array(runs) / len(self.seats)
        return evs

    def _settle(self, hero: I16, seats: I16) -> tuple[I32, I32]:
        units, runs = np.empty((2, len(seats), min(len(self.stakes), seats.shape[1])), np.int32)
        home_run = self.table.rules.home_run if self.table.home_runs else 1
        settle(hero, seats, home_run, self.fixed, self.terms, units, runs)
        return units, runs

    def _total(self, paid: NDArray[Any]) -> F64:
        """Return the totals (d,) of what each opponent pays (d, n), at the stakes."""
        totals: F64 = paid @ self.stakes / self.scale
        return totals

    def ev(self, scores: _Scores) -> _Measured:
        """Return the EV from all opponents."""
        alone = self._measure(scores.alone, self.one)
        return alone.plus(self._measure(scores.runs, self.several))

    def means(self, scores: _Scores) -> tuple[float, float]:
        """Return the EV and the value without their errors, which take most of the time."""
        ev = float(scores.alone.mean() + scores.runs.mean())
        return ev, _worth(self.table.objective, ev, scores.totals)

    def value(self, scores: _Scores) -> _Measured:
        """Return what the objective makes of it."""
        objective, totals = self.table.objective, scores.totals
        if objective.name == "ev":
            return self.ev(scores)
        if objective.name == "win-chance":
            return self._measure(totals > 0, self.several)
        squares = self._measure((totals - totals.mean()) ** 2, self.several)
        return self.ev(scores).plus(squares, -objective.aversion)

    def _measure(self, scores: NDArray[Any], records: I64) -> _Measured:
        mean = float(scores.mean())
        return _Measured(mean, np.bincount(records, (scores - mean) / len(scores), self.records))

    def declare(self, hand: int, natural: int) -> F64:
        """Return what declaring a natural wins in each joint deal (d,); 0 without one."""
        rules = self.table.rules
        naturals, places = naturals_of(rules), self._places
        if natural < 0:
            return np.zeros(len(places))
        paid = np.full(places.shape, naturals.units[natural])
        ranks, kind = tables(rules.wheel), int(naturals.kinds[natural])
        own = natural_key(kind, hand, ranks)
        for at in zip(*np.nonzero((places >= 0) & (places < len(naturals.units))), strict=True):
            key = natural_key(kind, int(self.hands[at]), ranks)  # counts for equal kinds only
            order = (own > key) - (own < key)
            paid[at] = pay_naturals(natural, int(places[at]), order, naturals)
        return self._total(paid)

    def surrender(self) -> F64:
        """Return what surrendering wins in each joint deal (d,)."""
        price = self.table.rules.surrender or 0
        paid = np.append(-price, np.minimum(self.fixed, 0))  # naturals are paid first
        return self._total(paid[self._places + 1])

    @property
    def _places(self) -> I16:
        """What the opponents of joint deals do instead of setting (d, n), or -1."""
        return self.seats[:, : len(self.stakes), PLACE]


def _meet(table: Table, hand: int, space: Space, met: int) -> _Meeting:
    """Return whom a hand meets: the opponents in the scratch, alone and with others.

    ``space.found`` has their records as they were drawn: any first part is a fair sample.
    """
    records = space.record[:met]
    first = space.found[np.arange(table.joint_deals(met)) % met]
    hands, seats = _dealt(table, hand, first.tobytes())
    different, numbers = np.unique(np.concatenate([records, first]), return_inverse=True)
    one, several = np.split(numbers, [len(records)])
    stakes = table.stakes or (Fraction(1),) * table.others
    scale = lcm(*(stake.denominator for stake in stakes))
    return _Meeting(
        table,
        fixed=-table.field.units,
        terms=terms_of(table.rules, table.seat)[0],
        stakes=np.array([int(stake * scale) for stake in stakes], np.int64),
        scale=scale,
        pairs=_pool_seats(table, records)[:, None],
        one=one,
        hands=hands,
        seats=seats,
        several=several,
        records=len(different),
    )


def _shown(table: Table, hand: int, settings: Results) -> I16:
    """Return what the settings in row 0 of the results show, (k, 8)."""
    listed = int(settings.listed[0])
    broken = np.zeros(listed, np.uint8)
    if table.rules.royalties.broken:
        rows = settings.rows[0, :listed].tolist()
        broken[:] = [broken_code(hand, back, middle) for back, middle, _ in rows]
    return _heroes(table, settings.strengths[0, :listed], broken)


def _heroes(table: Table, strengths: I16, broken: NDArray[np.uint8]) -> I16:
    """Return what the hand `show`s with each of its settings (k, 3)."""
    heroes = np.empty((len(strengths), PLACE + 1), np.int16)
    terms, nowhere = terms_of(table.rules, table.seat), np.full(len(strengths), -1)
    show(strengths, broken, nowhere, *terms, heroes)
    return heroes


def _seats(
    table: Table,
    hands: I64,
    strengths: I16,
    broken: NDArray[np.uint8],
    decisions: NDArray[np.uint8],
) -> I16:
    """Return what opponents with these hands (n,) `show`."""
    seats = np.empty((len(hands), PLACE + 1), np.int16)
    terms = terms_of(table.rules, FACING[table.seat])
    show(strengths, broken, actions(table.rules, hands, decisions), *terms, seats)
    return seats


def _pool_seats(table: Table, records: I32) -> I16:
    met = table.met
    plays = met.strengths[records], met.broken[records], met.decisions[records]
    return _seats(table, met.hands[records], *plays)


@lru_cache(maxsize=1)  # to deal takes the most time, and `compare` asks of one hand three times
def _dealt(table: Table, hand: int, first: bytes) -> tuple[I64, I16]:
    return _deal(table, hand, np.frombuffer(first, np.int32))


def _deal(table: Table, hand: int, first: I32) -> tuple[I64, I16]:
    """Return opponents dealt jointly, (d, n) and (d, n, 8), the first ones being these records.

    With a player the first one is the banker.
    """
    seats = _pool_seats(table, first)
    others = table.dealt - 1
    hands = np.empty((len(first), 1 + others), np.int64)
    hands[:, 0] = table.met.hands[first]
    if not others:
        return hands, seats[:, None]
    deal_others(hand, table.seed, relabellings_of(table.rules), hands)
    rest = hands[:, 1:].ravel()
    meeting_players = replace(table, seat=table.seat and "banker")
    play = set_hands(meeting_players, rest, table.seed)
    shown = play.settings.strengths, play.settings.broken, play.decisions
    more = _seats(table, rest, *shown).reshape(len(first), others, -1)
    return hands, np.concatenate([seats[:, None], more], axis=1)


def _worth(objective: Objective, ev: float, totals: F64) -> float:
    """Return what it makes of a setting, declaring or surrendering, from EV and totals (d,)."""
    if objective == EV:
        return ev
    if objective.name == "win-chance":
        return float((totals > 0).mean())
    return ev - objective.aversion * float(totals.var())


def _risk(totals: F64) -> tuple[float, ...]:
    """Return the fields of `Risk` for the totals of some deals (d,)."""
    wins, losses = float((totals > 0).mean()), float((totals < 0).mean())
    even = float((totals == 0).mean())
    return float(totals.std()), wins, losses, even, *np.quantile(totals, _QUANTILES).tolist()


def _enter(
    h: int,
    order: I64,
    wide: Results,
    best: _Measured,
    evs: Iterable[_Measured],
    weight: float,
    found: Results,
) -> None:
    """Enter the settings in this order, with these EVs, into row h of the results."""
    for name in ("rows", "strengths", "win", "tie", "scoop", "scooped", "royalties"):
        getattr(found, name)[h, : len(order)] = getattr(wide, name)[0, order]
    for place, ev in zip(range(len(order)), evs, strict=False):
        gap = best.minus(ev)
        found.ev[h, place], found.se[h, place] = ev.mean / weight, ev.spread() / weight
        found.gap[h, place], found.gap_se[h, place] = gap.mean / weight, gap.spread() / weight
    found.surrender_ev[h], found.surrender_se[h] = wide.surrender_ev[0], wide.surrender_se[0]
    found.listed[h] = len(order)
