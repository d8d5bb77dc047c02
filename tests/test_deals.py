"""Seeded dealing: what a deal depends on, and that every card and every pair comes as often."""

import random
from collections import Counter
from collections.abc import Iterable, Mapping
from math import comb, sqrt

import numpy as np
import pytest
from numpy.typing import NDArray

from evaluator import Cards
from solver.deals import deal, deal_into, deal_many

DEALS = 100_000
FULL_DECK = (1 << 52) - 1


def dealt(seed: int, start: int, n: int) -> NDArray[np.int64]:
    hands = np.empty(n, np.int64)
    deal_many(seed, start, hands)
    return hands


def table_of(seed: int, index: int, players: int) -> list[int]:
    hands = np.empty(players, np.int64)
    deal_into(seed, index, hands)
    return [int(hand) for hand in hands]


def held(hands: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Who holds what, shape (hands, 52)."""
    return (hands[:, None] >> np.arange(52) & 1).astype(np.bool_)


def assert_usual(chi_square: float, freedom: int) -> None:
    """Allow 3.5 standard deviations to both sides: too even is as wrong as too uneven."""
    # Wilson and Hilferty 1931: the cube root is close to normal
    variance = 2 / (9 * freedom)
    assert abs((chi_square / freedom) ** (1 / 3) - (1 - variance)) < 3.5 * sqrt(variance)


def chi_square(counts: Mapping[int, int], chances: Mapping[int, float]) -> tuple[float, int]:
    """The statistic over the values expected at least ten times, and its degrees of freedom."""
    total = sum(counts.values())
    common = [value for value, chance in chances.items() if chance * total >= 10]
    expected = [chances[value] * total for value in common]
    found = [counts.get(value, 0) for value in common]
    expected.append(total - sum(expected))
    found.append(total - sum(found))
    terms = ((f - e) ** 2 / e for f, e in zip(found, expected, strict=True))
    return sum(terms), len(common)


def assert_even_cards(hands: NDArray[np.int64]) -> None:
    counts = held(hands).sum(axis=0)
    # each count is binomial, and all of them together are 13 a hand
    spread = ((counts - len(hands) / 4) ** 2 / (len(hands) * 3 / 16)).sum()
    assert_usual(spread * 51 / 52, 51)


def pair_chances() -> dict[int, float]:
    """How likely 13 cards hold both cards of so many of 26 fixed pairs."""
    return {
        both: comb(26, both) * comb(26 - both, 13 - 2 * both) * 2 ** (13 - 2 * both) / comb(52, 13)
        for both in range(7)
    }


def suit_chances() -> dict[int, float]:
    return {n: comb(13, n) * comb(39, 13 - n) / comb(52, 13) for n in range(14)}


def test_a_hand_is_13_cards() -> None:
    hands = deal(100, seed=1)
    assert all(len(set(hand)) == 13 for hand in hands)
    assert all(0 <= card < 52 for hand in hands for card in hand)
    assert len(set(hands)) == 100


def test_a_deal_depends_on_seed_and_number_only() -> None:
    every = dealt(7, 0, 300)
    assert every.tolist() == [hand.mask for hand in deal(300, seed=7)]
    order = random.Random(0).sample(range(300), 300)
    assert [int(dealt(7, i, 1)[0]) for i in order] == every[order].tolist()
    assert dealt(7, 100, 50).tolist() == every[100:150].tolist()


def test_deals_of_other_seeds_are_others() -> None:
    seeds = (0, 1, 2, 2**31, 2**32, 2**63 - 1)
    hands = [int(hand) for seed in seeds for hand in dealt(seed, 0, 500)]
    assert len(set(hands)) == len(hands)


def test_deals_do_not_change_between_versions() -> None:
    # pools are kept as the strengths of their settings alone: other deals would make them wrong
    assert [str(hand) for hand in deal(2, seed=0)] == [
        "Ad Ac Qc Js 9d 8s 8h 8d 8c 7s 6s 3h 3c",
        "As Ac Qs Js 9s 9h 7h 7d 6s 6c 4h 3s 3c",
    ]


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_hands_of_a_table_come_from_one_deck(players: int) -> None:
    for index in range(50):
        hands = table_of(3, index, players)
        assert all(len(Cards.from_mask(hand)) == 13 for hand in hands)
        assert sum(hands) == sum(hands) & FULL_DECK
        assert len({card for hand in hands for card in Cards.from_mask(hand)}) == 13 * players
        assert hands[0] == dealt(3, index, 1)[0]


@pytest.mark.parametrize("seed", [0, 1, 12345])
def test_all_cards_come_as_often(seed: int) -> None:
    assert_even_cards(dealt(seed, 0, DEALS))


def test_all_cards_come_as_often_to_every_player() -> None:
    tables = np.array([table_of(5, index, 4) for index in range(5000)])
    for player in range(4):
        assert_even_cards(tables[:, player])


def test_all_cards_come_as_often_in_the_first_deal_of_many_seeds() -> None:
    assert_even_cards(np.concatenate([dealt(seed, 0, 1) for seed in range(5000)]))


@pytest.mark.parametrize("apart", [1, 2, 26], ids=["suits", "colours", "halves"])
def test_pairs_of_cards_come_as_often(apart: int) -> None:
    firsts = [card for card in range(52) if card // apart % 2 == 0]
    assert len(firsts) == 26
    has = held(dealt(9, 0, DEALS))
    both = (has[:, firsts] & has[:, [card + apart for card in firsts]]).sum(axis=1)
    assert_usual(*chi_square(Counter(both.tolist()), pair_chances()))


@pytest.mark.parametrize("suit", range(4))
def test_suits_are_as_long_as_they_should_be(suit: int) -> None:
    lengths = held(dealt(11, 0, DEALS))[:, suit::4].sum(axis=1)
    assert_usual(*chi_square(Counter(lengths.tolist()), suit_chances()))


def shared(hands: Iterable[int], others: Iterable[int]) -> Counter[int]:
    return Counter((a & b).bit_count() for a, b in zip(hands, others, strict=True))


def test_deals_that_follow_each_other_are_independent() -> None:
    chances = suit_chances()  # 13 cards of 52 share as many with a suit as with a hand
    hands = dealt(13, 0, DEALS).tolist()
    assert_usual(*chi_square(shared(hands[:-1], hands[1:]), chances))
    assert_usual(*chi_square(shared(hands, dealt(14, 0, DEALS).tolist()), chances))


def test_no_hands_and_numbers_out_of_range() -> None:
    assert deal(0) == []
    with pytest.raises(ValueError, match="cannot deal -1 hands; the number must be 0 or more"):
        deal(-1)
    for seed in (-1, 2**63):
        with pytest.raises(ValueError, match=f"seed {seed} is out of range; use 0 to {2**63 - 1}"):
            deal(1, seed)
