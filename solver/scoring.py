"""What two players pay each other, under any rule set."""

from functools import cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluator.jit import inlined
from evaluator.ranking import CLASSES, Category, categories, first_ranks
from solver.rules import CATEGORIES, ROWS, RuleSet, Seat, falling_rows

I16 = NDArray[np.int16]

NO_LIMIT: Final = 3  # a setting has three rows
BLOCK: Final = 2048  # opponents whose columns fit the first-level cache together


class Terms(NamedTuple):
    """A rule set as plain numbers and tables, for the kernels."""

    majority: np.int16
    two_wins: bool  # the majority's unit wants two rows won, not just more than lost
    scoop_units: np.int16
    gun: np.int16
    royalties: bool  # some row is worth more than its unit: the tables below matter
    both: bool  # held royalties are paid whether or not the row was won
    limit: np.int16  # royalties paid to one hand at the most
    broken: bool  # unshown quads and straight flushes pay
    rising: bool  # a stronger row never earns less
    biggest: int  # rows pay no more than this
    block: int  # so many payments add up without leaving an int16
    shift: int  # bits to leave off, so that the squares of 256 differences fit an int32
    back_unit: np.int16  # what a plain row pays
    middle_unit: np.int16
    front_unit: np.int16
    may_surrender: bool
    surrender: np.int16  # its price
    banker: np.int16  # 1 if one of the two is the banker and strengths are doubled, else 0
    strict: bool  # ... and a row that he wins as a tie must not count for a scoop or a gun
    edge: np.int16  # 1 for the banker's own, which so win ties


class Worths(NamedTuple):
    """What rows pay by their strengths; apart from `Terms`, so that inner loops hold no arrays."""

    worth: I16  # (3, 7917) what winning with a row of that strength pays in all
    held: I16  # (3, 7917) what holding a row of that strength pays, if both collect
    broken_units: I16  # (8,) by the bits of `broken_code`


class Side(NamedTuple):
    """What a player shows another: three strengths, what each row pays when it wins, and extras.

    Against a banker strengths are doubled and the banker's are one higher, so that he wins ties and
    nothing else changes.
    """

    back: np.int16
    middle: np.int16
    front: np.int16
    back_worth: np.int16
    middle_worth: np.int16
    front_worth: np.int16
    extra: np.int16  # paid whatever the rows do: held and broken royalties


