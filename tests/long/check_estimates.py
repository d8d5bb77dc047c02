"""Standard errors and racing on thousands of hands; the default tests do the same on fewer."""

import pytest
from test_coverage import check_coverage, check_racing, greedy_pools

from solver.pool import RECORDS


def test_intervals_cover_what_an_independent_pool_says() -> None:
    check_coverage(2500, 0.93, 0.97, *greedy_pools(RECORDS))


@pytest.mark.parametrize("rules", ["2-4", "shisanshui"])
@pytest.mark.parametrize("opponents", ["greedy", "equilibrium"])
def test_racing_loses_next_to_nothing(rules: str, opponents: str) -> None:
    check_racing(20_000, rules, opponents)
