"""What must not matter, or only turn a sign: seats, names of suits, threads, racing."""

from itertools import permutations

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from joblib import Parallel, delayed
from results import results_of

from evaluator.cards import Cards
from evaluator.ranking import CLASSES
from solver.deals import deal
from solver.estimate import Results
from solver.opening import field_of
from solver.opponents import meet, opponent, space
from solver.pool import OpponentPool, make_pool
from solver.rules import load_rules, preset_names
from solver.scoring import Side, pay, side, terms_of

PRESETS = preset_names()
GREEDY = {wheel: make_pool("greedy", wheel, records=3000) for wheel in ("lowest", "second")}
OTHERS = {wheel: make_pool("random", wheel, records=900, seed=6) for wheel in ("lowest", "second")}
NUMBERS = "ev se gap gap_se win tie scoop scooped royalties".split()

strength = st.integers(0, CLASSES - 1)
strengths = st.tuples(strength, strength, strength)


def same_numbers(one: Results, other: Results) -> bool:
    fields = ["strengths", "listed", "samples", *NUMBERS]
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in fields)


def same(one: Results, other: Results) -> bool:
    return same_numbers(one, other) and np.array_equal(one.rows, other.rows)


# Seats


@pytest.mark.parametrize("name", PRESETS)
@given(one=strengths, other=strengths)
def test_what_one_is_paid_the_other_pays(
    name: str, one: tuple[int, int, int], other: tuple[int, int, int]
) -> None:
    terms, worths = terms_of(load_rules(name))
    a, b = (side(*rows, 0, terms, worths) for rows in (one, other))
    assert pay(a, b, terms) == -pay(b, a, terms)
    assert pay(a, a, terms) == 0


@pytest.mark.parametrize("name", ["malaya", "shisanshui", "1-6-royalties", "flat-royalties"])
@given(one=strengths, other=strengths)
def test_a_banker_is_paid_as_if_he_was_a_little_stronger(
    name: str, one: tuple[int, int, int], other: tuple[int, int, int]
) -> None:
    """Ties are his; without ties nothing changes, and with them no scoop or gun comes of it."""
    rules = load_rules(name)
    plain, worths = terms_of(rules)
    banker, player = (terms_of(rules, seat)[0] for seat in ("banker", "player"))  # type: ignore[arg-type]
    paid = pay(side(*one, 0, banker, worths), side(*other, 0, player, worths), banker)
    assert paid == -pay(side(*other, 0, player, worths), side(*one, 0, banker, worths), player)
    a, b = (side(*rows, 0, plain, worths) for rows in (one, other))
    ties = [mine == theirs for mine, theirs in zip(one, other, strict=True)]
    if not any(ties):
        assert paid == pay(a, b, plain)
    if all(ties):
        assert paid == sum(a[3:6]) + rules.majority


@pytest.mark.parametrize("name", ["2-4", "capsa-susun", "pusoy"])
def test_two_pools_win_from_each_other_what_they_lose(name: str) -> None:
    """Every pair of disjoint hands, under all relabellings, met from the one side and the other."""
    wheel = load_rules(name).wheel
    pools = GREEDY[wheel].part(slice(60)), OTHERS[wheel].part(slice(60))
    totals = [total_of(one, other, name) for one, other in (pools, pools[::-1])]
    assert totals[0][0] == -totals[1][0] != 0
    assert totals[0][1] == totals[1][1] > 500


def total_of(heroes: OpponentPool, others: OpponentPool, name: str) -> tuple[int, int]:
    """What the hands of a pool win in all, and from how many."""
    rules = load_rules(name)
    terms, worths = terms_of(rules)
    field = field_of(rules, others)
    capacity = 24 * len(others.hands)
    scratch = space(field, terms, capacity)
    total = pairs = 0
    for hand, rows in zip(heroes.hands.tolist(), heroes.strengths.tolist(), strict=True):
        met = meet(hand, field, terms, 0, capacity, scratch)
        hero = side(*rows, 0, terms, worths)
        total += sum(
            int(pay(hero, Side(*opponent(i, scratch.columns)), terms)) for i in range(met.setting)
        )
        pairs += met.setting
    return total, pairs


# Names of suits


