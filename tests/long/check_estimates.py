"""Standard errors and racing on thousands of hands; the default tests do the same on fewer."""

import pytest
from test_coverage import check_coverage, check_racing, greedy_pools

from solver.pool import RECORDS


def test_intervals_cover_what_an_independent_pool_says() -> None:
    check_coverage(2500, 0.93, 0.97, *greedy_pools(RECORDS))


@pytest.mark.parametrize("rules", ["2-4", "shisanshui"])
def test_racing_loses_nothing(rules: str) -> None:
    check_racing(hands=1000, rules=rules)
