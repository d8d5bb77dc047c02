"""The training of pools, on games whose equilibrium is in a textbook."""

from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from solver.equilibrium import Plays, fictitious_round, schedule

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]

RECORDS = 12_000
ROUNDS = 2000


def train(plays: Plays, answer) -> Plays:  # type: ignore[no-untyped-def]
    """Fictitious play as pools are trained, but that late rounds replace ever less."""
    for number in range(ROUNDS):
        plays = fictitious_round(plays, answer, 2 / (number + 3), (1, number))
    return plays


# Rock, paper, scissors, where a win with each pays something else. In the equilibrium each
# is thrown as often as the win between the other two is worth, so that every throw wins and loses
# alike. (Such games are solved by these sums in J. D. Williams, The Compleat Strategyst, 1954.)


def throws_won(rock: int, paper: int, scissors: int) -> I64:
    """What a throw (rows) wins from another (columns)."""
    wins = np.array([[0, 0, rock], [paper, 0, 0], [0, scissors, 0]])
    return wins - wins.T


@pytest.mark.parametrize("stakes", [(1, 1, 1), (1, 2, 3), (5, 1, 1)])
def test_rock_paper_scissors_at_any_stakes(stakes: tuple[int, int, int]) -> None:
    won = throws_won(*stakes)

    def answer(plays: Plays, drawn: I64) -> Plays:
        shares = np.bincount(plays[0], minlength=3) / RECORDS
        return (np.full(len(drawn), np.argmax(won @ shares)),)

    (throws,) = train((np.zeros(RECORDS, np.int64),), answer)
    shares = np.bincount(throws, minlength=3) / RECORDS
    rock, paper, scissors = stakes
    expected = np.array([scissors, rock, paper]) / sum(stakes)
    assert won @ expected == pytest.approx(0)
    assert shares == pytest.approx(expected, abs=0.04)
    assert (won @ shares).max() < 0.02 * max(stakes)


# Kuhn poker: three cards, one each, an ante of 1 and one bet of 1. (H. W. Kuhn, "A simplified
# two-person poker", Contributions to the Theory of Games 1, 1950: the second player bluffs with the
# jack and calls with the queen one time in three, and the game is worth 1/18 to him; the first one
# bluffs with the jack alpha <= 1/3 of the time, bets the king 3 alpha and calls with the queen
# alpha + 1/3.) Here both seats are played by turns, so that the game is symmetric and worth 0, and
# records with the same card never meet: the exact conditioning of pools.

PLANS = np.array(list(product((0, 1), repeat=4)))  # first: bet, call; second: call, bet


def first_wins(card: int, plan: I64, other_card: int, other: I64) -> int:
    """What the first player wins."""
    bets, calls, _, _ = plan
    _, _, other_calls, other_bets = other
    high = 1 if card > other_card else -1
    if bets:
        return 2 * high if other_calls else 1
    if other_bets:
        return 2 * high if calls else -1
    return high


KUHN = np.array(
    [
        [
            [[first_wins(c, p, d, q) - first_wins(d, q, c, p) for q in PLANS] for d in range(3)]
            for p in PLANS
        ]
        for c in range(3)
    ]
)  # [card, plan, other card, other plan], units for both seats together


def values(cards: I64, plans: I64) -> F64:
    """EV [card, plan] against the records with the two other cards, for both seats together."""
    counts = np.bincount(cards * len(PLANS) + plans, minlength=3 * len(PLANS)).reshape(3, -1)
    shares = counts / counts.sum(axis=1, keepdims=True)
    evs = np.einsum("cpdq,dq->cpd", KUHN, shares)
    return np.stack([np.delete(evs[card], card, axis=1).mean(axis=1) for card in range(3)])


def test_kuhn_poker() -> None:
    cards = np.random.default_rng(5).integers(0, 3, RECORDS)

    def answer(plays: Plays, drawn: I64) -> Plays:
        return (values(cards, plays[0]).argmax(axis=1)[cards[drawn]],)

    (plans,) = train((np.zeros(RECORDS, np.int64),), answer)
    evs = values(cards, plans)
    mean = np.array([evs[card, plans[cards == card]].mean() for card in range(3)])
    exploitability = (evs.max(axis=1) - mean).mean()
    assert mean.mean() == pytest.approx(0, abs=0.005)
    assert 0 <= exploitability < 0.02

    jack, queen, king = (PLANS[plans[cards == card]].mean(axis=0) for card in range(3))
    assert jack[3] == pytest.approx(1 / 3, abs=0.05)  # bluffs as the second player
    assert queen[2] == pytest.approx(1 / 3, abs=0.05)  # calls as the second player
    assert king[2:] == pytest.approx([1, 1], abs=0.05)
    assert jack[0] < 1 / 3 + 0.05  # alpha
    assert queen[1] == pytest.approx(jack[0] + 1 / 3, abs=0.08)
    assert king[0] == pytest.approx(3 * jack[0], abs=0.15)


def test_the_schedule_forgets_the_first_rounds() -> None:
    """Of what greedy players set at the start next to nothing is left in a full training."""
    left = np.prod([1 - plan.share for plan in schedule(24)])
    assert left < 0.01
