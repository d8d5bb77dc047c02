"""Rows to questions, and chunks of questions to answers: what the workers of a batch do."""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluator.cards import DECK_SIZE, HAND_SIZE, CardError, card_text, parse_hand
from evaluator.ranking import categories
from solver.batch_files import Layout
from solver.batch_tally import Answer
from solver.columns import units_text
from solver.csv_rows import Row
from solver.many import cards_of
from solver.opening import Table
from solver.rules import RuleSet, Seat, load_rules
from solver.solution import DECISIONS
from solver.solve import run, shortage

I64 = NDArray[np.int64]
Opener = Callable[[RuleSet, int, Seat | None], Table]  # for rules, players and a seat

_TEXTS: Final = [card_text(card) for card in range(DECK_SIZE)]
_BITS: Final = {text: 1 << card for card, text in enumerate(_TEXTS)}


class Asked(NamedTuple):
    """A row's cards with the table they are solved at, or with the reason why there is none."""

    cards: str
    table: Table | str


class Posed(NamedTuple):
    """The same with the table's place among those sent along."""

    cards: str
    table: int | str


class Asker:
    """Turns rows into what is asked: at the default table, but for the row's own columns."""

    def __init__(self, layout: Layout, table: Table, opener: Opener) -> None:
        self._layout, self.table = layout, table
        self._override = lru_cache(maxsize=256)(partial(_override, table, opener))

    def __call__(self, row: Row) -> Asked:
        """Return what a row asks."""
        layout = self._layout
        if row.fault:
            return Asked("", row.fault)
        if (found := len(row.fields)) != (wanted := len(layout.header)):
            noun = "field" if found == 1 else "fields"
            return Asked("", f"{found} {noun}, but the header has {wanted}")
        own = [
            "" if column is None else row.fields[column].strip()
            for column in (layout.rules, layout.players)
        ]
        cards = " ".join(row.fields[column] for column in layout.hand)
        return Asked(cards, self._override(*own) if any(own) else self.table)


def _override(default: Table, opener: Opener, rules: str, players: str) -> Table | str:
    if players and not (players.isascii() and players.isdigit()):
        return f"players is {players[:16]!r}; it must be a whole number"
    try:
        rule_set = load_rules(rules) if rules else default.rules
        seat = default.seat if rule_set.banker else None
        return opener(rule_set, int(players) if players else default.players, seat)
    except (ValueError, OSError) as error:
        return "; ".join(str(error).splitlines())


def arguments(chunk: Iterable[Asked]) -> tuple[list[Posed] | Table, ...]:
    """Return rows as arguments of `solve_chunk`.

    Tables are arguments by themselves, as joblib looks there for what is so big that it should be
    sent to a Dask worker only once.
    """
    tables: dict[int, Table] = {}
    posed = []
    for cards, table in chunk:
        if not isinstance(table, str):
            tables[id(table)] = table
        posed.append((cards, table))
    places = {key: place for place, key in enumerate(tables)}
    return [
        Posed(cards, table if isinstance(table, str) else places[id(table)])
        for cards, table in posed
    ], *tables.values()


def solve_chunk(chunk: list[Posed], *tables: Table) -> list[Answer]:
    """Answer rows, each with the columns that a batch adds.

    Parameters
    ----------
    chunk
        Rows, of which those at the same table are solved together.
    tables
        In the places that the rows name.

    Returns
    -------
    list of Answer
        In the order of the rows.
    """
    answers: dict[int, Answer] = {}
    groups: dict[int, list[tuple[int, int]]] = {}  # table -> places and hands
    for place, (cards, table) in enumerate(chunk):
        if isinstance(table, str):
            answers[place] = _failed(table)
            continue
        try:
            groups.setdefault(table, []).append((place, _hand(cards)))
        except CardError as error:
            answers[place] = _failed(str(error))
    for table, asked in groups.items():
        hands = np.array([hand for _, hand in asked], np.int64)
        solved = _solved(tables[table], hands)
        answers.update(zip((place for place, _ in asked), solved, strict=True))
    return [answers[place] for place in range(len(chunk))]


def _solved(table: Table, hands: I64) -> Iterator[Answer]:
    """Yield the answers of hands (n,) at a table."""
    answers = run(table, hands, 2)
    found, gap2 = answers.settings, answers.gap2(table).tolist()
    decisions, ev, se = answers.decided(table)
    risks = answers.risk(decisions) if table.risk else np.empty((len(hands), 0))
    kinds = categories()[found.strengths[:, 0]].tolist()
    rows = np.zeros((len(hands), HAND_SIZE), np.int8)
    rows[found.listed > 0] = cards_of(found.rows[found.listed > 0, 0])
    for h, cards in enumerate(rows.tolist()):
        samples = int(found.samples[h])
        if problem := shortage(table, samples):
            yield _failed(problem)
            continue
        texts = [_TEXTS[card] for card in cards]
        columns = [
            *(" ".join(texts[:5]), " ".join(texts[5:10]), " ".join(texts[10:])),
            DECISIONS[decisions[h]],
            units_text(ev[h]),
            units_text(se[h]),
            units_text(gap2[h]) if found.listed[h] > 1 else "",
            str(samples),
            table.rules.name,
            *map(units_text, risks[h]),
            "",
        ]
        yield Answer(columns, kinds[h])


def _failed(reason: str) -> Answer:
    return Answer([reason])


def _hand(cards: str) -> int:
    """Return a hand as a set of cards; ten times as fast where they stand as capsa writes them."""
    bits = [_BITS.get(word, 0) for word in cards.split()]
    hand = sum(bits)
    # of 13 powers of two the sum has 13 bits just if no two are the same
    return hand if len(bits) == hand.bit_count() == HAND_SIZE else parse_hand(cards).mask
