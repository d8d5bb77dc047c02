"""A slow, obvious twin of joint deals: deal, let everybody set, settle the table by the rules."""

import random
from collections.abc import Mapping
from typing import Any

import naive_rules
import numpy as np
from naive_opponents import state
from naive_support import naive_rules as in_twins_form
from numpy.typing import NDArray

from evaluator.cards import Cards
from evaluator.kernels import find_legal, rank_subsets, split_masks, workspace
from evaluator.ranking import tables
from evaluator.settings import Setting
from solver.pool import DECLARE, SURRENDER
from solver.setter import set_hands
from solver.solve import Table

WORK = workspace()


def totals(
    table: Table, setting: Setting, deals: int, rng: random.Random, stakes: Mapping[str, int]
) -> NDArray[np.float64]:
    """What a player who sets so wins from all opponents in each of some random deals."""
    rules = in_twins_form(table.rules)
    hero = state(setting)
    unseen = sorted(set(range(52)) - {card for row in setting for card in row})
    names = [f"opponent {number}" for number in range(1, table.players)]
    won = []
    for _ in range(deals):
        rng.shuffle(unseen)
        hands = [tuple(unseen[13 * i : 13 * i + 13]) for i in range(len(names))]
        masks = np.array([Cards(hand).mask for hand in hands], np.int64)
        play = set_hands(table, masks)
        seats = {"hero": hero}
        for name, hand, mask, strengths, decision in zip(
            *(names, hands, masks, play.settings.strengths, play.decisions), strict=True
        ):
            natural = naive_rules.strongest_natural(rules, hand) if decision == DECLARE else None
            rows = _rows(int(mask), strengths, table.rules.wheel)
            declare = natural["name"] if natural else None
            seats[name] = state(rows, declare, bool(decision == SURRENDER))
        worth: dict[frozenset[str], Any] = {
            frozenset(("hero", name)): stakes.get(name, 1) for name in names
        }
        won.append(naive_rules.settle(seats, rules, worth)["hero"])
    return np.array(won, np.float64)


def _rows(mask: int, strengths: NDArray[np.int16], wheel: Any) -> list[tuple[int, ...]]:
    """Rows of a hand that have these strengths."""
    table = tables(wheel)
    rank_subsets(mask, table, WORK)
    count = find_legal(table, WORK)
    found = np.stack([WORK.backs, WORK.middles, WORK.fronts], axis=1)[:count]
    split = WORK.splits[(found == strengths).all(axis=1).argmax()]
    return [tuple(Cards.from_mask(int(row))) for row in split_masks(split, table, WORK)]
