"""Many hands as arrays: the answers of `solve`, and what is wrong with hands."""

import numpy as np
import pytest

from evaluator.cards import CardError
from solver import solve, solve_many
from solver.deals import deal
from solver.pool import make_pool
from solver.solution import DECISIONS
from solver.wishes import SolveError

HANDS = deal(5, seed=61)
FLUSHES = "2c 3c 5c 7c 9c 2d 4d 6d 8d Td 3h 6h 9h"
ONE_SUIT = "As Ks Qs Js Ts 9s 8s 7s 6s 5s 4s 3s 2s"


@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.parametrize("rules", ["2-4", "giga", "eastern"])
def test_the_answers_are_those_of_solve(rules: str, players: int) -> None:
    hands = [*map(str, HANDS), FLUSHES, ONE_SUIT]
    found = solve_many(hands, rules, players, "greedy", 200, seed=4)
    for h, hand in enumerate(hands):
        one = solve(hand, rules, players, "greedy", 200, seed=4)
        assert found.settings[h].tolist() == [card for row in one.best.setting for card in row]
        assert DECISIONS[found.decisions[h]] == one.decision
        assert (found.ev[h], found.se[h], found.samples[h]) == (one.ev, one.se, one.samples)
        assert found.gap2[h] == one.second.gap if one.second else np.isnan(found.gap2[h])


def test_arrays_of_any_integers_and_more_hands_than_are_solved_at_a_time() -> None:
    hands = np.array(deal(5000, seed=62))
    expected = solve_many(map(tuple, hands.tolist()), opponents="greedy", samples=2)
    for kind in (np.int8, np.uint8, np.int64):
        found = solve_many(np.asfortranarray(hands.astype(kind)), opponents="greedy", samples=2)
        assert all(map(np.array_equal, found, expected, [True] * 6))
    assert np.array_equal(np.sort(expected.settings), np.sort(hands))
    assert expected.settings.dtype == np.int8


def test_no_hands() -> None:
    for none in ([], np.empty((0, 13), np.int64)):
        found = solve_many(none, opponents="greedy")
        assert [column.shape for column in found[:6]] == [(0, 13), *[(0,)] * 5]


@pytest.mark.parametrize("spoiled", [-1, 52, 300])
def test_all_hands_that_are_none_are_told(spoiled: int) -> None:
    hands = np.array(HANDS, np.int64)
    hands[1, 3], hands[4, 0] = spoiled, hands[4, 1]
    with pytest.raises(CardError) as caught:
        solve_many(hands)
    first, second = str(caught.value).splitlines()
    assert first.startswith(f"hand 1: not a hand: unknown {spoiled} at 4; ")
    assert second.startswith("hand 4: not a hand: ")
    assert second.endswith(" twice")


def test_only_the_first_are_told_in_full() -> None:
    with pytest.raises(CardError) as caught:
        solve_many(["As"] * 25)
    lines = str(caught.value).splitlines()
    assert len(lines) == 11
    assert lines[-1] == "and 15 more hands"


@pytest.mark.parametrize("shape", [(2, 12), (13,), (1, 2, 13)])
def test_arrays_of_another_shape(shape: tuple[int, ...]) -> None:
    with pytest.raises(CardError) as caught:
        solve_many(np.zeros(shape, np.int64))
    assert str(caught.value) == f"hands are an array (n, 13), not {shape}"


def test_too_few_opponents_are_told_of_the_hand() -> None:
    pool = make_pool("random", records=60)
    with pytest.raises(SolveError, match=r"^hand 0: 5000 samples asked for, but the pool "):
        solve_many(HANDS, opponents=pool, samples=5000)
