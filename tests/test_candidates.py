"""Settings that can be the best, broken quads and straight flushes, against the naive twins."""

import random
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from itertools import combinations
from typing import Final

import naive
import naive_rules
import pytest
from naive_opponents import row_key, state
from naive_support import naive_rules as naive_rules_of

from evaluator import Cards, parse_cards, parse_hand, row_strength
from evaluator.broken import QUADS, ROYAL_FLUSH, STRAIGHT_FLUSH, broken_code
from evaluator.kernels import rank_subsets, split_masks, workspace
from evaluator.ranking import tables
from solver.candidates import find_candidates
from solver.rules import ROWS, Royalty, RuleSet, falling_rows, load_rules
from solver.scoring import terms_of

EASTERN, PUSOY = load_rules("eastern"), load_rules("pusoy")
RARE: Final = ("quads", "straight-flush", "royal-flush")  # in the order of their bits
FULL_HOUSES: Final = (Royalty("full-house", None, 5), Royalty("quads", None, 2))
SIXES: Final = (Royalty("pair", 4, 3), Royalty("trips", None, 2))


def changed(rules: RuleSet, **royalties: object) -> RuleSet:
    return replace(rules, royalties=replace(rules.royalties, **royalties))  # type: ignore[arg-type]


FALLING = {
    "full houses": changed(EASTERN, middle=FULL_HOUSES),
    "pairs of sixes": changed(EASTERN, front=SIXES),
    "both collect": changed(PUSOY, middle=FULL_HOUSES, front=SIXES),
    "both, limited": changed(PUSOY, middle=FULL_HOUSES, front=SIXES, limit=1),
    "below a plain row": replace(
        changed(EASTERN, back=(Royalty("flush", None, 1),)), rows=EASTERN.rows._replace(back=3)
    ),
}
BROKEN = {
    "replaced": changed(EASTERN, broken=True),
    "both collect": changed(PUSOY, broken=True),
    "falling as well": changed(PUSOY, broken=True, middle=FULL_HOUSES),
    "quads dearer": changed(
        EASTERN,
        broken=True,
        back=(Royalty("quads", None, 6), Royalty("straight-flush", None, 3)),
    ),
}
HELD = {
    "quads": "7c7d7h7s Ac Kd 9h 5s 3c 2d Tc 8d 4s",
    "two quads": "7c7d7h7s 2c2d2h2s Ac Kd 9h 5s 3c",
    "straight flush": "5s6s7s8s9s Ac Ad Kh Qd Jc 4h 3d 2c",
    "six in a row": "4s5s6s7s8s9s Ac Ad Kh Qd Jc 3d 2c",
    "ten in a row": "As2s3s4s5s6s7s8s9sTs Ad Kh Qd",
    "royal flush": "AsKsQsJsTs 9c9d 7h 6h 4h 3d 2c 2d",
    "royal flush and quads": "AsKsQsJsTs 9c9d9h9s 4h 3d 2c 2d",
    "quads through a flush": "5s6s7s8s9s 7c7d7h Kh Qd Jc 3d 2c",
}


def random_hands(number: int, seed: int) -> list[Cards]:
    generator = random.Random(seed)
    return [Cards(generator.sample(range(52), 13)) for _ in range(number)]


def rich_hands(number: int, seed: int) -> list[Cards]:
    """Hands with quads, a straight flush or, where they meet or leave room, both."""
    generator = random.Random(seed)
    hands = []
    for i in range(number):
        low, suit, rank = generator.randrange(9), generator.randrange(4), generator.randrange(13)
        run = {4 * (low + step) + suit for step in range(5)}
        four = {4 * rank + suit for suit in range(4)}
        held = (run, four, run | four)[i % 3]
        rest = sorted(set(range(52)) - held)
        hands.append(Cards((*held, *generator.sample(rest, 13 - len(held)))))
    return hands


