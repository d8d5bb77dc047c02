"""The long version of tests/test_naturals.py; `sh scripts/verify` runs it."""

import pytest
from test_naturals import check_naturals

from evaluator.naturals import KINDS


@pytest.mark.parametrize("seed", [7, 8])
def test_kernel_agrees_with_the_twins(seed: int) -> None:
    seen = check_naturals(55_000, seed)
    assert sorted(seen) == list(range(KINDS))
    assert min(seen.values()) >= 500
