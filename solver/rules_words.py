"""Rule sets in plain words."""

from solver.rules_model import (
    NATURALS,
    RANKS,
    ROWS,
    Natural,
    Royalty,
    RuleSet,
    falling_rows,
)

_SOURCED = {
    "strong": "strong: a complete source was read",
    "good": "good: several sources agree",
    "medium": "medium: a source was read, some values come from elsewhere",
    "weak": "weak: pieces only",
    "unstated": "how good that is, the file does not say",
}
_PAIRS = {
    "strict": "no rank may give two pairs",
    "quad-is-two": "four of a kind are two pairs",
    "floor": "four of a kind are two pairs, three are one",
}
_UNEQUAL = {
    "higher-full": "the one listed first is paid in full, as if the other were none",
    "higher-units": "the one worth more is paid in full; equal units pay nothing",
    "difference": "the difference of their units is paid",
    "push": "nobody pays",
}
_EQUAL = {
    "compare": (
        "six pairs compare their pairs from the highest, flushes and straights their back, middle "
        "and front in turn, and the better one is paid in full; anything else pays nothing"
    ),
    "push": "nobody pays",
}


def describe(rules: RuleSet) -> list[str]:
    """
    Tell a rule set in plain words, one sentence or list item a line.

    >>> from solver.rules import load_rules
    >>> describe(load_rules("1-6"))[3]
    'Winning all three rows adds 3 units.'
    """
    return [
        f"{rules.title} ({rules.name})",
        *_row_lines(rules),
        *_royalty_lines(rules),
        *_natural_lines(rules),
        *_other_lines(rules),
        f"Source: {rules.source} ({_SOURCED[rules.sourcing]}).",
        *(f"Open: {note}" for note in rules.notes),
    ]


def cautions(rules: RuleSet) -> list[str]:
    """What a rule set may say but its author should know, one line each."""
    lines = [
        f"royalties.{fall.row}: {fall.stronger} earns {_units(fall.units)}, less than "
        f"{fall.weaker} ({_units(fall.weaker_units)})"
        for fall in falling_rows(rules)
    ]
    for first, second in zip(rules.naturals, rules.naturals[1:], strict=False):
        if second.units > first.units:
            lines.append(
                f"naturals: {second.name} ({_units(second.units)}) stands below {first.name} "
                f"({_units(first.units)}); a hand that is both counts as the one listed first"
            )
    return lines


def _units(number: int) -> str:
    return f"{number} unit" if number == 1 else f"{number} units"


def _multiplies(what: str, factor: int) -> str:
    verb = {2: "doubles", 3: "triples"}.get(factor)
    return f"{verb} {what}" if verb else f"multiplies {what} by {factor}"


def _row_lines(rules: RuleSet) -> list[str]:
    if len(set(rules.rows)) == 1:
        lines = [f"Each row won is worth {_units(rules.rows.back)}."]
    else:
        values = ", ".join(f"{row} {rules.row_units(row)}" for row in ROWS)
        lines = [f"A row won is worth, in units: {values}."]
    if rules.banker:
        lines.append("One seat is the banker: it plays each of the others and wins tied rows.")
        lines.append("The others do not settle with each other.")
    else:
        lines.append("Tied rows pay nothing.")
    if rules.majority:
        most = {"more-wins": "more rows than the other", "two-wins": "two or three rows"}
        lines.append(
            f"Winning {most[rules.majority_rule]} adds {_units(rules.majority)}"
            + ("." if rules.majority_rule == "more-wins" else "; one win and two ties does not.")
        )
    if rules.scoop_units:
        lines.append(f"Winning all three rows adds {_units(rules.scoop_units)}.")
    if rules.gun > 1:
        total = "the pair's total"
        lines.append(f"Winning all three rows {_multiplies(total, rules.gun)}: a gun.")
    if rules.home_run > 1:
        lines.append(
            f"With {rules.home_run_min_players} or more players, winning all three rows against "
            f"everybody again {_multiplies('each of those totals', rules.home_run)}: a home run."
        )
        if rules.banker:
            lines.append(
                "Everybody means all the players to the banker, but the banker alone to a player."
            )
    second = "second best, between A-K-Q-J-T and K-Q-J-T-9"
    place = "lowest" if rules.wheel == "lowest" else second
    lines.append(f"Among straights and straight flushes A-2-3-4-5 is the {place}.")
    return lines


def _royalty_lines(rules: RuleSet) -> list[str]:
    royalties = rules.royalties
    if not any(map(royalties.table, ROWS)):
        return ["No royalties."]
    won = royalties.collect == "row-winner"
    if royalties.arithmetic == "add":
        worth = "on top of the row's unit"
    else:
        worth = "as the worth of the row instead of its unit"
    whose = "to the winner of the row" if won else "won or not, the difference being paid"
    lines = [f"Royalties, {worth}, {whose}:"]
    for row in ROWS:
        if table := royalties.table(row):
            lines.append(f"  {row}: " + ", ".join(map(_royalty_words, table)))
    if not won:
        lines.append("Royalties are never multiplied.")
    elif rules.gun > 1:
        lines.append("Royalties of rows are multiplied with the rest.")
    if royalties.limit == 0:
        lines.append("No royalties of rows are paid.")
    elif royalties.limit == 1:
        lines.append("Only the best royalty of a hand is paid.")
    elif royalties.limit is not None:
        lines.append(f"At most {royalties.limit} royalties a hand are paid, the best ones.")
    if royalties.broken:
        lines.append(
            "Quads or a straight flush among the 13 cards that no row shows pays its back royalty "
            "from each opponent, whatever the rows do."
        )
    return lines


def _royalty_words(royalty: Royalty) -> str:
    rank = "" if royalty.rank is None else f" of {RANKS[royalty.rank]}"
    return f"{royalty.category.replace('-', ' ')}{rank} {royalty.units}"


def _natural_lines(rules: RuleSet) -> list[str]:
    if not rules.naturals:
        return ["No naturals."]
    declared = "declared if its player likes" if rules.optional else "always declared"
    lines = [
        f"Naturals, strongest first, {declared}, paid by each opponent in place of all else:",
        *(
            f"  {natural.name}{_meaning(natural)}: {_units(natural.units)}"
            for natural in rules.naturals
        ),
        f"Two different naturals: {_UNEQUAL[rules.natural_vs_natural]}.",
        f"Two naturals of one kind: {_EQUAL[rules.equal_kind]}.",
    ]
    return lines


def _meaning(natural: Natural) -> str:
    details = [NATURALS[natural.name]]
    if natural.pairs:
        details.append(_PAIRS[natural.pairs])
    if natural.name == "three-straights":
        details.append("A-2-3 counts" if natural.wheel_front else "A-2-3 does not count")
    return f" ({'; '.join(details)})"


def _other_lines(rules: RuleSet) -> list[str]:
    lines = []
    if rules.foul == "scooped":
        lines.append("A fouled hand pays each opponent as if it had lost all three rows.")
    else:
        lines.append(f"A fouled hand pays each opponent {_units(rules.foul)}, never multiplied.")
    lines.append("Two fouled hands pay each other nothing.")
    if rules.surrender is None:
        lines.append("Nobody may surrender.")
    else:
        lines.append(f"A player may surrender for {_units(rules.surrender)} to each who plays.")
    fewest, most = rules.players
    lines.append(f"For {fewest} players." if fewest == most else f"For {fewest} to {most} players.")
    return lines
