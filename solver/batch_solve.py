"""Rows to questions, and chunks of questions to answers: what the workers of a batch do."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluator.cards import DECK_SIZE, HAND_SIZE, CardError, card_text, parse_hand
from evaluator.ranking import categories
from solver.batch_files import Layout, Row
from solver.batch_tally import Answer
from solver.columns import BATCH_COLUMNS, units_text
from solver.many import cards_of
from solver.rules import RuleSet, load_rules
from solver.solution import DECISIONS
from solver.solve import Table, open_table, run, shortage

I64 = NDArray[np.int64]

_TEXTS: Final = [card_text(card) for card in range(DECK_SIZE)]
_BITS: Final = {text: 1 << card for card, text in enumerate(_TEXTS)}


@dataclass(frozen=True)
class Question:
    """What is asked of a hand; the opponents are only named, so workers load them themselves."""

    rules: RuleSet
    players: int
    opponents: str
    samples: int | None
    seed: int


class Asked(NamedTuple):
    """A row's cards with the question, or with the reason why there is none."""

    cards: str
    question: Question | str


@lru_cache(maxsize=64)
def _table(question: Question) -> Table:
    return open_table(
        question.rules, question.players, question.opponents, question.samples, question.seed
    )


def asking(layout: Layout, default: Question) -> Callable[[Row], Asked]:
    """Return what turns rows into questions: the default one, but for the row's own columns."""
    override = lru_cache(maxsize=256)(partial(_override, default))

    def ask(row: Row) -> Asked:
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
        return Asked(cards, override(*own) if any(own) else default)

    return ask


def _override(default: Question, rules: str, players: str) -> Question | str:
    if players and not (players.isascii() and players.isdigit()):
        return f"players is {players[:16]!r}; it must be a whole number"
    try:
        question = replace(
            default,
            rules=load_rules(rules) if rules else default.rules,
            players=int(players) if players else default.players,
        )
        _table(question)
    except (ValueError, OSError) as error:
        return "; ".join(str(error).splitlines())
    return question


def solve_chunk(chunk: list[Asked]) -> list[Answer]:
    """Answer rows, each with the columns that a batch adds.

    Parameters
    ----------
    chunk
        Rows, of which those with the same question are solved together.

    Returns
    -------
    list of Answer
        In the order of the rows.
    """
    answers: dict[int, Answer] = {}
    groups: dict[int, list[tuple[int, int]]] = {}  # question, by identity -> places and hands
    questions: dict[int, Question] = {}
    for place, (cards, question) in enumerate(chunk):
        if isinstance(question, str):
            answers[place] = _failed(question)
            continue
        try:
            hand = _hand(cards)
        except CardError as error:
            answers[place] = _failed(str(error))
        else:
            questions[id(question)] = question
            groups.setdefault(id(question), []).append((place, hand))
    for key, asked in groups.items():
        hands = np.array([hand for _, hand in asked], np.int64)
        solved = _solved(_table(questions[key]), hands)
        answers.update(zip((place for place, _ in asked), solved, strict=True))
    return [answers[place] for place in range(len(chunk))]


def _solved(table: Table, hands: I64) -> Iterator[Answer]:
    """Yield the answers of hands (n,) at a table."""
    answers = run(table, hands, 2)
    found, others = answers.settings, table.players - 1
    decisions, ev, se = (column.tolist() for column in answers.decided(table))
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
            units_text(others * float(found.gap[h, 1])) if found.listed[h] > 1 else "",
            str(samples),
            table.rules.name,
            "",
        ]
        yield Answer(columns, kinds[h])


def _failed(reason: str) -> Answer:
    return Answer([""] * (len(BATCH_COLUMNS) - 1) + [reason])


def _hand(cards: str) -> int:
    """Return a hand as a set of cards; ten times as fast where they stand as capsa writes them."""
    bits = [_BITS.get(word, 0) for word in cards.split()]
    hand = sum(bits)
    # of 13 powers of two the sum has 13 bits just if no two are the same
    return hand if len(bits) == hand.bit_count() == HAND_SIZE else parse_hand(cards).mask