@cache
def rarities(hand: Cards) -> list[tuple[frozenset[int], int]]:
    """Quads and straight flushes among 13 cards, each with its bit."""
    fours = [four for four in combinations(hand, 4) if len({card // 4 for card in four}) == 1]
    runs = [row for row in combinations(hand, 5) if row_key(row)[0] == 8]
    return [(frozenset(four), QUADS) for four in fours] + [
        (frozenset(run), ROYAL_FLUSH if row_key(run)[1] == 24 else STRAIGHT_FLUSH) for run in runs
    ]


def broken_twin(hand: Cards, back: naive.Row, middle: naive.Row) -> int:
    """Bits of the quads that no row has and the straight flushes apart from those in a row."""
    flushes = [row for row in (back, middle) if row_key(row)[0] == 8]
    code = 0
    for cards, bit in rarities(hand):
        if bit == QUADS:
            shown = any(cards <= set(row) for row in (back, middle))
        else:
            shown = any(not cards.isdisjoint(row) for row in flushes)
        code |= 0 if shown else bit
    return code


def mask(cards: Iterable[int]) -> int:
    return sum(1 << card for card in cards)


@pytest.mark.parametrize(
    ("back", "middle", "front", "code"),
    [
        ("7c7d7h7s2c", "AcKd9h5s3c", "Tc8d4s", 0),
        ("7c7d7h2s2c", "AcKd9h5s3c", "Tc8d7s", QUADS),
        ("AsKsQsJsTs", "9c9d9h8s8c", "9s3d2c", QUADS),
        ("7c7d7h7s8c", "KsQsJsTs8s", "As3d2c", ROYAL_FLUSH),
        ("5s6s7s8s9s", "AcAdKhQdJc", "4s3d2c", 0),  # 4s to 8s is the same run of six
        ("5s6s7s8sJs", "AcAdKhQdJc", "9s3d2c", STRAIGHT_FLUSH),
        ("AhAdAcKdKc", "2s3s4s5s9s", "AsTd8c", QUADS | STRAIGHT_FLUSH),
        ("6s7s8s9sTs", "As2s3s4s5s", "AdKhQd", 0),
        ("As2s3s4s6s", "5s7s8s9sTs", "AdKhQd", STRAIGHT_FLUSH),
        ("AsKsQsJs9s", "AhKhQhJh9h", "TsTh2c", ROYAL_FLUSH | STRAIGHT_FLUSH),
    ],
)
def test_broken_code(back: str, middle: str, front: str, code: int) -> None:
    hand = parse_hand(" ".join((back, middle, front)))
    rows = parse_cards(back), parse_cards(middle)
    assert broken_code(hand.mask, rows[0].mask, rows[1].mask) == code
    assert broken_twin(hand, *rows) == code


@pytest.mark.parametrize("rules", BROKEN.values(), ids=BROKEN)
def test_broken_codes_and_what_they_pay(rules: RuleSet) -> None:
    generator = random.Random(7)
    worths = terms_of(rules)[1]
    codes = set()
    for hand in (*map(parse_hand, HELD.values()), *rich_hands(15, seed=2), *random_hands(3, 0)):
        for _ in range(12):
            cards = generator.sample(hand, 13)
            if generator.random() < 0.5:  # show something, where the hand has it
                shown = generator.choice(rarities(hand) or [(frozenset(), 0)])[0]
                cards.sort(key=lambda card: card not in shown)
            back, middle, front = tuple(cards[:5]), tuple(cards[5:10]), tuple(cards[10:])
            code = broken_code(hand.mask, mask(back), mask(middle))
            assert code == broken_twin(hand, back, middle)
            royalty = naive_rules.broken_royalty(
                state((back, middle, front)), naive_rules_of(rules)
            )
            assert worths.broken_units[code] == royalty
            codes.add(code)
    assert codes >= {0, QUADS, STRAIGHT_FLUSH, ROYAL_FLUSH, QUADS | STRAIGHT_FLUSH}


def earnings(hand: Cards, rules: RuleSet) -> Callable[[naive.Setting], tuple[int, ...]]:
    """What a setting earns beside its strengths: for each row it wins, and whatever it wins."""
    plain = naive_rules_of(rules)
    both = rules.royalties.collect == "both"
    broken = [rules.royalties.units("back", name) or 0 for name in RARE]

    @cache
    def increment(name: str, row: naive.Row) -> int:
        return naive_rules.royalties_paid({name: row}, [name], plain)

    def extra(setting: naive.Setting) -> tuple[int, ...]:
        shown = [increment(name, row) for name, row in zip(ROWS, setting, strict=True)]
        always = 0
        if both:
            always += sum(sorted(shown, reverse=True)[: rules.royalties.limit])
            shown = []
        if rules.royalties.broken:
            code = broken_twin(hand, *setting[:2])
            always += max(broken[bit] for bit in range(3) if code >> bit & 1) if code else 0
        return (*shown, always)

    return extra


def check_candidates(hand: Cards, rules: RuleSet) -> int:
    """Compare the candidates of a hand with the naive ones; return how many there are."""
    terms, worths = terms_of(rules)
    table, work = tables(rules.wheel), workspace()
    rank_subsets(hand.mask, table, work)
    count = find_candidates(hand.mask, terms, worths, table, work)
    found = []
    for i in range(count):
        rows = [Cards.from_mask(row) for row in split_masks(work.splits[i], table, work)]
        strengths = [work.backs[i], work.middles[i], work.fronts[i]]
        assert strengths == [row_strength(row, rules.wheel) for row in rows]
        assert work.codes[i] == (broken_twin(hand, *rows[:2]) if terms.broken else 0)
        found.append((rows[0], rows[1], rows[2]))
    keys = [naive.setting_key(setting, rules.wheel) for setting in found]
    extra = earnings(hand, rules)
    assert set(keys) == naive.frontier(hand, rules.wheel, extra)
    pairs = {(key, extra(setting)) for key, setting in zip(keys, found, strict=True)}
    assert len(pairs) == count
    return count


@pytest.mark.parametrize("rules", FALLING.values(), ids=FALLING)
def test_candidates_where_stronger_rows_earn_less(rules: RuleSet) -> None:
    assert falling_rows(rules)
    assert not terms_of(rules)[0].rising
    for hand in (*random_hands(3, seed=4), parse_hand(HELD["two quads"])):
        check_candidates(hand, rules)


@pytest.mark.parametrize("rules", BROKEN.values(), ids=BROKEN)
def test_candidates_where_broken_cards_pay(rules: RuleSet) -> None:
    assert terms_of(rules)[0].broken
    for hand in (*rich_hands(3, seed=4), *random_hands(1, seed=6)):
        check_candidates(hand, rules)


@pytest.mark.parametrize("hand", HELD.values(), ids=HELD)
def test_candidates_among_many_broken_cards(hand: str) -> None:
    check_candidates(parse_hand(hand), BROKEN["replaced"])


def test_falling_rows_widen_the_frontier() -> None:
    hand = parse_hand("6c 6d Ac Ad Kh Ks Qc Qd 9h 8s 5c 3d 2h")
    wide = check_candidates(hand, FALLING["pairs of sixes"])
    assert wide > check_candidates(hand, EASTERN)


@pytest.mark.parametrize("rules", [EASTERN, PUSOY, load_rules("2-4")])
def test_presets_need_the_frontier_only(rules: RuleSet) -> None:
    assert terms_of(rules)[0].rising
    for hand in random_hands(2, seed=8):
        check_candidates(hand, rules)
