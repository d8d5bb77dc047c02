"""What `solve` answers: the settings of a hand, best first, with how sure the numbers are."""

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from evaluator.cards import Cards, card_text
from solver.rules_model import Seat
from solver.wishes import Risk

if TYPE_CHECKING:  # they would load numba, which showing a solution does not need
    import polars

    from evaluator.settings import Setting

Decision = Literal["set", "declare", "surrender"]
DECISIONS: Final[tuple[Decision, ...]] = get_args(Decision)  # as numbered in solver.pool

LAID_OUT = ("front", "middle", "back")  # top to bottom, as the rows lie on a table
SETTLED_UNITS = 0.005  # settings closer than this are as good as each other
Z_95 = 1.96


def laid_out(row: Cards) -> list[int]:
    """
    Order a row as a person lays it out: trips and pairs before the other cards.

    >>> from evaluator.cards import card_text, parse_cards
    >>> [card_text(card) for card in laid_out(parse_cards("Qd 8s 3d 3c 2h"))]
    ['3d', '3c', 'Qd', '8s', '2h']
    """
    counts = Counter(card // 4 for card in row)
    return sorted(row, key=lambda card: (counts[card // 4], card), reverse=True)


@dataclass(frozen=True, slots=True)
class RowChances:
    """A chance for each row, against one opponent."""

    back: float
    middle: float
    front: float


@dataclass(frozen=True, slots=True)
class ScoredSetting:
    """One setting and what it is worth."""

    setting: "Setting"
    names: dict[str, str]  # row -> what it is in words
    ev: float  # units from all opponents together
    se: float  # its standard error
    gap: float  # units that the best setting's EV is above this one's
    gap_se: float  # the gap's own standard error: paired, against the same opponents
    win: RowChances  # chance to win each row
    tie: RowChances  # chance to tie each row
    scoop: float  # chance to win all three rows
    scooped: float  # chance to lose all three rows
    royalties: float  # units of royalties won less paid, all opponents, before any gun
    risk: Risk | None = None  # how a deal's total spreads, if asked for

    def to_dict(self) -> dict[str, Any]:
        """Return the setting in the form of ``capsa solve --format json``."""
        rows = {"back": self.setting.back, "middle": self.setting.middle}
        rows["front"] = self.setting.front
        return {
            **{row: [card_text(card) for card in cards] for row, cards in rows.items()},
            "names": self.names,
            "ev": self.ev,
            "se": self.se,
            "gap": self.gap,
            "gap_se": self.gap_se,
            "win": {row: getattr(self.win, row) for row in rows},
            "tie": {row: getattr(self.tie, row) for row in rows},
            "scoop": self.scoop,
            "scooped": self.scooped,
            "royalties": self.royalties,
            "risk": self.risk and self.risk.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class HeldNatural:
    """The strongest natural a hand holds under the rules."""

    name: str
    units: int  # from each opponent
    shown: "Setting"  # how the cards are laid out to show it


@dataclass(frozen=True, slots=True)
class Solution:
    """The answer for one hand; prints as text, and as a table in a notebook."""

    hand: Cards
    rules: str
    players: int
    opponents: str
    seed: int
    samples: int  # conditional opponents the settings were scored against
    seconds: float  # spent on this hand
    version: str
    decision: Decision
    natural: HeldNatural | None  # held by the hand, whatever the decision
    ev: float  # of the decision, units from all opponents together
    se: float
    settings: tuple[ScoredSetting, ...]  # the best, best first
    second: ScoredSetting | None  # the second best, listed or not; None if there is just one
    notes: tuple[str, ...]  # on the opponents and the like, in sentences
    stakes: tuple[float, ...] = ()  # a unit's worth against each opponent; EVs are then in money
    objective: str = "ev"  # what the best setting has most of: ev, win-chance or risk:LAMBDA
    deals: int = 0  # joint ones, of which home runs and risks are told
    risk: Risk | None = None  # of the decision, if asked for
    lead: tuple[float, float] | None = None  # over the second by another objective, and its error
    seat: Seat | None = None  # the hand's own, under rules with a banker

    @property
    def others(self) -> int:
        """How many opponents the EVs are from: of a banker's, only he."""
        return 1 if self.seat == "player" else self.players - 1

    @property
    def best(self) -> ScoredSetting:
        """The setting that the objective asks for: the one with the highest EV."""
        return self.settings[0]

    @property
    def settled(self) -> bool:
        """Whether the best setting is better than the second for sure, or as good as equal."""
        if self.second is None:
            return True
        if self.lead:
            lead, error = self.lead
            return lead <= SETTLED_UNITS or lead >= Z_95 * error
        return self.second_is_as_good or self.second.gap >= Z_95 * self.second.gap_se

    @property
    def second_is_as_good(self) -> bool:
        """Whether the second best costs next to nothing, money being worth its average stake."""
        stake = sum(self.stakes) / len(self.stakes) if self.stakes else 1
        return self.second is not None and self.second.gap <= SETTLED_UNITS * stake

    @property
    def gap2(self) -> float | None:
        """EV lead of the best over the second best, below 0 where the objective gives some up."""
        return None if self.second is None else self.second.gap - self.best.gap

    @property
    def paid_in(self) -> str:
        """What EVs are counted in."""
        return "in money" if self.stakes else "units"

    @property
    def question(self) -> str:
        """What was asked about the hand, in words."""
        stakes = ", ".join(f"{stake:g}" for stake in self.stakes)
        seat = f", seat {self.seat}" if self.seat else ""
        return (
            f"rules {self.rules}, {self.players} players{seat}, opponents {self.opponents}, "
            f"{self.samples:,} samples"
            + f", {self.deals:,} joint deals" * (self.deals > 0)
            + f", stakes {stakes}" * bool(self.stakes)
            + f", objective {self.objective}" * (self.objective != "ev")
        )

    @property
    def answer(self) -> str:
        """What to do and what that is worth, in words."""
        declared = self.natural if self.decision == "declare" else None
        what = f"declare {declared.name}, {declared.shown}" if declared else self.decision
        return f"{what}: EV {self.ev:+z.3f} ± {self.se:.3f} {self.paid_in}"

    def __str__(self) -> str:
        return "\n".join(
            [
                str(self.hand),
                self.question,
                self.answer,
                f"best setting: {self.best.setting}",
                *(
                    f"costs {scored.gap:.3f} ± {scored.gap_se:.3f}: {scored.setting}"
                    for scored in self.settings[1:]
                ),
                *self.notes,
            ]
        )

    def _repr_html_(self) -> str:
        from solver.solution_html import solution_html

        return solution_html(self)

    def to_frame(self) -> "polars.DataFrame":
        """Return the listed settings as a data frame: `solver.frames.solution_frame`."""
        from solver.frames import solution_frame

        return solution_frame(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the solution in the form of ``capsa solve --format json``."""
        natural = self.natural
        return {
            "hand": [card_text(card) for card in self.hand],
            "rules": self.rules,
            "players": self.players,
            "seat": self.seat,
            "opponents": self.opponents,
            "seed": self.seed,
            "samples": self.samples,
            "deals": self.deals,
            "stakes": list(self.stakes),
            "objective": self.objective,
            "seconds": self.seconds,
            "version": self.version,
            "decision": self.decision,
            "natural": natural and {"name": natural.name, "units": natural.units},
            "ev": self.ev,
            "se": self.se,
            "risk": self.risk and self.risk.to_dict(),
            "settled": self.settled,
            "settings": [scored.to_dict() for scored in self.settings],
            "notes": list(self.notes),
        }
