"""Players who set by a rule of their own, and some rules of thumb that people play by."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evaluator.broken import broken_code
from evaluator.cards import HAND_SIZE
from evaluator.kernels import find_frontier, rank_subsets, split_masks, workspace
from evaluator.ranking import CLASSES, Category, Wheel, categories, row_strengths, tables
from solver.deals import deal_many
from solver.many import CARD_ROWS, cards_of, hand_masks
from solver.pool import DECLARE, OpponentPool, Progress, silent

I64 = NDArray[np.int64]
Likes = NDArray[Any]  # numbers (n,)
Strategy = Callable[[I64, I64, I64], Likes]
"""Strengths (n,) of backs, middles and fronts -> how much each setting is liked (n,).

It is shown the frontier of a hand, and plays what it likes best; of equals the strongest front.
"""

_REPORT: Final = 1024  # hands between two calls of progress


def in_order(*wishes: Likes) -> Likes:
    """Like the first wish best, and where settings are equal in it, the next.

    >>> int(in_order(np.array([7, 7, 2]), np.array([1, 3, 9])).argmax())
    1
    """
    likes = wishes[0].astype(np.int64)
    for wish in wishes[1:]:
        likes = likes << 13 | wish.astype(np.int64)
    return likes


def strongest_back(back: I64, middle: I64, front: I64) -> Likes:
    """Strongest back, then middle."""
    return in_order(back, middle, front)


def strongest_middle(back: I64, middle: I64, front: I64) -> Likes:
    """Strongest middle, then back."""
    return in_order(middle, back, front)


def strongest_front(back: I64, middle: I64, front: I64) -> Likes:
    """Strongest front, then middle."""
    return in_order(front, middle, back)


def straight_is_enough(back: I64, middle: I64, front: I64) -> Likes:
    """A straight or better in the back, then the strongest middle."""
    return in_order(_at_least(back, Category.STRAIGHT), middle, front, back)


def pair_in_front(back: I64, middle: I64, front: I64) -> Likes:
    """A pair in front if the middle keeps one, then the strongest back."""
    paired = _at_least(front, Category.PAIR) & _at_least(middle, Category.PAIR)
    return in_order(paired, back, middle, front)


def enough_below(back: I64, middle: I64, front: I64) -> Likes:
    """A straight or better in the back, two pairs or better in the middle, then the front."""
    kinds = categories()[back], categories()[middle]
    enough = np.minimum(kinds[0], Category.STRAIGHT), np.minimum(kinds[1], Category.TWO_PAIR)
    return in_order(*enough, front, middle, back)


def largest_product(back: I64, middle: I64, front: I64) -> Likes:
    """The largest product of the three strengths."""
    return (back + 1) * (middle + 1) * (front + 1)


def most_points(back: I64, middle: I64, front: I64) -> Likes:
    """Most points: 1 for a pair, 2 for two pairs, up to 8 for a straight flush, in all rows."""
    points = sum(categories()[row].astype(np.int64) for row in (back, middle, front))
    return points + (back + middle + front) / (3 * CLASSES)  # of equals the strongest


THUMBS: Final[Mapping[str, Strategy]] = MappingProxyType(
    {
        str(rule.__doc__).rstrip("."): rule
        for rule in (
            strongest_back,
            strongest_middle,
            strongest_front,
            straight_is_enough,
            pair_in_front,
            enough_below,
            largest_product,
            most_points,
        )
    }
)
"""Rules of thumb by what they say."""


def row_by_row(curves: NDArray[np.floating]) -> Strategy:
    """Return the player who adds up the chances to win each row, as if rows were all that counts.

    Parameters
    ----------
    curves
        Chances (3, 7917) to win back, middle and front with a row of each strength, such as
        `solver.atlas.win_curves` gives.
    """
    return lambda back, middle, front: curves[0, back] + curves[1, middle] + curves[2, front]


def _at_least(strengths: I64, kind: Category) -> NDArray[np.bool_]:
    at_least: NDArray[np.bool_] = categories()[strengths] >= kind
    return at_least


def settings_by(
    strategies: Sequence[Strategy],
    hands: Iterable[str | Iterable[int]] | NDArray[np.integer],
    wheel: Wheel = "lowest",
    progress: Progress = silent,
) -> NDArray[np.int8]:
    """Set hands as strategies do.

    Parameters
    ----------
    strategies
        k of them.
    hands
        n hands, as for `solve_many`.
    wheel
        Where A-2-3-4-5 stands among the straights.
    progress
        Called with a description and the share done.

    Returns
    -------
    array of int8
        Card numbers (n, k, 13): back 5, middle 5, front 3, as `value_many` takes them.

    Raises
    ------
    CardError
        Unless every hand is 13 different cards.

    Examples
    --------
    >>> hand = "As Ks Qs Js 6s 5s 3s Qh 9h 2h Jd 8c 3c"
    >>> settings = settings_by([strongest_back, strongest_front], [hand])
    >>> from evaluator import Cards
    >>> [str(Cards(setting[10:])) for setting in settings[0].tolist()]
    ['8c 5s 2h', 'Js Jd 9h']
    """
    masks = hand_masks(hands)
    rows = _set(strategies, masks, wheel, progress)
    return cards_of(rows.reshape(-1, 3)).reshape(len(masks), len(strategies), HAND_SIZE)


def strategy_pool(
    name: str,
    strategy: Strategy,
    wheel: Wheel = "lowest",
    records: int = 20_480,
    seed: int = 1,
    progress: Progress = silent,
) -> OpponentPool:
    """Make a pool of opponents who set by a strategy and declare every natural.

    Parameters
    ----------
    name
        What to call them.
    strategy
        How they set.
    wheel
        Where A-2-3-4-5 stands among the straights.
    records, seed
        How many hands; record i is dealt deal i of this seed.
    progress
        Called with a description and the share done.

    Returns
    -------
    OpponentPool

    Examples
    --------
    >>> strategy_pool("cautious", strongest_back, records=64).strengths.shape
    (64, 3)
    """
    hands = np.empty(records, np.int64)
    deal_many(seed, 0, hands)
    rows = _set([strategy], hands, wheel, progress)[:, 0]
    cards = cards_of(rows)
    strengths = [row_strengths(cards[:, part], wheel) for part in CARD_ROWS]
    broken = [broken_code(hand, *rest) for hand, *rest in np.c_[hands, rows[:, :2]].tolist()]
    return OpponentPool(
        name,
        wheel,
        seed,
        np.stack(strengths, axis=1),
        np.array(broken, np.uint8),
        np.full(records, DECLARE, np.uint8),
    )


def _set(strategies: Sequence[Strategy], hands: I64, wheel: Wheel, progress: Progress) -> I64:
    """Return the rows (n, k, 3), as sets of cards, in which strategies set hands (n,)."""
    table, work = tables(wheel), workspace()
    rows = np.empty((len(hands), len(strategies), 3), np.int64)
    for h, hand in enumerate(hands.tolist()):
        if h % _REPORT == 0:
            progress("setting hands", h / len(hands))
        rank_subsets(hand, table, work)
        count = find_frontier(table, work)
        columns = work.backs[:count], work.middles[:count], work.fronts[:count]
        back, middle, front = (column.astype(np.int64) for column in columns)
        for k, strategy in enumerate(strategies):
            liked = int(strategy(back, middle, front).argmax())
            rows[h, k] = split_masks(int(work.splits[liked]), table, work)
    progress("setting hands", 1.0)
    return rows
