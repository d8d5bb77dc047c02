"""A solution as a table for notebooks."""

from collections.abc import Iterable, Mapping
from html import escape
from typing import TYPE_CHECKING

from evaluator.cards import RANKS, SUIT_SYMBOLS
from solver.solution import LAID_OUT, ScoredSetting, Solution, laid_out

if TYPE_CHECKING:  # they would load numba, which showing a solution does not need
    from solver.comparison import Comparison
    from solver.explanation import Explanation, Parts

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
    ranks = map(str, range(1, len(solution.settings) + 1))
    settings = _settings_table(solution.best, zip(ranks, solution.settings, strict=True))
    return _page(solution, solution.answer, settings)


def explanation_html(explanation: "Explanation") -> str:
    """Return a solution as HTML with its best EVs taken apart.

    Parameters
    ----------
    explanation
        The answer of `explain`.

    Returns
    -------
    str
        As of `solution_html`.
    """
    parts = _parts_table(explanation.columns()) + _paragraphs(explanation.words)
    return f"{solution_html(explanation.solution)}<div>{parts}</div>"


def comparison_html(comparison: "Comparison") -> str:
    """Return a setting beside the best one as HTML: what it costs, and where that comes from.

    Parameters
    ----------
    comparison
        The answer of `compare`.

    Returns
    -------
    str
        As of `solution_html`.
    """
    best = comparison.solution.best
    return _page(
        comparison.solution,
        comparison.verdict,
        _settings_table(best, [("yours", comparison.scored), ("best", best)])
        + _parts_table(comparison.columns())
        + _paragraphs(comparison.words),
    )


def _page(solution: Solution, answer: str, content: str) -> str:
    return (
        f"<div><p>{_cards(solution.hand)}<br>{escape(solution.question)}<br>"
        f"<strong>{escape(answer)}</strong></p>{content}{_paragraphs(solution.notes)}</div>"
    )


def _paragraphs(sentences: Iterable[str]) -> str:
    return "".join(f"<p>{escape(sentence)}</p>" for sentence in sentences)


def _table(titles: Iterable[str], lines: Iterable[Iterable[str]]) -> str:
    head = "".join(f"<th>{title}</th>" for title in titles)
    body = "".join(f"<tr>{''.join(map(_cell, cells))}</tr>" for cells in lines)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _settings_table(best: ScoredSetting, settings: Iterable[tuple[str, ScoredSetting]]) -> str:
    """Return settings, each behind a name, and what they cost against the best one."""
    lines = []
    for name, scored in settings:
        rows = ((laid_out(getattr(scored.setting, row)), scored.names[row]) for row in LAID_OUT)
        cells = (f"{_cards(cards)}<br><small>{words}</small>" for cards, words in rows)
        costs = f"{scored.gap:.3f} ± {scored.gap_se:.3f}" if scored.setting != best.setting else ""
        lines.append((name, *cells, f"{scored.ev:+z.3f} ± {scored.se:.3f}", costs))
    return _table(("", *LAID_OUT, "EV", "costs"), lines)


def _parts_table(columns: Mapping[str, "Parts"]) -> str:
    from solver.explanation import part_lines

    titles = ("", *columns, *["difference"] * (len(columns) > 1))
    lines = part_lines([*columns.values()])
    return _table(titles, ((escape(label), *units) for label, units in lines))


def _cell(content: str) -> str:
    return f'<td style="text-align:left;white-space:nowrap">{content}</td>'


def _cards(cards: Iterable[int]) -> str:
    return " ".join(map(_card, cards))


def _card(card: int) -> str:
    text = RANKS[card // 4] + SUIT_SYMBOLS[card % 4]
    return f'<span style="color:#c00">{text}</span>' if card % 4 in _RED else text
