"""What players win from each other under 2-4 scoring, by plain arithmetic."""

import numpy as np
from numpy.typing import NDArray

from solver.deals import deal_many
from solver.equilibrium import respond
from solver.opening import Table, field_of
from solver.opponents import meet, space
from solver.pool import OpponentPool
from solver.rules import load_rules
from solver.scoring import terms_of

RULES = load_rules("2-4")


def payments(strengths: NDArray[np.int16], opponents: NDArray[np.int16]) -> NDArray[np.int32]:
    """What one setting wins from each opponent; arrays (3,) and (3, n)."""
    net = np.sign(strengths.astype(np.int32)[:, None] - opponents).sum(axis=0, dtype=np.int32)
    return np.asarray(net + np.sign(net), np.int32)


def player(opponents: OpponentPool, deals: int, seed: int) -> OpponentPool:
    """What one sets who answers opponents, as `solve` does."""
    hands = np.empty(deals, np.int64)
    deal_many(seed, 0, hands)
    play = respond(Table(RULES, 2, opponents, 0, None), hands)
    return OpponentPool("player", RULES.wheel, seed, *play.settings[:2], play.decisions)


def won(one: OpponentPool, other: OpponentPool, samples: int) -> tuple[float, float]:
    """What a player wins from another one, in units a deal, and its standard error.

    Each hand meets so many of the other's hands that can be dealt together with it. Chance is in
    the hands of both: the variance is the sum of those of the two means, of what hands win and of
    what they are won from (W. Hoeffding, "A class of statistics with asymptotically normal
    distribution", 1948).
    """
    field, terms = field_of(RULES, other), terms_of(RULES)[0]
    scratch = space(field, terms, samples)
    evs = np.empty(len(one.hands))
    lost, times = np.zeros(len(other.hands)), np.zeros(len(other.hands))
    for h, hand in enumerate(one.hands.tolist()):
        met = scratch.record[: meet(hand, field, terms, 0, samples, scratch).opponents]
        paid = payments(one.strengths[h], other.strengths[met].T)
        evs[h] = paid.mean()
        np.add.at(lost, met, paid)
        np.add.at(times, met, 1)
    variances = (evs.var() / len(evs), (lost / times.clip(1)).var() / len(lost))
    return float(evs.mean()), float(np.sqrt(sum(variances)))