@cache
def terms_of(rules: RuleSet, seat: Seat | None = None) -> tuple[Terms, Worths]:
    """Turn a rule set into plain numbers and tables, under rules with a banker those of a seat."""
    increments = np.stack([_increments(rules, row) for row in ROWS])
    limit = rules.royalties.limit
    if limit == 0:
        increments[:] = 0
    both = rules.royalties.collect == "both"
    units = np.array(rules.rows, np.int16)
    held = increments if both else np.zeros_like(increments)
    worth = units[:, None] + increments - held
    broken = [rules.royalties.units("back", name) or 0 for name in CATEGORIES[7:10]]
    rows = int(abs(worth).max(axis=1).sum()) + rules.majority + rules.scoop_units
    extras = int(np.ptp(held, axis=1).sum()) + rules.royalties.broken * max(broken)
    biggest = rows * rules.gun + extras
    terms = Terms(
        majority=np.int16(rules.majority),
        two_wins=rules.majority_rule == "two-wins",
        scoop_units=np.int16(rules.scoop_units),
        gun=np.int16(rules.gun),
        royalties=bool(increments.any()) or rules.royalties.broken,
        both=both,
        limit=np.int16(NO_LIMIT if limit in (None, 0) else min(limit, NO_LIMIT)),
        broken=rules.royalties.broken,
        rising=not falling_rows(rules),
        biggest=biggest,
        block=max(1, min(BLOCK, 32_000 // max(1, biggest))),
        shift=max(0, biggest.bit_length() - 10),
        back_unit=units[0],
        middle_unit=units[1],
        front_unit=units[2],
        may_surrender=rules.surrender is not None,
        surrender=np.int16(rules.surrender or 0),
        banker=np.int16(seat is not None),
        strict=seat is not None and (rules.gun > 1 or rules.scoop_units > 0),
        edge=np.int16(seat == "banker"),
    )
    worths = Worths(
        worth=worth.astype(np.int16),
        held=held.astype(np.int16),
        broken_units=np.array(
            [max((broken[i] for i in range(3) if code >> i & 1), default=0) for code in range(8)],
            np.int16,
        ),
    )
    return terms, worths


def _increments(rules: RuleSet, row: str) -> NDArray[np.int16]:
    """Return what each strength earns in a row on top of the plain row, shape (7917,)."""
    by_category = np.array([rules.royalty(row, name) for name in CATEGORIES], np.int16)
    increments: NDArray[np.int16] = by_category[categories()]
    increments[CLASSES - 1] = by_category[-1]  # the royal flush
    if row == "front":
        by_rank = {
            kind: np.array([rules.royalty(row, CATEGORIES[kind], rank) for rank in range(13)])
            for kind in (Category.PAIR, Category.TRIPS)
        }
        for kind, units in by_rank.items():
            of_kind = categories() == kind
            increments[of_kind] = units[first_ranks()[of_kind]]
    return increments


@inlined
def side(
    back: int | np.int16,
    middle: int | np.int16,
    front: int | np.int16,
    broken_code: int | np.uint8,
    terms: Terms,
    worths: Worths,
) -> Side:
    """Return a setting's side; ``broken_code`` as of `naturals.broken_code`, 0 for none."""
    extra = np.int16(0)
    if terms.both:
        a, b, c = worths.held[0, back], worths.held[1, middle], worths.held[2, front]
        extra = _best(a, b, c, terms.limit)
    if terms.broken:
        extra = np.int16(extra + worths.broken_units[broken_code])
    return Side(
        np.int16((back << terms.banker) + terms.edge),
        np.int16((middle << terms.banker) + terms.edge),
        np.int16((front << terms.banker) + terms.edge),
        worths.worth[0, back],
        worths.worth[1, middle],
        worths.worth[2, front],
        extra,
    )


@inlined
def _best(a: np.int16, b: np.int16, c: np.int16, limit: np.int16) -> np.int16:
    """Return the sum of the largest ``limit`` of three increments, none of them negative."""
    total = np.int16(a + b + c)
    if limit == 1:
        return max(a, max(b, c))
    if limit == 2:
        return np.int16(total - min(a, min(b, c)))
    return total


@inlined
def pay(hero: Side, other: Side, terms: Terms) -> np.int16:
    """Return the units that ``other`` pays ``hero`` for two legal settings (rules.md section 1).

    Rows, then majority, scoop units and gun, then the difference of the extras. Every number is
    an int16, and a comparison is a mask (-1 for yes, 0 for no), so that a loop over opponents
    becomes one of wide vector instructions without branches.
    """
    won_back = np.int16(np.int16(other.back - hero.back) >> 15)
    won_middle = np.int16(np.int16(other.middle - hero.middle) >> 15)
    won_front = np.int16(np.int16(other.front - hero.front) >> 15)
    lost_back = np.int16(np.int16(hero.back - other.back) >> 15)
    lost_middle = np.int16(np.int16(hero.middle - other.middle) >> 15)
    lost_front = np.int16(np.int16(hero.front - other.front) >> 15)
    total = np.int16(
        np.int16((won_back & hero.back_worth) - (lost_back & other.back_worth))
        + np.int16((won_middle & hero.middle_worth) - (lost_middle & other.middle_worth))
        + np.int16((won_front & hero.front_worth) - (lost_front & other.front_worth))
    )
    if terms.limit < 3:
        total = np.int16(
            total
            - _excess(hero, won_back, won_middle, won_front, terms)
            + _excess(other, lost_back, lost_middle, lost_front, terms)
        )
    if terms.two_wins:
        more = np.int16((won_back & won_middle) | (won_front & (won_back | won_middle)))
        fewer = np.int16((lost_back & lost_middle) | (lost_front & (lost_back | lost_middle)))
    else:
        net = np.int16(won_back + won_middle + won_front - lost_back - lost_middle - lost_front)
        more = np.int16(net >> 15)
        fewer = np.int16(np.int16(-net) >> 15)
    scoop = np.int16(won_back & won_middle & won_front)
    scooped = np.int16(lost_back & lost_middle & lost_front)
    if terms.strict:  # as if there was no banker: strengths of one parity tell ties
        back = (hero.back ^ 1) - other.back
        middle = (hero.middle ^ 1) - other.middle
        front = (hero.front ^ 1) - other.front
        scoop = np.int16(np.int16(-min(back, min(middle, front))) >> 15)
        scooped = np.int16(np.int16(max(back, max(middle, front))) >> 15)
    total = np.int16(total + (terms.majority & more) - (terms.majority & fewer))
    total = np.int16(total + (terms.scoop_units & scoop) - (terms.scoop_units & scooped))
    total = np.int16(total + ((scoop | scooped) & np.int16(total * np.int16(terms.gun - 1))))
    return np.int16(total + hero.extra - other.extra)


@inlined
def _excess(
    winner: Side, back: np.int16, middle: np.int16, front: np.int16, terms: Terms
) -> np.int16:
    """Return the royalties beyond the limit among the rows won (masks)."""
    if terms.both:
        return np.int16(0)  # the limit was kept when the extra was added up
    a = np.int16(back & np.int16(winner.back_worth - terms.back_unit))
    b = np.int16(middle & np.int16(winner.middle_worth - terms.middle_unit))
    c = np.int16(front & np.int16(winner.front_worth - terms.front_unit))
    return np.int16(np.int16(a + b + c) - _best(a, b, c, terms.limit))


@inlined
def royalty_units(hero: Side, other: Side, terms: Terms) -> np.int64:
    """Return the royalties that hero wins less those he pays, before any gun."""
    return np.int64(hero.extra - other.extra) + (
        royalties_won(hero, other, terms) - royalties_won(other, hero, terms)
    )


@inlined
def royalties_won(winner: Side, loser: Side, terms: Terms) -> np.int64:
    """Return the royalties of the rows won, before any gun; none if both collect."""
    if terms.both:
        return np.int64(0)
    a = np.int16(winner.back_worth - terms.back_unit) if winner.back > loser.back else np.int16(0)
    b = (
        np.int16(winner.middle_worth - terms.middle_unit)
        if winner.middle > loser.middle
        else np.int16(0)
    )
    c = (
        np.int16(winner.front_worth - terms.front_unit)
        if winner.front > loser.front
        else np.int16(0)
    )
    return np.int64(_best(a, b, c, terms.limit))
