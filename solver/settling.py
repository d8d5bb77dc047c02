"""What two players at a table pay each other, whatever each did (all of rules.md section 1)."""

from functools import cache
from typing import NamedTuple

import numpy as np

from evaluator.jit import kernel, part
from solver.declaring import Naturals, naturals_of, pay_naturals
from solver.rules import RuleSet
from solver.scoring import Side, Terms, Worths, pay, side, terms_of

AS_SCOOPED = -1  # in place of the units of a flat foul


class Clauses(NamedTuple):
    """A rule set as plain numbers and tables, for two players at a table."""

    rows: Terms  # of rows and royalties alone
    majority: Terms  # with the majority's unit as well; scoop units, gun and the rest come here
    worths: Worths
    naturals: Naturals
    scoop_units: int
    gun: int
    home_run: int
    foul: int  # units or AS_SCOOPED
    surrender: int


class Player(NamedTuple):
    """What a player did at the table; strengths count unless he declared or surrendered."""

    back: int
    middle: int
    front: int
    broken: int  # as of `evaluator.broken.broken_code`
    natural: int  # place of the declared one in the rules' list, -1 for none
    key: int  # of the declared natural, as of `evaluator.naturals.natural_key`
    foul: bool
    surrender: bool


class Account(NamedTuple):
    """What the rows of two players come to, clause by clause; positive where the first is paid."""

    rows: int  # with the royalties of rows won
    majority: int
    scoop: int
    gun: int  # on top of what it multiplies
    home_run: int  # on top of what it multiplies
    first_extra: int  # royalties paid whatever the rows do: held under "both", and broken
    second_extra: int  # 0 or less


@cache
def clauses_of(rules: RuleSet) -> Clauses:
    """Turn a rule set into plain numbers and tables."""
    terms, worths = terms_of(rules)
    majority = terms._replace(scoop_units=np.int16(0), gun=np.int16(1))
    return Clauses(
        rows=majority._replace(majority=np.int16(0)),
        majority=majority,
        worths=worths,
        naturals=naturals_of(rules),
        scoop_units=rules.scoop_units,
        gun=rules.gun,
        home_run=rules.home_run,
        foul=AS_SCOOPED if rules.foul == "scooped" else rules.foul,
        surrender=rules.surrender or 0,
    )


@kernel
def pay_pair(first: Player, second: Player, banker: int, home_run: bool, clauses: Clauses) -> int:
    """Return the units that the second player pays the first, by the first clause that applies.

    ``banker`` is 1 if the first player is the banker, -1 if the second is, 0 if neither;
    ``home_run`` says that who guns here guns every opponent, at a table that is large enough.
    """
    if first.natural >= 0 or second.natural >= 0:
        return _pay_declared(first, second, clauses.naturals)
    if first.surrender or second.surrender:
        first_plays = not (first.surrender or first.foul)
        second_plays = not (second.surrender or second.foul)
        sign = int(second.surrender and first_plays) - int(first.surrender and second_plays)
        return sign * clauses.surrender
    if first.foul and second.foul:
        return 0
    if (first.foul or second.foul) and clauses.foul != AS_SCOOPED:
        return (int(second.foul) - int(first.foul)) * clauses.foul
    account = account_of(first, second, banker, home_run, clauses)
    return (
        account.rows
        + account.majority
        + account.scoop
        + account.gun
        + account.home_run
        + account.first_extra
        + account.second_extra
    )


@part
def _pay_declared(first: Player, second: Player, naturals: Naturals) -> int:
    if second.natural < 0:
        return int(naturals.units[first.natural])
    if first.natural < 0:
        return -int(naturals.units[second.natural])
    order = int(first.key > second.key) - int(first.key < second.key)
    return int(pay_naturals(first.natural, second.natural, order, naturals))


@kernel
def account_of(
    first: Player, second: Player, banker: int, home_run: bool, clauses: Clauses
) -> Account:
    """Return what the rows come to; at most one of the two fouls, and it pays as if scooped."""
    one, two = _side(first, clauses), _side(second, clauses)
    extras = int(one.extra) - int(two.extra)
    mine, theirs = _favoured(one, banker > 0), _favoured(two, banker < 0)
    rows = int(pay(mine, theirs, clauses.rows)) - extras
    majority = int(pay(mine, theirs, clauses.majority)) - extras - rows
    gunned = gunner(first, second)
    scoop = gunned * clauses.scoop_units
    total = rows + majority + scoop
    gun = total * (clauses.gun - 1) if gunned else 0
    run = (total + gun) * (clauses.home_run - 1) if gunned and home_run else 0
    return Account(rows, majority, scoop, gun, run, int(one.extra), -int(two.extra))


@kernel
def gunner(first: Player, second: Player) -> int:
    """Return 1 if the first player guns the second, -1 if he is gunned, 0 otherwise.

    All three rows must be stronger (a tie the banker wins is not) or the other's hand fouled; who
    declared or surrendered cannot be gunned and guns nobody.
    """
    if first.natural >= 0 or second.natural >= 0 or first.surrender or second.surrender:
        return 0
    if first.foul or second.foul:
        return int(second.foul) - int(first.foul)
    back, middle, front = (
        first.back - second.back,
        first.middle - second.middle,
        first.front - second.front,
    )
    return int(min(back, middle, front) > 0) - int(max(back, middle, front) < 0)


@part
def _side(player: Player, clauses: Clauses) -> Side:
    if player.foul:  # loses every row and holds no royalties
        none, zero = np.int16(-1), np.int16(0)
        return Side(none, none, none, zero, zero, zero, zero)
    back, middle, front = np.int16(player.back), np.int16(player.middle), np.int16(player.front)
    code = np.uint8(player.broken)  # as settings have it: for an int `side` would compile anew
    return side(back, middle, front, code, clauses.rows, clauses.worths)


@part
def _favoured(hand: Side, banker: bool) -> Side:
    """Return a side with strengths doubled, the banker's one higher, so that it wins ties."""
    edge = 1 if banker else 0
    return Side(
        np.int16(2 * hand.back + edge),
        np.int16(2 * hand.middle + edge),
        np.int16(2 * hand.front + edge),
        hand.back_worth,
        hand.middle_worth,
        hand.front_worth,
        hand.extra,
    )
