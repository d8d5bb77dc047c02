"""Slow, obvious, plain-Python twins of the naturals, the payments of a pair and of a table.

Rules are a plain dict shaped like `PLAIN`; a player's state is a dict with the rows "back",
"middle" and "front", "declare" (name of a natural or None) and "surrender". Where the written
rules leave something open, a comment that starts with "Decision" says what is done here.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import combinations
from typing import Any

from naive import (
    ACE,
    RANKS,
    SUITS,
    Cards,
    Row,
    Setting,
    Triple,
    category,
    is_foul,
    is_run,
    is_suited,
    ranks_of,
    row_key,
    setting_key,
    suits_of,
)

Rules = Mapping[str, Any]
State = Mapping[str, Any]

ROWS = ("back", "middle", "front")
PLAIN: Rules = {
    "rows": {"front": 1, "middle": 1, "back": 1},
    "majority": 0,
    "majority_rule": "more-wins",
    "scoop_units": 0,
    "gun": 1,
    "home_run": 1,
    "home_run_min_players": 3,
    "royalties": {
        "arithmetic": "add",
        "collect": "row-winner",
        "broken": False,
        "limit": None,
        "front": {},
        "middle": {},
        "back": {},
    },
    "wheel": "lowest",
    "naturals": [],
    "natural_vs_natural": "higher-full",
    "equal_kind": "compare",
    "optional": True,
    "foul": "scooped",
    "surrender": None,
    "banker": False,
    "players": [2, 4],
}

# --- naturals -------------------------------------------------------------------------------------


def is_short_run(cards: Cards, wheel_front: bool) -> bool:
    """Whether three cards are a run; A-2-3 only with `wheel_front`."""
    return is_run(cards) and (wheel_front or sorted(ranks_of(cards)) != [0, 1, ACE])


def splits(
    cards: Cards, five: Callable[[Row], bool], three: Callable[[Row], bool]
) -> Iterator[Setting]:
    """Every split into back, middle and front, legal or not, whose rows pass the two tests."""
    for back in filter(five, combinations(cards, 5)):
        eight = [card for card in cards if card not in back]
        for middle in filter(five, combinations(eight, 5)):
            front = tuple(card for card in eight if card not in middle)
            if three(front):
                yield back, middle, front


def straight_splits(cards: Cards, wheel_front: bool = True) -> Iterator[Setting]:
    return splits(cards, is_run, lambda row: is_short_run(row, wheel_front))


def natural_holds(
    name: str, cards: Cards, pairs: str = "quad-is-two", wheel_front: bool = True
) -> bool:
    """Whether 13 cards hold the natural of that name (rules, section 2).

    `pairs` is read by six-pairs and five-pairs-and-trips, `wheel_front` by three-straights and
    three-straight-flushes.
    """
    ranks, suits = ranks_of(cards), suits_of(cards)
    counts = sorted(Counter(ranks).values(), reverse=True)
    red = sum(SUITS[suit] in "dh" for suit in suits)
    match name:
        case "suited-dragon":
            return len(counts) == 13 and is_suited(cards)
        case "dragon":
            return len(counts) == 13
        case "twelve-royals":
            return sum(RANKS[rank] in "JQKA" for rank in ranks) >= 12
        case "three-straight-flushes":
            # Decision: `wheel_front` also rules a suited A-2-3 in or out; the text names it only
            # for three-straights, of which this is the suited kind.
            return any(
                all(map(is_suited, setting)) for setting in straight_splits(cards, wheel_front)
            )
        case "three-quads":
            return counts.count(4) == 3
        case "all-big":
            return all(RANKS[rank] in "89TJQKA" for rank in ranks)
        case "all-small":
            return all(RANKS[rank] in "2345678" for rank in ranks)
        case "one-colour":
            return red in (0, 13)
        case "twelve-colours":
            return red in (1, 12)
        case "four-trips":
            return sum(count // 3 for count in counts) >= 4
        case "five-pairs-and-trips":
            # Decision: "floor" means nothing of its own here: ten cards beside the trips make
            # five pairs only if every count is even, which is "quad-is-two".
            strict = counts == [3, 2, 2, 2, 2, 2]
            quads = counts.count(3) == 1 and counts.count(1) == 0
            return strict if pairs == "strict" else quads
        case "six-pairs":
            if pairs == "strict":
                return counts == [2, 2, 2, 2, 2, 2, 1]
            enough = sum(count // 2 for count in counts) >= 6
            return enough and (pairs == "floor" or 3 not in counts)
        case "three-flushes":
            return all(suits.count(suit) in (0, 3, 5, 8, 10, 13) for suit in range(4))
        case "three-straights":
            return any(straight_splits(cards, wheel_front))
    raise ValueError(f"unknown natural {name!r}")


def strongest_natural(rules: Rules, cards: Cards) -> Mapping[str, Any] | None:
    """The first entry of the rules' list, strongest first, that the 13 cards hold."""
    for natural in rules["naturals"]:
        options = {key: natural[key] for key in ("pairs", "wheel_front") if key in natural}
        if natural_holds(natural["name"], cards, **options):
            return dict(natural)
    return None


