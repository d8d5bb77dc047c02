"""An expected value taken apart: what each clause of the rules pays, and why the best is best."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final, TypedDict, Unpack

import numpy as np

from evaluator.broken import broken_code
from evaluator.cards import Cards, parse_hand
from evaluator.kernels import workspace
from evaluator.ranking import rank_plural
from evaluator.settings import Setting
from solver.estimate import results
from solver.explaining import PARTS, explain_settings, ladder_of
from solver.opening import Table, open_table
from solver.opponents import space
from solver.pool import OpponentPool, Progress
from solver.rules import ROWS, RuleSet, Seat
from solver.scoring import terms_of
from solver.solution import LAID_OUT, ScoredSetting, Solution
from solver.solve import scored_setting, solve_at

WHERE: Final = {"back": "in the back", "middle": "in the middle", "front": "in front"}
_TO: Final = {"back": "to the back", "middle": "to the middle", "front": "to the front"}

PART_LABELS: Final = {  # in words, as they lie on the table and then as the rules pay them
    **{row: row for row in LAID_OUT},
    "majority": "more rows",
    "scoop": "all three rows",
    "gun": "gun",
    "royalties_won": "royalties won",
    "royalties_paid": "royalties paid",
    "broken": "broken royalties",
    "naturals": "opponents' naturals",
    "surrender": "opponents who surrender",
    "home_runs": "home runs",
}


class Options(TypedDict, total=False):
    """The options of `open_table`: what is played, and against whom."""

    rules: str | Path | RuleSet
    players: int
    seat: Seat | None
    opponents: str | Path | OpponentPool
    samples: int | None
    seed: int
    progress: Progress
    strict: bool
    deals: int


@dataclass(frozen=True, slots=True)
class Parts:
    """What an EV is made of: units from all opponents together, which add up to it."""

    back: float  # the units of the rows without royalties
    middle: float
    front: float
    majority: float  # of the unit for more rows
    scoop: float  # of the units for all three rows
    gun: float  # on top of what it multiplies
    royalties_won: float  # of rows won, or held where both collect
    royalties_paid: float  # the same of the opponents, with a minus
    broken: float  # royalties of quads and straight flushes that no row shows
    naturals: float  # 0 or less: paid to opponents who declare
    surrender: float  # paid by opponents who surrender
    home_runs: float | None = None  # on top of all that; None where they pay no more

    def to_dict(self) -> dict[str, float]:
        """Return the parts by name, home runs only where they pay more."""
        return {name: units for name, units in asdict(self).items() if units is not None}


@dataclass(frozen=True, slots=True)
class Explanation:
    """A solution whose EVs are taken apart."""

    solution: Solution
    parts: tuple[Parts, ...]  # of the solution's settings, in their order
    second: Parts | None  # of the second best, listed or not

    @property
    def words(self) -> tuple[str, ...]:
        """Why the best setting is better than the second best, in sentences."""
        second = self.solution.second
        return tuple(difference_words(self.solution.best, second)) if second else ()

    def columns(self) -> dict[str, Parts]:
        """Return the parts of the best setting and of the second best by what they are called."""
        best = {"best": self.parts[0]}
        return best | {"second best": self.second} if self.second else best

    def __str__(self) -> str:
        parts = (f"{name} {units[0]}" for name, units in part_lines([self.parts[0]]))
        return "\n".join([str(self.solution), ", ".join(parts), *self.words])

    def _repr_html_(self) -> str:
        from solver.solution_html import explanation_html

        return explanation_html(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the solution in the form of ``capsa solve --explain --format json``."""
        answer = self.solution.to_dict()
        for setting, parts in zip(answer["settings"], self.parts, strict=True):
            setting["parts"] = parts.to_dict()
        return answer | {"words": list(self.words)}


def part_lines(columns: Sequence[Parts]) -> Iterator[tuple[str, list[str]]]:
    """Yield each clause that pays anything, and last the EV, with the units in every column.

    Of two columns, a third says how much more the second one has.
    """
    parts = [column.to_dict() for column in columns]
    lines = [(label, [part.get(name, 0) for part in parts]) for name, label in PART_LABELS.items()]
    lines = [(label, units) for label, units in lines if any(units)]
    for label, units in [*lines, ("EV", [sum(part.values()) for part in parts])]:
        more = [units[1] - units[0]] if len(units) == 2 else []
        yield label, [f"{number:+z.3f}" for number in units + more]


