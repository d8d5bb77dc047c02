"""Practice: which hands are asked, how answers are kept, and a session at a terminal."""

import csv
import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest
from test_cli import capsa

from evaluator.cards import Cards
from evaluator.jit import CACHE_DIR
from solver import Comparison, compare, deal, solve
from solver.explanation import Options
from solver.opening import Table, open_table
from solver.pool import make_pool
from solver.quiz import LOG_COLUMNS, LogError, Score, open_log, questions
from solver.recorded import read_recorded
from solver.rules import ROWS, load_rules
from solver.solution import SETTLED_UNITS
from solver.solve import warm_up

FEW: Final[Options] = {"samples": 500, "opponents": "greedy"}
ASKED: Final = ("quiz", "--samples", "500", "--opponents", "greedy")
POOL = make_pool("greedy", records=2000)
MINE = "As Ks 6s 5s 3s / Qs Qh 8c 3c 2h / Js Jd 9h"


def first(number: int, table: Table, hard: bool = False, seed: int = 1) -> list[Cards]:
    asked = questions(table, hard, seed)
    return [next(asked) for _ in range(number)]


# Which hands


def test_the_same_seed_asks_the_same_hands() -> None:
    table = open_table("2-4", opponents=POOL)
    hands = first(5, table)
    assert hands == first(5, table) == deal(80, 1)[::16]
    assert len({*hands, *first(5, table, seed=2)}) == 10


def test_hard_hands_are_close_calls_that_matter() -> None:
    table = open_table("2-4", players=3, opponents=POOL)
    hands = first(4, table, hard=True)
    for number, hand in enumerate(hands):
        gaps = {}
        for dealt in deal(64, 1)[16 * number : 16 * number + 16]:
            second = solve(dealt, opponents=POOL, players=3).second
            if second and second.gap > SETTLED_UNITS:
                gaps[dealt] = second.gap
        assert hand == min(gaps, key=gaps.__getitem__)


def test_hands_better_declared_or_surrendered_are_passed_over() -> None:
    rules = replace(load_rules("la-card-room"), surrender=0)
    table = open_table(rules, opponents=POOL)
    decisions = [solve(hand, rules, opponents=POOL).decision for hand in deal(80, 1)]
    hands = first(5, table)
    for number, hand in enumerate(hands):
        assert hand == deal(80, 1)[16 * number + decisions[16 * number :].index("set")]
    assert hands != deal(80, 1)[::16]


def test_hands_are_chosen_by_what_pairs_pay() -> None:
    pool = make_pool("greedy", "second", records=2000)
    table = open_table("shisanshui", 4, pool)
    pairs = replace(table, rules=replace(table.rules, home_run=1))
    assert first(3, table, hard=True) == first(3, pairs, hard=True)


def test_answers_are_graded_with_home_runs() -> None:
    rules = ("--rules", "shisanshui", "--players", "3", "--deals", "50", "--seed", "1")
    hand = deal(1, 1)[0]
    wishes: Options = {"rules": "shisanshui", "players": 3, "deals": 50}
    mine = solve(hand, top=9, **FEW, **wishes).settings[-1].setting
    shown = capsa(*ASKED, *rules, stdin=f"{mine}\n").stdout
    assert compare(hand, mine, **FEW, **wishes).verdict in shown
    assert "home runs" in shown


# What is kept


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return compare("As Ks Qs Js 6s 5s 3s Qh 9h 2h Jd 8c 3c", MINE, opponents=POOL)


def test_score(comparison: Comparison) -> None:
    score = Score()
    assert str(score) == "no answers"
    score.add(comparison)
    cost = comparison.cost
    assert str(score) == (
        f"1 answer, 0 as good as the best; {cost:.3f} units lost, {cost:.3f} a hand"
    )
    best = replace(comparison, scored=comparison.solution.best)
    score.add(best)
    assert str(score) == (
        f"2 answers, 1 as good as the best; {cost:.3f} units lost, {cost / 2:.3f} a hand"
    )


