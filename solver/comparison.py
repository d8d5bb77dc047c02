"""One's own setting against the best one: what it costs, and why."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Unpack

import numpy as np

from evaluator.cards import CardError, Cards, card_text, parse_cards, parse_hand
from evaluator.kernels import workspace
from evaluator.ranking import Wheel, row_name, row_strength, tables
from evaluator.settings import Setting
from solver.explaining import score_legal
from solver.explanation import (
    Options,
    Parts,
    code_of,
    difference_words,
    take_apart,
)
from solver.opening import Table, open_table
from solver.opponents import space
from solver.scoring import terms_of
from solver.solution import SETTLED_UNITS, Z_95, ScoredSetting, Solution
from solver.solve import solve_at

# What may stand between two rows; the first that leaves three is taken.
_BETWEEN_ROWS: Final = ("/", r"\|", ";", "\n", ",", r"\s+")
_SIZES: Final = [3, 5, 5]
_NO_CARDS: Final = "not a set of cards: "  # goes without saying


class SettingError(ValueError):
    """Rows that are no legal setting of a hand; the message is one line that lists all reasons."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a setting is worth beside the best one of its hand."""

    solution: Solution  # of the hand
    scored: ScoredSetting  # the setting, against the same opponents
    parts: Parts  # of its EV
    best_parts: Parts  # of the best setting's EV
    rank: int  # 1 + how many legal settings have a higher EV; equal ones share their rank
    legal_settings: int  # of the hand, those of equal strengths included

    @property
    def cost(self) -> float:
        """Units by which the best setting's EV is higher.

        Below 0 if home runs lift this one from below those for which `solve` counts them.
        """
        return self.scored.gap

    @property
    def cost_se(self) -> float:
        """The cost's standard error: paired, against the same opponents."""
        return self.scored.gap_se

    @property
    def is_best(self) -> bool:
        """Whether this is the best setting itself."""
        return self.scored.setting == self.solution.best.setting

    @property
    def verdict(self) -> str:
        """What the setting costs, and whether chance alone may have made the difference."""
        price = f"{self.cost:.3f} ± {self.cost_se:.3f} units"
        if self.is_best:
            return "This is the best setting."
        if self.cost < 0:
            price = f"{-self.cost:.3f} ± {self.cost_se:.3f} units"
            return f"Home runs make it worth {price} more than the best setting found."
        if self.cost <= SETTLED_UNITS:
            return f"As good as the best setting: it costs {price}."
        if self.cost < Z_95 * self.cost_se:
            return f"Too close to call: it costs {price}; more samples may tell."
        return f"It costs {price} against the best setting."

    @property
    def words(self) -> tuple[str, ...]:
        """Where the cost comes from, in sentences."""
        return tuple(difference_words(self.solution.best, self.scored))

    def columns(self) -> dict[str, Parts]:
        """Return the parts of the best setting and of this one by what they are called."""
        return {"best": self.best_parts, "yours": self.parts}

    def __str__(self) -> str:
        return "\n".join(
            [
                str(self.solution.hand),
                self.solution.question,
                f"{self.scored.setting}: EV {self.scored.ev:+z.3f} ± {self.scored.se:.3f} units",
                f"rank {self.rank:,} of {self.legal_settings:,} legal settings",
                self.verdict,
                f"best setting: {self.solution.best.setting}",
                *self.words,
            ]
        )

    def _repr_html_(self) -> str:
        from solver.solution_html import comparison_html

        return comparison_html(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison in the form of ``capsa compare --format json``."""
        question = self.solution.to_dict()
        asked = ("hand", "rules", "players", "seat", "opponents", "seed", "samples", "deals")
        return {
            **{key: question[key] for key in (*asked, "version", "decision")},
            **self.scored.to_dict(),
            "cost": self.cost,
            "cost_se": self.cost_se,
            "rank": self.rank,
            "legal_settings": self.legal_settings,
            "parts": self.parts.to_dict(),
            "best": {**self.solution.best.to_dict(), "parts": self.best_parts.to_dict()},
            "words": list(self.words),
            "notes": question["notes"],
        }


def compare(
    hand: str | Iterable[int],
    setting: str | Iterable[str | Iterable[int]],
    **options: Unpack[Options],
) -> Comparison:
    """Find out what a setting costs against the best one, and why.

    Parameters
    ----------
    hand
        13 cards, as text or as card numbers.
    setting
        Its three rows in any order, as for `read_setting`.
    **options
        As for `open_table`: rules, players, seat, opponents, samples, seed, deals, progress,
        strict.

    Returns
    -------
    Comparison

    Raises
    ------
    SettingError
        Unless the rows are a legal setting of the hand.
    CardError, RulesError, PoolError, SolveError
        As `solve` does.

    Examples
    --------
    >>> hand = "As Ks Qs Js 6s 5s 3s Qh 9h 2h Jd 8c 3c"
    >>> mine = compare(hand, "As Ks 6s 5s 3s / Qs Qh 8c 3c 2h / Js Jd 9h", opponents="greedy")
    >>> mine.rank > 1, 0 < mine.cost < 1
    (True, True)
    """
    table = open_table(**options)
    cards = parse_hand(hand)
    mine = read_setting(setting, cards, table.rules.wheel)
    solution = solve_at(table, cards, 2)
    scored, parts = take_apart(table, cards, [solution.best.setting, mine])
    better, legal = _rank(table, cards, mine, solution.samples)
    return Comparison(solution, scored[1], parts[1], parts[0], 1 + better, legal)


def _rank(table: Table, hand: Cards, mine: Setting, met: int) -> tuple[int, int]:
    """Return how many legal settings are worth more than this one, and how many exist."""
    field, (terms, worths) = table.field, terms_of(table.rules, table.seat)
    work, scratch = workspace(), space(field, terms, table.wanted)
    ranks = tables(table.rules.wheel)
    legal = score_legal(
        hand.mask, field, terms, worths, ranks, table.seed, table.wanted, work, scratch
    )
    strengths = np.stack([work.backs, work.middles, work.fronts], axis=1)[:legal]
    broken, sums = work.codes[:legal], scratch.sums[:legal]
    values = sums.astype(np.float64)
    if table.home_runs:
        from solver.joint import weigh_all  # only here: it has kernels of its own

        values = weigh_all(table, hand.mask, strengths, broken, sums, scratch, met)
    same = (strengths == mine.strengths(table.rules.wheel)).all(axis=1)
    if terms.broken:
        same &= broken == code_of(mine, hand)
    return int((values > values[same.argmax()]).sum()), legal


def read_setting(
    rows: str | Iterable[str | Iterable[int]], hand: Cards, wheel: Wheel = "lowest"
) -> Setting:
    """Read a setting of a hand, its rows in any order.

    The row of three is the front, the stronger of the others the back, and of two that are equally
    strong the one with the highest card.

    Parameters
    ----------
    rows
        Three rows as text with ``/``, ``|``, ``;``, a comma, a space or a new line between them
        (whatever leaves three), or as three texts or collections of card numbers.
    hand
        The 13 cards.
    wheel
        Where A-2-3-4-5 stands: "lowest" of the straights or "second" to A-K-Q-J-10.

    Returns
    -------
    Setting

    Raises
    ------
    SettingError
        For everything that is wrong at once: cards that cannot be read, are there twice, are
        missing or were not dealt; sizes; a front stronger than a five.

    Examples
    --------
    >>> hand = parse_hand("As Ks Qs Js 6s 5s 3s Qh 9h 2h Jd 8c 3c")
    >>> print(read_setting("JsJd9h QsQh8c3c2h AsKs6s5s3s", hand))
    As Ks 6s 5s 3s / Qs Qh 8c 3c 2h / Js Jd 9h
    """
    texts = _split(rows) if isinstance(rows, str) else list(rows)
    read: list[Cards] = []
    problems: list[str] = []
    for number, row in enumerate(texts, start=1):
        try:
            read.append(parse_cards(row))
        except CardError as error:
            problems.append(f"row {number}: {str(error).removeprefix(_NO_CARDS)}")
    problems += _card_problems(read, hand, complete=len(read) == len(texts))
    sizes = [len(row) for row in read]
    if len(read) == len(texts) and sorted(sizes) != _SIZES:
        shown = " / ".join(map(str, read))
        problems.append(
            f"{' + '.join(map(str, sizes))} cards in {shown}, "
            "but a setting has two rows of five and one of three"
        )
    if problems:
        raise SettingError(f"not a setting of this hand: {'; '.join(problems)}")
    front, *fives = sorted(read, key=len)
    middle, back = sorted(fives, key=lambda row: (row_strength(row, wheel), row))
    setting = Setting(back, middle, front)
    if setting.is_foul(wheel):
        raise SettingError(f"a foul: {_foul(setting, wheel)}")
    return setting


def _split(text: str) -> list[str]:
    """Part a text into rows by the first mark that leaves three, else by the first there is."""
    parted = [
        [part for part in re.split(mark, text.strip()) if part.strip()] for mark in _BETWEEN_ROWS
    ]
    three = (rows for rows in parted if len(rows) == 3)
    return next(three, next((rows for rows in parted[:3] if len(rows) > 1), [text]))


def _card_problems(rows: list[Cards], hand: Cards, complete: bool) -> Iterator[str]:
    """Yield cards in two rows, cards of another hand and, where all could be read, missing ones."""
    places: dict[int, list[int]] = defaultdict(list)
    for number, row in enumerate(rows, start=1):
        for card in row:
            places[card].append(number)
    for card, numbers in sorted(places.items(), reverse=True):
        if len(numbers) > 1:
            yield f"{card_text(card)} in rows {' and '.join(map(str, numbers))}"
    for number, row in enumerate(rows, start=1):
        if foreign := Cards(set(row) - set(hand)):
            yield f"{foreign} in row {number}, not dealt"
    if complete and (missing := Cards(set(hand) - set(places))):
        yield f"{missing} missing"


def _foul(setting: Setting, wheel: Wheel) -> str:
    """Say which rows are out of order; the fives are told apart, so only the front can be."""
    beaten = " and ".join(
        f"the {row}'s {row_name(row_strength(cards, wheel), wheel)} ({cards})"
        for row, cards in (("middle", setting.middle), ("back", setting.back))
        if row_strength(cards, wheel) < row_strength(setting.front, wheel)
    )
    front = row_name(row_strength(setting.front, wheel), wheel)
    return f"the front's {front} ({setting.front}) is stronger than {beaten}"
