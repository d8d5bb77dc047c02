"""Recorded settings as opponents: read right, refused with reasons, and used like any pool."""

import csv
import gzip
import re
from collections.abc import Callable, Iterator
from itertools import permutations
from pathlib import Path

import naive
import naive_opponents
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.cards import Cards
from solver import choosing, solve, solve_many
from solver.batch import run_batch
from solver.csv_rows import FileError
from solver.deals import deal
from solver.opening import open_table
from solver.pool import (
    DECLARE,
    SET,
    SURRENDER,
    OpponentPool,
    PoolError,
    make_pool,
    read_pool,
    write_pool,
)
from solver.recorded import FEWEST, read_recorded
from solver.rules import RuleSet, load_rules
from solver.wishes import SolveError

HAND = "As Ks Qs Js 6s 5s 3s Qh 9h 2h Jd 8c 3c"
RULES, GIGA = load_rules("2-4"), load_rules("giga")
LEGAL = ("Ac Kc 6c 5c 3c", "Qh Qs 8c 3d 2h", "Js Jd 9h")
OTHER = ("9s 7s Th Kd Kc", "Qc Qd 4h 5d 7c", "2d 3h 8s")
SIX_PAIRS = ("9c 9d Tc Td 2h", "Ac Ad Kc Kd Qc", "Qd Jc Jd")  # a foul, but for the natural
ROWS = 150


def greedy_rows(records: int, seed: int) -> Iterator[tuple[str, ...]]:
    """What the naive greedy player makes of deals, as text."""
    for hand in deal(records, seed):
        yield tuple(str(Cards(row)) for row in naive_opponents.greedy_setting(tuple(hand)))


@pytest.fixture(scope="module")
def greedy_text() -> str:
    """Settings of a greedy player, in a table with more columns and another order."""
    rows = greedy_rows(ROWS, 21)
    lines = (f"{i},{front},{middle},{back}" for i, (back, middle, front) in enumerate(rows))
    return "\n".join(["game,front,Middle, BACK", *lines, ""])


def read(
    path: Path, text: str | bytes, rules: RuleSet = RULES, strict: bool = False
) -> tuple[OpponentPool, list[str]]:
    """Read a file of that text; return also the lines that are told."""
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    told: list[str] = []
    pool = read_recorded(path, rules, strict, lambda what, _share: told.extend(what.splitlines()))
    return pool, told


def table(*rows: tuple[str, ...], header: str = "back,middle,front") -> str:
    return "\n".join([header, *map(",".join, rows), ""])


def same(one: OpponentPool, other: OpponentPool) -> bool:
    """Whether two pools are the same but for their names."""
    return all(
        np.array_equal(getattr(one, name), getattr(other, name))
        for name in ("hands", "strengths", "broken", "decisions")
    )


# What is read


def test_a_recorded_player_is_as_good_as_the_pool_of_the_same_player(
    greedy_text: str, tmp_path: Path
) -> None:
    pool, told = read(tmp_path / "club.csv", greedy_text)
    made = make_pool("greedy", records=ROWS, seed=21)
    assert told == []
    assert (pool.hands == made.hands).all()
    assert (pool.strengths == made.strengths).all()
    assert (pool.broken == made.broken).all()
    assert (pool.decisions == SET).all()
    recorded, known = (solve(HAND, opponents=who, samples=20) for who in (pool, made))
    assert (recorded.opponents, known.opponents) == ("club.csv", "greedy")
    assert recorded.settings == known.settings


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("semicolons.csv", lambda text: text.replace(",", ";").encode()),
        ("tabs.csv", lambda text: text.replace(",", "\t").encode()),
        ("excel.csv", lambda text: b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()),
        ("packed.csv.gz", lambda text: gzip.compress(text.encode())),
        ("symbols.csv", lambda text: re.sub("(?<=[2-9TJQKA])s", "♠", text).encode()),
        ("tens.csv", lambda text: text.replace("T", "10").replace(" ", "").encode()),
        ("blank.csv", lambda text: text.replace("\n", "\n\n").encode()),
    ],
)
def test_files_of_every_kind(
    name: str, write: Callable[[str], bytes], greedy_text: str, tmp_path: Path
) -> None:
    plain, _ = read(tmp_path / "plain.csv", greedy_text)
    pool, told = read(tmp_path / name, write(greedy_text))
    assert told == []
    assert same(pool, plain)


def test_the_wheel_of_the_rules_is_the_recorded_players(tmp_path: Path) -> None:
    wheel_over_king_high = ("As 2d 3h 4c 5s", "Ks Qd Jh Tc 9s", "2h 3d 7c")
    text = table(wheel_over_king_high, LEGAL, LEGAL)
    assert len(read(tmp_path / "in.csv", text, load_rules("hong-kong"))[0].hands) == 3
    _, told = read(tmp_path / "in.csv", text)
    assert told[0] == (
        f"{tmp_path / 'in.csv'}:2: a foul: middle (king-high straight) beats back "
        "(five-high straight)"
    )


