"""Training and exploitability on pools small enough for every run."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.deals import deal_many
from solver.equilibrium import exploitability, respond, schedule, train_pool, train_round
from solver.opening import Table
from solver.pool import OpponentPool, make_pool
from solver.rules import RuleSet, load_rules
from solver.solve import run

RULES = load_rules("2-4")
SMALL = 4096


@pytest.fixture(scope="module")
def trained() -> OpponentPool:
    return train_pool(RULES, rounds=8, records=4 * SMALL)


def some_hands(n: int, seed: int = 3) -> np.ndarray:
    hands = np.empty(n, np.int64)
    deal_many(seed, 0, hands)
    return hands


@pytest.mark.parametrize("name", ["2-4", "shisanshui", "giga", "pusoy", "broken"])
def test_responses_are_the_best_settings_of_solve(name: str) -> None:
    if name == "broken":
        eastern = load_rules("eastern")
        rules = replace(eastern, royalties=replace(eastern.royalties, broken=True))
    else:
        rules = load_rules(name)
    table = Table(rules, 2, make_pool("greedy", rules.wheel, SMALL), 5, None)
    hands = some_hands(60)
    play, answers = respond(table, hands), run(table, hands, 1)
    best = answers.settings
    assert (play.settings.strengths == best.strengths[:, 0]).all()
    assert (abs(play.settings.evs - best.ev[:, 0]) <= 5 * best.se[:, 0]).all()
    decisions, _, _ = answers.decided(table)
    assert (decisions == play.decisions).all()


def test_training_does_not_depend_on_threads(trained: OpponentPool) -> None:
    again = train_pool(RULES, rounds=8, records=4 * SMALL, jobs=2)
    assert again.digest == trained.digest
    assert again.about == trained.about
    assert trained.about["rules"] == "2-4"


def test_a_round_changes_the_share_it_is_to_change() -> None:
    pool = make_pool("random", records=SMALL)
    plan = schedule(24)[2]
    changed = train_round(pool, RULES, 2, plan)
    share = (changed.strengths != pool.strengths).any(axis=1).mean()
    assert share == pytest.approx(plan.share, abs=0.03)  # a random setting is hardly ever the best
    assert (changed.hands == pool.hands).all()


def exploited(pool: OpponentPool, rules: RuleSet = RULES) -> tuple[float, float]:
    found = exploitability(rules, pool, hands=400, records=4 * SMALL, seed=9)
    assert found.lower <= found.upper
    assert found.lower_se > 0
    assert found.upper_se > 0
    return found.lower - 4 * found.lower_se, found.upper + 4 * found.upper_se


def test_training_makes_a_player_harder_to_exploit(trained: OpponentPool) -> None:
    """Measured at full size: 0.9 units against the best answer to random players, 0.0002 here."""
    least, _ = exploited(make_pool("random", records=4 * SMALL))
    _, most = exploited(trained)
    assert most < 0.05 < 0.2 < least


def test_score_of_a_deal_has_the_known_spread(trained: OpponentPool) -> None:
    found = exploitability(RULES, trained, hands=300, records=SMALL)
    assert found.score_sd == pytest.approx(2.57, abs=0.15)  # Hankin's player, reference figures


def test_exploitability_counts_naturals_declared() -> None:
    """Where declaring is all that pays, everybody declares, and nobody can be exploited."""
    rules = replace(load_rules("la-card-room"), majority=0, rows=RULES.rows._replace(back=0))
    rules = replace(rules, rows=rules.rows._replace(middle=0, front=0))
    pool = make_pool("greedy", records=SMALL)
    found = exploitability(rules, pool, hands=2_000, records=SMALL)
    assert (found.lower, found.upper) == (0, 0)
    assert found.score_sd > 0.3


@given(st.integers(1, 100))
def test_schedule_replaces_less_and_looks_longer(rounds: int) -> None:
    plans = schedule(rounds)
    assert len(plans) == rounds
    assert [plan.share for plan in plans] == sorted((plan.share for plan in plans), reverse=True)
    assert [plan.looks for plan in plans] == sorted(plan.looks for plan in plans)


# --- a banker -------------------------------------------------------------------------------------


MALAYA = load_rules("malaya")


@pytest.fixture(scope="module")
def seated() -> OpponentPool:
    return train_pool(MALAYA, rounds=6, records=8 * SMALL)


def test_the_seats_are_trained_against_each_other(seated: OpponentPool) -> None:
    """Each seat's records answer the other seat's, so neither is the strategy of the other."""
    assert seated.bankers == len(seated.hands) // 2 == 4 * SMALL
    found = exploitability(MALAYA, seated, hands=300, records=4 * SMALL, seed=9)
    assert -4 * found.lower_se < found.lower < found.upper
    assert found.upper + 4 * found.upper_se < 0.15


def test_the_banker_has_an_edge_and_only_he(seated: OpponentPool) -> None:
    """What he wins from ties; without a banker there is none."""
    found = exploitability(MALAYA, seated, hands=300, records=4 * SMALL, seed=9)
    assert found.edge is not None
    assert found.edge_se is not None
    assert found.edge - 4 * found.edge_se > 0
    assert found.edge < 0.2
    assert "edge" not in exploitability(RULES, seated, hands=20, records=SMALL).to_dict()


def test_a_banker_answers_players_and_players_answer_him() -> None:
    """Where the players are greedy and the bankers play at random, the answers tell the two."""
    greedy, by_chance = (make_pool(name, records=SMALL) for name in ("greedy", "random"))
    pool = replace(
        make_pool("greedy", records=2 * SMALL),
        strengths=np.concatenate([greedy.strengths, by_chance.strengths]),
        broken=np.concatenate([greedy.broken, by_chance.broken]),
        dealt=np.concatenate([greedy.hands, by_chance.hands]),
        bankers=SMALL,
    )
    hands = some_hands(40)
    for seat, met in (("banker", greedy), ("player", by_chance)):
        answers = [
            respond(Table(MALAYA, 2, opponents, 0, None, seat=seat), hands)  # type: ignore[arg-type]
            for opponents in (pool, met)
        ]
        assert all(map(np.array_equal, *(answer.settings for answer in answers)))
