"""Pictures of settings and strategies with matplotlib; needs the extra ``analysis``.

Every function draws into the axes it is given, or into a new figure, and returns the axes. What
differs in colour differs in shape, place or number as well: the pictures print in black and white.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evaluator.cards import RANKS, SUIT_SYMBOLS
from evaluator.ranking import CLASSES, Category, categories, tables
from evaluator.settings import Setting
from solver.atlas import category_shares, win_curves
from solver.extras import missing
from solver.pool import OpponentPool
from solver.rules import CATEGORIES, ROWS
from solver.solution import LAID_OUT, Z_95, ScoredSetting, Solution, laid_out

try:
    from matplotlib import pyplot as plt
    from matplotlib.axes import Axes
    from matplotlib.patches import FancyBboxPatch
except ModuleNotFoundError as error:
    raise missing("matplotlib", "a plot") from error

_SUIT_COLOURS: Final = ("black", "#c00000", "#c00000", "black")  # clubs, diamonds, hearts, spades
_CARD_WIDTH, _CARD_HEIGHT = 0.9, 1.25  # cards lie one unit apart
_LINE_STYLES: Final = {"back": "solid", "middle": "dashed", "front": "dotted"}
KINDS: Final = tuple(name.replace("-", " ") for name in CATEGORIES[: len(Category)])


def plot_setting(setting: Setting | ScoredSetting, ax: Axes | None = None) -> Axes:
    """Draw a setting as cards, the front on top as it lies on a table.

    Parameters
    ----------
    setting
        A setting, or a scored one, whose EV and chances to win each row are written beside it.
    ax
        Where to draw.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from evaluator import frontier
    >>> ax = plot_setting(frontier("As Ks Qs Js 6s 5s 3s Qh 9h 2h Jd 8c 3c")[0])
    >>> sorted(text.get_text() for text in ax.texts)[:2]
    ['2♥', '3♠']
    """
    ax = ax or _new_axes(6.4, 3)
    scored = setting if isinstance(setting, ScoredSetting) else None
    rows = setting.setting if isinstance(setting, ScoredSetting) else setting
    names = rows.names()
    for place, row in enumerate(LAID_OUT):
        y = 1.4 * (2 - place)
        cards = laid_out(getattr(rows, row))
        for number, card in enumerate(cards):
            _draw_card(card, number + (5 - len(cards)) / 2, y, ax)
        words = [names[row]]
        if scored:
            words.append(f"wins {getattr(scored.win, row):.0%}")
        ax.text(5.2, y + _CARD_HEIGHT / 2, "\n".join(words), va="center")
    if scored:
        ax.set_title(f"EV {scored.ev:+z.3f} ± {scored.se:.3f} units")
    ax.set(xlim=(-0.2, 9.2), ylim=(-0.2, 4.2), aspect="equal")
    ax.axis("off")
    return ax


def _draw_card(card: int, x: float, y: float, ax: Axes) -> None:
    shape = FancyBboxPatch(
        (x + 0.1, y + 0.1),
        _CARD_WIDTH - 0.2,
        _CARD_HEIGHT - 0.2,
        boxstyle="round,pad=0.1",
        facecolor="white",
        edgecolor="black",
    )
    ax.add_patch(shape)
    ax.text(
        x + _CARD_WIDTH / 2,
        y + _CARD_HEIGHT / 2,
        RANKS[card // 4] + SUIT_SYMBOLS[card % 4],
        color=_SUIT_COLOURS[card % 4],
        ha="center",
        va="center",
        fontsize="large",
    )


def plot_evs(solution: Solution, ax: Axes | None = None) -> Axes:
    """Draw the EVs of a solution's settings as bars, with 95 % intervals.

    The intervals are of each EV by itself. All settings met the same opponents, so what each costs
    is known far better: that is written beside the bars, with its own standard error.

    Parameters
    ----------
    solution
        The answer of `solve`.
    ax
        Where to draw.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from solver import solve
    >>> solution = solve("As Ks Qs Js 6s 5s 3s Qh 9h 2h Jd 8c 3c", opponents="greedy")
    >>> plot_evs(solution).get_xlabel()
    'EV in units from 1 opponent, with 95 % intervals'
    """
    listed = solution.settings
    ax = ax or _new_axes(7, 1 + 0.55 * len(listed))
    labels = []
    for scored in listed:
        rows = " / ".join(str(getattr(scored.setting, row)) for row in LAID_OUT)
        costs = "best" if scored is listed[0] else f"costs {scored.gap:.3f} ± {scored.gap_se:.3f}"
        labels.append(f"{rows}\n{costs}")
    ax.barh(
        range(len(listed)),
        [scored.ev for scored in listed],
        xerr=[Z_95 * scored.se for scored in listed],
        color=["0.55"] + ["0.8"] * (len(listed) - 1),
        edgecolor="black",
        capsize=4,
    )
    ax.axvline(0, color="black", linewidth=0.8)
    ax.set_yticks(range(len(listed)), labels)
    ax.invert_yaxis()
    others = solution.others
    ax.set_xlabel(f"EV in units from {others} opponent{'s' * (others > 1)}, with 95 % intervals")
    return ax


def plot_win_curves(pool: OpponentPool, ax: Axes | None = None) -> Axes:
    """Draw how often a row of each strength beats that of a pool's opponent, ties counting half.

    Categories are equally wide, and strengths are evenly spread within each.

    Parameters
    ----------
    pool
        The opponents.
    ax
        Where to draw.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from solver.pool import make_pool
    >>> plot_win_curves(make_pool("greedy", records=1000)).get_ylabel()
    'chance to win the row, %'
    """
    ax = ax or _new_axes(7, 4)
    kinds = categories().astype(np.int64)
    sizes = np.bincount(kinds)
    starts = sizes.cumsum() - sizes
    x = kinds + (np.arange(CLASSES) - starts[kinds] + 0.5) / sizes[kinds]
    threes = np.unique(tables().three)
    fives = np.setdiff1d(np.arange(CLASSES), threes)
    for row, curve in zip(ROWS, win_curves(pool), strict=True):
        there = threes if row == "front" else fives
        ax.plot(x[there], 100 * curve[there], color="black", linestyle=_LINE_STYLES[row], label=row)
    ax.set_xticks(np.arange(len(KINDS)) + 0.5, KINDS, rotation=30, ha="right")
    ax.set_xticks(np.arange(len(KINDS) + 1), minor=True)
    ax.grid(axis="x", which="minor", color="0.85")
    ax.grid(axis="y", color="0.85")
    ax.tick_params(axis="x", length=0)
    ax.set(xlim=(0, len(KINDS)), ylim=(0, 100), ylabel="chance to win the row, %")
    ax.set_xlabel("the row, weakest to strongest")
    ax.legend(loc="lower right")
    return ax


def plot_categories(pool: OpponentPool, ax: Axes | None = None) -> Axes:
    """Draw how often each row of a pool is of each category as a heat map.

    Parameters
    ----------
    pool
        The opponents.
    ax
        Where to draw.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from solver.pool import make_pool
    >>> ax = plot_categories(make_pool("greedy", records=1000))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['front', 'middle', 'back']
    """
    shares = dict(zip(ROWS, 100 * category_shares(pool), strict=True))
    values = np.stack([shares[row] for row in LAID_OUT])
    ax = ax or _new_axes(8, 2.6)
    return plot_heat_map(np.where(values > 0, values, np.nan), LAID_OUT, KINDS, "% of rows", ax)


def plot_heat_map(
    values: NDArray[np.floating],
    rows: Sequence[str],
    columns: Sequence[str],
    unit: str,
    ax: Axes | None = None,
) -> Axes:
    """Draw a table of numbers as a heat map, the numbers written into it.

    Parameters
    ----------
    values
        Numbers (rows, columns), nan for cells that stay empty.
    rows, columns
        What to call them.
    unit
        What the numbers are, written beside the scale of greys.
    ax
        Where to draw.

    Returns
    -------
    Axes

    Examples
    --------
    >>> ax = plot_heat_map(np.array([[5.0, np.nan]]), ["all"], ["one", "two"], "% of hands")
    >>> [text.get_text() for text in ax.texts]
    ['5.0']
    """
    ax = ax or _new_axes(1.5 + 0.7 * len(columns), 1.2 + 0.4 * len(rows))
    image = ax.imshow(values, cmap="Greys", aspect="auto")
    middle = (np.nanmin(values) + np.nanmax(values)) / 2
    for (row, column), value in np.ndenumerate(values):
        if not np.isnan(value):
            colour = "white" if value > middle else "black"
            ax.text(
                column, row, f"{value:.1f}", color=colour, ha="center", va="center", size="small"
            )
    ax.set_xticks(range(len(columns)), columns, rotation=30, ha="right")
    ax.set_yticks(range(len(rows)), rows)
    ax.figure.colorbar(image, ax=ax, label=unit)
    return ax


def _new_axes(width: float, height: float) -> Axes:
    axes: Any = plt.subplots(figsize=(width, height), layout="constrained")[1]  # inches
    made: Axes = axes
    return made