def pairs_downwards(cards: Cards) -> list[int]:
    """Ranks of the pairs, highest first: quads are there twice, trips once."""
    counts = Counter(ranks_of(cards))
    return [rank for rank in sorted(counts, reverse=True) for _ in range(counts[rank] // 2)]


def strongest_arrangement(name: str, cards: Cards, wheel: str, wheel_front: bool) -> Triple:
    """Best back, then middle, then front among the splits that show the flushes or straights."""
    if name == "three-flushes":
        shown = splits(cards, is_suited, is_suited)
    else:
        shown = straight_splits(cards, wheel_front)
    return max(setting_key(setting, wheel) for setting in shown)


def compare_equal_naturals(
    name: str, cards_a: Cards, cards_b: Cards, wheel: str = "lowest", wheel_front: bool = True
) -> int:
    """1 if a's natural beats b's of the same kind, -1 if it loses, 0 if they push."""
    a: Any
    b: Any
    if name == "six-pairs":
        # Decision: the thirteenth card never breaks a tie; trips ("floor") are one pair.
        a, b = pairs_downwards(cards_a), pairs_downwards(cards_b)
    elif name in ("three-flushes", "three-straights"):
        # Decision: rows that are straight flushes are arranged and compared as such, and
        # three-straight-flushes are "anything else", so they push.
        a = strongest_arrangement(name, cards_a, wheel, wheel_front)
        b = strongest_arrangement(name, cards_b, wheel, wheel_front)
    else:
        return 0
    return int(a > b) - int(a < b)


# --- payments -------------------------------------------------------------------------------------


def hand_of(state: State) -> Row:
    return (*state["back"], *state["middle"], *state["front"])


def state_fouls(state: State, rules: Rules) -> bool:
    return is_foul((state["back"], state["middle"], state["front"]), rules["wheel"])


def royalty(row: str, cards: Cards, rules: Rules) -> int | None:
    """Value in the royalty table of these cards shown in that row, or None."""
    table = rules["royalties"][row]
    name = category(cards)
    if name == "straight-flush" and sorted(ranks_of(cards)) == [8, 9, 10, 11, 12]:
        name = "royal-flush" if "royal-flush" in table else name
    value = table.get(name)
    if isinstance(value, Mapping):
        ((rank, _),) = Counter(ranks_of(cards)).most_common(1)
        value = value.get(RANKS[rank])
    return None if value is None else int(value)


def royalties_paid(state: State, rows: Iterable[str], rules: Rules) -> int:
    """What the royalties shown in these rows add to plain rows, the limit's best ones only.

    Decision: a royalty below the plain row has a negative increment under "replace", down to a
    row worth nothing, and is taken like any other while the limit leaves room.
    """
    increments = []
    for row in rows:
        value = royalty(row, state[row], rules)
        if value is not None:
            replaced = rules["rows"][row] if rules["royalties"]["arithmetic"] == "replace" else 0
            increments.append(value - replaced)
    limit = rules["royalties"]["limit"]
    increments.sort(reverse=True)
    return sum(increments if limit is None else increments[:limit])


def broken_royalty(state: State, rules: Rules) -> int:
    """Back value of the best quads or straight flush held that no row shows.

    Decisions: only one is paid, the dearest; it pays its full back value under "replace" too, and
    is not one of the `limit`. A straight flush that shares cards with a straight flush shown is
    the shown one's other end (a six-card run), not a broken one; quads that a straight flush took
    a card from are broken.
    """
    if not rules["royalties"]["broken"]:
        return 0
    shown = [set(state[row]) for row in ("back", "middle")]
    shown_flushes = [row for row in shown if category(sorted(row)) == "straight-flush"]
    values = [0]
    for four in combinations(hand_of(state), 4):
        if len(set(ranks_of(four))) == 1 and not any(row >= set(four) for row in shown):
            values.append(royalty("back", four, rules) or 0)
    for five in combinations(hand_of(state), 5):
        if is_run(five) and is_suited(five) and not any(row & set(five) for row in shown_flushes):
            values.append(royalty("back", five, rules) or 0)
    return max(values)


def natural_payment(a: State, b: State, rules: Rules) -> int:
    """What b pays a when at least one declared; the other's foul or surrender is nothing."""
    names = [natural["name"] for natural in rules["naturals"]]
    units = {natural["name"]: int(natural["units"]) for natural in rules["naturals"]}
    kind_a, kind_b = a["declare"], b["declare"]
    if kind_b is None:
        return units[kind_a]
    if kind_a is None:
        return -units[kind_b]
    if kind_a == kind_b:
        # Decision: `equal_kind` alone rules here, whatever `natural_vs_natural` says, and the
        # winner gets the units in full, also under "difference".
        if rules["equal_kind"] == "push":
            return 0
        wheel_front = rules["naturals"][names.index(kind_a)].get("wheel_front", True)
        hands = hand_of(a), hand_of(b)
        won = compare_equal_naturals(kind_a, *hands, rules["wheel"], wheel_front)
        return won * units[kind_a]
    units_a, units_b = units[kind_a], units[kind_b]
    match rules["natural_vs_natural"]:
        case "higher-full":
            return units_a if names.index(kind_a) < names.index(kind_b) else -units_b
        case "higher-units":
            return 0 if units_a == units_b else units_a if units_a > units_b else -units_b
        case "difference":
            return units_a - units_b
    return 0


def strict_results(a: State, b: State, rules: Rules) -> list[int]:
    """1, 0, -1 for each of ROWS: a's row stronger, equal, weaker; a fouled hand loses them all."""
    fouls = state_fouls(a, rules), state_fouls(b, rules)
    if any(fouls):
        return [fouls[1] - fouls[0]] * 3
    keys = [(row_key(a[row], rules["wheel"]), row_key(b[row], rules["wheel"])) for row in ROWS]
    return [int(mine > theirs) - int(mine < theirs) for mine, theirs in keys]


def gunner(a: State, b: State, rules: Rules) -> int:
    """1 if a guns b, -1 if b guns a, else 0.

    Decisions: whether `gun` is 1 or not, a gun is three rows won strictly or a foul met in play,
    and so is what a home run asks for. A row that the banker wins only as a tie is not strict.
    """
    if any(state["declare"] or state["surrender"] for state in (a, b)):
        return 0
    results = strict_results(a, b, rules)
    return results[0] if abs(sum(results)) == 3 else 0


def pair_payment(
    a: State,
    b: State,
    rules: Rules,
    players: int = 2,
    *,
    guns_everyone: bool = False,
    banker: int = 0,
) -> int:
    """Units that b pays a, by the first clause that applies (rules, section 1).

    `guns_everyone` says that whoever guns the other here guns all the rest of the table too (with
    two players there is no rest). `banker` is 1 if a is the banker, -1 if b is, 0 without one.
    """
    if a["declare"] or b["declare"]:
        return natural_payment(a, b, rules)
    fouls_a, fouls_b = state_fouls(a, rules), state_fouls(b, rules)
    if a["surrender"] or b["surrender"]:
        # Decision: "plays" is neither surrendered nor fouled; the price is never multiplied.
        a_pays = a["surrender"] and not b["surrender"] and not fouls_b
        b_pays = b["surrender"] and not a["surrender"] and not fouls_a
        return int(rules["surrender"]) * (b_pays - a_pays)
    if fouls_a and fouls_b:
        return 0
    if (fouls_a or fouls_b) and rules["foul"] != "scooped":
        # Decision: the flat amount is all, without royalties of any sort on top.
        return int(rules["foul"]) * (fouls_b - fouls_a)

    swept = gunner(a, b, rules)
    # Decision: a tie the banker wins counts for the row, its royalty and the majority.
    results = dict(zip(ROWS, (r or banker for r in strict_results(a, b, rules)), strict=True))
    wins_a = [row for row in ROWS if results[row] == 1]
    wins_b = [row for row in ROWS if results[row] == -1]
    row_winner = rules["royalties"]["collect"] == "row-winner"

    total = sum(rules["rows"][row] * results[row] for row in ROWS)
    if row_winner:
        total += royalties_paid(a, wins_a, rules) - royalties_paid(b, wins_b, rules)
    lead = len(wins_a) - len(wins_b)
    two_wins = max(len(wins_a), len(wins_b)) >= 2
    if lead and (rules["majority_rule"] == "more-wins" or two_wins):
        total += rules["majority"] if lead > 0 else -rules["majority"]
    total += rules["scoop_units"] * swept
    if swept:
        total *= rules["gun"]
        if (players == 2 or guns_everyone) and players >= rules["home_run_min_players"]:
            total *= rules["home_run"]
    # Decision: a fouled hand holds no royalties, broken ones neither; its opponent keeps both.
    # Under "both" with "replace" each royalty held counts its increment over the plain row, so
    # that a won row is still worth the table's value; that is what `limit` speaks of as well.
    for state, fouls, sign in ((a, fouls_a, 1), (b, fouls_b, -1)):
        if not fouls:
            shown = 0 if row_winner else royalties_paid(state, ROWS, rules)
            total += sign * (shown + broken_royalty(state, rules))
    return int(total)


def pair_units(
    states: Mapping[str, State], rules: Rules, banker: str | None = None
) -> dict[tuple[str, str], int]:
    """Units the second player of each settling pair pays the first.

    Decisions: the banker is the first seat unless named, and the opponents of a player are those
    who settle with it, so gunning the banker is all a player needs for a home run. Automatic
    naturals (`optional` false) are the strongest held, whatever the state says.
    """
    low, high = rules["players"]
    if not low <= len(states) <= high:
        raise ValueError(f"{len(states)} players, the rules allow {low} to {high}")
    if not rules["optional"]:
        found = {name: strongest_natural(rules, hand_of(states[name])) for name in states}
        states = {
            name: {**states[name], "declare": natural["name"] if natural else None}
            for name, natural in found.items()
        }
    names = list(states)
    bank = (banker or names[0]) if rules["banker"] else None
    pairs = [pair for pair in combinations(names, 2) if bank is None or bank in pair]

    def guns_everyone(player: str) -> bool:
        met = [pair for pair in pairs if player in pair]
        guns = [gunner(states[a], states[b], rules) for a, b in met]
        wanted = [1 if player == a else -1 for a, _ in met]
        return guns == wanted

    return {
        (a, b): pair_payment(
            states[a],
            states[b],
            rules,
            len(states),
            guns_everyone=guns_everyone(a) or guns_everyone(b),
            banker=(bank == a) - (bank == b),
        )
        for a, b in pairs
    }


def settle(
    states: Mapping[str, State],
    rules: Rules,
    stakes: Mapping[frozenset[str], Any] | None = None,
    banker: str | None = None,
) -> dict[str, Any]:
    """Amount each player wins; `stakes` is the worth of a unit between two players, 1 if absent."""
    totals: dict[str, Any] = dict.fromkeys(states, 0)
    for (a, b), units in pair_units(states, rules, banker).items():
        amount = units * (stakes or {}).get(frozenset({a, b}), 1)
        totals[a] += amount
        totals[b] -= amount
    return totals