def explain(hand: str | Iterable[int], top: int = 5, **options: Unpack[Options]) -> Explanation:
    """Solve a hand and take the EVs of its best settings apart.

    Parameters
    ----------
    hand
        13 cards, as text or as card numbers.
    top
        How many settings to list at the most.
    **options
        As for `open_table`: rules, players, seat, opponents, samples, seed, deals, progress,
        strict.

    Returns
    -------
    Explanation

    Raises
    ------
    CardError, RulesError, PoolError, SolveError
        As `solve` does.

    Examples
    --------
    >>> hand = "As Ks Qs Js 6s 5s 3s Qh 9h 2h Jd 8c 3c"
    >>> explanation = explain(hand, rules="1-6", opponents="greedy", samples=500)
    >>> for line in explanation.words:
    ...     print(line)
    Keeping 9h in front wins that row 78.4% of the time.
    Moving it to the middle wins 0.2% more there and 0.8% less in front.
    """
    table = open_table(**options)
    solution = solve_at(table, parse_hand(hand), top)
    listed = list(solution.settings)
    if solution.second and len(listed) == 1:
        listed.append(solution.second)
    _, parts = take_apart(table, solution.hand, [scored.setting for scored in listed])
    second = parts[1] if solution.second else None
    return Explanation(solution, tuple(parts[: len(solution.settings)]), second)


def take_apart(
    table: Table, hand: Cards, settings: Sequence[Setting]
) -> tuple[list[ScoredSetting], list[Parts]]:
    """Return what settings of a hand are worth, the first being the best, and their parts."""
    rules, seat = table.rules, table.seat
    field, (terms, worths) = table.field, terms_of(rules, seat)
    found = results(1, len(settings))
    found.rows[0] = [[row.mask for row in setting] for setting in settings]
    found.strengths[0] = [setting.strengths(rules.wheel) for setting in settings]
    found.listed[0] = len(settings)
    units = np.zeros((len(settings), len(PARTS)), np.int64)
    scratch = space(field, terms, table.wanted)
    explain_settings(
        hand.mask,
        found.strengths[0],
        np.array([code_of(setting, hand) for setting in settings], np.uint8),
        table.met.broken,
        field,
        ladder_of(rules, seat),
        worths,
        table.seed,
        table.wanted,
        workspace(),
        scratch,
        found,
        units,
    )
    shares = table.weight * units / found.samples[0]
    parts = [Parts(*row) for row in shares.tolist()]
    if table.home_runs:
        from solver.joint import enter_home_runs  # only here: it has kernels of its own

        alone = table.weight * found.ev[0]
        enter_home_runs(table, hand.mask, scratch, found)
        added = (table.weight * found.ev[0] - alone).tolist()
        parts = [replace(part, home_runs=more) for part, more in zip(parts, added, strict=True)]
    return [scored_setting(found, place, table) for place in range(len(settings))], parts


def code_of(setting: Setting, hand: Cards) -> int:
    """Return the broken code of a setting of a hand."""
    return broken_code(hand.mask, setting.back.mask, setting.middle.mask)


def difference_words(best: ScoredSetting, other: ScoredSetting) -> Iterator[str]:
    """Say, row by row, what a setting wins and loses by not being the best one.

    Of the cards that move from one row to another, those are named that hold the largest group of
    one rank.
    """
    moves: dict[tuple[str, str], list[int]] = defaultdict(list)
    for to in ROWS:
        for card in getattr(other.setting, to):
            (home,) = (row for row in ROWS if card in getattr(best.setting, row))
            if home != to:
                moves[home, to].append(card)
    if not moves:
        return
    if other.setting.strengths() == best.setting.strengths():
        yield "Every row is as strong as in the best setting."
        return
    (home, to), cards = max(moves.items(), key=lambda move: _weight(move[1]))
    named, them = _called(cards)
    yield (
        f"Keeping {named} {WHERE[home]} wins that row "
        f"{100 * getattr(best.win, home):.1f}% of the time."
    )
    changes = []
    for row in (to, home, *(row for row in ROWS if row not in (home, to))):
        change = 100 * (getattr(other.win, row) - getattr(best.win, row))
        there = "there" if row == to else WHERE[row]
        if abs(change) >= 0.05:
            changes.append(f"{abs(change):.1f}% {'more' if change > 0 else 'less'} {there}")
        elif row in (home, to):
            changes.append(f"as often {there}")
    *most, last = changes
    yield f"Moving {them} {_TO[to]} wins {', '.join(most)} and {last}."


def _weight(cards: list[int]) -> tuple[tuple[int, int], int]:
    """Order sets of cards by their largest group of one rank, the higher of equals, and number."""
    groups = Counter(card // 4 for card in cards)
    return max((many, rank) for rank, many in groups.items()), len(cards)


def _called(cards: list[int]) -> tuple[str, str]:
    """Return what cards are called, by the groups of one rank among them, and their pronoun."""
    groups = [rank for rank, n in Counter(card // 4 for card in cards).items() if n > 1]
    if groups:
        return "the " + " and ".join(map(rank_plural, sorted(groups, reverse=True))), "them"
    return str(Cards(cards)), "it" if len(cards) == 1 else "them"
