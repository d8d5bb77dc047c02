"""A real table of two to four players, settled: who pays whom, how much, and why."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from evaluator import ranking
from evaluator.broken import broken_code
from evaluator.cards import CardError, Cards, parse_cards
from evaluator.naturals import natural_bits, natural_key, natural_table
from evaluator.ranking import row_name, row_strength
from solver.reasons import Meeting, Seat
from solver.rules import ROWS, RuleSet, load_rules
from solver.rules_check import closest, printable
from solver.settling import Player, clauses_of, gunner, pay_pair

_SIZES = (5, 5, 3)
_EXACT = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)  # rounds no product and no sum
_UNIT = re.compile(r"[0-9]+(\.[0-9]+)?")


@dataclass(frozen=True, slots=True)
class PlayedHand:
    """What one player did at the table.

    Parameters
    ----------
    player
        The name.
    back, middle, front
        Five, five and three cards, as text or as card numbers; so ``*setting`` may stand here.
        They may be empty for a player who surrenders. A declared natural may lie in any order.
    declare
        The name of the natural declared, such as "six-pairs", or empty.
    surrender
        Whether the player surrenders.
    place
        Where this was read, such as "table.csv:2"; errors name it.

    Examples
    --------
    >>> PlayedHand("Alice", "As Ks 6s 5s 3s", "Qh Qs 8c 3c 2h", "Js Jd 9h").declare
    ''
    """

    player: str
    back: str | Iterable[int] = ()
    middle: str | Iterable[int] = ()
    front: str | Iterable[int] = ()
    declare: str = ""
    surrender: bool = False
    place: str = ""


class Stake(NamedTuple):
    """What a unit is worth between two players; `place` is where this was read, for errors."""

    player_a: str
    player_b: str
    unit: str | int | Decimal  # a decimal such as "0.25", kept exactly
    place: str = ""


@dataclass(frozen=True, slots=True)
class PairScore:
    """What two players pay each other."""

    a: str
    b: str
    units: int  # that b pays a
    unit: Decimal  # what one is worth between the two
    amount: Decimal  # units x unit: what b pays a
    reasons: tuple[str, ...]  # lines that end in signed units, which add up to `units`


@dataclass(frozen=True, slots=True)
class TableScore:
    """A settled table."""

    rules: str
    pairs: tuple[PairScore, ...]
    totals: dict[str, Decimal]  # what each player wins; they add up to zero

    def to_dict(self) -> dict[str, Any]:
        """Return the score in the form of ``capsa score --format json``."""
        return {
            "rules": self.rules,
            "pairs": [
                {
                    "a": pair.a,
                    "b": pair.b,
                    "units": pair.units,
                    "unit": decimal_text(pair.unit),
                    "amount": decimal_text(pair.amount),
                    "reasons": list(pair.reasons),
                }
                for pair in self.pairs
            ],
            "totals": {player: decimal_text(total) for player, total in self.totals.items()},
        }


class TableError(ValueError):
    """A table that cannot be settled; `problems` has a line for everything that is wrong."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(map(printable, problems))
        super().__init__("\n".join(self.problems))


def decimal_text(number: Decimal) -> str:
    """Return an exact decimal without an exponent.

    >>> decimal_text(Decimal("1E+2"))
    '100'
    """
    return f"{number:f}"


def score_table(
    hands: Iterable[PlayedHand],
    rules: str | Path | RuleSet = "2-4",
    stakes: Iterable[Stake | tuple[str, str, str | int | Decimal]] = (),
    banker: str | None = None,
) -> TableScore:
    """Settle a table: every two players, or under banker rules the banker and each other player.

    Each pair settles by the first clause that applies (rules.md section 1): (1) a declared
    natural, its units; (2) surrender, its price if the other plays; (3) a foul, its flat price, or
    all rows lost; (4) the rows::

        units  = ((rows + royalties of rows won + majority + scoop units) x gun) x home run
                 + royalties held by a - royalties held by b    (those of "both", and broken ones)
        amount = units x unit,    total of a player = sum of the amounts of his pairs

    with gun and home run only where all three rows are won strictly, and home run only for one who
    so wins against every opponent at a table of at least `home_run_min_players`. Where the rules
    say that naturals are not optional, each hand's strongest one is declared.

    Parameters
    ----------
    hands
        The players, two to four as the rules allow.
    rules
        A preset, the path of a TOML file, or a rule set.
    stakes
        `Stake`, or (player, player, unit), for each pair that plays for another unit than 1.
    banker
        The name of the banker, under rules with one.

    Returns
    -------
    TableScore
        Pairs in the order of the players.

    Raises
    ------
    TableError
        If the table cannot be settled; tells all that is wrong with it.
    RulesError
        If there are no such rules.

    Examples
    --------
    >>> alice = PlayedHand("Alice", "As Ks 6s 5s 3s", "Qh Qs 8c 3c 2h", "Js Jd 9h")
    >>> bob = PlayedHand("Bob", "Kc Qc 6c 5c 4c", "Kd 6d 5d 4d 3d", "Th 9s 7s")
    >>> score = score_table([alice, bob], "2-4", stakes=[("Alice", "Bob", "0.25")])
    >>> score.pairs[0].units, score.totals["Bob"]
    (2, Decimal('-0.50'))
    """
    if not isinstance(rules, RuleSet):
        rules = load_rules(rules)
    hands = list(hands)
    listed = [Stake(*stake) for stake in stakes]
    dealt = [_Dealt(hand, number, rules) for number, hand in enumerate(hands, start=1)]
    problems = [
        *_crowd_problems(hands, rules, banker),
        *(problem for one in dealt for problem in one.problems()),
        *_twice_dealt(dealt),
        *_stake_problems(listed, [hand.player for hand in hands]),
    ]
    if problems:
        raise TableError(problems)
    return _settle([one.seat() for one in dealt], rules, listed, banker)


