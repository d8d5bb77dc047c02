"""The best settings of many hands, as arrays."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluator.cards import DECK_SIZE, HAND_SIZE, CardError, parse_hand
from solver.columns import RISK_COLUMNS
from solver.opening import open_table
from solver.pool import OpponentPool, Progress, silent
from solver.rules import RuleSet, Seat
from solver.solve import run, shortage
from solver.wishes import DEALS, SolveError, Stake

if TYPE_CHECKING:
    import polars

I64 = NDArray[np.int64]
F64 = NDArray[np.float64]

CARD_ROWS: Final = slice(0, 5), slice(5, 10), slice(10, 13)  # of the 13 cards of a setting
_CHUNK: Final = 4096  # hands solved at a time: what is found out besides is not kept
_SHOWN: Final = 10  # errors


class Solutions(NamedTuple):
    """What to do with hands (n,); units are against all opponents together."""

    settings: NDArray[np.int8]  # (n, 13) cards 0..51 of the best: back 5, middle 5, front 3
    decisions: NDArray[np.uint8]  # (n,) 0 set, 1 declare a natural, 2 surrender
    ev: F64  # (n,) units, of the decision
    se: F64  # (n,) units, its standard error
    gap2: F64  # (n,) EV lead of the best setting over the second best, nan if it is alone
    samples: I64  # (n,) conditional opponents met
    risk: F64 | None = None  # (n, 6) fields of `wishes.Risk`, of the decision, if asked for

    def to_frame(self) -> "polars.DataFrame":
        """Return one line for each hand as a data frame: `solver.frames.solutions_frame`."""
        from solver.frames import solutions_frame

        return solutions_frame(self)


def solve_many(
    hands: Iterable[str | Iterable[int]] | NDArray[np.integer],
    rules: str | Path | RuleSet = "2-4",
    players: int = 2,
    opponents: str | Path | OpponentPool = "equilibrium",
    samples: int | None = None,
    seed: int = 0,
    progress: Progress = silent,
    seat: Seat | None = None,
    stakes: str | Iterable[Stake] = (),
    objective: str = "ev",
    risk: bool = False,
    deals: int = DEALS,
) -> Solutions:
    """Find the best settings of many hands, on one thread and without an object for each.

    Parameters
    ----------
    hands
        An array (n, 13) of card numbers 0..51, or n hands as text or card numbers.
    rules, players, opponents, samples, seed, progress, seat, stakes, objective, risk, deals
        As for `solve`, and so are the answers.

    Returns
    -------
    Solutions
        Arrays (n, 13) and (n,), in the order of the hands.

    Raises
    ------
    CardError
        Unless every hand is 13 different cards; it tells which are not.
    RulesError, PoolError, SolveError
        As `solve` does.

    Examples
    --------
    >>> found = solve_many(np.arange(52).reshape(4, 13), opponents="random", samples=500)
    >>> found.settings.shape, found.ev.shape
    ((4, 13), (4,))
    """
    masks = hand_masks(hands)
    wishes: dict[str, Any] = {"stakes": stakes, "objective": objective, "risk": risk}
    wishes |= {"deals": deals, "seat": seat}
    table = open_table(rules, players, opponents, samples, seed, progress, **wishes)
    n = len(masks)
    found = Solutions(
        settings=np.empty((n, HAND_SIZE), np.int8),
        decisions=np.empty(n, np.uint8),
        ev=np.empty(n),
        se=np.empty(n),
        gap2=np.empty(n),
        samples=np.empty(n, np.int64),
        risk=np.empty((n, len(RISK_COLUMNS))) if risk else None,
    )
    for start in range(0, n, _CHUNK):
        part = slice(start, start + _CHUNK)
        answers = run(table, masks[part], 2)
        settings = answers.settings
        for h, met in enumerate(settings.samples):
            if problem := shortage(table, int(met)):
                raise SolveError(f"hand {start + h}: {problem}")
        found.settings[part] = cards_of(settings.rows[:, 0])
        found.decisions[part], found.ev[part], found.se[part] = answers.decided(table)
        found.gap2[part] = answers.gap2(table)
        found.samples[part] = settings.samples
        if found.risk is not None:
            found.risk[part] = answers.risk(found.decisions[part])
    return found


def hand_masks(hands: Iterable[str | Iterable[int]] | NDArray[np.integer]) -> I64:
    """Return hands as sets of cards (n,); raise CardError unless all are 13 different cards."""
    if isinstance(hands, np.ndarray) and hands.dtype.kind in "iu":
        if hands.ndim != 2 or hands.shape[1] != HAND_SIZE:
            raise CardError(f"hands are an array (n, {HAND_SIZE}), not {hands.shape}")
        in_deck: NDArray[np.bool_] = (hands >= 0) & (hands < DECK_SIZE)
        bits = np.where(in_deck, np.int64(1) << (hands.astype(np.int64) & 63), 0)
        masks: I64 = np.bitwise_or.reduce(bits, axis=1)
        if (np.bitwise_count(masks) == HAND_SIZE).all():
            return masks
        hands = hands.tolist()
    parsed, errors = [], []
    for h, hand in enumerate(hands):
        try:
            parsed.append(parse_hand(hand).mask)
        except CardError as error:
            errors.append(f"hand {h}: {error}")
    if errors:
        more = [f"and {len(errors) - _SHOWN} more hands"] * (len(errors) > _SHOWN)
        raise CardError("\n".join(errors[:_SHOWN] + more))
    return np.array(parsed, np.int64)


def cards_of(rows: I64) -> NDArray[np.int8]:
    """Return the cards of rows (n, 3), each from the highest to the lowest, as (n, 13)."""
    cards = np.arange(DECK_SIZE, dtype=np.int8)[::-1]
    held = (rows[:, :, None] >> cards & 1).nonzero()[2]
    return cards[held].reshape(-1, HAND_SIZE)
