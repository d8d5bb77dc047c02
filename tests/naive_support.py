"""Random rule sets and tables for the naive twins, and product rule sets in the twins' form.

Only `random.Random` decides, so that a seed or hypothesis can drive the same builders.
"""

import random
from collections.abc import Sequence
from typing import Any

from naive import RANKS, Row, is_foul
from naive_rules import PLAIN, ROWS, Rules
from test_naturals import PAIRS, built

from evaluator.naturals import natural_bits, natural_table
from solver.rules import CATEGORIES, NATURALS, Natural, RowUnits, Royalties, Royalty, RuleSet
from solver.settling import clauses_of

Rows = dict[str, Row]
ROW_SIZES = {"back": 5, "middle": 5, "front": 3}


def naive_rules(rules: RuleSet) -> Rules:
    """A rule set as the dict that the twins read."""
    tables: dict[str, dict[str, Any]] = {row: {} for row in ROWS}
    for row in ROWS:
        for category, rank, units in rules.royalties.table(row):
            if rank is None:
                tables[row][category] = units
            else:
                tables[row].setdefault(category, {})[RANKS[rank]] = units
    royalties = {key: getattr(rules.royalties, key) for key in PLAIN["royalties"]}
    naturals = [
        {key: value for key, value in natural._asdict().items() if value is not None}
        for natural in rules.naturals
    ]
    return {
        **{key: getattr(rules, key) for key in PLAIN},
        "rows": rules.rows._asdict(),
        "royalties": {**royalties, **tables},
        "naturals": naturals,
    }


def random_rules(rng: random.Random) -> RuleSet:
    """Any valid rule set of small numbers."""
    rows = RowUnits(*(rng.choice((1, 1, 1, 0, 2, 3)) for _ in ROWS))
    gun = rng.randint(1, 3)
    names = rng.sample(sorted(NATURALS), rng.randint(0, len(NATURALS)))
    return RuleSet(
        name="random",
        title="random",
        rows=rows,
        majority=rng.randint(0, 2),
        majority_rule=rng.choice(("more-wins", "two-wins")),
        scoop_units=rng.choice((0, 0, 3)),
        gun=gun,
        home_run=rng.randint(1, 3) if gun > 1 else 1,
        home_run_min_players=rng.randint(2, 4),
        royalties=_random_royalties(rng, rows),
        wheel=rng.choice(("lowest", "second")),
        naturals=tuple(_random_natural(rng, name) for name in names),
        natural_vs_natural=rng.choice(("higher-full", "higher-units", "difference", "push")),
        equal_kind=rng.choice(("compare", "compare", "push")),
        optional=rng.random() < 0.8,
        foul=rng.choice(("scooped", "scooped", 0, 1, 6)),
        surrender=rng.choice((None, 1, 4)),
        banker=rng.random() < 0.25,
    )


def _random_royalties(rng: random.Random, rows: RowUnits) -> Royalties:
    arithmetic = rng.choice(("add", "replace"))
    limit = rng.choice((None, None, 0, 1, 1, 2, 3))
    tables: dict[str, tuple[Royalty, ...]] = {}
    for row, unit in zip(ROWS, rows, strict=True):
        least = unit if arithmetic == "replace" and limit is not None else 0
        names = ("pair", "trips") if row == "front" else CATEGORIES[1:]
        table = []
        for name in rng.sample(names, rng.randint(0, len(names))):
            graded = range(13) if row == "front" and rng.random() < 0.5 else [None]
            table += [Royalty(name, rank, least + rng.randint(0, 9)) for rank in graded]
        tables[row] = tuple(table)
    collect = rng.choice(("row-winner", "both"))
    return Royalties(arithmetic, collect, rng.random() < 0.3, limit, **tables)


def _random_natural(rng: random.Random, name: str) -> Natural:
    pairs = rng.choice(PAIRS[name]) if name in PAIRS else None
    wheel_front = name != "three-straights" or rng.random() < 0.5
    return Natural(name, rng.randint(0, 9), pairs, wheel_front)


