"""How a solution looks to a person: on a terminal, in a pipe, in a notebook."""

import io
from collections.abc import Iterable
from dataclasses import replace
from typing import Literal

import pytest
from rich.console import Console

from evaluator.cards import parse_cards, parse_hand
from evaluator.settings import Setting
from solver.columns import setting_rows
from solver.display import Bar, Paragraphs, SolutionView
from solver.solution import HeldNatural, RowChances, ScoredSetting, Solution


def scored(text: str, ev: float, gap: float, gap_se: float) -> ScoredSetting:
    setting = Setting(*map(parse_cards, text.split("/")))
    chances = RowChances(back=0.61, middle=0.17, front=0.74)
    ties = RowChances(back=0.001, middle=0.002, front=0.01)
    return ScoredSetting(
        setting, setting.names(), ev, 0.02, gap, gap_se, chances, ties, 0.08, 0.1, 0
    )


BEST = scored("As Ks 6s 5s 3s/Qs Qh 8c 3c 2h/Js Jd 9h", 0.279, 0, 0)
SECOND = scored("As Ks 6s 5s 3s/Js Jd 9h 8c 2h/Qs 3c Qh", 0.25, 0.029, 0.004)
SOLUTION = Solution(
    hand=parse_hand("As Ks Qs Js 6s 5s 3s Qh 9h 2h Jd 8c 3c"),
    rules="2-4",
    players=2,
    opponents="greedy",
    seed=0,
    samples=9210,
    seconds=0.001,
    version="1",
    decision="set",
    natural=None,
    ev=0.279,
    se=0.02,
    settings=(BEST, SECOND),
    second=SECOND,
    notes=(),
)
FLUSHES = HeldNatural("three-flushes", 3, BEST.setting)


class File(io.StringIO):
    """A stream of an encoding."""

    def __init__(self, encoding: str) -> None:
        super().__init__()
        self._encoding = encoding

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._encoding


def shown(
    view: object,
    terminal: bool = True,
    width: int = 80,
    encoding: str = "utf-8",
    colour: bool = False,
) -> str:
    file = File(encoding)
    system: Literal["standard"] | None = "standard" if colour else None
    console = Console(file=file, force_terminal=terminal, width=width, color_system=system)
    console.print(view, crop=False)
    return file.getvalue()


def plain(solution: Solution) -> str:
    return shown(SolutionView(solution), terminal=False)


def with_gap(gap: float, gap_se: float) -> Solution:
    second = replace(SECOND, gap=gap, gap_se=gap_se)
    return replace(SOLUTION, settings=(BEST, second), second=second)


def test_a_pipe_gets_letters_and_the_rows_as_they_lie() -> None:
    lines = [line.rstrip() for line in plain(SOLUTION).splitlines()]
    assert lines == [
        "As Ks Qs Qh Js Jd 9h 8c 6s 5s 3s 3c 2h",
        "rules 2-4, 2 players, opponents greedy, 9,210 samples",
        "",
        "         best setting                                  wins  ties",
        "front      Js Jd 9h     pair of jacks, nine kicker    74.0%  1.0%",
        "middle  Qs Qh 8c 3c 2h  pair of queens, eight kicker  17.0%  0.2%",
        "back    As Ks 6s 5s 3s  ace-high flush                61.0%  0.1%",
        "",
        "EV +0.279 ± 0.020 units",
        "wins all three rows 8.0%, loses all 10.0%",
        "Clearly the best: it leads by 0.029 ± 0.004 units.",
        "",
        "   front     middle          back                EV          costs",
        "2  Qs Qh 3c  Js Jd 9h 8c 2h  As Ks 6s 5s 3s  +0.250  0.029 ± 0.004",
    ]


def test_a_terminal_gets_suits_in_four_colours() -> None:
    hand = shown(SolutionView(SOLUTION), colour=True).splitlines()[0]
    assert hand.startswith("\x1b[1mA♠\x1b[0m \x1b[1mK♠\x1b[0m \x1b[1mQ♠\x1b[0m \x1b[31mQ♥\x1b[0m ")
    assert "\x1b[36mJ♦\x1b[0m" in hand
    assert "\x1b[32m8♣\x1b[0m" in hand


def test_a_terminal_without_unicode_gets_letters() -> None:
    text = shown(SolutionView(with_gap(0.01, 0.01)), encoding="latin-1")
    assert text.isascii()
    assert "0.010 +/- 0.010" in text


@pytest.mark.parametrize("width", [80, 120, 200])
def test_wide_terminals_get_the_same_lines(width: int) -> None:
    lines = shown(SolutionView(SOLUTION), width=width).splitlines()
    assert lines == shown(SolutionView(SOLUTION), width=100).splitlines()
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize(
    ("gap", "gap_se", "verdict"),
    [
        (0.03, 0.01, "Clearly the best: it leads by 0.030 ± 0.010 units."),
        (
            0.03,
            0.02,
            "Too close to call: it leads by 0.030 ± 0.020 units; more --samples may tell.",
        ),
        (0.004, 0.001, "The second best is as good: it costs 0.004 units."),
    ],
)
def test_verdict(gap: float, gap_se: float, verdict: str) -> None:
    assert verdict in plain(with_gap(gap, gap_se)).splitlines()


