"""The parts of a thousand hands under every preset add up to their EVs."""

import pytest
from test_explanation import PRESETS, check_sums

from solver.pool import load_pool
from solver.rules import load_rules


@pytest.mark.parametrize("name", PRESETS)
def test_parts_add_up(name: str) -> None:
    rules = load_rules(name)
    assert {"back", "middle", "front"} <= check_sums(
        rules, load_pool("greedy", rules.wheel), 1000, 6
    )
