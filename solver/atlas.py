"""What the opponents of a pool do: which rows they set, and what beats them."""

import numpy as np
from numpy.typing import NDArray

from evaluator.ranking import CLASSES, Category, categories
from solver.pool import OpponentPool

F64 = NDArray[np.float64]


def category_shares(pool: OpponentPool) -> F64:
    """Return how often each row of a pool is of each category.

    Parameters
    ----------
    pool
        The opponents.

    Returns
    -------
    array of float
        Shares (3, 9), 0 to 1: back, middle, front by category, weakest first.

    Examples
    --------
    >>> from solver.pool import make_pool
    >>> shares = category_shares(make_pool("greedy", records=1000))
    >>> float(shares[0].sum().round(9))
    1.0
    """
    kinds = categories()[pool.strengths]
    return np.stack([(kinds == kind).mean(axis=0) for kind in Category], axis=1)


def win_curves(pool: OpponentPool) -> F64:
    """Return the chance of a row of each strength to win against a pool, ties counting half.

    Parameters
    ----------
    pool
        The opponents, all of them, whatever cards they hold.

    Returns
    -------
    array of float
        Chances (3, 7917), 0 to 1: back, middle, front by strength.

    Examples
    --------
    >>> from evaluator import row_strength
    >>> from solver.pool import make_pool
    >>> curves = win_curves(make_pool("greedy", records=1000))
    >>> pair, ace = row_strength("Kh Kd 2c"), row_strength("Ah Kd Qc")
    >>> bool(curves[2, pair] > curves[2, ace])
    True
    """
    curves = np.empty((3, CLASSES))
    for row, column in enumerate(pool.strengths.T):
        counts = np.bincount(column, minlength=CLASSES)
        curves[row] = (counts.cumsum() - counts / 2) / len(column)
    return curves
