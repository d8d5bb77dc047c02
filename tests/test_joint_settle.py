"""Joint deals settled by a kernel: exactly what `score_table` says, in every seat."""

import random
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from itertools import starmap
from typing import Any

import numpy as np
import pytest
from naive_rules import ROWS, state_fouls
from naive_support import naive_rules, random_rules, random_states

from evaluator.broken import broken_code
from evaluator.ranking import row_strength
from solver import PlayedHand, RuleSet, score_table
from solver.joint_deals import settle, show
from solver.rules import FACING, Seat
from solver.scoring import terms_of

HERO = "A"
States = dict[str, dict[str, Any]]


def some_table(rng: random.Random, banker: bool) -> tuple[RuleSet, States]:
    """A table of legal settings, of which hero's at least is played."""
    rules = replace(random_rules(rng), banker=banker, optional=True)
    if rng.random() < 0.8:
        rules = replace(rules, gun=2, home_run=3)
    while True:
        states = random_states(rng, rules, rng.randint(*rules.players))
        if rng.random() < 0.6:  # else a sweep of the whole table would be rare
            order = sorted(states.values(), key=partial(strengths_of, rules))
            order = order[:: rng.choice((1, -1))]
            states = dict(zip(states, order, strict=True))
        fouls = any(state_fouls(state, naive_rules(rules)) for state in states.values())
        if not fouls and not states[HERO]["declare"] and not states[HERO]["surrender"]:
            return rules, states


def place_of(rules: RuleSet, state: dict[str, Any]) -> int:
    if state["declare"]:
        return [natural.name for natural in rules.naturals].index(state["declare"])
    return len(rules.naturals) if state["surrender"] else -1


def strengths_of(rules: RuleSet, state: dict[str, Any]) -> list[int]:
    return [row_strength(state[row], rules.wheel) for row in ROWS]


def code_of(state: dict[str, Any]) -> int:
    back, middle, front = (sum(1 << card for card in state[row]) for row in ROWS)
    return int(broken_code(back | middle | front, back, middle))


def shown(rules: RuleSet, seat: Seat | None, states: Iterable[dict[str, Any]]) -> Any:
    """What players in a seat show, as `settle` takes it."""
    players = list(states)
    seats = np.empty((len(players), 8), np.int16)
    strengths = np.array([strengths_of(rules, state) for state in players], np.int16)
    broken = np.array([code_of(state) for state in players], np.uint8)
    places = np.array([place_of(rules, state) for state in players])
    show(strengths, broken, places, *terms_of(rules, seat), seats)
    return seats


def played(name: str, state: dict[str, Any]) -> PlayedHand:
    rows = (state[row] for row in ROWS)
    return PlayedHand(name, *rows, state["declare"] or "", state["surrender"])


def settled(rules: RuleSet, seat: Seat | None, states: States) -> tuple[list[int], list[int]]:
    """What the others pay hero, and what is added by home runs that take all of them."""
    hero, *others = states.values()
    seats = shown(rules, FACING[seat], others)[None]
    units, runs = np.empty((2, 1, 1 if seat == "player" else len(others)), np.int32)
    home_run = rules.home_run if len(states) >= rules.home_run_min_players else 1
    fixed = np.array([*(-natural.units for natural in rules.naturals), rules.surrender or 0])
    terms, _ = terms_of(rules, seat)
    settle(shown(rules, seat, [hero])[0], seats, home_run, fixed, terms, units, runs)
    return units[0].tolist(), runs[0].tolist()


@pytest.mark.parametrize("seat", [None, "banker", "player"])
def test_every_deal_settles_as_its_table_does(seat: Seat | None) -> None:
    rng = random.Random(seat)
    more = fewer = 0
    for _ in range(500):
        rules, states = some_table(rng, banker=seat is not None)
        banker = {None: None, "banker": HERO, "player": "B"}[seat]
        pairs = score_table(starmap(played, states.items()), rules, banker=banker).pairs
        units, runs = settled(rules, seat, states)
        paid = [pair.units for pair in pairs if pair.a == HERO]
        assert [one + run for one, run in zip(units, runs, strict=True)] == paid
        more, fewer = more + (sum(runs) > 0), fewer + (sum(runs) < 0)
        for name, one in zip(list(states)[1:], units, strict=False):
            pair = {HERO: states[HERO], name: states[name]}
            enough = len(states) >= rules.home_run_min_players
            fewest = replace(rules, home_run_min_players=2 if enough else 4)
            assert settled(fewest, seat, pair)[0] == [one], "it depends on another opponent"
    assert (more > 10, fewer > 10) == (seat != "player", seat != "banker")
