"""A player who answers the shipped opponents: nobody beats him, and he beats the weak."""

from winnings import RULES, player, won

from solver.choosing import choose_pool
from solver.pool import MADE, OpponentPool, make_pool

SAMPLES = 1000


def check_unbeaten(deals: int, himself: OpponentPool, equilibrium: OpponentPool) -> None:
    """Let a player meet himself, on other deals, and opponents who were made."""
    hero = player(equilibrium, deals, seed=601)
    for name in MADE:
        units, error = won(hero, make_pool(name, seed=602), SAMPLES)
        print(f"from {name} opponents {units:+.4f} ± {error:.4f} units on {deals:,} deals")
        assert units > 0.5 > 5 * error
    units, error = won(hero, himself, SAMPLES)
    print(f"from himself {units:+.4f} ± {error:.4f} units on {deals:,} deals")
    assert abs(units) < 4 * error


def test_a_player_beats_the_weak_and_is_not_beaten_by_himself() -> None:
    equilibrium = choose_pool("equilibrium", RULES)
    check_unbeaten(2000, player(equilibrium, 4096, seed=603), equilibrium)