def _settle(
    seats: list[Seat], rules: RuleSet, stakes: list[Stake], banker: str | None
) -> TableScore:
    units_of = {
        frozenset((stake.player_a, stake.player_b)): Decimal(stake.unit) for stake in stakes
    }
    pairs = [
        (a, b) for a, b in combinations(seats, 2) if not rules.banker or banker in (a.name, b.name)
    ]
    sweepers = _sweepers(pairs) if len(seats) >= rules.home_run_min_players else set()
    scores = []
    totals = dict.fromkeys((seat.name for seat in seats), Decimal(0))
    for a, b in pairs:
        bank = (banker == a.name) - (banker == b.name)
        home_run = a.name in sweepers or b.name in sweepers
        units = pay_pair(a.player, b.player, bank, home_run, clauses_of(rules))
        unit = units_of.get(frozenset((a.name, b.name)), Decimal(1))
        amount = _EXACT.fma(units, unit, 0)  # the sum with 0 makes of -0 a 0
        totals[a.name] = _EXACT.add(totals[a.name], amount)
        totals[b.name] = _EXACT.subtract(totals[b.name], amount)
        reasons = Meeting(a, b, rules, bank, home_run).reasons(units)
        scores.append(PairScore(a.name, b.name, units, unit, amount, reasons))
    return TableScore(rules.name, tuple(scores), totals)


def _sweepers(pairs: list[tuple[Seat, Seat]]) -> set[str]:
    """Return who guns every opponent he settles with."""
    guns: dict[str, list[bool]] = defaultdict(list)
    for a, b in pairs:
        gunned = gunner(a.player, b.player)
        guns[a.name].append(gunned == 1)
        guns[b.name].append(gunned == -1)
    return {name for name, gunned in guns.items() if all(gunned)}