@pytest.mark.parametrize(
    ("rules", "decisions"),
    [(GIGA, [DECLARE, DECLARE, SURRENDER, SET]), (load_rules("eastern"), [DECLARE, DECLARE, SET])],
)
def test_declared_and_surrendered_hands(
    rules: RuleSet, decisions: list[int], tmp_path: Path
) -> None:
    rows = ((*SIX_PAIRS, "six-pairs", ""), (*SIX_PAIRS, "yes", "no"), (*LEGAL, "", "yes"))
    text = table(*rows, (*LEGAL, "no", ""), header="back,middle,front,declare,surrender")
    pool, told = read(tmp_path / "in.csv", text, rules)
    assert pool.decisions.tolist() == decisions
    assert len(told) == 2 * (len(decisions) < 4)


def test_naturals_that_are_forced_are_declared_whatever_was_recorded(tmp_path: Path) -> None:
    forced = load_rules_with(tmp_path, "optional = false")
    text = table(SIX_PAIRS, LEGAL, LEGAL)
    pool, told = read(tmp_path / "in.csv", text, forced)
    assert (pool.decisions.tolist(), told) == ([DECLARE, SET, SET], [])
    _, told = read(tmp_path / "in.csv", text, GIGA)
    assert len(told) == 2


def load_rules_with(directory: Path, line: str) -> RuleSet:
    (directory / "own.toml").write_text(f'extends = "giga"\n{line}\n')
    return load_rules(directory / "own.toml")


# What is refused


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (("Qh Qs 8c 3d 2h", "Ac Kc 6c 5c 3c", "Js Jd 9h"), "a foul: middle (ace-high flush) beats"),
        (
            ("2c 3c 4h 5d 7c", "9s 9d Th Kd Qd", "2d 2h 2s"),
            "a foul: middle (pair of nines, king kicker) beats back (seven high) and front (three "
            "deuces) beats middle (pair of nines, king kicker)",
        ),
        (
            ("Ac Kc 6c 5c", "Qh Qs 8c 3d 2h 2h", "Js Jx Jx"),
            "back: 4 cards, the row takes 5; middle: not a set of cards: 2h twice; "
            "front: not a set of cards: unknown 'Jx' at 4, 'Jx' at 7",
        ),
        (("Ac Kc 6c 5c 3c", "Ac Qs 8c 3c 2h", "Js"), "front: 1 card, the row takes 3; Ac 3c in"),
        (("", "", ""), "back: no cards, the row takes 5; middle: no cards, the row takes 5; front"),
        (("Ac",), "1 field, but the header has 3"),
        ((*LEGAL, "1"), "4 fields, but the header has 3"),
    ],
)
def test_rows_that_cannot_be_used(row: tuple[str, ...], reason: str, tmp_path: Path) -> None:
    text, path = table(LEGAL, row, LEGAL), tmp_path / "in.csv"
    pool, (why, count) = read(path, text)
    assert why.startswith(f"{path}:3: {reason}")
    assert count == "1 of 3 recorded settings skipped"
    assert len(pool.hands) == 2
    with pytest.raises(PoolError, match=f"^{re.escape(why)}$"):
        read(path, text, strict=True)


@pytest.mark.parametrize(
    ("row", "rules", "reason"),
    [
        ((*LEGAL, "yes", ""), GIGA, "declares, but holds no natural of the rules giga"),
        ((*SIX_PAIRS, "yes", ""), RULES, "declares, but holds no natural of the rules 2-4"),
        ((*LEGAL, "", "yes"), RULES, "surrenders, which the rules 2-4 forbid"),
        ((*LEGAL, "yes", "1"), GIGA, "both declares and surrenders; only one is possible"),
    ],
)
def test_decisions_that_cannot_be(
    row: tuple[str, ...], rules: RuleSet, reason: str, tmp_path: Path
) -> None:
    none = (*LEGAL, "", "")
    text = table(none, none, row, header="back,middle,front,declare,surrender")
    _, told = read(tmp_path / "in.csv", text, rules)
    assert told[0] == f"{tmp_path / 'in.csv'}:4: {reason}"


