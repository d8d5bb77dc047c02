"""Opponents dealt together, compiled: the deals, and what a setting wins in each."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from evaluator.jit import inlined, kernel, part
from evaluator.kernels import canonical, relabel
from solver.deals import below, deal_rest, step, stream
from solver.scoring import Side, Terms, Worths, pay, side

I16 = NDArray[np.int16]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]

PLACE: Final = 7  # in what a player shows, behind the numbers of a side


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
        for k in range(PLACE):
            seats[i, k] = shown[k]
        seats[i, PLACE] = places[i]


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
            place = seats[d, j, PLACE]
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


@part
def _guns_rest(j: int, seats: I16) -> bool:
    """Tell whether an opponent who sets guns all the other ones."""
    for other in range(seats.shape[0]):
        if other == j:
            continue
        for row in range(3):
            if seats[other, PLACE] >= 0 or seats[j, row] <= seats[other, row]:
                return False
    return True
