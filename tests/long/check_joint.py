"""Joint deals at length: against a naive simulation, and how good those are who set them."""

from functools import partial

import pytest
from test_joint import HOUSE, check_simulation

from solver.equilibrium import exploitability
from solver.opening import open_table
from solver.rules import RuleSet, load_rules, preset_names
from solver.setter import set_hands


@pytest.mark.parametrize("rules", [*preset_names(), HOUSE])
def test_every_table_is_settled_as_a_naive_simulation_does(rules: str | RuleSet) -> None:
    rule_set = load_rules(rules) if isinstance(rules, str) else rules
    for seat in ("banker", "player") if rule_set.banker else (None,):
        check_simulation(rules, seat, hands=50, deals=100)


@pytest.mark.parametrize("name", ["2-4", "shisanshui"])
def test_who_is_dealt_jointly_is_hard_to_exploit(name: str) -> None:
    table = open_table(name)
    found = exploitability(table.rules, table.pool, hands=4_000, play=partial(set_hands, table))
    print(
        f"the players of joint deals under {name}: exploitable for {found.lower:.4f} ± "
        f"{found.lower_se:.4f} to {found.upper:.4f} ± {found.upper_se:.4f} units a deal"
    )
    assert found.lower < 0.01