def test_the_first_ten_are_told_and_the_rest_counted(tmp_path: Path) -> None:
    _, told = read(tmp_path / "in.csv", table(LEGAL, *[("As", "", "")] * 1200, LEGAL))
    assert [line.split(": ")[0].rsplit(":")[-1] for line in told[:10]] == [*map(str, range(3, 13))]
    assert told[10:] == ["and 1,190 more rows", "1,200 of 1,202 recorded settings skipped"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "{} is empty; it needs a header row with columns back, middle, front"),
        ("back,middle,front\n", "{} has no rows below its header"),
        (table(LEGAL), "{} has fewer than two usable settings; an estimate needs hundreds"),
        (
            table(("As", "Kd", "x")),
            "{} has fewer than two usable settings; an estimate needs hundreds",
        ),
        (
            "back,middle\nAs,Kd\n",
            "{}: no column front; recorded settings have a header row with columns back, middle, "
            "front",
        ),
        (
            "back;Back;middle\n",
            "{}: no column front, two columns back; recorded settings have a header row with "
            "columns back, middle, front",
        ),
        (b"back,middle,front\n\xff\n", "{} is not UTF-8 text (line 2); save the file as UTF-8"),
    ],
)
def test_files_that_cannot_be_used(text: str | bytes, message: str, tmp_path: Path) -> None:
    with pytest.raises((PoolError, FileError)) as caught:
        read(tmp_path / "in.csv", text)
    assert str(caught.value) == message.format(tmp_path / "in.csv")


CARDS = st.lists(st.sampled_from(" ".join((*LEGAL, *OTHER)).split()), max_size=6).map(" ".join)
FIELDS = st.sampled_from((*LEGAL, *OTHER)) | CARDS | st.text(st.characters(codec="utf-8"))


@given(st.lists(st.tuples(FIELDS, FIELDS, FIELDS), min_size=1, max_size=4), st.booleans())
def test_whatever_stands_in_a_row_it_is_a_legal_setting_or_told(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, ...]], strict: bool
) -> None:
    path = tmp_path_factory.mktemp("any") / "in.csv"
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("back", "middle", "front"), LEGAL, LEGAL, *rows])
    told: list[str] = []
    try:
        pool = read_recorded(path, RULES, strict, lambda what, _share: told.append(what))
    except (PoolError, FileError):
        assert strict
    else:
        assert (np.diff(pool.strengths) <= 0).all()
        assert len(pool.hands) == 2 + len(rows) or told


# How they are used


@pytest.fixture
def club(greedy_text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(choosing, "_pools", {})
    (tmp_path / "club.csv").write_text(greedy_text)
    return tmp_path / "club.csv"


def test_a_hand_that_meets_too_few_says_how_many(club: Path) -> None:
    table = open_table(opponents=club)
    few = naive.conditional_opponents(
        naive.parse(HAND),
        [tuple(Cards.from_mask(int(hand))) for hand in table.pool.hands],
        permutations(range(4)),
    )
    assert 2 < len(few) < FEWEST
    told = (
        f"the pool club.csv has {len(few)} opponents without a card of this hand, but 100 are "
        f"needed; take a larger pool, or ask for --samples {len(few)}"
    )
    for ask in (lambda: solve(HAND, opponents=club), lambda: solve_many([HAND], opponents=club)):
        with pytest.raises(SolveError, match=f"{re.escape(told)}$"):
            ask()
    assert solve(HAND, opponents=club, samples=len(few)).samples == len(few), "asked for, so few"


def test_a_batch_against_them(club: Path) -> None:
    source, target = club.with_name("in.csv"), club.with_name("out.csv")
    other = "Kh Kd Kc Qh Js Jh 9s 8s 7d 6d 5s 5h 2h"
    source.write_text(f"hand\n{HAND}\n{other}\n")
    report = run_batch(str(source), str(target), opponents=str(club))
    assert report.failed == 2
    assert "opponents without a card of this hand, but 100 are needed; " in report.errors[0]
    run_batch(str(source), str(target), opponents=str(club), samples=20, force=True)
    first = target.read_text().splitlines()[1].split(",")
    assert float(first[5]) == pytest.approx(solve(HAND, opponents=club, samples=20).ev, abs=1e-6)
    digest = open_table(opponents=club).pool.digest[:12]
    assert f"club.csv ({digest})" in target.with_name("out.csv.journal").read_text()


def test_a_changed_file_is_read_again(club: Path) -> None:
    before = open_table(opponents=club).pool
    assert open_table(opponents=club).pool is before
    club.write_text(club.read_text() + f"x,{LEGAL[2]},{LEGAL[1]},{LEGAL[0]}\n")
    after = open_table(opponents=club).pool
    assert len(after.hands) == ROWS + 1
    assert after.digest != before.digest


def test_which_hands_were_dealt_counts_in_the_digest_and_is_kept(tmp_path: Path) -> None:
    swapped = [row.translate(str.maketrans("cd", "dc")) for row in LEGAL]
    one, _ = read(tmp_path / "in.csv", table(LEGAL, OTHER))
    two, _ = read(tmp_path / "in.csv", table(tuple(swapped), OTHER))
    assert (one.strengths == two.strengths).all()
    assert one.digest != two.digest
    write_pool(one, tmp_path / "pool.npz")
    assert same(read_pool(tmp_path / "pool.npz"), one)
