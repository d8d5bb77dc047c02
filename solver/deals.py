"""Seeded dealing: deal i depends only on (seed, i), on no state and in no order."""

import numpy as np
from numpy.typing import NDArray

from evaluator.cards import Cards
from evaluator.jit import allocating, kernel, merged

I64 = NDArray[np.int64]

# splitmix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)


@merged
def mix(state: np.uint64) -> np.uint64:
    """Return splitmix64's output for a state; a bijection of 64-bit numbers."""
    state = (state ^ (state >> np.uint64(30))) * _MIX_1
    state = (state ^ (state >> np.uint64(27))) * _MIX_2
    return state ^ (state >> np.uint64(31))


@merged
def stream(seed: int, index: int) -> np.uint64:
    """Return the state in which the random numbers of (seed, index) start."""
    return mix(mix(np.uint64(seed) + _GOLDEN) ^ (np.uint64(index) * _GOLDEN))


@merged
def below(state: np.uint64, n: int) -> np.int64:
    """Return a number 0 <= x < n from a state; the bias, n / 2**64, cannot be noticed."""
    return np.int64(mix(state) % np.uint64(n))


@merged
def step(state: np.uint64) -> np.uint64:
    """Return the state after this one."""
    return state + _GOLDEN


@allocating
def deal_rest(state: np.uint64, taken: int, hands: I64) -> None:
    """Deal 13 cards each to hands (n,), as sets of cards, from a deck without the cards taken."""
    deck = np.empty(52, np.int64)
    size = 0
    for card in range(52):
        deck[size] = card
        size += 1 - (taken >> card & 1)
    for i in range(13 * hands.shape[0]):
        state = step(state)
        j = i + below(state, size - i)
        deck[i], deck[j] = deck[j], deck[i]
    for player in range(hands.shape[0]):
        hand = np.int64(0)
        for i in range(13 * player, 13 * player + 13):
            hand |= np.int64(1) << deck[i]
        hands[player] = hand


@merged
def deal_into(seed: int, index: int, hands: I64) -> None:
    """Deal 13 cards to each of up to four hands (n,), as sets of cards, from a fresh deck."""
    deal_rest(stream(seed, index), 0, hands)


@kernel
def deal_many(seed: int, start: int, hands: I64) -> None:
    """Deal one hand each from fresh decks: ``hands`` (n,) become deals start ... start + n - 1."""
    for i in range(hands.shape[0]):
        deal_into(seed, start + i, hands[i : i + 1])


def deal(n: int, seed: int = 0) -> list[Cards]:
    """Deal n hands of 13 cards, each from a fresh deck.

    Parameters
    ----------
    n
        How many hands, 0 or more.
    seed
        Any integer from 0 to 2**63 - 1; hand i is the same for every n > i.

    Returns
    -------
    list of Cards

    Raises
    ------
    ValueError
        If n or the seed is out of range.

    Examples
    --------
    >>> deal(2)[1] == deal(5)[1]
    True
    """
    if n < 0:
        raise ValueError(f"cannot deal {n} hands; the number must be 0 or more")
    check_seed(seed)
    hands = np.empty(n, np.int64)
    deal_many(seed, 0, hands)
    return [Cards.from_mask(int(hand)) for hand in hands]


def check_seed(seed: int) -> None:
    """Raise ValueError unless the seed is one that the kernels can take."""
    if not 0 <= seed < 2**63:
        raise ValueError(f"seed {seed} is out of range; use 0 to {2**63 - 1}")
