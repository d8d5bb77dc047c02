"""Slow, obvious twins of how greedy opponents set, and of what many settings pay each other."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import combinations
from typing import Any

import naive
import naive_rules
import numpy as np
from naive_rules import ROWS
from numpy.typing import NDArray

I64 = NDArray[np.int64]

row_key = cache(naive.row_key)  # the same rows come again and again


def state(
    setting: Iterable[naive.Cards], declare: str | None = None, surrender: bool = False
) -> dict[str, Any]:
    """A player who plays a setting (back, middle, front), declares or surrenders."""
    rows = zip(ROWS, map(tuple, setting), strict=True)
    return {**dict(rows), "declare": declare, "surrender": surrender}


@cache
def greedy_setting(hand: tuple[int, ...], wheel: str = "lowest") -> naive.Setting:
    """The legal setting with the strongest back, then middle, then front."""
    backs = defaultdict(list)
    for back in combinations(hand, 5):
        backs[row_key(back, wheel)].append(back)
    for key in sorted(backs, reverse=True):
        settings = [setting for back in backs[key] for setting in _with_back(hand, back)]
        legal = [setting for setting in settings if not naive.is_foul(setting, wheel)]
        if legal:
            return max(legal, key=lambda setting: [row_key(row, wheel) for row in setting])
    raise AssertionError("every hand has a legal setting")


def _with_back(hand: naive.Cards, back: naive.Row) -> Iterator[naive.Setting]:
    eight = [card for card in hand if card not in back]
    for middle in combinations(eight, 5):
        yield back, middle, tuple(card for card in eight if card not in middle)


def payments(
    heroes: Iterable[naive.Setting],
    others: Iterable[naive.Setting],
    rules: Mapping[str, Any],
    banker: int = 0,
) -> I64:
    """What each of the others pays each hero, shape (heroes, others), if all set legally.

    The same as `naive_rules.pair_payment` for two players, but many at once, and only for rules
    without a limit of royalties, broken royalties and `two-wins`.
    """
    (mine, my_royalties), (theirs, their_royalties) = _shown(heroes, rules), _shown(others, rules)
    strict = np.sign(mine[:, None] - theirs[None])
    results = np.where(strict == 0, banker, strict)
    total = (results * [rules["rows"][row] for row in ROWS]).sum(axis=2)
    if rules["royalties"]["collect"] == "row-winner":
        earned = (results == 1) * my_royalties[:, None] - (results == -1) * their_royalties[None]
        total += earned.sum(axis=2)
    lead = results.sum(axis=2)
    swept = strict.sum(axis=2) // 3 * (abs(strict.sum(axis=2)) == 3)
    total += rules["majority"] * np.sign(lead) + rules["scoop_units"] * swept
    total *= np.where(swept, rules["gun"], 1)
    if rules["royalties"]["collect"] == "both":
        total += my_royalties.sum(axis=1)[:, None] - their_royalties.sum(axis=1)[None]
    return np.asarray(total, np.int64)


def _shown(settings: Iterable[naive.Setting], rules: Mapping[str, Any]) -> tuple[I64, I64]:
    """Strengths of the rows as any integers, and what their royalties add; both (n, 3)."""
    assert rules["majority_rule"] == "more-wins"
    assert rules["royalties"]["limit"] is None
    assert not rules["royalties"]["broken"]
    found: dict[tuple[str, naive.Row], tuple[int, int]] = {}
    shown = []
    for setting in settings:
        for row, cards in zip(ROWS, setting, strict=True):
            if (row, cards) not in found:
                number = 0
                for digit in row_key(cards, rules["wheel"]):
                    number = number * 32 + digit + 1
                found[row, cards] = (
                    number,
                    naive_rules.royalties_paid({row: cards}, [row], rules),
                )
            shown.append(found[row, cards])
    numbers = np.array(shown, np.int64).reshape(-1, 3, 2)
    return numbers[..., 0], numbers[..., 1]