@st.composite
def hands_and_relabellings(draw: st.DrawFn, colours: bool) -> tuple[list[int], tuple[int, ...]]:
    names = [p for p in permutations(range(4)) if not colours or p[0] + p[3] == 3]
    hand = draw(st.sampled_from(HANDS)) if draw(st.booleans()) else draw(any_hand)
    return hand, draw(st.sampled_from(names))


any_hand = st.integers(0, 10**6).map(lambda seed: list(deal(1, seed)[0]))
HANDS = [  # with suits that can change places and leave the hand as it is
    list(naive.parse(text))
    for text in (
        "As Ah Kd Kc Qs Qh Jd Jc Ts Th 9d 9c 8s",
        "As Ah Ad Ac 9s 9h 9d 9c 2s 2h 2d 2c Kd",
        "As Ks Qs Js Ts 9s 8s 7s 6s 5s 4s 3s 2s",
        "As Kh Qh Jd Td 9c 8c 7s 6h 5h 4d 3d 2c",
    )
]


@pytest.mark.parametrize("samples", [None, 40])
@pytest.mark.parametrize("name", ["2-4", "shisanshui-108", "eastern", "giga"])
@settings(max_examples=40)
@given(data=st.data())
def test_names_of_suits_do_not_matter(name: str, samples: int | None, data: st.DataObject) -> None:
    rules = load_rules(name)
    pool = GREEDY[rules.wheel]
    relabellings = field_of(rules, pool).relabellings
    hand, suits = data.draw(hands_and_relabellings(len(relabellings) == 8))
    renamed = naive.relabel(hand, suits)
    found = results_of([hand, renamed], rules, opponents=pool, samples=samples, top=3)
    one, other = (Results(*(column[h : h + 1] for column in found)) for h in (0, 1))
    assert same_numbers(one, other)
    # the hands may be turned into each other in several ways; one of them turns all rows
    ways = [w for w in relabellings.tolist() if set(naive.relabel(hand, w)) == set(renamed)]
    assert tuple(suits) in map(tuple, ways)
    assert any(
        all(
            Cards(naive.relabel(Cards.from_mask(int(row)), way)).mask == int(expected)
            for row, expected in zip(one.rows.flat, other.rows.flat, strict=True)
        )
        for way in ways
    )


def test_under_colour_naturals_black_and_red_are_not_the_same() -> None:
    reds = naive.parse("Ad Kd Qd Jd 9d 7d 5d Kh Th 8h 6h 4h 2h")
    found = results_of(
        [reds, naive.relabel(reds, (0, 3, 2, 1))], "eastern", opponents=GREEDY["lowest"]
    )
    assert found.ev[0, 0] != found.ev[1, 0]


# Threads, order, company


def test_the_same_question_has_the_same_answer_in_any_company() -> None:
    hands, pool = deal(60, seed=12), GREEDY["lowest"]
    all_at_once = results_of(hands, opponents=pool)
    assert same(all_at_once, results_of(hands, opponents=pool))
    turned = results_of(hands[::-1], opponents=pool)
    assert same(all_at_once, Results(*(column[::-1] for column in turned)))
    arrays = np.array(hands)
    assert same(all_at_once, results_of(arrays, opponents=pool))


@pytest.mark.parametrize("name", ["2-4", "eastern"])
def test_the_number_of_threads_does_not_matter(name: str) -> None:
    hands, pool = deal(120, seed=13), GREEDY["lowest"]
    parts = [hands[start : start + 10] for start in range(0, 120, 10)]
    answers = [
        Parallel(n_jobs=jobs, prefer="threads")(
            delayed(results_of)(part, name, opponents=pool) for part in parts
        )
        for jobs in (1, 2, 4)
    ]
    whole = results_of(hands, name, opponents=pool)
    for parted in answers:
        joined = Results(*map(np.concatenate, zip(*parted, strict=True)))
        assert same(joined, whole)


def test_the_seed_draws_other_opponents() -> None:
    hands, pool = deal(20, seed=14), GREEDY["lowest"]
    one, other = (results_of(hands, opponents=pool, samples=100, seed=seed) for seed in (0, 1))
    assert (one.ev != other.ev).mean() > 0.9
    everybody = [results_of(hands, opponents=pool, seed=seed) for seed in (0, 1)]
    assert np.array_equal(everybody[0].ev, everybody[1].ev)
