"""The shipped opponents are hardly to be beaten, on thousands of hands; quick ones nearly so."""

import pytest
from test_coverage import check_coverage
from test_player import check_unbeaten
from winnings import RULES, player

from solver.choosing import choose_pool
from solver.equilibrium import (
    FRESH,
    QUICK_RECORDS,
    QUICK_ROUNDS,
    Exploitability,
    exploitability,
    train_pool,
)
from solver.pool import OpponentPool


@pytest.fixture(scope="module")
def equilibrium() -> OpponentPool:
    return choose_pool("equilibrium", RULES)


@pytest.fixture(scope="module")
def fresh(equilibrium: OpponentPool) -> OpponentPool:
    """What a player sets who answers them, on other deals."""
    return player(equilibrium, FRESH, seed=604)


def test_a_player_is_not_beaten(equilibrium: OpponentPool, fresh: OpponentPool) -> None:
    check_unbeaten(100_000, fresh, equilibrium)


def test_intervals_cover_what_a_fresh_pool_says(
    equilibrium: OpponentPool, fresh: OpponentPool
) -> None:
    check_coverage(2500, 0.93, 0.97, equilibrium, fresh)


def told(found: Exploitability) -> float:
    """Print bounds; return what lies midway between them."""
    bounds = (f"{found.lower:.5f} ± {found.lower_se:.5f}", f"{found.upper:.5f}")
    print(f"exploitable for {' to '.join(bounds)} ± {found.upper_se:.5f} units a deal")
    return (found.lower + found.upper) / 2


def test_opponents_trained_on_first_use_are_good_enough() -> None:
    quick = train_pool(RULES, QUICK_ROUNDS, QUICK_RECORDS)
    assert told(exploitability(RULES, quick, hands=4000)) <= 0.0005
