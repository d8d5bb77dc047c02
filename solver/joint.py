"""Several opponents dealt at once: clauses that look at the whole table, and the risk of a deal.

The EV against one opponent comes from the pair estimate all the same; only what a home run adds
is averaged over joint deals. Deal i has the i-th conditional opponent as the first one, and the
others are dealt what is left. So both averages are over the pool's records, and standard errors,
clustered by record, hold for their sum.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import lcm
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluator.broken import broken_code
from evaluator.jit import inlined, kernel
from evaluator.kernels import canonical, relabel, workspace
from evaluator.naturals import natural_key
from evaluator.ranking import tables
from solver.deals import below, deal_rest, step, stream
from solver.declaring import naturals_of, pay_naturals
from solver.estimate import Results, results, solve_hands
from solver.opening import Table, actions, relabellings_of
from solver.opponents import space
from solver.rules import FACING
from solver.scoring import Side, Terms, Worths, pay, side, terms_of
from solver.setter import set_hands
from solver.solve import Answers, declaring
from solver.wishes import EV, Objective

I16 = NDArray[np.int16]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
F64 = NDArray[np.float64]

WIDE: Final = 32  # settings whose home runs are looked at: the best without them
_PLACE: Final = 7  # in what a player shows, behind the numbers of a side
_QUANTILES: Final = (0.05, 0.95)


@kernel
def deal_others(hand: int, seed: int, relabellings: I64, hands: I64) -> None:
    """Deal the unseen cards: ``hands`` (deals, opponents) have the first opponents', the pool's.

    The pool's suits are kept and the hand's renamed, so that it shares no card with them; of
    several ways one is drawn.
    """
    hand = relabel(hand, relabellings[canonical(hand, relabellings)])
    for i in range(hands.shape[0]):
        state = stream(seed + hand, i)
        renamed = fits = np.int64(0)
        for k in range(relabellings.shape[0]):
            other = relabel(hand, relabellings[k])
            if other & hands[i, 0] == 0:
                fits += 1
                state = step(state)
                if below(state, int(fits)) == 0:
                    renamed = np.int64(other)
        deal_rest(state, int(renamed | hands[i, 0]), hands[i, 1:])


@kernel
def show(
    strengths: I16,
    broken: NDArray[np.uint8],
    places: I64,
    terms: Terms,
    worths: Worths,
    seats: I16,
) -> None:
    """Write what players with these settings (n,) show the others: ``seats`` (n, 8).

    That is their side; then the place of what they do instead of setting, or -1.
    """
    for i in range(seats.shape[0]):
        back, middle, front = strengths[i, 0], strengths[i, 1], strengths[i, 2]
        shown = side(back, middle, front, broken[i], terms, worths)
        for k in range(_PLACE):
            seats[i, k] = shown[k]
        seats[i, _PLACE] = places[i]


@kernel
def settle(
    hero: I16,
    seats: I16,
    home_run: int,
    fixed: I64,
    terms: Terms,
    units: I32,
    runs: I32,
) -> None:
    """Settle a setting, hero's, with the opponents of each deal.

    ``hero`` (8,) and ``seats`` (d, n, 8) are as of `show`, and ``fixed`` what hero is paid by those
    who do not set, by their place. ``units`` (d, m) become what the first m, whom hero settles
    with, pay him whatever the others do, and ``runs`` what home runs add that depend on the others.

    Home runs multiply by ``home_run``. A banker has to gun all the players for one, whereas a
    player has gunned everybody he settles with if he guns the banker.
    """
    own, more = _side(hero), home_run - 1
    bank, player = terms.edge == 1, terms.banker > terms.edge
    # as if there was no banker: a tie that he wins is no gun
    back, middle, front = (
        own.back ^ terms.banker,
        own.middle ^ terms.banker,
        own.front ^ terms.banker,
    )
    for d in range(seats.shape[0]):
        everybody = more > 0 and not player  # are gunned by hero, who needs them all
        for j in range(units.shape[1]):
            runs[d, j] = 0
            place = seats[d, j, _PLACE]
            if place >= 0:  # cannot be gunned
                units[d, j] = fixed[place]
                everybody = False
                continue
            other = _side(seats[d, j])
            units[d, j] = pay(own, other, terms)
            multiplied = units[d, j] - own.extra + other.extra
            guns = back > other.back and middle > other.middle and front > other.front
            gunned = back < other.back and middle < other.middle and front < other.front
            everybody = everybody and bool(guns)
            if (guns and player) or (gunned and bank):
                units[d, j] += more * multiplied
            elif gunned and _guns_rest(j, seats[d]):
                runs[d, j] = more * multiplied
        if everybody:
            for j in range(units.shape[1]):
                runs[d, j] = more * (units[d, j] - own.extra + _side(seats[d, j]).extra)


@inlined
def _side(seat: I16) -> Side:
    return Side(seat[0], seat[1], seat[2], seat[3], seat[4], seat[5], seat[6])


@kernel
def _guns_rest(j: int, seats: I16) -> bool:
    """Tell whether an opponent who sets guns all the other ones."""
    for other in range(seats.shape[0]):
        if other == j:
            continue
        for row in range(3):
            if seats[other, _PLACE] >= 0 or seats[j, row] <= seats[other, row]:
                return False
    return True


def _seats(
    table: Table,
    hands: I64,
    strengths: I16,
    broken: NDArray[np.uint8],
    decisions: NDArray[np.uint8],
) -> I16:
    """Return what opponents with these hands (n,) `show`."""
    seats = np.empty((len(hands), _PLACE + 1), np.int16)
    terms = terms_of(table.rules, FACING[table.seat])
    show(strengths, broken, actions(table.rules, hands, decisions), *terms, seats)
    return seats


def _pool_seats(table: Table, records: I32) -> I16:
    met = table.met
    plays = met.strengths[records], met.broken[records], met.decisions[records]
    return _seats(table, met.hands[records], *plays)


class _Sample(NamedTuple):
    """Numbers of a few alternatives, measured on records of the pool."""

    means: F64  # (k,)
    sums: F64  # (k, records) each record's part of the mean's error

    def spread(self) -> F64:
        """Return standard errors (k,) of the means, clustered as in `opponents.spread`."""
        records = self.sums.shape[1]
        errors: F64 = np.sqrt((self.sums**2).sum(axis=1) * records / max(1, records - 1))
        return errors

    def behind(self, best: int) -> tuple[F64, F64]:
        """Return how far each is behind one of them, and the (paired) standard errors."""
        gaps = _Sample(self.means[best] - self.means, self.sums[best] - self.sums)
        return gaps.means, gaps.spread()


def _sample(scores: NDArray[np.generic], clusters: I64, records: int) -> _Sample:
    """Average scores (k, n), the i-th of record ``clusters[i]`` out of so many."""
    means = scores.mean(axis=1)
    parts = (scores - means[:, None]) / scores.shape[1]
    return _Sample(means, np.stack([np.bincount(clusters, part, records) for part in parts]))


def _plus(one: _Sample, other: _Sample, times: float = 1.0) -> _Sample:
    return _Sample(one.means + times * other.means, one.sums + times * other.sums)


def run_jointly(table: Table, hands: I64, top: int) -> Answers:
    """Do what `solver.solve.run` does, for tables whose deals matter as a whole."""
    field, (terms, worths) = table.field, terms_of(table.rules, table.seat)
    ranks = tables(table.rules.wheel)
    work, scratch = workspace(), space(field, terms, table.wanted)
    naturals, declare_ev, declare_se = declaring(table, hands, scratch)
    found = results(len(hands), top)
    values, leads = np.zeros((len(hands), 3)), np.zeros((len(hands), 2))
    risks = np.zeros((len(hands), top + 2, 6))
    for h in range(len(hands)):
        wide = results(1, max(top, WIDE))
        solve_hands(
            *(hands[h : h + 1], field, terms, worths, ranks),
            *(table.seed, table.wanted, work, scratch, wide),
        )
        met = int(wide.samples[0])
        found.samples[h] = met
        if met < 2:
            continue
        weighed = _weigh(table, int(hands[h]), wide, scratch.record[:met], scratch.found[:met])
        value = _valued(table.objective, weighed)
        order = np.argsort(-value.means, kind="stable")
        _enter(h, order[:top], wide, weighed.ev, table.weight, found)
        if len(order) > 1:
            gaps, errors = value.behind(int(order[0]))
            leads[h] = gaps[order[1]], errors[order[1]]
        if table.risk or table.objective != EV:
            declared = _declared(table, int(hands[h]), int(naturals[h]), weighed)
            surrendered = np.where(
                weighed.seats[..., _PLACE] < 0, -int(terms.surrender), np.minimum(weighed.fixed, 0)
            )
            others = np.stack([declared, surrendered]) @ weighed.stakes
            evs = table.weight * np.array([declare_ev[h], wide.surrender_ev[0]])
            values[h] = value.means[order[0]], *_worth(table.objective, evs, others)
            shown = weighed.totals[order[:top]]
            risks[h, : len(shown)], risks[h, top:] = _risks(shown), _risks(others)
    other = table.objective != EV
    by = values if other else None
    return Answers(found, naturals, declare_ev, declare_se, by, leads if other else None, risks)


class _Weighed(NamedTuple):
    """What the settings of a hand are worth at a whole table, from all opponents together."""

    ev: _Sample
    totals: F64  # (k, d) of each joint deal
    clusters: I64  # (d,) of the deals
    hands: I64  # (d, n) of the opponents
    seats: I16  # (d, n, 8) what they show
    fixed: I64  # (d, n) what those pay who do not set, 0 of the others
    stakes: F64  # (n,)


def _weigh(table: Table, hand: int, wide: Results, records: I32, in_order: I32) -> _Weighed:
    """Weigh settings against the pool's records, alone and with others at the table.

    ``in_order`` has the same records as they were drawn: any first part is a fair sample.
    """
    listed = int(wide.listed[0])
    broken = np.zeros(listed, np.uint8)
    if table.rules.royalties.broken:
        rows = wide.rows[0, :listed].tolist()
        broken[:] = [broken_code(hand, back, middle) for back, middle, _ in rows]
    heroes = np.empty((listed, _PLACE + 1), np.int16)
    terms, nowhere = terms_of(table.rules, table.seat), np.full(listed, -1)
    show(wide.strengths[0, :listed], broken, nowhere, *terms, heroes)
    pairs = _pool_seats(table, records)[:, None]
    first = in_order[np.arange(table.joint_deals(len(in_order))) % len(in_order)]
    hands, together = _deal(table, hand, first)
    whole, scale = _whole(table)
    alone = np.empty((len(heroes), len(records)))
    added, totals = np.empty((2, len(heroes), len(first)))
    for k, hero in enumerate(heroes):
        alone[k] = _settled(table, hero, pairs)[0][:, 0]
        units, runs = _settled(table, hero, together)
        added[k], totals[k] = runs @ whole / scale, (units + runs) @ whole / scale
    _, clusters = np.unique(np.concatenate([records, first]), return_inverse=True)
    count = int(clusters.max()) + 1
    one, several = clusters[: len(records)], clusters[len(records) :]
    ev = _plus(_sample(table.weight * alone, one, count), _sample(added, several, count))
    hands, seats = hands[:, : len(whole)], together[:, : len(whole)]
    fixed = np.append(0, _fixed(table))[seats[..., _PLACE] + 1]
    return _Weighed(ev, totals, several, hands, seats, fixed, whole / scale)


def _settled(table: Table, hero: I16, seats: I16) -> tuple[I32, I32]:
    """Return what `settle` writes of a setting and all the opponents that it settles with."""
    units, runs = np.empty((2, len(seats), min(table.others, seats.shape[1])), np.int32)
    home_run = table.rules.home_run if table.home_runs else 1
    terms, _ = terms_of(table.rules, table.seat)
    settle(hero, seats, home_run, _fixed(table), terms, units, runs)
    return units, runs


def _fixed(table: Table) -> I64:
    """Return what one who sets is paid by a natural of each place, and last by who surrenders."""
    return -table.field.units


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


def _whole(table: Table) -> tuple[I64, int]:
    """Return the stakes as whole numbers, and how many of these are one: sums stay exact."""
    stakes = table.stakes or (Fraction(1),) * table.others
    scale = lcm(*(stake.denominator for stake in stakes))
    return np.array([int(stake * scale) for stake in stakes], np.int64), scale


def _declared(table: Table, hand: int, natural: int, weighed: _Weighed) -> I64:
    """Return what declaring a natural is paid by each opponent (d, n); 0 without one."""
    naturals = naturals_of(table.rules)
    paid = np.zeros(weighed.hands.shape, np.int64)
    if natural < 0:
        return paid
    paid[:] = naturals.units[natural]
    ranks, kind = tables(table.rules.wheel), int(naturals.kinds[natural])
    own = natural_key(kind, hand, ranks)
    places = weighed.seats[..., _PLACE]
    for at in zip(*np.nonzero((places >= 0) & (places < len(naturals.units))), strict=True):
        key = natural_key(kind, int(weighed.hands[at]), ranks)  # counts for equal kinds only
        order = (own > key) - (own < key)
        paid[at] = pay_naturals(natural, int(places[at]), order, naturals)
    return paid


def _valued(objective: Objective, weighed: _Weighed) -> _Sample:
    """Return what the objective makes of the settings."""
    if objective.name == "ev":
        return weighed.ev
    totals, (records,) = weighed.totals, weighed.ev.sums.shape[1:]
    if objective.name == "win-chance":
        return _sample(totals > 0, weighed.clusters, records)
    squares = (totals - totals.mean(axis=1, keepdims=True)) ** 2
    return _plus(weighed.ev, _sample(squares, weighed.clusters, records), -objective.aversion)


def _worth(objective: Objective, evs: F64, totals: F64) -> F64:
    """Return what it makes of declaring and surrendering, from their totals (2, d)."""
    if objective.name == "win-chance":
        chances: F64 = (totals > 0).mean(axis=1)
        return chances
    values: F64 = evs - objective.aversion * totals.var(axis=1)
    return values


def _risks(totals: F64) -> F64:
    """Return the fields of `Risk` (k, 6) for totals (k, deals)."""
    columns: Sequence[F64] = (
        totals.std(axis=1),
        (totals > 0).mean(axis=1),
        (totals < 0).mean(axis=1),
        (totals == 0).mean(axis=1),
        *np.quantile(totals, _QUANTILES, axis=1),
    )
    return np.column_stack(columns)


def _enter(h: int, order: I64, wide: Results, ev: _Sample, weight: float, found: Results) -> None:
    """Enter the settings in this order into row h of the results."""
    for name in ("rows", "strengths", "win", "tie", "scoop", "scooped", "royalties"):
        getattr(found, name)[h, : len(order)] = getattr(wide, name)[0, order]
    gaps, errors = ev.behind(int(np.argmax(ev.means)))
    for column, numbers in (
        (found.ev, ev.means),
        (found.se, ev.spread()),
        (found.gap, gaps),
        (found.gap_se, errors),
    ):
        column[h, : len(order)] = numbers[order] / weight
    found.surrender_ev[h], found.surrender_se[h] = wide.surrender_ev[0], wide.surrender_se[0]
    found.listed[h] = len(order)
