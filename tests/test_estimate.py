"""Who is met, and how sure that makes one: conditioning, its order, and standard errors."""

import math
import random
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import product

import naive
import naive_rules
import naive_support
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.cards import Cards
from evaluator.kernels import rank_subsets, workspace
from evaluator.ranking import category, tables
from solver.deals import deal
from solver.opening import field_of
from solver.opponents import Field, Met, Space, find_opponents, link_records, meet, space, spread
from solver.pool import OpponentPool, load_pool, make_pool
from solver.rules import load_rules
from solver.scoring import terms_of

POOL = make_pool("greedy", records=1000, seed=9)  # the last word of the card index is not full
RECORDS = [tuple(Cards.from_mask(int(hand))) for hand in POOL.hands]
HANDS = {
    "of three suits": "As Ks Qs Js 6s 5s 3s Qh 9h 2h Jd 8d 3d",
    "of four suits": "9s 7s Th Kd 6d 5d 4d 3d Kc Qc 6c 5c 4c",
    "of one suit": "As Ks Qs Js Ts 9s 8s 7s 6s 5s 4s 3s 2s",
    "with four quads but one": "As Ah Ad Ac 9s 9h 9d 9c 2s 2h 2d 2c Kd",
}
RULES = ("2-4", "eastern")  # under the second colours matter: 8 relabellings
ALL = 24 * len(RECORDS)
WORK = workspace()

every_hand = pytest.mark.parametrize("text", HANDS.values(), ids=HANDS)
all_rules = pytest.mark.parametrize("rules", RULES)


def field_and_space(
    rules: str, pool: OpponentPool = POOL, capacity: int = ALL
) -> tuple[Field, Space]:
    rule_set = load_rules(rules)
    field = field_of(rule_set, pool)
    return field, space(field, terms_of(rule_set)[0], capacity)


def found(text: str, rules: str, wanted: int = ALL, seed: int = 0) -> tuple[list[int], set[int]]:
    """Records that a hand meets, in their order, and those noted as met several times."""
    field, scratch = field_and_space(rules)
    hand = Cards(naive.parse(text)).mask
    count = find_opponents(hand, field, seed, wanted, scratch)
    bits = np.unpackbits(scratch.repeated.view(np.uint8), bitorder="little")
    return scratch.found[:count].tolist(), set(np.flatnonzero(bits).tolist())


# Conditional opponents


@pytest.mark.parametrize(("rules", "many"), [("2-4", 24), ("eastern", 8)])
def test_relabellings_are_a_group_that_keeps_what_the_naturals_need(rules: str, many: int) -> None:
    relabellings = {tuple(row) for row in field_and_space(rules)[0].relabellings.tolist()}
    assert len(relabellings) == many
    for one, two in product(relabellings, repeat=2):
        assert tuple(one[suit] for suit in two) in relabellings
    if many == 8:  # diamonds and hearts, 1 and 2, stay together
        assert all({one[1], one[2]} in ({1, 2}, {0, 3}) for one in relabellings)


@all_rules
@every_hand
def test_all_conditional_opponents_are_those_of_a_direct_filter(text: str, rules: str) -> None:
    relabellings = field_and_space(rules)[0].relabellings.tolist()
    expected = Counter(
        record
        for record, _ in naive.conditional_opponents(naive.parse(text), RECORDS, relabellings)
    )
    records, repeated = found(text, rules)
    assert Counter(records) == expected
    assert repeated == {record for record, times in expected.items() if times > 1}


@all_rules
@every_hand
@pytest.mark.parametrize("wanted", [2, 7, 64, 100])
def test_exactly_those_wanted_are_found(text: str, rules: str, wanted: int) -> None:
    everyone, _ = found(text, rules)
    records, repeated = found(text, rules, wanted)
    assert len(records) == min(wanted, len(everyone))
    assert records == everyone[:wanted], "the first of one fixed order"
    assert {record for record, times in Counter(records).items() if times > 1} <= repeated


@all_rules
def test_the_order_depends_on_seed_and_hand_only(rules: str) -> None:
    one, other = HANDS["of three suits"], HANDS["of four suits"]
    field, scratch = field_and_space(rules, capacity=150)
    answers = {}
    for _ in range(2):  # the second time the scratch has been used by others
        for text in (one, other):
            for seed in (0, 1):
                hand = Cards(naive.parse(text)).mask
                count = find_opponents(hand, field, seed, 100, scratch)
                records = scratch.found[:count].tolist()
                assert answers.setdefault((text, seed), records) == records
    assert answers == {key: found(key[0], rules, 100, key[1])[0] for key in answers}
    assert answers[one, 0] != answers[one, 1]


