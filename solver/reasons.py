"""Why one player pays another, in lines whose numbers add up to what is paid."""

from collections.abc import Iterator
from dataclasses import dataclass

from evaluator.cards import Cards
from solver.rules import ROWS, RuleSet
from solver.settling import Account, Player, account_of, clauses_of

Line = tuple[str, int]  # what is paid for, and units: positive where the first player is paid


@dataclass(frozen=True)
class Seat:
    """A player at the table: the name, what was done, and the rows in words and in cards."""

    name: str
    player: Player
    rows: tuple[str, ...]
    cards: tuple[Cards, ...]

    @property
    def strengths(self) -> tuple[int, int, int]:
        """Of back, middle and front."""
        return self.player.back, self.player.middle, self.player.front


@dataclass(frozen=True)
class Meeting:
    """Two players who settle with each other under a rule set."""

    first: Seat
    second: Seat
    rules: RuleSet
    banker: int  # 1 if the first player is the banker, -1 if the second is, 0 if neither
    home_run: bool  # who guns here guns every opponent, at a table that is large enough

    def reasons(self, units: int) -> tuple[str, ...]:
        """Tell what the units that the second player pays the first are made of, a line each."""
        a, b = self.first.player, self.second.player
        lines: Iterator[Line]
        if a.natural >= 0 or b.natural >= 0:
            lines = iter([(self._declared(units), units)])
        elif a.surrender or b.surrender:
            lines = iter([(self._surrendered(), units)])
        elif (a.foul and b.foul) or ((a.foul or b.foul) and self.rules.foul != "scooped"):
            who = "both" if a.foul and b.foul else (self.first if a.foul else self.second).name
            lines = iter([(f"foul: {who}", units)])
        else:
            lines = self._played()
        return tuple(f"{text}: {_signed(number)}" for text, number in lines)

    def _declared(self, units: int) -> str:
        declared = [
            (seat.name, self.rules.naturals[seat.player.natural])
            for seat in (self.first, self.second)
            if seat.player.natural >= 0
        ]
        if len(declared) == 1:
            ((name, natural),) = declared
            return f"natural: {name}, {natural.name}"
        a, b = (f"{name}'s {natural.name} ({natural.units})" for name, natural in declared)
        difference = self.rules.natural_vs_natural == "difference"
        if self.first.player.natural == self.second.player.natural:
            outcome = "the better in full" if units else "a push"
        elif difference:
            outcome = "the difference"
        else:
            outcome = "the higher in full" if units else "a push"
        return f"naturals: {a} against {b}, {outcome}"

    def _surrendered(self) -> str:
        a, b = self.first, self.second
        if a.player.surrender and b.player.surrender:
            return "surrender: both"
        who, other = (a, b) if a.player.surrender else (b, a)
        return f"surrender: {who.name}" + (f", but {other.name} fouled" * other.player.foul)

    def _played(self) -> Iterator[Line]:
        account = account_of(
            self.first.player,
            self.second.player,
            self.banker,
            self.home_run,
            clauses_of(self.rules),
        )
        shown = 0
        for line in self._rows():
            shown += line[1]
            yield line
        if account.rows != shown:
            best = self.rules.royalties.limit
            yield f"royalties beyond the best {best} of a hand are not paid", account.rows - shown
        yield from self._bonuses(account)
        yield from self._extras(self.first, 1, account.first_extra)
        yield from self._extras(self.second, -1, -account.second_extra)

    def _rows(self) -> Iterator[Line]:
        """Yield the rows and the royalties they win, without a limit."""
        worth = clauses_of(self.rules).worths.worth
        for place, row in enumerate(ROWS):
            unit, won = self.rules.rows[place], self._won(place)
            winner, loser = (self.first, self.second) if won > 0 else (self.second, self.first)
            sign = won or self.banker
            if not won:
                winner = self.second if self.banker < 0 else self.first
                who = f"{winner.name} as the banker, " if sign else ""
                yield f"{row}: {who}tied, {winner.rows[place]}", sign * unit
            else:
                best, beaten = winner.rows[place], loser.rows[place]
                if loser.player.foul:
                    beaten = "a foul"
                elif best == beaten:  # a kicker that the name does not tell has decided
                    best, beaten = (f"{best} ({s.cards[place]})" for s in (winner, loser))
                yield f"{row}: {winner.name}, {best} over {beaten}", sign * unit
            paid = int(worth[place, winner.strengths[place]])
            if sign and paid != unit:
                instead = f", {paid} in place of {unit}"
                detail = instead if self.rules.royalties.arithmetic == "replace" else ""
                text = f"{row} royalty: {winner.name}, {winner.rows[place]}{detail}"
                yield text, sign * (paid - unit)

    def _won(self, place: int) -> int:
        """Return 1 if the first player's row is stronger, -1 if the second's, 0 if tied."""
        if self.first.player.foul or self.second.player.foul:
            return int(self.second.player.foul) - int(self.first.player.foul)
        mine, other = self.first.strengths[place], self.second.strengths[place]
        return (mine > other) - (mine < other)

    def _bonuses(self, account: Account) -> Iterator[Line]:
        total = account.rows
        for label, units, factor in (
            ("more rows", account.majority, 1),
            ("all three rows", account.scoop, 1),
            ("gun", account.gun, self.rules.gun),
            ("home run", account.home_run, self.rules.home_run),
        ):
            if units:
                winner = (self.first if units > 0 else self.second).name
                product = f", {abs(total)} x {factor} = {abs(total + units)}" if factor > 1 else ""
                yield f"{label}: {winner}{product}", units
                total += units

    def _extras(self, seat: Seat, sign: int, units: int) -> Iterator[Line]:
        """Yield the royalties a player is paid whatever the rows do."""
        if not units:
            return
        worths, royalties = clauses_of(self.rules).worths, self.rules.royalties
        broken = int(worths.broken_units[seat.player.broken]) if royalties.broken else 0
        if held := units - broken:
            earned = [int(worths.held[place, seat.strengths[place]]) for place in range(3)]
            parts = ", ".join(f"{row} {n}" for row, n in zip(ROWS, earned, strict=True) if n)
            best = f", the best {royalties.limit}" if sum(earned) != held else ""
            yield f"royalties held: {seat.name}, {parts}{best}", sign * held
        if broken:
            yield f"broken royalty: {seat.name}", sign * broken


def _signed(units: int) -> str:
    return f"{units:+d}" if units else "0"
