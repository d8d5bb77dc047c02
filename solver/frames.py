"""Answers and pools as polars data frames; needs the extra ``analysis``."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evaluator.cards import DECK_SIZE, card_text
from evaluator.ranking import CLASSES, Category, categories, row_name, row_strengths
from solver.columns import RISK_COLUMNS
from solver.extras import missing
from solver.many import CARD_ROWS, Solutions, cards_of
from solver.pool import OpponentPool
from solver.rules import CATEGORIES, ROWS
from solver.solution import DECISIONS, Solution

try:
    import polars as pl
except ModuleNotFoundError as error:
    raise missing("polars", "a data frame") from error

_CARDS: Final = np.array([f"{card_text(card)} " for card in range(DECK_SIZE)])


def solution_frame(solution: Solution) -> pl.DataFrame:
    """Return the listed settings of a solution, one a line, best first.

    Parameters
    ----------
    solution
        The answer of `solve`.

    Returns
    -------
    polars.DataFrame
        ``rank``; for each row its cards, name (``back_name``) and chances to win (``back_win``)
        and tie (``back_tie``); ``ev, se, gap, gap_se, royalties`` in units; ``scoop, scooped``.

    Raises
    ------
    ModuleNotFoundError
        Without polars.

    Examples
    --------
    >>> from solver import solve
    >>> hand = "As Ks Qs Js 6s 5s 3s Qh 9h 2h Jd 8c 3c"
    >>> solve(hand, opponents="greedy", top=3).to_frame().height
    3
    """
    units = "ev", "se", "gap", "gap_se", "royalties", "scoop", "scooped"
    return pl.DataFrame(
        [
            {
                "rank": rank,
                **{row: str(getattr(scored.setting, row)) for row in ROWS},
                **{f"{row}_name": scored.names[row] for row in ROWS},
                **{name: getattr(scored, name) for name in units},
                **{f"{row}_win": getattr(scored.win, row) for row in ROWS},
                **{f"{row}_tie": getattr(scored.tie, row) for row in ROWS},
            }
            for rank, scored in enumerate(solution.settings, start=1)
        ]
    )


def solutions_frame(solutions: Solutions) -> pl.DataFrame:
    """Return the answers of `solve_many`, one hand a line, in order.

    Parameters
    ----------
    solutions
        The answers.

    Returns
    -------
    polars.DataFrame
        For each row of the best setting its cards and category (``back_category``); ``decision``;
        ``ev, se, gap2`` in units, ``gap2`` null where there is no second setting; ``samples``;
        and how the total of a deal spreads (``sd`` to ``high``) if that was asked for.

    Raises
    ------
    ModuleNotFoundError
        Without polars.

    Examples
    --------
    >>> from solver import deal, solve_many
    >>> solve_many(deal(5, seed=1), opponents="greedy").to_frame().columns[:3]
    ['back', 'middle', 'front']
    """
    rows = [solutions.settings[:, part] for part in CARD_ROWS]
    kinds = [categories()[row_strengths(cards)] for cards in rows]
    risk = solutions.risk
    return pl.DataFrame(
        {
            **{row: _texts(cards) for row, cards in zip(ROWS, rows, strict=True)},
            **_categories(kinds),
            "decision": _named(DECISIONS, solutions.decisions),
            "ev": solutions.ev,
            "se": solutions.se,
            "gap2": solutions.gap2,
            "samples": solutions.samples,
            **({} if risk is None else dict(zip(RISK_COLUMNS, risk.T, strict=True))),
        },
        nan_to_null=True,
    )


def pool_frame(pool: OpponentPool) -> pl.DataFrame:
    """Return the records of a pool, one a line, in order.

    Parameters
    ----------
    pool
        The opponents.

    Returns
    -------
    polars.DataFrame
        ``hand``; for each row its name, strength (``back_strength``) and category
        (``back_category``); ``decision``, where declare means a natural if it holds one.

    Raises
    ------
    ModuleNotFoundError
        Without polars.

    Examples
    --------
    >>> from solver.pool import make_pool
    >>> make_pool("random", records=7).to_frame().shape
    (7, 11)
    """
    names = pl.Series([row_name(strength, pool.wheel) for strength in range(CLASSES)])
    strengths = dict(zip(ROWS, pool.strengths.T, strict=True))
    return pl.DataFrame(
        {
            "hand": _texts(cards_of(pool.hands[:, None])),
            **{row: names.gather(column) for row, column in strengths.items()},
            **{f"{row}_strength": column for row, column in strengths.items()},
            **_categories([categories()[column] for column in strengths.values()]),
            "decision": _named(DECISIONS, pool.decisions),
        }
    )


def _categories(kinds: list[NDArray[np.int8]]) -> dict[str, pl.Series]:
    """Return the categories of back, middle and front as columns, in order of strength."""
    names = CATEGORIES[: len(Category)]
    return {f"{row}_category": _named(names, kind) for row, kind in zip(ROWS, kinds, strict=True)}


def _named(names: Sequence[str], numbers: NDArray[np.integer]) -> pl.Series:
    """Return numbers (n,) as what they stand for, which sorts as the numbers do."""
    return pl.Series(names, dtype=pl.Enum(names)).gather(numbers)


def _texts(cards: NDArray[np.integer]) -> NDArray[np.str_]:
    """Return rows (n, cards) of card numbers as text, with spaces between."""
    joined = np.ascontiguousarray(_CARDS[cards]).view(f"U{3 * cards.shape[1]}")[:, 0]
    return np.strings.rstrip(joined)