def test_each_part_of_the_order_is_a_fair_sample() -> None:
    """Over many seeds every conditional opponent is as often among the first as any other."""
    field, scratch = field_and_space("2-4")
    hand = Cards(naive.parse(HANDS["of four suits"])).mask
    everyone = find_opponents(hand, field, 0, ALL, scratch)
    times = Counter(scratch.found[:everyone].tolist())
    firsts = Counter[int]()
    seeds, wanted = 6000, 20
    for seed in range(seeds):
        find_opponents(hand, field, seed, wanted, scratch)
        firsts.update(scratch.found[:wanted].tolist())
    share = seeds * wanted / everyone
    # a record stands beside the same others every time, so counts spread more than by chance
    for record, known in times.items():
        assert firsts[record] == pytest.approx(known * share, rel=0.5), record


def test_a_pool_without_anybody_to_meet() -> None:
    field, scratch = field_and_space("2-4", make_pool("greedy", records=3, seed=1))
    assert find_opponents(Cards(range(13)).mask, field, 0, 72, scratch) in range(72)
    nobody = make_pool("random", records=0)
    field, scratch = field_and_space("2-4", nobody, 1)
    assert find_opponents(Cards(range(13)).mask, field, 0, 1, scratch) == 0


# Conditioning is exact


def shape(hand: int) -> tuple[int, ...]:
    """How many cards of each suit, the most first."""
    suits = Counter(card % 4 for card in Cards.from_mask(hand))
    return tuple(sorted((suits[suit] for suit in range(4)), reverse=True))


def aces(hand: int) -> int:
    return (hand >> 48).bit_count()


def big(hand: int) -> int:
    """How many cards from a jack up."""
    return (hand >> 36).bit_count()


