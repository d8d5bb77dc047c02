"""What a rule set is: its vocabulary, its fields, and what follows from them."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Final, Literal, NamedTuple

ROWS = ("back", "middle", "front")
RANKS = "23456789TJQKA"
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
    "royal-flush",
)  # weakest first
FRONT_CATEGORIES = ("high-card", "pair", "trips")
NATURALS = {
    "suited-dragon": "all 13 ranks in one suit",
    "dragon": "all 13 ranks",
    "twelve-royals": "at least 12 cards from J to A",
    "three-straight-flushes": "two straight flushes of five cards and one of three",
    "three-quads": "three times four of a kind",
    "all-big": "every card 8 to A",
    "all-small": "every card 2 to 8",
    "one-colour": "13 red or 13 black cards",
    "twelve-colours": "exactly 12 cards of one colour",
    "four-trips": "four times three of a kind",
    "five-pairs-and-trips": "five pairs and three of a kind",
    "six-pairs": "six pairs",
    "three-flushes": "a flush in every row",
    "three-straights": "a straight in every row",
}
Seat = Literal["banker", "player"]  # under rules with a banker
FACING: Final[Mapping[Seat | None, Seat | None]] = {  # whom a seat settles with
    **{"player": "banker", "banker": "player"},
    None: None,  # a game in which all seats are alike
}
UNPAID = ("name", "title", "source", "sourcing", "notes")  # fields that pay nobody


class RowUnits(NamedTuple):
    """Units the winner of each row gets."""

    back: int
    middle: int
    front: int


PLAIN_ROWS = RowUnits(back=1, middle=1, front=1)


class Royalty(NamedTuple):
    """One line of a row's royalty table; `rank` (deuce = 0) limits it to that pair or trips."""

    category: str
    rank: int | None
    units: int


@dataclass(frozen=True)
class Royalties:
    """The royalty tables of the three rows and how they are paid (rules.md section 1)."""

    arithmetic: Literal["add", "replace"] = "add"
    collect: Literal["row-winner", "both"] = "row-winner"
    broken: bool = False
    limit: int | None = None
    back: tuple[Royalty, ...] = ()
    middle: tuple[Royalty, ...] = ()
    front: tuple[Royalty, ...] = ()

    def table(self, row: str) -> tuple[Royalty, ...]:
        """The table of the row of that name."""
        return {"back": self.back, "middle": self.middle, "front": self.front}[row]

    def units(self, row: str, category: str, rank: int | None = None) -> int | None:
        """
        The table's own figure for a row, or None where the table has none.

        Parameters
        ----------
        row, category : one of `ROWS`, one of `CATEGORIES`; a royal flush without a figure of its
            own takes that of the straight flush
        rank : rank of the pair or trips, deuce = 0; needed only in the front

        >>> from solver.rules import load_rules
        >>> load_rules("eastern").royalties.units("back", "royal-flush")
        7
        """
        for royalty in self.table(row):
            if royalty.category == category and royalty.rank in (None, rank):
                return royalty.units
        return self.units(row, "straight-flush") if category == "royal-flush" else None


class Natural(NamedTuple):
    """A natural the rules pay; `pairs` and `wheel_front` say which hands count (rules.md 2)."""

    name: str
    units: int
    pairs: str | None = None
    wheel_front: bool = True


