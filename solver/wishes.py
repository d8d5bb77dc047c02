"""What a player may ask of a deal besides its EV: stakes, another objective, and the risk."""

import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from decimal import Decimal
from fractions import Fraction
from math import inf
from typing import Final, Literal, NamedTuple

_STAKE: Final = re.compile(r"[0-9]{1,8}(\.[0-9]{1,6})?")  # so that totals stay exact in an int64
_NUMBER: Final = re.compile(r"[0-9]*\.?[0-9]+")

# Home runs then err by about as much as the pair estimate does, and the hands of 1,000 deals are
# set in a tenth or two of a second.
DEALS: Final = 1000
MOST_DEALS: Final = 200_000  # so that no hand needs more than 250 MB

Stake = str | int | float | Decimal


class SolveError(ValueError):
    """A question that cannot be answered; the message says why."""


@dataclass(frozen=True, slots=True)
class Risk:
    """How a deal's total from all opponents spreads; units, or money where there are stakes."""

    sd: float  # standard deviation
    win: float  # chance to win more than nothing
    lose: float
    even: float
    low: float  # the total is below it in 5 % of deals
    high: float  # ... and above it in 5 %

    def to_dict(self) -> dict[str, float]:
        """Return it in the form of ``capsa solve --format json``."""
        return asdict(self)


class Objective(NamedTuple):
    """What the best setting has most of."""

    name: Literal["ev", "win-chance", "risk"]
    aversion: float = 0.0  # of "risk": EV - aversion x variance

    def __str__(self) -> str:
        return f"risk:{self.aversion:g}" if self.name == "risk" else self.name


EV: Final = Objective("ev")


def parse_objective(text: str) -> Objective:
    """
    Read an objective: ev, win-chance or risk:LAMBDA.

    >>> parse_objective("risk:0.05").aversion
    0.05
    """
    if text == "ev":
        return EV
    if text == "win-chance":
        return Objective("win-chance")
    kind, _, number = text.partition(":")
    if kind == "risk" and _NUMBER.fullmatch(number) and float(number) < inf:
        return Objective("risk", float(number))
    raise SolveError(f"no objective is called {text!r}; use ev, win-chance or risk:0.05")


def parse_stakes(stakes: str | Iterable[Stake], opponents: int) -> tuple[Fraction, ...]:
    """
    Read what a unit is worth against each opponent: numbers, or text such as 10,100,10.

    >>> parse_stakes("10,0.5", 2)
    (Fraction(10, 1), Fraction(1, 2))
    """
    texts = [
        str(stake).strip() for stake in (stakes.split(",") if isinstance(stakes, str) else stakes)
    ]
    wrong = [text for text in texts if not _STAKE.fullmatch(text)]
    if wrong:
        raise SolveError(f"stakes: {', '.join(map(repr, wrong))}; use numbers such as 10 or 0.25")
    if len(texts) != opponents:
        needed = f"{opponents} needed, one for each opponent you settle with"
        raise SolveError(f"stakes: {len(texts)} given, {needed}")
    found = tuple(map(Fraction, texts))
    if not any(found):
        raise SolveError("every stake is 0, so nothing is played for")
    return found
