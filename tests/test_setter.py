"""The fast player that sets the hands a pool has no record of."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from evaluator.cards import Cards
from evaluator.kernels import canonical, relabel
from evaluator.settings import frontier
from solver.deals import deal_many
from solver.equilibrium import exploitability
from solver.joint_deals import settle, show
from solver.opening import Table, actions, find_naturals, relabellings_of
from solver.opponents import find_opponents, space
from solver.pool import DECLARE, SURRENDER, make_pool
from solver.rules import load_rules
from solver.scoring import terms_of
from solver.setter import LOOK, set_hands
from solver.solve import run

ALL_SUITS = relabellings_of(load_rules("2-4"))
POOLS = {wheel: make_pool("greedy", wheel, 16_384) for wheel in ("lowest", "second")}


def table_of(name: str, pool_name: str = "as good as any") -> Table:
    rules = load_rules(name)
    return Table(rules, 2, replace(POOLS[rules.wheel], name=pool_name), 0, None)


def some_hands(n: int, seed: int = 3) -> np.ndarray:
    hands = np.empty(n, np.int64)
    deal_many(seed, 0, hands)
    return hands


@pytest.mark.parametrize("name", ["greedy", "random"])
def test_greedy_and_random_players_set_as_their_pools_do(name: str) -> None:
    pool = make_pool(name, records=4000)
    play = set_hands(Table(load_rules("2-4"), 2, pool, 0, None), pool.hands)
    if name == "greedy":
        assert (play.settings.strengths == pool.strengths).all()
    else:  # drawn anew, by the hand
        error = pool.strengths.std(axis=0) * (2 / 4000) ** 0.5
        apart = abs(play.settings.strengths.mean(axis=0) - pool.strengths.mean(axis=0))
        assert (apart < 4 * error).all()
        assert 0 < (play.settings.strengths == pool.strengths).all(axis=1).mean() < 0.05


@pytest.mark.parametrize("name", ["2-4", "shisanshui", "2-4-royalties", "pusoy"])
def test_others_give_about_the_best_response(name: str) -> None:
    """What they do against a part of the pool is little worse against all of it."""
    table, hands = table_of(name), some_hands(150)
    strengths = set_hands(table, hands).settings.strengths
    everything = run(table, hands, 200).settings  # every setting that may be the best
    same = (everything.strengths == strengths[:, None]).all(axis=2)
    assert same.any(axis=1).mean() > 0.9
    lost = everything.gap[same]
    assert 0 < lost.mean() < 0.02
    assert (lost == 0).mean() > 0.6


@pytest.mark.parametrize("name", ["2-4", "2-4-royalties"])
def test_the_best_few_of_a_first_look_meet_the_rest(name: str) -> None:
    table = replace(table_of(name), samples=LOOK)
    rules, pool, (terms, worths) = table.rules, table.pool, terms_of(table.rules)
    scratch = space(table.field, terms, LOOK)
    hands = some_hands(8)
    play = set_hands(table, hands).settings
    plain, nowhere = np.zeros(1, np.uint8), np.array([-1])
    for h, hand in enumerate(hands):
        standard = relabel(hand, ALL_SUITS[canonical(hand, ALL_SUITS)])
        met = scratch.found[: find_opponents(standard, table.field, 0, LOOK, scratch)]
        places = actions(rules, pool.hands[met], pool.decisions[met])
        seats = np.empty((len(met), 8), np.int16)
        show(pool.strengths[met], pool.broken[met], places, terms, worths, seats)
        order = np.argsort(places >= 0, kind="stable")  # those who set first
        totals = {}
        for setting in frontier(Cards.from_mask(int(hand)), rules.wheel):
            strengths = setting.strengths(rules.wheel)
            units, runs = np.empty((2, len(met), 1), np.int32)
            hero = np.empty((1, 8), np.int16)
            show(np.array([strengths], np.int16), plain, nowhere, terms, worths, hero)
            settle(hero[0], seats[:, None], 1, -table.field.units, terms, units, runs)
            totals[strengths] = units[order[:256]].sum(), *strengths, units.mean()
        few = sorted(totals, key=totals.__getitem__)[-16:]
        best = max(few, key=lambda strengths: (totals[strengths][-1], *strengths))
        assert tuple(play.strengths[h]) == best
        assert play.evs[h] == pytest.approx(totals[best][-1])


def test_declares_and_surrenders_where_that_is_better() -> None:
    rules = replace(load_rules("2-4-royalties"), surrender=0)
    table, hands = Table(rules, 2, table_of("2-4-royalties").pool, 0, None), some_hands(600)
    play = set_hands(table, hands)
    holds = find_naturals(table.rules, hands) >= 0
    assert (holds[play.decisions == DECLARE]).all()
    surrenders = play.decisions == SURRENDER
    assert surrenders.any()
    assert (play.settings.evs[surrenders] < play.settings.surrender_evs[surrenders]).all()
    others = ~surrenders & ~holds
    assert (play.settings.evs[others] >= play.settings.surrender_evs[others]).all()


def test_each_hand_stands_alone_whatever_its_suits_are_called() -> None:
    table, hands = table_of("shisanshui"), some_hands(20)
    whole = set_hands(table, hands)
    renamed = np.array([relabel(hand, np.array([3, 1, 2, 0])) for hand in hands[::-1]])
    part = set_hands(table, renamed)
    assert (part.settings.strengths[::-1] == whole.settings.strengths).all()
    assert (part.decisions[::-1] == whole.decisions).all()


def test_its_exploitability_can_be_measured() -> None:
    """Hardly worse than who looks at every setting; greedy players are far worse."""
    table = table_of("2-4")
    measure = partial(exploitability, table.rules, table.pool, hands=300, records=8192, seed=9)
    quick = measure(play=partial(set_hands, table))
    assert quick.lower == pytest.approx(measure(samples=LOOK).lower, abs=0.02)
    greedy = measure(play=partial(set_hands, table_of("2-4", "greedy")))
    assert greedy.lower > quick.lower + 4 * (greedy.lower_se + quick.lower_se)
