"""Slow, obvious, plain-Python twins of cards, rows, settings, conditioning and estimation.

Written from the rules alone, never imported by the product: tests compare the product with it.
A card is `4 * rank + suit`, a row a sequence of cards, a setting `(back, middle, front)`.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import combinations

RANKS = "23456789TJQKA"
SUITS = "cdhs"
ACE, WHEEL = 12, {12, 0, 1, 2, 3}
CATEGORIES = (
    "high-card",
    "pair",
    "two-pair",
    "trips",
    "straight",
    "flush",
    "full-house",
    "quads",
    "straight-flush",
)

Cards = Sequence[int]
Row = tuple[int, ...]
Setting = tuple[Row, Row, Row]
Key = tuple[int, ...]
Triple = tuple[Key, Key, Key]


def parse(text: str) -> Row:
    """Cards of a text such as `As Kd Th`, in the order they are written."""
    return tuple(4 * RANKS.index(word[0]) + SUITS.index(word[1]) for word in text.split())


def ranks_of(cards: Cards) -> list[int]:
    return [card // 4 for card in cards]


def suits_of(cards: Cards) -> list[int]:
    return [card % 4 for card in cards]


def is_run(cards: Cards) -> bool:
    """Whether the ranks are consecutive, the ace high or low: Q-K-A and A-2-3, never K-A-2."""
    ranks = sorted(ranks_of(cards))
    ace_low = sorted(-1 if rank == ACE else rank for rank in ranks)
    return any(
        ordered == list(range(ordered[0], ordered[0] + len(cards))) for ordered in (ranks, ace_low)
    )


def is_suited(cards: Cards) -> bool:
    return len(set(suits_of(cards))) == 1


def category(cards: Cards) -> str:
    """Name of a row's category; three cards are never a straight or a flush."""
    counts = sorted(Counter(ranks_of(cards)).values(), reverse=True)
    if counts[0] == 4:
        return "quads"
    if counts[:2] == [3, 2]:
        return "full-house"
    if counts[0] == 3:
        return "trips"
    if counts[:2] == [2, 2]:
        return "two-pair"
    if counts[0] == 2:
        return "pair"
    run, suited = len(cards) == 5 and is_run(cards), len(cards) == 5 and is_suited(cards)
    if run and suited:
        return "straight-flush"
    return "straight" if run else "flush" if suited else "high-card"


def row_key(cards: Cards, wheel: str = "lowest") -> Key:
    """Tuple that orders rows of three and five cards on one scale (rules, section 3).

    The category comes first, then the ranks, the most frequent first; -1 fills up a row of three,
    so that the row which runs out first is the weaker. `wheel` tells where A-2-3-4-5 stands:
    "lowest", or "second" just below A-K-Q-J-T.
    """
    name = category(cards)
    ranks = ranks_of(cards)
    if name in ("straight", "straight-flush"):
        # Twice the top rank leaves an odd number free between the king-high and ace-high ones.
        top = 2 * max(ranks)
        if set(ranks) == WHEEL:
            top = 2 * RANKS.index("5") if wheel == "lowest" else 2 * ACE - 1
        ordered = [top]
    else:
        ordered = sorted(ranks, key=lambda rank: (ranks.count(rank), rank), reverse=True)
    return (CATEGORIES.index(name), *ordered, *[-1] * (5 - len(ordered)))


def setting_key(setting: Setting, wheel: str = "lowest") -> Triple:
    back, middle, front = setting
    return row_key(back, wheel), row_key(middle, wheel), row_key(front, wheel)


def is_foul(setting: Setting, wheel: str = "lowest") -> bool:
    back, middle, front = setting_key(setting, wheel)
    return not back >= middle >= front


def legal_settings(hand: Cards, wheel: str = "lowest") -> list[Setting]:
    """Every legal setting once, rows high to low.

    Equal middle and back are ONE setting: the back is the five that holds the highest of the ten.
    """
    hand = sorted(hand, reverse=True)
    keys = {row: row_key(row, wheel) for size in (3, 5) for row in combinations(hand, size)}
    settings: list[Setting] = []
    for front in combinations(hand, 3):
        ten = [card for card in hand if card not in front]
        for four in combinations(ten[1:], 4):
            back: Row = (ten[0], *four)
            middle = tuple(card for card in ten if card not in back)
            if keys[middle] > keys[back]:
                back, middle = middle, back
            if keys[middle] >= keys[front]:
                settings.append((back, middle, front))
    return settings


def frontier(
    hand: Cards,
    wheel: str = "lowest",
    extra: Callable[[Setting], tuple[int, ...]] | None = None,
) -> set[Triple]:
    """Key triples (back, middle, front) that no different legal triple matches or beats throughout.

    `extra` maps a setting to further numbers, bigger is better, that join the comparison: a triple
    then stays if some setting that has it is matched or beaten by no different one.
    """
    # A hand's keys are replaced by their positions among each other only because comparing
    # integers is quicker; the vectors hold the same order.
    settings = legal_settings(hand, wheel)
    rows = {row for setting in settings for row in setting}
    keys = {row: row_key(row, wheel) for row in rows}
    position = {key: index for index, key in enumerate(sorted(set(keys.values())))}
    triples: dict[tuple[int, ...], Triple] = {}
    for setting in settings:
        back, middle, front = (keys[row] for row in setting)
        vector = (
            position[back],
            position[middle],
            position[front],
            *(extra(setting) if extra else ()),
        )
        triples[vector] = (back, middle, front)
    # From the biggest vector down, whatever beats a vector comes before it; and what is beaten
    # by a dropped one is beaten by the kept one that beat that.
    kept: list[tuple[int, ...]] = []
    for one in sorted(triples, reverse=True):
        if not any(all(x >= y for x, y in zip(other, one, strict=True)) for other in kept):
            kept.append(one)
    return {triples[vector] for vector in kept}


def relabel(cards: Cards, permutation: Sequence[int]) -> Row:
    """The cards with suit `s` turned into `permutation[s]`, in the same order."""
    return tuple(card - card % 4 + permutation[card % 4] for card in cards)


def conditional_opponents(
    hand: Cards, records: Sequence[Cards], permutations: Iterable[Sequence[int]]
) -> list[tuple[int, tuple[int, ...]]]:
    """(record index, permutation) of each relabelled record that shares no card with the hand."""
    permutations = list(permutations)
    return [
        (index, tuple(permutation))
        for index, record in enumerate(records)
        for permutation in permutations
        if not set(hand) & set(relabel(record, permutation))
    ]


def clustered_standard_error(scores: Sequence[float], record_ids: Sequence[Hashable]) -> float:
    """Standard error of the mean score when scores of one record depend on each other.

    sqrt(R / (R - 1) * sum over records of (sum of its deviations)^2) / n, for R >= 2 records.
    """
    mean = math.fsum(scores) / len(scores)
    deviations: defaultdict[Hashable, list[float]] = defaultdict(list)
    for score, record in zip(scores, record_ids, strict=True):
        deviations[record].append(score - mean)
    squares = math.fsum(math.fsum(group) ** 2 for group in deviations.values())
    clusters = len(deviations)
    return math.sqrt(clusters / (clusters - 1) * squares) / len(scores)
