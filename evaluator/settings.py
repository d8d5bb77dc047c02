"""Settings of a hand: all legal ones, the frontier, fouls."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from evaluator import kernels
from evaluator.cards import Cards, parse_hand
from evaluator.ranking import Tables, Wheel, row_name, row_strength, tables


@dataclass(frozen=True, slots=True)
class Setting:
    """A split of 13 cards into three rows, strongest first.

    Examples
    --------
    >>> setting = frontier("As Ks Qs Js 6s 5s 3s Qh 9h 2h Jd 8c 3c")[0]
    >>> print(setting)
    As Ks 6s 5s 3s / Qs Qh 8c 3c 2h / Js Jd 9h
    >>> setting.names()["front"]
    'pair of jacks, nine kicker'
    """

    back: Cards
    middle: Cards
    front: Cards

    def __iter__(self) -> Iterator[Cards]:
        return iter((self.back, self.middle, self.front))

    def __str__(self) -> str:
        return " / ".join(map(str, self))

    def strengths(self, wheel: Wheel = "lowest") -> tuple[int, int, int]:
        """Return the strengths of back, middle and front."""
        back, middle, front = (row_strength(row, wheel) for row in self)
        return back, middle, front

    def names(self, wheel: Wheel = "lowest") -> dict[str, str]:
        """Return what each row is in words: keys back, middle, front."""
        back, middle, front = (row_name(strength, wheel) for strength in self.strengths(wheel))
        return {"back": back, "middle": middle, "front": front}

    def is_foul(self, wheel: Wheel = "lowest") -> bool:
        """Tell whether the rows are out of order (an equal middle and back are in order)."""
        back, middle, front = self.strengths(wheel)
        return not back >= middle >= front


def legal_settings(hand: str | Iterable[int], wheel: Wheel = "lowest") -> list[Setting]:
    """List every legal setting of a hand, 22,300 on average.

    Parameters
    ----------
    hand
        13 cards, as text or as card numbers.
    wheel
        Where A-2-3-4-5 stands: "lowest" of the straights or "second" to A-K-Q-J-10.

    Returns
    -------
    list of Setting
        Each once: where middle and back are equal, the back is the one with the highest card.

    Raises
    ------
    CardError
        Unless these are 13 different cards.

    Examples
    --------
    >>> len(legal_settings("As Kd Tc 9h 8s 8d 7c 5h 5s 4d 3c 2h 2s"))
    21050
    """
    return _settings(hand, wheel, kernels.find_legal)


def frontier(hand: str | Iterable[int], wheel: Wheel = "lowest") -> list[Setting]:
    """List the settings that no other setting of a hand matches or beats in all three rows.

    Wherever a stronger row never earns less, the best setting is one of these. Of settings with
    equal strengths the one with the smallest ``(front, min(back, middle))`` is listed, where rows
    compare as tuples do: their highest cards first.

    Parameters
    ----------
    hand
        13 cards, as text or as card numbers.
    wheel
        Where A-2-3-4-5 stands: "lowest" of the straights or "second" to A-K-Q-J-10.

    Returns
    -------
    list of Setting
        Strongest front first.

    Raises
    ------
    CardError
        Unless these are 13 different cards.

    Examples
    --------
    >>> len(frontier("As Kd Tc 9h 8s 8d 7c 5h 5s 4d 3c 2h 2s"))
    412
    """
    return _settings(hand, wheel, kernels.find_frontier)


def _settings(
    hand: str | Iterable[int],
    wheel: Wheel,
    find: Callable[[Tables, kernels.Workspace], int],
) -> list[Setting]:
    table, work = tables(wheel), kernels.workspace()
    kernels.rank_subsets(parse_hand(hand).mask, table, work)
    masks = np.empty((find(table, work), 3), np.int64)
    kernels.list_masks(table, work, masks)
    row = cache(Cards.from_mask)  # thousands of settings share 1,573 rows
    return [Setting(*map(row, rows)) for rows in masks.tolist()]
