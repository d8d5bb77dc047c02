"""Tables of every preset and of random rule sets against the naive twins."""

import pytest
from test_settling import COMMON, check_tables


@pytest.mark.parametrize("seed", range(100, 110))
def test_random_tables(seed: int) -> None:
    found = check_tables(2_100, seed)
    assert {what: found[what] for what in COMMON if found[what] < 10} == {}