class _Dealt:
    """One player's hand as far as it can be read."""

    def __init__(self, hand: PlayedHand, number: int, rules: RuleSet) -> None:
        self.hand = hand
        self.rules = rules
        self.label = hand.player or f"player {number}"
        self.place = _at(hand.place)
        self.rows: dict[str, Cards] = {}
        self.wrong_rows: list[str] = []
        for row, size in zip(ROWS, _SIZES, strict=True):
            source = getattr(hand, row)
            source = source.strip() if isinstance(source, str) else tuple(source)
            try:
                self.rows[row] = parse_cards(source) if source else Cards()
            except CardError as error:
                self.wrong_rows.append(f"{row}: {error}")
                continue
            count = len(self.rows[row])
            if count != size and (count or not hand.surrender):
                noun = "card" if count == 1 else "cards"
                self.wrong_rows.append(f"{row}: {count or 'no'} {noun}, the row takes {size}")

    @property
    def mask(self) -> int:
        """The set of all cards."""
        mask = 0
        for cards in self.rows.values():
            mask |= cards.mask
        return mask

    @property
    def whole(self) -> bool:
        """Whether the 13 cards are known."""
        return not self.wrong_rows and self.mask.bit_count() == 13

    def problems(self) -> Iterator[str]:
        """Yield all that is wrong with the hand by itself."""
        if not self.hand.player:
            yield f"{self.place}{self.label} has no name"
        elif not self.hand.player.isprintable():
            yield f"{self.place}{self.label}: the name has characters that cannot be shown"
        for wrong in self.wrong_rows:
            yield f"{self.place}{self.label}, {wrong}"
        if self.hand.surrender and self.rules.surrender is None:
            yield f"{self.place}{self.label} surrenders, which the rules {self.rules.name} forbid"
        if self.hand.declare:
            if self.hand.surrender:
                yield f"{self.place}{self.label} both declares and surrenders; only one is possible"
            names = _natural_names(self.rules)
            if self.hand.declare not in names:
                known = closest(self.hand.declare, names) or f"known: {', '.join(names) or 'none'}"
                yield (
                    f"{self.place}{self.label} declares {self.hand.declare!r}, which is no natural "
                    f"of the rules {self.rules.name}; {known}"
                )
            elif self.whole and names.index(self.hand.declare) not in self._held():
                yield (
                    f"{self.place}{self.label} declares {self.hand.declare}, "
                    "which the 13 cards do not hold"
                )

    def seat(self) -> Seat:
        """Return the player as the kernels want him; there must be no problem."""
        natural = -1
        if not self.rules.optional and self.whole:
            natural = next(self._held(), -1)
        elif self.hand.declare:
            natural = _natural_names(self.rules).index(self.hand.declare)
        wheel = self.rules.wheel
        tables = ranking.tables(wheel)
        strengths = [row_strength(cards, wheel) for cards in self.rows.values() if cards]
        back, middle, front = strengths if self.whole else (0, 0, 0)
        kinds = clauses_of(self.rules).naturals.kinds
        player = Player(
            back,
            middle,
            front,
            broken_code(self.mask, self.rows["back"].mask, self.rows["middle"].mask),
            natural,
            natural_key(kinds[natural], self.mask, tables) if natural >= 0 else 0,
            not back >= middle >= front,
            self.hand.surrender,
        )
        names = tuple(row_name(strength, wheel) for strength in (back, middle, front))
        return Seat(self.hand.player, player, names, tuple(self.rows.values()))

    def _held(self) -> Iterator[int]:
        """Yield the naturals that the cards hold, as places in the rules' list."""
        bits = natural_bits(self.mask, natural_table())
        for place, kind in enumerate(clauses_of(self.rules).naturals.kinds):
            if bits >> int(kind) & 1:
                yield place


def _at(place: str) -> str:
    return f"{place}: " if place else ""


def _natural_names(rules: RuleSet) -> list[str]:
    return [natural.name for natural in rules.naturals]


def _crowd_problems(hands: list[PlayedHand], rules: RuleSet, banker: str | None) -> Iterator[str]:
    fewest, most = rules.players
    if not fewest <= len(hands) <= most:
        noun = "player" if len(hands) == 1 else "players"
        yield f"{len(hands)} {noun}; the rules {rules.name} are for {fewest} to {most}"
    names = [hand.player for hand in hands]
    for number, hand in enumerate(hands):
        if hand.player and hand.player in names[:number]:
            yield f"{_at(hand.place)}{hand.player} is there twice"
    if rules.banker and banker is None:
        yield f"the rules {rules.name} have a banker; name one (--banker NAME)"
    elif banker is not None and not rules.banker:
        yield f"the rules {rules.name} have no banker; {banker} cannot be one"
    elif banker is not None and banker not in names:
        yield _unknown_player(banker, names, "the banker")


def _unknown_player(name: str, names: list[str], who: str) -> str:
    known = closest(name, names) or f"the players are {', '.join(filter(None, names))}"
    return f"{who} {name!r} is not at the table; {known}"


def _twice_dealt(dealt: list[_Dealt]) -> Iterator[str]:
    holders: dict[int, list[tuple[_Dealt, str]]] = defaultdict(list)
    for one in dealt:
        for row, cards in one.rows.items():
            for card in cards:
                holders[card].append((one, row))
    shared: dict[tuple[str, str], list[int]] = defaultdict(list)
    for card, where in holders.items():
        if len(where) > 1:
            rows = " and in ".join(f"{one.label}'s {row}" for one, row in where)
            shared[where[-1][0].place, rows].append(card)
    for (place, rows), twice in shared.items():
        yield f"{place}{Cards(twice)} {'is' if len(twice) == 1 else 'are'} in {rows}"


def _stake_problems(stakes: list[Stake], names: list[str]) -> Iterator[str]:
    seen: set[frozenset[str]] = set()
    for stake in stakes:
        place = _at(stake.place)
        both = f"{stake.player_a} and {stake.player_b}"
        pair = frozenset((stake.player_a, stake.player_b))
        for name in (stake.player_a, stake.player_b):
            if name not in names:
                yield place + _unknown_player(name, names, "player")
        if len(pair) == 1:
            yield f"{place}{stake.player_a} is both players of the pair"
        elif pair in seen:
            yield f"{place}{both} are there twice"
        seen.add(pair)
        unit = decimal_text(stake.unit) if isinstance(stake.unit, Decimal) else str(stake.unit)
        if not _UNIT.fullmatch(unit):
            yield f"{place}{both}: the unit must be a decimal such as 0.25, 0 or more, not {unit!r}"