@dataclass(frozen=True)
class RuleSet:
    """One complete set of rules; each field is the key of that name in rules.md section 1."""

    name: str
    title: str
    source: str = "not stated"
    sourcing: Literal["strong", "good", "medium", "weak", "unstated"] = "unstated"
    notes: tuple[str, ...] = ()
    rows: RowUnits = PLAIN_ROWS
    majority: int = 0
    majority_rule: Literal["more-wins", "two-wins"] = "more-wins"
    scoop_units: int = 0
    gun: int = 1
    home_run: int = 1
    home_run_min_players: int = 3
    royalties: Royalties = Royalties()
    wheel: Literal["lowest", "second"] = "lowest"
    naturals: tuple[Natural, ...] = ()
    natural_vs_natural: Literal["higher-full", "higher-units", "difference", "push"] = "higher-full"
    equal_kind: Literal["compare", "push"] = "compare"
    optional: bool = True
    foul: int | Literal["scooped"] = "scooped"
    surrender: int | None = None
    banker: bool = False
    players: tuple[int, int] = (2, 4)

    def row_units(self, row: str) -> int:
        """Units the winner of the row gets before royalties."""
        return self.rows[ROWS.index(row)]

    def royalty(self, row: str, category: str, rank: int | None = None) -> int:
        """
        Units a row earns on top of the plain row; see `Royalties.units` for the parameters.

        Under ``collect = "row-winner"`` a won row pays `row_units` plus this. Under "both" it pays
        `row_units`, and the difference of the two players' sums of this is paid besides. With
        ``arithmetic = "replace"`` it may be negative.

        >>> from solver.rules import load_rules
        >>> load_rules("eastern").royalty("middle", "full-house")
        1
        """
        units = self.royalties.units(row, category, rank)
        if units is None:
            return 0
        return units - self.row_units(row) if self.royalties.arithmetic == "replace" else units


class Fall(NamedTuple):
    """A kind of row that earns less than a weaker kind of the same row."""

    row: str
    stronger: str
    units: int
    weaker: str
    weaker_units: int


def biggest_payment(rules: RuleSet) -> int:
    """
    A bound on what one player can owe another, in units; no pair pays more.

    >>> from solver.rules import load_rules
    >>> biggest_payment(load_rules("2-4"))
    4
    """
    total = rules.majority + rules.scoop_units
    royalties = 0
    for row in ROWS:
        earned = [rules.royalty(row, *kind) for kind in _kinds(rules, row)]
        total += rules.row_units(row)
        if rules.royalties.collect == "both":
            royalties += max(earned) - min(earned)
        else:
            total += max(earned)
    total *= rules.gun * rules.home_run
    if rules.royalties.broken:
        big = ("quads", "straight-flush", "royal-flush")
        royalties += max(rules.royalties.units("back", category) or 0 for category in big)
    flat = [natural.units for natural in rules.naturals]
    flat += [rules.surrender or 0, 0 if rules.foul == "scooped" else rules.foul]
    return max(total + royalties, *flat)


def falling_rows(rules: RuleSet) -> list[Fall]:
    """
    Kinds of rows that earn less than a weaker kind: there a stronger row is not always better.

    >>> from solver.rules import load_rules
    >>> falling_rows(load_rules("2-4"))
    []
    """
    found = []
    for row in ROWS:
        best, best_units = "", 0
        for category, rank in _kinds(rules, row):
            units = rules.row_units(row) + rules.royalty(row, category, rank)
            kind = category if rank is None else f"{category} of {RANKS[rank]}"
            if units < best_units:
                found.append(Fall(row, kind, units, best, best_units))
            else:
                best, best_units = kind, units
    return found


def seats_of(rules: RuleSet) -> tuple[Seat | None, ...]:
    """
    Return the seats that are played in different ways: just None if all are alike.

    >>> from solver.rules import load_rules
    >>> seats_of(load_rules("malaya"))
    ('player', 'banker')
    """
    return ("player", "banker") if rules.banker else (None,)


@lru_cache(maxsize=256)  # asked for with every hand
def digest(rules: RuleSet) -> str:
    """
    Twelve hexadecimal digits that differ when two rule sets pay differently.

    Names, sources and the number of players do not count: they change no payment.

    >>> from dataclasses import replace
    >>> from solver.rules import load_rules
    >>> digest(load_rules("2-4")) == digest(replace(load_rules("2-4"), title="House rules"))
    True
    """
    paying = asdict(rules)
    for field in (*UNPAID, "players"):
        del paying[field]
    return hashlib.sha256(repr(sorted(paying.items())).encode()).hexdigest()[:12]


def _kinds(rules: RuleSet, row: str) -> Iterator[tuple[str, int | None]]:
    """Kinds of a row from the weakest up, by rank where the royalty table grades them."""
    graded = {
        royalty.category for royalty in rules.royalties.table(row) if royalty.rank is not None
    }
    for category in FRONT_CATEGORIES if row == "front" else CATEGORIES:
        for rank in range(len(RANKS)) if category in graded else [None]:
            yield category, rank
