"""What given settings of many hands are worth."""

from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evaluator.broken import broken_code
from evaluator.cards import DECK_SIZE, HAND_SIZE
from evaluator.jit import kernel
from evaluator.kernels import canonical, relabel
from evaluator.ranking import row_strengths
from solver.many import CARD_ROWS
from solver.opening import open_table
from solver.opponents import Field, Space, find_opponents, gather, opponent, space
from solver.pool import OpponentPool, Progress, silent
from solver.rules import RuleSet, Seat
from solver.scoring import Terms, Worths, pay, side, terms_of
from solver.solve import shortage
from solver.wishes import SolveError

I16 = NDArray[np.int16]
I64 = NDArray[np.int64]
F64 = NDArray[np.float64]

_SHOWN: Final = 10  # settings that are at fault


def value_many(
    settings: NDArray[np.integer],
    rules: str | Path | RuleSet = "2-4",
    players: int = 2,
    opponents: str | Path | OpponentPool = "equilibrium",
    samples: int | None = None,
    seed: int = 0,
    progress: Progress = silent,
    seat: Seat | None = None,
) -> F64:
    """Find what given settings are worth, all those of a hand against the same opponents.

    Differences between the settings of a hand are therefore far more precise than their values.
    To see what a choice is worth, value it with another seed or pool than it was made with: on
    its own opponents it looks better than it is. Pairs alone count: home runs are left out.

    Parameters
    ----------
    settings
        Card numbers (n, k, 13), k legal settings of each of n hands: back 5, middle 5, front 3,
        as `solve_many` returns them.
    rules, players, opponents, samples, seed, progress, seat
        As for `solve`.

    Returns
    -------
    array of float
        EVs (n, k), units from all opponents together.

    Raises
    ------
    RulesError, PoolError, SolveError
        As `solve` does; SolveError also tells what is no legal setting.

    Examples
    --------
    >>> from solver import solve_many
    >>> found = solve_many(np.arange(52).reshape(4, 13), opponents="random", samples=500)
    >>> evs = value_many(found.settings[:, None], opponents="random", samples=500)
    >>> np.array_equal(evs[:, 0], found.ev)
    True
    """
    _check_form(settings)
    table = open_table(rules, players, opponents, samples, seed, progress, seat=seat)
    strengths = np.stack(
        [row_strengths(settings[..., row], table.rules.wheel) for row in CARD_ROWS], axis=-1
    )
    rows = np.stack([_masks(settings[..., row]) for row in CARD_ROWS], axis=-1)
    _check_rows(rows, strengths)
    field, (terms, worths) = table.field, terms_of(table.rules, table.seat)
    evs, met = np.empty(rows.shape[:2]), np.empty(len(rows), np.int64)
    scratch = space(field, terms, table.wanted)
    value_hands(rows, strengths, field, terms, worths, table.seed, table.wanted, scratch, evs, met)
    for h, count in enumerate(met.tolist()):
        if problem := shortage(table, count):
            raise SolveError(f"hand {h}: {problem}")
    return table.weight * evs


def _masks(rows: NDArray[np.integer]) -> I64:
    """Return rows of cards (..., cards) as sets."""
    masks: I64 = np.bitwise_or.reduce(np.int64(1) << rows.astype(np.int64), axis=-1)
    return masks


def _check_form(settings: NDArray[np.integer]) -> None:
    if settings.ndim != 3 or settings.shape[2] != HAND_SIZE or settings.dtype.kind not in "iu":
        form = f"{settings.dtype} {settings.shape}"
        raise SolveError(f"settings are whole numbers (n, k, {HAND_SIZE}), not {form}")
    if settings.size:
        least, most = int(settings.min()), int(settings.max())
        if least < 0 or most >= DECK_SIZE:
            raise SolveError(f"cards are numbers 0 to {DECK_SIZE - 1}, not {least} to {most}")


def _check_rows(rows: I64, strengths: I16) -> None:
    hands = np.bitwise_or.reduce(rows, axis=2)
    faults = {
        "does not hold 13 different cards": np.bitwise_count(hands) != HAND_SIZE,
        "is not of the same cards as the first": hands != hands[:, :1],
        "is a foul": (np.diff(strengths, axis=2) > 0).any(axis=2),
    }
    problems: dict[tuple[int, int], str] = {}
    for fault, where in faults.items():
        for h, k in np.argwhere(where).tolist():
            problems.setdefault((h, k), f"hand {h}: setting {k} {fault}")
    if problems:
        lines = [problems[place] for place in sorted(problems)]
        more = [f"and {len(lines) - _SHOWN} more settings"] * (len(lines) > _SHOWN)
        raise SolveError("\n".join(lines[:_SHOWN] + more))


@kernel
def value_hands(
    rows: I64,
    strengths: I16,
    field: Field,
    terms: Terms,
    worths: Worths,
    seed: int,
    wanted: int,
    space: Space,
    evs: F64,
    met: I64,
) -> None:
    """Write what settings (h, k, 3) are worth against one opponent, and how many were met.

    A hand meets the same opponents as in `estimate.solve_hands`.
    """
    for h in range(rows.shape[0]):
        hand = rows[h, 0, 0] | rows[h, 0, 1] | rows[h, 0, 2]
        suits = field.relabellings[canonical(hand, field.relabellings)]
        count = find_opponents(relabel(hand, suits), field, seed, wanted, space)
        setting = gather(0, count, field, terms, space)
        met[h] = count
        fixed = np.int64(0)
        for i in range(setting, count):
            fixed += space.fixed[i]
        for k in range(rows.shape[1]):
            code = broken_code(hand, rows[h, k, 0], rows[h, k, 1]) if terms.broken else 0
            back, middle, front = strengths[h, k, 0], strengths[h, k, 1], strengths[h, k, 2]
            hero = side(back, middle, front, np.uint8(code), terms, worths)
            total = fixed
            for i in range(setting):
                total += pay(hero, opponent(i, space.columns), terms)
            evs[h, k] = total / max(1, count)