def test_verdict_where_only_the_best_is_listed() -> None:
    last = plain(replace(SOLUTION, settings=(BEST,))).splitlines()[-1]
    assert last == "Clearly the best: it leads by 0.029 ± 0.004 units."


def test_verdict_where_there_is_only_one() -> None:
    last = plain(replace(SOLUTION, settings=(BEST,), second=None)).splitlines()[-1]
    assert last == "Every other setting is weaker in some row and stronger in none."


def test_several_opponents_and_royalties() -> None:
    best = replace(BEST, royalties=0.5)
    text = plain(replace(SOLUTION, players=4, settings=(best, SECOND)))
    assert "EV +0.279 ± 0.020 units from all 3 opponents together, royalties +0.500\n" in text


def test_what_the_ev_leaves_out_comes_last() -> None:
    text = plain(replace(SOLUTION, notes=("The EV leaves out home runs.",)))
    assert text.endswith("\n\nThe EV leaves out home runs.\n")


@pytest.mark.parametrize(
    ("decision", "natural", "told"),
    [
        (
            "declare",
            FLUSHES,
            "Declare three-flushes, 3 units from each opponent: EV +2.900 ± 0.020 units.",
        ),
        ("set", FLUSHES, "Do not declare three-flushes; the setting is worth more."),
        ("surrender", None, "Surrender: EV +2.900 ± 0.020 units."),
    ],
)
def test_decision_comes_first(decision: str, natural: HeldNatural | None, told: str) -> None:
    solution = replace(SOLUTION, decision=decision, natural=natural, ev=2.9)  # type: ignore[arg-type]
    lines = plain(solution).splitlines()
    assert lines[3] == told
    if decision == "declare":
        assert lines[4:7] == [
            "front   Js Jd 9h",
            "middle  Qs Qh 8c 3c 2h",
            "back    As Ks 6s 5s 3s",
        ]


def test_no_minus_before_zero() -> None:
    solution = replace(SOLUTION, ev=-0.0000001, settings=(replace(BEST, ev=-0.0000001), SECOND))
    assert "EV +0.000 ±" in plain(solution)
    assert setting_rows(solution)[0]["ev"] == "0.000000"


def test_long_lines_break_between_words_on_a_terminal_only() -> None:
    lines = ["one two three", "  four five six"]
    assert shown(Paragraphs(lines), width=10) == "one two\n  three\n  four\n    five\n    six\n"
    assert shown(Paragraphs(lines), width=10, terminal=False) == "one two three\n  four five six\n"


def bar_output(terminal: bool, calls: Iterable[tuple[str, float]]) -> str:
    console = Console(file=File("utf-8"), force_terminal=terminal, width=80, color_system=None)
    with Bar(console) as bar:
        for what, share_done in calls:
            bar(what, share_done)
    assert isinstance(console.file, File)
    return console.file.getvalue()


def test_a_task_is_told_once() -> None:
    calls = [("first", 0.0), ("first", 0.5), ("first", 1.0), ("second", 1.0), ("first", 0.1)]
    assert bar_output(False, calls) == "first\nsecond\n"


def test_a_bar_is_gone_when_the_task_is_done() -> None:
    text = bar_output(True, [("first", 0.0), ("first", 0.5), ("first", 1.0)])
    assert text.startswith("first\n")
    assert "━" in text
    assert text.endswith("\x1b[2K")  # the line of the bar is erased


def test_text() -> None:
    solution = replace(
        SOLUTION,
        decision="declare",
        natural=FLUSHES,
        ev=2.9,
        notes=("The EV leaves out home runs.",),
    )
    assert str(solution).splitlines() == [
        "As Ks Qs Qh Js Jd 9h 8c 6s 5s 3s 3c 2h",
        "rules 2-4, 2 players, opponents greedy, 9,210 samples",
        f"declare three-flushes, {BEST.setting}: EV +2.900 ± 0.020 units",
        "best setting: As Ks 6s 5s 3s / Qs Qh 8c 3c 2h / Js Jd 9h",
        "costs 0.029 ± 0.004: As Ks 6s 5s 3s / Js Jd 9h 8c 2h / Qs Qh 3c",
        "The EV leaves out home runs.",
    ]


def test_notebook() -> None:
    html = replace(
        SOLUTION, rules="<b>", opponents="a & b.csv", notes=("The EV leaves out x < y",)
    )._repr_html_()
    assert html.startswith("<div>")
    assert html.endswith("</div>")
    assert "&lt;b&gt;, 2 players, opponents a &amp; b.csv, 9,210 samples" in html
    assert "The EV leaves out x &lt; y" in html
    assert "set: EV +0.279 ± 0.020 units" in html
    assert 'J♠ <span style="color:#c00">J♦</span> <span style="color:#c00">9♥</span><br>' in html
    assert html.count("<tr>") == 3
