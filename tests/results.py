"""All that the kernels find out about hands, for tests that look closer than `solve` shows."""

from collections.abc import Iterable

import numpy as np

from evaluator.cards import parse_hand
from solver.estimate import Results
from solver.opening import open_table
from solver.pool import OpponentPool
from solver.rules import RuleSet
from solver.solve import run


def results_of(
    hands: Iterable[str | Iterable[int]],
    rules: str | RuleSet = "2-4",
    opponents: str | OpponentPool = "greedy",
    samples: int | None = None,
    top: int = 2,
    seed: int = 0,
) -> Results:
    table = open_table(rules, 2, opponents, samples, seed)
    return run(table, np.array([parse_hand(hand).mask for hand in hands]), top).settings