def random_states(rng: random.Random, rules: RuleSet, players: int) -> dict[str, dict[str, Any]]:
    """What players did at a table, in the twins' form.

    Royalties, naturals, ties, fouls and surrenders are common.
    """
    deck = set(range(52))
    seats: dict[str, dict[str, Any]] = {}
    for name in "ABCD"[:players]:
        for _ in range(rng.choice((1, 8, 8))):
            if seats and rng.random() < 0.5:
                rows = _copied(rng, rng.choice(list(seats.values())), deck)
            else:
                rows = _natural_rows(rng, deck) or _strong_rows(rng, deck)
            rows["back"], rows["middle"] = rng.sample((rows["back"], rows["middle"]), 2)
            if not is_foul((rows["back"], rows["middle"], rows["front"]), rules.wheel):
                break
        for row in ROWS:
            deck -= set(rows[row])
        declare = rng.choice([None, *_held(rules, rows)])
        surrender = rules.surrender is not None and declare is None and rng.random() < 0.2
        seats[name] = {**rows, "declare": declare, "surrender": surrender}
    return seats


def _held(rules: RuleSet, rows: Rows) -> list[str]:
    hand = sum(1 << card for row in ROWS for card in rows[row])
    bits = natural_bits(hand, natural_table())
    kinds = clauses_of(rules).naturals.kinds
    held = zip(rules.naturals, kinds, strict=True)
    return [natural.name for natural, kind in held if bits >> int(kind) & 1]


def _split(cards: Sequence[int]) -> Rows:
    return {"back": tuple(cards[:5]), "middle": tuple(cards[5:10]), "front": tuple(cards[10:])}


def _natural_rows(rng: random.Random, deck: set[int]) -> Rows | None:
    """A hand that holds or nearly holds a natural, at random; None if cards of it are gone."""
    hand = built(rng)
    return _split(rng.sample(hand, 13)) if deck.issuperset(hand) else None


def _strong_rows(rng: random.Random, deck: set[int]) -> Rows:
    left = set(deck)
    rows: Rows = {}
    for row in rng.sample(ROWS, 3):
        rows[row] = _strong_row(rng, left, ROW_SIZES[row])
        left -= set(rows[row])
    return rows


def _strong_row(rng: random.Random, deck: set[int], size: int) -> Row:
    """Cards of one or two ranks, consecutive ones of a suit, ones of a suit, or any."""
    if rng.random() < 0.4:
        start, step = rng.choice(sorted(deck)), rng.choice((1, 1, 4))
        wanted = [card % 52 for card in range(start - start % (4 // step), 52 + start, step)]
    elif rng.random() < 0.3:
        suit = rng.randrange(4)
        wanted = [card for card in sorted(deck) if card % 4 == suit]
    else:
        wanted = []
    cards = [card for card in wanted if card in deck][:size]
    rest = rng.sample(sorted(deck - set(cards)), size - len(cards))
    return (*cards, *rest)


def _copied(rng: random.Random, rows: Rows, deck: set[int]) -> Rows:
    """Rows of the same ranks as another player's where cards are left, so that they tie."""
    left = set(deck)
    copy: Rows = {}
    for row in ROWS:
        shift = rng.randrange(1, 4)
        same = [card - card % 4 + (card + shift) % 4 for card in rows[row]]
        if rng.random() < 0.2 or not left.issuperset(same):
            same = []
            for card in rows[row] if rng.random() < 0.8 else ():
                equal = [other for other in left if other // 4 == card // 4 and other not in same]
                same += rng.sample(sorted(equal), 1) if equal else []
        same += rng.sample(sorted(left - set(same)), ROW_SIZES[row] - len(same))
        copy[row] = tuple(same)
        left -= set(same)
    return copy
