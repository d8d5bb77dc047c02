"""Legal settings and frontiers of many hands against the naive twins."""

import pytest
from test_settings import WHEELS, check_settings, random_hands

from evaluator.ranking import Wheel


@pytest.mark.parametrize("wheel", WHEELS)
@pytest.mark.parametrize("seed", range(100, 110))
def test_settings_of_random_hands(seed: int, wheel: Wheel) -> None:
    for hand in random_hands(25, seed):
        check_settings(hand, wheel)
