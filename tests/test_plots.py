"""Pictures: drawn for real, not empty, labelled, no text over another, readable without colour."""

import io
from collections.abc import Callable, Iterator

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

from evaluator.settings import frontier
from solver import solve
from solver.plots import (
    plot_categories,
    plot_evs,
    plot_heat_map,
    plot_setting,
    plot_win_curves,
)
from solver.pool import make_pool

HAND = "As Ks Qs Js 6s 5s 3s Qh 9h 2h Jd 8c 3c"
POOL = make_pool("greedy", records=2000)
SOLUTION = solve(HAND, players=3, opponents=POOL, top=8)
SHARES = np.array([[12.5, np.nan, 0.0], [3.25, 100.0, 50.0]])
PLOTS: dict[str, Callable[[Axes | None], Axes]] = {
    "a setting": lambda ax: plot_setting(frontier(HAND)[0], ax),
    "a scored setting": lambda ax: plot_setting(SOLUTION.best, ax),
    "EVs": lambda ax: plot_evs(SOLUTION, ax),
    "win curves": lambda ax: plot_win_curves(POOL, ax),
    "categories": lambda ax: plot_categories(POOL, ax),
    "a heat map": lambda ax: plot_heat_map(SHARES, ["a", "b"], ["x", "y", "z"], "%", ax),
}
all_plots = pytest.mark.parametrize("plot", PLOTS.values(), ids=PLOTS)


@pytest.fixture(autouse=True)
def _no_window() -> Iterator[None]:
    plt.switch_backend("agg")
    yield
    plt.close("all")


def drawn(ax: Axes) -> np.ndarray:
    """The picture, greys (height, width) from 0 to 1, after it went through a PNG file."""
    file = io.BytesIO()
    assert isinstance(ax.figure, Figure)
    ax.figure.savefig(file, format="png", dpi=100)
    file.seek(0)
    colours = plt.imread(file)[..., :3]
    return np.asarray(colours @ [0.299, 0.587, 0.114])


def texts(ax: Axes) -> list[Text]:
    """Texts that are seen."""
    assert isinstance(ax.figure, Figure)
    found = ax.figure.findobj(Text)
    return [text for text in found if text.get_visible() and text.get_text().strip()]


@all_plots
def test_the_picture_is_not_empty_and_nothing_is_cut_off(plot: Callable[..., Axes]) -> None:
    ax = plot(None)
    picture = drawn(ax)
    assert 0.005 < (picture < 0.9).mean() < 0.9
    edge = np.concatenate([picture[0], picture[-1], picture[:, 0], picture[:, -1]])
    assert (edge > 0.99).all()


@all_plots
def test_no_text_lies_over_another(plot: Callable[..., Axes]) -> None:
    ax = plot(None)
    drawn(ax)
    boxes = [text.get_window_extent() for text in texts(ax) if text.get_rotation() == 0]
    for i, box in enumerate(boxes):
        assert not [other for other in boxes[:i] if box.overlaps(other)]


@all_plots
def test_it_draws_where_it_is_told_and_returns_that(plot: Callable[..., Axes]) -> None:
    _, axes = plt.subplots(1, 2, figsize=(14, 5), layout="constrained")
    assert plot(axes[1]) is axes[1]
    assert not axes[0].has_data()
    assert axes[1].has_data() or axes[1].patches


@pytest.mark.parametrize("name", [name for name in PLOTS if "setting" not in name])
def test_axes_and_units_are_labelled(name: str) -> None:
    words = " ".join(text.get_text() for text in texts(PLOTS[name](None)))
    assert "%" in words or "units" in words


def test_suits_are_red_and_black_and_told_by_their_symbols() -> None:
    ax = plot_setting(SOLUTION.best)
    colours = {}
    for text in ax.texts:
        if text.get_text()[-1] in "♣♦♥♠":
            colours.setdefault(text.get_text()[-1], set()).add(mpl.colors.to_hex(text.get_color()))
    assert colours == {"♣": {"#000000"}, "♦": {"#c00000"}, "♥": {"#c00000"}, "♠": {"#000000"}}
    assert len([text for text in ax.texts if len(text.get_text()) == 2]) == 13
    assert [text.get_text().splitlines() for text in ax.texts if len(text.get_text()) > 2] == [
        [SOLUTION.best.names[row], f"wins {getattr(SOLUTION.best.win, row):.0%}"]
        for row in ("front", "middle", "back")
    ]


def test_bars_are_the_evs_with_their_intervals() -> None:
    ax = plot_evs(SOLUTION)
    assert [bar.get_width() for bar in ax.patches] == [s.ev for s in SOLUTION.settings]
    lines = ax.collections[0].get_segments()
    for (start, end), scored in zip(lines, SOLUTION.settings, strict=True):
        assert (end[0] - start[0]) / 2 == pytest.approx(1.96 * scored.se)
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert "best" in labels[0]
    second = SOLUTION.settings[1]
    assert f"costs {second.gap:.3f} ± {second.gap_se:.3f}" in labels[1]
    assert ax.get_xlabel() == "EV in units from 2 opponents, with 95 % intervals"


def test_curves_rise_and_differ_in_their_lines() -> None:
    ax = plot_win_curves(POOL)
    assert {line.get_linestyle() for line in ax.lines} == {"-", "--", ":"}
    for line in ax.lines:
        x, y = map(np.asarray, line.get_data())
        assert (np.diff(x) > 0).all()
        assert (np.diff(y) >= 0).all()
        assert len(x) == (455 if line.get_label() == "front" else 7462)


def test_numbers_of_a_heat_map_are_readable_and_empty_cells_empty() -> None:
    ax = plot_heat_map(SHARES, ["a", "b"], ["x", "y", "z"], "%")
    written = {text.get_text(): text.get_color() for text in ax.texts}
    assert written == {
        "12.5": "black",
        "0.0": "black",
        "3.2": "black",
        "100.0": "white",
        "50.0": "black",
    }
