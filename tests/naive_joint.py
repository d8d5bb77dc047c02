"""A slow, obvious twin of joint deals: deal, let everybody set, settle the table by the rules."""

import random
from collections.abc import Mapping
from dataclasses import replace
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
from solver.opening import Table
from solver.pool import DECLARE, SURRENDER
from solver.setter import set_hands

WORK = workspace()


def totals(
    table: Table, setting: Setting, deals: int, rng: random.Random, stakes: Mapping[str, int]
) -> NDArray[np.float64]:
    """What a player who sets so wins from all opponents in each of some random deals.

    Against a banker that is the first of the opponents.
    """
    rules = in_twins_form(table.rules)
    hero = state(setting)
    unseen = sorted(set(range(52)) - {card for row in setting for card in row})
    names = [f"opponent {number}" for number in range(1, table.players)]
    banker = {None: None, "banker": "hero", "player": names[0]}[table.seat]
    won = []
    for _ in range(deals):
        rng.shuffle(unseen)
        seats = {"hero": hero}
        for i, name in enumerate(names):
            hand = tuple(unseen[13 * i : 13 * i + 13])
            met_by = replace(table, seat="banker") if banker not in (None, name) else table
            seats[name] = _played(met_by, hand)
        worth: dict[frozenset[str], Any] = {
            frozenset(("hero", name)): stakes.get(name, 1) for name in names
        }
        won.append(naive_rules.settle(seats, rules, worth, banker)["hero"])
    return np.array(won, np.float64)


def _played(table: Table, hand: tuple[int, ...]) -> dict[str, Any]:
    """What an opponent does with a hand."""
    mask = Cards(hand).mask
    play = set_hands(table, np.array([mask], np.int64))
    rules = in_twins_form(table.rules)
    declares = play.decisions[0] == DECLARE
    natural = naive_rules.strongest_natural(rules, hand) if declares else None
    rows = _rows(mask, play.settings.strengths[0], table.rules.wheel)
    return state(rows, natural and natural["name"], bool(play.decisions[0] == SURRENDER))


def _rows(mask: int, strengths: NDArray[np.int16], wheel: Any) -> list[tuple[int, ...]]:
    """Rows of a hand that have these strengths."""
    table = tables(wheel)
    rank_subsets(mask, table, WORK)
    count = find_legal(table, WORK)
    found = np.stack([WORK.backs, WORK.middles, WORK.fronts], axis=1)[:count]
    split = WORK.splits[(found == strengths).all(axis=1).argmax()]
    return [tuple(Cards.from_mask(int(row))) for row in split_masks(split, table, WORK)]
