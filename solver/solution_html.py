"""A solution as a table for notebooks."""

from collections.abc import Iterable, Iterator
from html import escape

from evaluator.cards import RANKS, SUIT_SYMBOLS
from solver.solution import LAID_OUT, Solution, laid_out

_RED = (1, 2)  # diamonds, hearts; the others take the notebook's own colour, dark or light


def solution_html(solution: Solution) -> str:
    """Return a solution as HTML: the decision, then the best settings and what they cost.

    Parameters
    ----------
    solution
        The answer of `solve`.

    Returns
    -------
    str
        One ``<div>`` that needs no style sheet; text from outside is escaped.
    """
    notes = "".join(f"<p>{escape(note)}</p>" for note in solution.notes)
    head = "".join(f"<th>{title}</th>" for title in ("", *LAID_OUT, "EV", "costs"))
    body = "".join(f"<tr>{''.join(map(_cell, cells))}</tr>" for cells in _lines(solution))
    return (
        f"<div><p>{_cards(solution.hand)}<br>{escape(solution.question)}<br>"
        f"<strong>{escape(solution.answer)}</strong></p>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{notes}</div>"
    )


def _lines(solution: Solution) -> Iterator[tuple[str, ...]]:
    for rank, scored in enumerate(solution.settings, start=1):
        rows = ((laid_out(getattr(scored.setting, row)), scored.names[row]) for row in LAID_OUT)
        cells = (f"{_cards(cards)}<br><small>{name}</small>" for cards, name in rows)
        costs = f"{scored.gap:.3f} ± {scored.gap_se:.3f}" if rank > 1 else ""
        yield str(rank), *cells, f"{scored.ev:+z.3f} ± {scored.se:.3f}", costs


def _cell(content: str) -> str:
    return f'<td style="text-align:left;white-space:nowrap">{content}</td>'


def _cards(cards: Iterable[int]) -> str:
    return " ".join(map(_card, cards))


def _card(card: int) -> str:
    text = RANKS[card // 4] + SUIT_SYMBOLS[card % 4]
    return f'<span style="color:#c00">{text}</span>' if card % 4 in _RED else text
