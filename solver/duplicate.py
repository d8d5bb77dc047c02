"""Duplicate play, compiled: tables dealt, and every deal settled in every seating."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluator.jit import kernel, part
from evaluator.kernels import relabel
from evaluator.naturals import natural_key
from evaluator.ranking import Tables
from solver.deals import below, deal_rest, step, stream
from solver.pool import DECLARE, SURRENDER
from solver.settling import Clauses, Player, gunner, pay_pair

I64 = NDArray[np.int64]
U8 = NDArray[np.uint8]

_TRIES = 1_000_000  # hands that two dealt players hold share no card in one try of 78


class Recorded(NamedTuple):
    """The hands that the first seats were recorded with, one seat's after another's."""

    hands: I64  # (n,)
    starts: I64  # (recorded seats + 1,) where each seat's begin, and the end
    relabellings: I64  # (24 or 8, 4) suit permutations that keep the rules' naturals


class Plays(NamedTuple):
    """What each strategy would do with each hand of some deals.

    Each is one way to play; under rules with a banker there follow as many more, what they would do
    as the banker.
    """

    strengths: NDArray[np.int16]  # (ways, deals, seats, 3) back, middle, front
    broken: U8  # (ways, deals, seats) broken codes
    decisions: U8  # (ways, deals, seats) SET, DECLARE or SURRENDER
    naturals: I64  # (deals, seats) place of the strongest natural held in the rules' list, or -1
    keys: I64  # (deals, seats) the natural's key, as of `evaluator.naturals.natural_key`


@kernel
def deal_tables(seed: int, start: int, recorded: Recorded, hands: I64, records: I64) -> bool:
    """Deal tables: ``hands`` (n, seats) become deals ``start`` ... ``start + n - 1``.

    Each of the first seats draws one of its recorded hands, written to ``records`` (n, recorded
    seats), and names its suits anew; where two share a card, all draw again. So they hold their
    hands as often as dealt players do who were known to hold recorded ones. The other seats are
    dealt what is left. Returns whether hands without a common card were found for every deal.
    """
    for i in range(hands.shape[0]):
        state = stream(seed, start + i)
        taken = seat = tries = 0
        while seat < records.shape[1]:
            state = step(state)
            first = recorded.starts[seat]
            record = below(state, recorded.starts[seat + 1] - first)
            state = step(state)
            suits = recorded.relabellings[below(state, recorded.relabellings.shape[0])]
            hand = relabel(recorded.hands[first + record], suits)
            if hand & taken:
                taken = seat = 0
                tries += 1
                if tries == _TRIES:
                    return False
                continue
            hands[i, seat], records[i, seat] = hand, record
            taken |= hand
            seat += 1
        deal_rest(state, taken, hands[i, seat:])
    return True


@kernel
def key_naturals(hands: I64, naturals: I64, kinds: I64, table: Tables, keys: I64) -> None:
    """Write the keys of the naturals that hands hold, 0 for none; all but ``kinds`` (n, seats)."""
    for i in range(hands.shape[0]):
        for seat in range(hands.shape[1]):
            natural = naturals[i, seat]
            keys[i, seat] = (
                natural_key(kinds[natural], hands[i, seat], table) if natural >= 0 else 0
            )


@kernel
def settle_deals(
    plays: Plays, seatings: I64, banks: I64, home_runs: bool, clauses: Clauses, units: I64
) -> None:
    """Settle every deal in every seating and with every banker.

    ``seatings`` (n, seats) are the strategies in the seats, ``banks`` the seats of the banker, -1
    for none. ``units`` (strategies, deals) is what each strategy wins at all the tables of a deal
    together; ``home_runs`` says whether a table of so many players pays them.
    """
    units[:] = 0
    for deal in range(units.shape[1]):
        for number in range(seatings.shape[0]):
            for bank in banks:
                _settle(plays, deal, seatings[number], bank, home_runs, clauses, units[:, deal])


@part
def _settle(
    plays: Plays,
    deal: int,
    seating: I64,
    bank: int,
    home_runs: bool,
    clauses: Clauses,
    units: I64,
) -> None:
    """Add what each strategy wins at one table to ``units`` (strategies,)."""
    for a in range(seating.shape[0]):
        one = _player(plays, deal, a, seating, bank)
        for b in range(a + 1, seating.shape[0]):
            if not _meet(a, b, bank):
                continue
            other = _player(plays, deal, b, seating, bank)
            gun = gunner(one, other)
            run = False
            if home_runs and gun != 0:
                run = _guns_all(plays, deal, a if gun > 0 else b, seating, bank)
            paid = pay_pair(one, other, int(bank == a) - int(bank == b), run, clauses)
            units[seating[a]] += paid
            units[seating[b]] -= paid


@part
def _meet(a: int, b: int, bank: int) -> bool:
    """Tell whether two seats settle with each other: under banker rules, the banker with all."""
    return bank < 0 or bank in (a, b)


@part
def _guns_all(plays: Plays, deal: int, seat: int, seating: I64, bank: int) -> bool:
    """Tell whether a seat guns everybody it settles with."""
    player = _player(plays, deal, seat, seating, bank)
    for b in range(seating.shape[0]):
        met = b != seat and _meet(seat, b, bank)
        if met and gunner(player, _player(plays, deal, b, seating, bank)) != 1:
            return False
    return True


@part
def _player(plays: Plays, deal: int, seat: int, seating: I64, bank: int) -> Player:
    way = seating[seat]
    if seat == bank:
        way += plays.strengths.shape[0] // 2
    strengths = plays.strengths[way, deal, seat]
    back, middle, front = np.int64(strengths[0]), np.int64(strengths[1]), np.int64(strengths[2])
    decision = plays.decisions[way, deal, seat]
    return Player(
        int(back),
        int(middle),
        int(front),
        int(np.int64(plays.broken[way, deal, seat])),
        int(plays.naturals[deal, seat] if decision == DECLARE else -1),
        int(plays.keys[deal, seat]),
        bool(back < middle or middle < front),
        bool(decision == SURRENDER),
    )
