"""What equilibrium opponents win at whole tables, under every preset that has them."""

import pytest

from solver import load_rules, simulate
from solver.rules import preset_names

SYMMETRIC = [name for name in preset_names() if not load_rules(name).banker]


@pytest.mark.parametrize("other", ["greedy", "random"])
@pytest.mark.parametrize("preset", SYMMETRIC)
def test_equilibrium_wins(preset: str, other: str) -> None:
    best, loser = simulate(["equilibrium", other], preset, deals=5_000, jobs=2).seats
    assert best.units > 5 * best.se
    assert best.units == -loser.units