def test_the_log_is_appended_to_and_read_by_compare(comparison: Comparison, tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    for _ in range(2):
        with open_log(path) as record:
            record(comparison)
    path.write_text(path.read_text().removesuffix("\n"))  # as some editors leave it
    with open_log(path) as record:
        record(comparison)
    with path.open(newline="") as file:
        one, *others = csv.DictReader(file)
    assert tuple(one) == LOG_COLUMNS
    assert others == [one, one]
    again = compare(one["hand"], [one["back"], one["middle"], one["front"]], opponents=POOL)
    assert again.scored == comparison.scored
    assert float(one["cost"]) == pytest.approx(again.cost, abs=1e-6)
    assert int(one["rank"]) == again.rank
    best = " / ".join(one[f"best_{row}"] for row in ROWS)
    assert best == str(comparison.solution.best.setting)


def test_the_log_is_opponents_to_play_against(comparison: Comparison, tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    with open_log(path) as record:
        record(comparison)
        record(comparison)
    pool = read_recorded(path, load_rules("2-4"), strict=True)
    assert pool.hands.tolist() == [comparison.solution.hand.mask] * 2
    assert pool.strengths.tolist() == [[*comparison.scored.setting.strengths()]] * 2


@pytest.mark.parametrize("content", [b"hand,back\n", b"\xff\xfe\n", b"\n", b"\0"])
def test_a_file_that_is_no_log_is_left_alone(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_bytes(content)
    with pytest.raises(LogError, match="not those of a quiz log"), open_log(path):
        pass
    assert path.read_bytes() == content


def test_no_log(comparison: Comparison, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with open_log(None) as record:
        record(comparison)
    assert not list(tmp_path.iterdir())


# At a terminal

PROGRAM = """
import os
os.open(os.ttyname(0), os.O_RDWR)  # the terminal now controls this session: ctrl-C is a signal
from solver.cli import main
main()
"""


class Terminal:
    """A session of `capsa quiz` on a terminal of its own."""

    def __init__(self, *arguments: str) -> None:
        self._end, other = pty.openpty()
        self._shown = ""
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *ASKED, *arguments],
            stdin=other,
            stdout=other,
            stderr=other,
            start_new_session=True,
            env={**os.environ, "NUMBA_CACHE_DIR": str(CACHE_DIR or ""), "TERM": "dumb"},
        )
        os.close(other)

    def type(self, text: str) -> None:
        os.write(self._end, text.encode())

    def until(self, text: str) -> str:
        """Return what is shown up to a text, which must come."""
        while text not in self._shown:
            more = self._read()
            assert more, f"{text!r} did not come after {self._shown!r}"
            self._shown += more
        before, self._shown = self._shown.split(text, 1)
        return before

    def rest(self) -> str:
        """Return what is still shown, until the program ends."""
        while more := self._read():
            self._shown += more
        return self._shown

    def wait_until_it_reads(self) -> None:
        """Wait for the program to sleep: before it does, ctrl-C may pass it by."""
        stat = Path(f"/proc/{self.process.pid}/stat")
        while stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "S":
            time.sleep(0.01)

    def check_left(self) -> None:
        """Check that the program told the score, and nothing else, and ended."""
        rest = self.rest()
        assert re.fullmatch(r"(As Ks)?(\^[CD])?\nno answers\n", rest)
        assert self.process.wait(10) == 0

    def _read(self) -> str:
        ready, _, _ = select.select([self._end], [], [], 60)
        assert ready, f"nothing came after {self._shown!r}"
        try:
            return os.read(self._end, 65536).decode().replace("\r\n", "\n")
        except OSError:  # the other end is closed
            return ""

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._end)


@pytest.fixture
def terminal() -> Iterator[Callable[..., Terminal]]:
    warm_up()
    opened: list[Terminal] = []

    def open_one(*arguments: str) -> Terminal:
        opened.append(Terminal(*arguments))
        return opened[-1]

    yield open_one
    for one in opened:
        one.close()


PROMPT = "your setting: "


def hands_of(seed: int) -> list[Cards]:
    return first(3, open_table("2-4", **FEW), seed=seed)


def test_right_wrong_and_nonsense(terminal: Callable[..., Terminal], tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    session = terminal("--seed", "1", "--log", str(log))
    one, other, _ = hands_of(1)

    shown = session.until(PROMPT)
    assert "seed 1\nAnswer with three rows, as in BACK / MIDDLE / FRONT; q leaves.\n" in shown
    assert str(one) in plain(shown)
    best = solve(one, **FEW).best.setting
    session.type(f"{best.front} | {best.middle} | {best.back}\n".lower())
    shown = session.until(PROMPT)
    assert "This is the best setting." in plain(shown)
    assert "1 answer, 1 as good as the best; 0.000 units lost, 0.000 a hand" in plain(shown)

    assert str(other) in plain(shown)
    for nonsense, told in (
        ("hello", "error: not a setting of this hand: row 1: unknown 'hello' at 1"),
        ("", "error: not a setting of this hand: row 1: no cards given"),
        ("ace of spades é ♠", "error: not a setting of this hand: row 1: unknown"),
    ):
        session.type(f"{nonsense}\n")
        assert told in session.until(PROMPT)
    worst = solve(other, **FEW, top=10_000).settings[-1].setting
    session.type(f"{worst}\n")
    shown = plain(session.until(PROMPT))
    comparison = compare(other, worst, **FEW)
    price = f"{comparison.cost:.3f} ± {comparison.cost_se:.3f}"
    assert f"It costs {price} units against the best setting." in shown
    assert comparison.words[0] in shown
    assert "2 answers, 1 as good as the best; " in shown

    session.type("q\n")
    assert "2 answers, 1 as good as the best; " in session.rest()
    assert session.process.wait(10) == 0
    with log.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["hand"] for row in rows] == [str(one), str(other)]
    assert [float(row["cost"]) for row in rows] == [0, pytest.approx(comparison.cost, abs=1e-6)]


@pytest.mark.parametrize("begun", ["", "As Ks"])
def test_ctrl_c_leaves(begun: str, terminal: Callable[..., Terminal]) -> None:
    session = terminal("--hard")
    session.until(PROMPT)
    session.type(begun)
    session.wait_until_it_reads()
    session.type("\x03")
    session.check_left()


def test_the_end_of_input_leaves(terminal: Callable[..., Terminal]) -> None:
    session = terminal("--hard")
    session.until(PROMPT)
    session.type("As Ks\x04\x04")  # a line that is begun is an answer yet
    assert "missing" in session.until(PROMPT)
    session.type("\x04")
    session.check_left()


def test_answers_through_a_pipe() -> None:
    best = solve(hands_of(1)[0], **FEW).best.setting
    result = capsa(*ASKED, "--seed", "1", stdin=f"nonsense\n{best}\n")
    assert result.exit_code == 0
    assert result.stderr == "error: not a setting of this hand: row 1: unknown 'nonsense' at 1\n"
    assert "This is the best setting." in result.stdout
    score = "1 answer, 1 as good as the best; 0.000 units lost, 0.000 a hand\n"
    assert result.stdout.endswith(f"your setting: \n{score}")


def test_a_log_that_cannot_be_used_is_told_before_the_first_hand(
    terminal: Callable[..., Terminal], tmp_path: Path
) -> None:
    session = terminal("--log", str(tmp_path))
    rest = session.rest()
    assert rest.endswith(f"error: {tmp_path}: Is a directory\n")
    assert "Hand 1" not in rest
    assert session.process.wait(10) == 1


def plain(text: str) -> str:
    """Text without colours, with letters for suits and on one line."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", text)
    for symbol, suit in zip("♣♦♥♠", "cdhs", strict=True):
        text = text.replace(symbol, suit)
    return " ".join(text.split())