def ranks(hand: int) -> int:
    return len({card // 4 for card in Cards.from_mask(hand)})


def back_category(hand: int) -> int:
    """Category of the back that a greedy player sets: the best five cards."""
    rank_subsets(hand, tables("lowest"), WORK)
    return category(int(WORK.fives.max()))


def contingency(one: Counter[object], other: Counter[object]) -> tuple[float, int]:
    """Chi-square of two samples being of one distribution, and its degrees of freedom."""
    cells = [(one[key], other[key]) for key in one | other]
    rare = [cell for cell in cells if sum(cell) < 20]
    cells = [cell for cell in cells if sum(cell) >= 20]
    if rare:
        cells.append(tuple(map(sum, zip(*rare, strict=True))))
    share = one.total() / (one.total() + other.total())
    chi_square = sum((a - share * (a + b)) ** 2 / (share * (a + b) * (1 - share)) for a, b in cells)
    return chi_square, len(cells) - 1


def limit(freedom: int) -> float:
    """Chi-square that is passed 1 time in 1,000 (Wilson and Hilferty 1931)."""
    return freedom * (1 - 2 / (9 * freedom) + 3.09 * math.sqrt(2 / (9 * freedom))) ** 3


@pytest.fixture(scope="module")
def met_and_dealt() -> tuple[list[int], list[int], list[int]]:
    """Opponents of many deals, three each: met in the pool (hands, records) and dealt directly.

    A thousand of the deals give 7 or more cards of a suit to the hand, since what they leave is
    far from usual.
    """
    pool = load_pool("greedy")
    field, scratch = field_and_space("2-4", pool, 3)
    dealer = random.Random(8)
    hands = deal(3000, seed=1)
    hands += [hand for hand in deal(40_000, seed=2) if max(shape(hand.mask)) >= 7][:1000]
    records: list[int] = []
    dealt: list[int] = []
    for hand in hands:
        assert find_opponents(hand.mask, field, 4, 3, scratch) == 3
        records += scratch.found[:3].tolist()
        rest = sorted(set(range(52)) - set(hand))
        dealt += [Cards(dealer.sample(rest, 13)).mask for _ in range(3)]
    return [int(hand) for hand in pool.hands[records]], records, dealt


@pytest.mark.parametrize("statistic", [aces, big, ranks, shape], ids=lambda f: f.__name__)
def test_conditional_opponents_are_dealt_like_13_of_the_other_39_cards(
    statistic: Callable[[int], object], met_and_dealt: tuple[list[int], list[int], list[int]]
) -> None:
    met, _, dealt = met_and_dealt
    chi_square, freedom = contingency(Counter(map(statistic, met)), Counter(map(statistic, dealt)))
    assert freedom >= 3
    assert chi_square < limit(freedom)


def test_conditional_opponents_set_like_players_dealt_directly(
    met_and_dealt: tuple[list[int], list[int], list[int]],
) -> None:
    _, records, dealt = met_and_dealt
    strengths = load_pool("greedy").strengths[records, 0]
    met = Counter(category(int(strength)) for strength in strengths)
    chi_square, freedom = contingency(met, Counter(map(back_category, dealt)))
    assert freedom >= 4
    assert chi_square < limit(freedom)


def test_unconditional_records_would_not_pass() -> None:
    """The same test tells opponents of a hand with 13 spades from just anybody."""
    pool = load_pool("greedy")
    field, scratch = field_and_space("2-4", pool, 3000)
    hand = Cards(naive.parse(HANDS["of one suit"])).mask
    count = find_opponents(hand, field, 0, 3000, scratch)
    shapes = Counter(shape(int(cards)) for cards in pool.hands[scratch.found[:count]])
    assert all(0 in counts for counts in shapes)
    anybody = Counter(shape(int(cards)) for cards in pool.hands[:count])
    chi_square, freedom = contingency(shapes, anybody)
    assert chi_square > 10 * limit(freedom)


# Standard errors


def clustered(
    scores: Sequence[int], records: Sequence[int], also: Sequence[int] = ()
) -> tuple[float, float]:
    """Mean and standard error, by the kernels, of scores against these records."""
    _, scratch = field_and_space("2-4")
    scratch.record[: len(records)] = records
    repeated = np.zeros(64 * len(scratch.repeated), np.uint8)
    repeated[[record for record, times in Counter(records).items() if times > 1]] = 1
    repeated[list(also)] = 1  # noted as repeated, but the second time was not wanted any more
    scratch.repeated[:] = np.packbits(repeated, bitorder="little").view(np.int64)
    entries, clusters = link_records(len(records), scratch)
    assert (scratch.cluster_of == -1).all(), "left clean for the next hand"
    met = Met(len(records), len(records), entries, clusters)
    return spread(np.array(scores, np.int32), met, scratch)


@pytest.mark.parametrize(
    "records",
    [
        list(range(500)),
        [3] * 20 + [4] * 20,
        [i // 2 for i in range(500)],
        [0] * 50 + list(range(1, 100)),
    ],
    ids=["all single", "two of many", "pairs", "one of many and singles"],
)
def test_standard_errors_of_plain_patterns(records: Sequence[int]) -> None:
    scores = random.Random(len(records)).choices(range(-6, 7), k=len(records))
    mean, error = clustered(scores, records)
    assert mean == pytest.approx(sum(scores) / len(scores))
    expected = naive.clustered_standard_error(scores, records)
    assert error == pytest.approx(expected, rel=1e-9)


@given(
    st.lists(st.tuples(st.integers(-400, 400), st.integers(0, 30)), min_size=2, max_size=120),
    st.sets(st.integers(0, 30)),
)
def test_standard_errors_of_any_pattern(pairs: list[tuple[int, int]], also: set[int]) -> None:
    scores, records = [score for score, _ in pairs], [record for _, record in pairs]
    mean, error = clustered(scores, records, list(also))
    assert mean == pytest.approx(sum(scores) / len(scores))
    if len(set(records)) > 1:
        expected = naive.clustered_standard_error(scores, records)
        assert error == pytest.approx(expected, rel=1e-9, abs=1e-6)


@all_rules
@every_hand
@pytest.mark.parametrize("wanted", [60, ALL])
def test_standard_errors_of_opponents_met(text: str, rules: str, wanted: int) -> None:
    field, scratch = field_and_space(rules)
    terms = terms_of(load_rules(rules))[0]
    met = meet(Cards(naive.parse(text)).mask, field, terms, 0, wanted, scratch)
    records = scratch.record[: met.opponents].tolist()
    scores = (scratch.columns.back[: met.opponents] % 7).tolist()
    mean, error = spread(np.array(scores, np.int32), met, scratch)
    assert mean == pytest.approx(sum(scores) / len(scores))
    assert error == pytest.approx(naive.clustered_standard_error(scores, records), rel=1e-9)


def test_those_who_declare_come_last() -> None:
    """The columns hold the strengths of those who set, then what is paid to those who declare."""
    rules = load_rules("eastern")
    pool = make_pool("greedy", records=3000, seed=3)
    field, scratch = field_and_space("eastern", pool, 250)
    hand = Cards(naive.parse(HANDS["of four suits"])).mask
    met = meet(hand, field, terms_of(rules)[0], 0, 250, scratch)
    records = scratch.record[: met.opponents].tolist()
    assert Counter(records) == Counter(scratch.found[: met.opponents].tolist())
    columns = scratch.columns
    rows = np.stack([columns.back, columns.middle, columns.front], axis=1)[: met.setting]
    assert np.array_equal(rows, pool.strengths[records[: met.setting]])
    plain = naive_support.naive_rules(rules)
    naturals = [
        naive_rules.strongest_natural(plain, tuple(Cards.from_mask(int(pool.hands[record]))))
        for record in records
    ]
    assert not any(naturals[: met.setting])
    assert met.setting < met.opponents
    for natural, fixed in zip(naturals[met.setting :], scratch.fixed[met.setting :], strict=False):
        assert natural is not None
        assert fixed == -natural["units"]
