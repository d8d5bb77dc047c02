"""Tables dealt and settled by kernels: against the twins, and what dealing has to hold."""

import random
from collections.abc import Sequence
from itertools import permutations
from typing import Any

import naive_rules
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_rules import ROWS, strongest_natural
from naive_support import naive_rules as as_naive
from naive_support import random_rules, random_states

from evaluator.broken import broken_code
from evaluator.cards import Cards
from evaluator.naturals import natural_key
from evaluator.ranking import row_strength, tables
from solver import RuleSet, load_rules
from solver.declaring import naturals_of
from solver.duplicate import Plays, Recorded, deal_tables, settle_deals
from solver.pool import DECLARE, SET, SURRENDER, make_pool
from solver.rules import preset_names
from solver.settling import clauses_of

SUITS = np.array(list(permutations(range(4))))
COLOURS = SUITS[SUITS[:, 0] + SUITS[:, 3] == 3]  # hearts and diamonds stay together
NOBODY = Recorded(np.empty(0, np.int64), np.zeros(1, np.int64), SUITS)


def mask(cards: Sequence[int]) -> int:
    return sum(1 << card for card in cards)


# Settling


def plays_of(rules: RuleSet, states: dict[str, dict[str, Any]]) -> Plays:
    """One deal, in which seat i of a table is played by strategy i as the twins' states say."""
    seats = len(states)
    shape = seats, 1, seats
    plays = Plays(
        np.zeros((*shape, 3), np.int16),
        np.zeros(shape, np.uint8),
        np.full(shape, SET, np.uint8),
        np.full((1, seats), -1),
        np.zeros((1, seats), np.int64),
    )
    names = [natural.name for natural in rules.naturals]
    for i, seat in enumerate(states.values()):
        rows = [seat[row] for row in ROWS]
        plays.strengths[i, 0, i] = [row_strength(row, rules.wheel) for row in rows]
        hand, back, middle = mask(sum(map(tuple, rows), ())), mask(rows[0]), mask(rows[1])
        plays.broken[i, 0, i] = broken_code(hand, back, middle)
        if not rules.optional:
            natural = strongest_natural(as_naive(rules), sum(map(tuple, rows), ()))
            seat = {**seat, "declare": natural and natural["name"]}
        if seat["declare"]:
            place = names.index(seat["declare"])
            kind = naturals_of(rules).kinds[place]
            plays.naturals[0, i] = place
            plays.keys[0, i] = natural_key(kind, hand, tables(rules.wheel))
            plays.decisions[i, 0, i] = DECLARE
        elif seat["surrender"]:
            plays.decisions[i, 0, i] = SURRENDER
    if rules.banker:  # as the banker a strategy does the same here
        own = (np.concatenate([column, column]) for column in plays[:3])
        plays = Plays(*own, *plays[3:])
    return plays


def check_settled(rng: random.Random, rules: RuleSet) -> None:
    states = random_states(rng, rules, rng.randint(*rules.players))
    seats, names = len(states), list(states)
    bank = rng.randrange(seats) if rules.banker else -1
    units = np.empty((seats, 1), np.int64)
    enough = rules.home_run > 1 and seats >= rules.home_run_min_players
    seatings, banks = np.arange(seats)[None], np.array([bank])
    plays = plays_of(rules, states)
    settle_deals(plays, seatings, banks, enough, clauses_of(rules), units)
    banker = names[bank] if rules.banker else None
    paid = naive_rules.settle(states, as_naive(rules), banker=banker)
    assert units[:, 0].tolist() == list(paid.values())


@pytest.mark.parametrize("preset", preset_names())
def test_tables_settle_as_the_twin_does(preset: str) -> None:
    rng = random.Random(preset)
    for _ in range(40):
        check_settled(rng, load_rules(preset))


@settings(max_examples=60)
@given(st.randoms(use_true_random=False))
def test_tables_of_random_rules_settle_as_the_twin_does(rng: random.Random) -> None:
    check_settled(rng, random_rules(rng))


# Dealing


def dealt(n: int, seats: int, recorded: Recorded, start: int = 0) -> tuple[Any, Any]:
    hands = np.empty((n, seats), np.int64)
    records = np.empty((n, len(recorded.starts) - 1), np.int64)
    assert deal_tables(5, start, recorded, hands, records)
    return hands, records


def recorded_hands(*numbers: int, seed: int = 1) -> Recorded:
    hands = make_pool("greedy", records=sum(numbers), seed=seed).hands
    return Recorded(hands, np.cumsum([0, *numbers]), SUITS)


@pytest.mark.parametrize("recorded", [NOBODY, recorded_hands(40), recorded_hands(30, 50)])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_hands_of_a_table_share_no_card(recorded: Recorded, seats: int) -> None:
    hands, _ = dealt(300, seats, recorded)
    assert (np.bitwise_count(hands) == 13).all()
    assert (np.bitwise_count(np.bitwise_or.reduce(hands, axis=1)) == 13 * seats).all()
    again, _ = dealt(100, seats, recorded, start=200)
    assert (again == hands[200:]).all()


def test_every_card_comes_to_every_dealt_seat_alike() -> None:
    hands, _ = dealt(8_000, 4, NOBODY)
    shares = (hands[:, :, None] >> np.arange(52) & 1).mean(axis=0)
    assert shares == pytest.approx(0.25, abs=5 * (0.25 * 0.75 / 8_000) ** 0.5)


def test_recorded_seats_hold_their_records_in_any_suits() -> None:
    recorded = recorded_hands(30, 50)
    hands, records = dealt(4_000, 3, recorded)
    for seat, own in enumerate((recorded.hands[:30], recorded.hands[30:])):
        for h, record in zip(hands[:50, seat], records[:50, seat], strict=True):
            ranks = [
                sorted(card // 4 for card in Cards.from_mask(int(x))) for x in (h, own[record])
            ]
            assert ranks[0] == ranks[1]
        named = hands[records[:, seat] == 0, seat]
        assert 12 < len(set(named.tolist())) <= 24
        assert set(records[:, seat]) == set(range(len(own)))


def test_two_recorded_hands_come_as_often_as_they_fit_together() -> None:
    """Of all pairs of records and suits without a common card each is as likely as the other."""
    recorded = recorded_hands(6, 6, seed=2)
    _, records = dealt(20_000, 2, recorded)
    named = [renamed(hand) for hand in recorded.hands.tolist()]
    fits = np.array(
        [[sum(not x & y for x in one for y in other) for other in named[6:]] for one in named[:6]]
    )
    expected = 20_000 * fits / fits.sum()
    counts = np.zeros((6, 6))
    np.add.at(counts, tuple(records.T), 1)
    assert np.abs(counts - expected).max() < 5 * expected.max() ** 0.5


def renamed(hand: int) -> list[int]:
    """A hand under all 24 namings of the suits."""
    cards = list(Cards.from_mask(hand))
    return [mask([card - card % 4 + suits[card % 4] for card in cards]) for suits in SUITS.tolist()]


def test_hands_that_never_fit_together_are_told() -> None:
    recorded = Recorded(np.array([0x1FFF, 0x1FFF]), np.array([0, 1, 2]), SUITS)
    hands, records = np.empty((1, 2), np.int64), np.empty((1, 2), np.int64)
    assert not deal_tables(0, 0, recorded, hands, records)
