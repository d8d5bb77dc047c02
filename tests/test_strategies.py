"""Players by a rule of their own: what they set, and the pools they fill."""

from collections.abc import Callable
from functools import cache
from typing import Any

import naive
import numpy as np
import pytest
from naive_opponents import row_key

from evaluator.cards import CardError, Cards
from evaluator.ranking import CLASSES, row_strength, row_strengths
from evaluator.settings import frontier
from solver.atlas import category_shares, win_curves
from solver.deals import deal
from solver.pool import OpponentPool, make_pool
from solver.strategies import (
    THUMBS,
    in_order,
    row_by_row,
    settings_by,
    strategy_pool,
    strongest_back,
)

HANDS = [tuple(hand) for hand in deal(2, seed=12)]
kind_of = cache(naive.category)  # the same rows come again and again
POINTS = {kind: points for points, kind in enumerate(naive.CATEGORIES)}
LIKES: dict[str, Callable[..., tuple[Any, ...]]] = {
    "Strongest back, then middle": lambda b, m, f: (row_key(b), row_key(m)),
    "Strongest middle, then back": lambda b, m, f: (row_key(m), row_key(b)),
    "Strongest front, then middle": lambda b, m, f: (row_key(f), row_key(m)),
    "A straight or better in the back, then the strongest middle": lambda b, m, f: (
        POINTS[kind_of(b)] >= POINTS["straight"],
        row_key(m),
        row_key(f),
    ),
    "A pair in front if the middle keeps one, then the strongest back": lambda b, m, f: (
        "high-card" not in (kind_of(m), kind_of(f)),
        row_key(b),
        row_key(m),
    ),
    "A straight or better in the back, two pairs or better in the middle, then the front": (
        lambda b, m, f: (
            min(POINTS[kind_of(b)], 4),
            min(POINTS[kind_of(m)], 2),
            row_key(f),
            row_key(m),
        )
    ),
    "The largest product of the three strengths": lambda *rows: (
        np.prod([row_strength(row) + 1 for row in rows]),
    ),
    "Most points: 1 for a pair, 2 for two pairs, up to 8 for a straight flush, in all rows": (
        lambda *rows: (
            sum(POINTS[kind_of(row)] for row in rows),
            sum(map(row_strength, rows)),
        )
    ),
}


def test_every_rule_of_thumb_has_a_twin() -> None:
    assert list(THUMBS) == list(LIKES)


@pytest.mark.parametrize("hand", HANDS, ids=[str(Cards(hand)) for hand in HANDS])
def test_rules_of_thumb_set_what_they_say(hand: tuple[int, ...]) -> None:
    legal = naive.legal_settings(hand)
    found = settings_by(list(THUMBS.values()), [hand])[0].tolist()
    for (words, likes), cards in zip(LIKES.items(), found, strict=True):
        setting = tuple(cards[:5]), tuple(cards[5:10]), tuple(cards[10:])
        assert not naive.is_foul(setting), words
        assert sorted(cards) == sorted(hand), words
        assert likes(*setting) == max(likes(*other) for other in legal), words


@pytest.mark.parametrize("wheel", ["lowest", "second"])
def test_a_pool_by_strategy_is_that_of_the_same_players_made_directly(wheel: Any) -> None:
    made = make_pool("greedy", wheel, records=3000, seed=5)
    pool = strategy_pool("greedy", strongest_back, wheel, records=3000, seed=5)
    assert np.array_equal(pool.strengths, made.strengths)
    assert np.array_equal(pool.hands, made.hands)
    assert np.array_equal(pool.broken, made.broken)
    assert np.array_equal(pool.decisions, made.decisions)


def test_progress_and_bad_hands() -> None:
    said: list[float] = []
    settings_by([strongest_back], deal(1500, seed=1), progress=lambda _, share: said.append(share))
    assert said == [0.0, 1024 / 1500, 1.0]
    with pytest.raises(CardError, match="hand 0"):
        settings_by([strongest_back], ["As Kd"])
    assert settings_by([], HANDS).shape == (2, 0, 13)


def test_wishes_count_in_order() -> None:
    wishes = np.random.default_rng(4).integers(0, CLASSES, (3, 500))
    expected = sorted(range(500), key=lambda i: tuple(wishes[:, i]))
    assert np.argsort(in_order(*wishes), kind="stable").tolist() == expected


# What pools do


def small_pool() -> OpponentPool:
    rows = ["As Ks Qs Js 9s", "Kd Kc 4d 4c 2d", "Ah Qh 2s"], ["Ad Kd Qd Jd 9d", "3c 3h 5c 5h 6d"]
    strengths = [[row_strength(row) for row in rows[0]] for _ in range(3)]
    strengths.append([*map(row_strength, rows[1]), row_strength("Qs Qc 3d")])
    none = np.zeros(4, np.uint8)
    return OpponentPool("four", "lowest", 0, np.array(strengths, np.int16), none, none)


def test_shares_and_curves() -> None:
    shares = category_shares(small_pool())
    assert shares.shape == (3, 9)
    assert np.allclose(shares.sum(axis=1), 1)
    assert shares[0, POINTS["flush"]] == shares[1, POINTS["two-pair"]] == 1
    assert shares[2, [0, 1]].tolist() == [0.75, 0.25]
    curves = win_curves(small_pool())
    assert curves[0, row_strength("Ac Kc Qc Jc 9c")] == 0.5, "all tie"
    assert curves[1, row_strength("9d 9c 8d 8c 2d")] == 0.25
    assert curves[2, row_strength("As Qs 2c")] == 0.75 / 2
    assert curves[2, row_strength("Qd Qh 2c")] == 0.75
    assert curves[:, 0].tolist() == [0, 0, 0]
    assert curves[:, -1].tolist() == [1, 1, 1]


def test_the_player_row_by_row_adds_up_chances() -> None:
    curves = np.random.default_rng(1).random((3, CLASSES))
    setting = settings_by([row_by_row(curves)], HANDS[:1])[0, 0].tolist()

    def chances(rows: Any) -> float:
        return float(sum(curves[i, row_strength(row)] for i, row in enumerate(rows)))

    best = max(chances(other) for other in frontier(HANDS[0]))
    assert chances((setting[:5], setting[5:10], setting[10:])) == pytest.approx(best)


def test_strengths_of_many_rows_are_those_of_each() -> None:
    rng = np.random.default_rng(6)
    for size in (3, 5):
        rows = np.array([rng.choice(52, size, replace=False) for _ in range(400)])
        rows[:40] = rows[:40] // 4 * 4 + 2  # flushes, where the ranks differ
        rows = np.array([row for row in rows.tolist() if len(set(row)) == size])
        keys = [naive.row_key(row) for row in rows.tolist()]
        strengths = row_strengths(rows.astype(np.int8)).tolist()
        assert np.argsort(strengths, kind="stable").tolist() == sorted(
            range(len(keys)), key=lambda i: keys[i]
        )
    assert row_strengths(rows[None]).shape == (1, len(rows))
