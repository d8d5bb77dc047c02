"""What equilibrium opponents win at whole tables, under every preset."""

import pytest
from test_simulate import with_half

from solver import simulate
from solver.rules import load_rules, preset_names

SYMMETRIC = [name for name in preset_names() if not load_rules(name).banker]


@pytest.mark.parametrize("other", ["greedy", "random"])
@pytest.mark.parametrize("preset", preset_names())
def test_equilibrium_wins(preset: str, other: str) -> None:
    best, loser = simulate(["equilibrium", other], preset, deals=5_000, jobs=2).seats
    assert best.units > 5 * best.se
    assert best.units == -loser.units


@pytest.mark.parametrize("preset", SYMMETRIC)
def test_equilibrium_wins_nothing_from_equilibrium(preset: str) -> None:
    best = simulate(with_half(preset), preset, deals=3_000, jobs=2).seats[0]
    assert 0 < abs(best.units) < 4 * best.se < 0.06
