"""CSV of deals in, CSV of answers out."""

import csv
import io
import re
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from joblib import Parallel, delayed

from evaluator.cards import Cards, parse_hand
from solver import batch as batch_module
from solver import choosing, solve
from solver.batch import BatchReport, run_batch
from solver.batch_files import BatchError
from solver.columns import BATCH_COLUMNS
from solver.csv_rows import FileError
from solver.deals import deal
from solver.opening import open_table
from solver.pool import OpponentPool, make_pool
from solver.rules import RulesError, Seat
from solver.wishes import SolveError

HANDS = [str(hand) for hand in deal(6, seed=21)]
FLUSHES = "2c 3c 5c 7c 9c 2d 4d 6d 8d Td 3h 6h 9h"
ONE_SUIT = "As Ks Qs Js Ts 9s 8s 7s 6s 5s 4s 3s 2s"


class Batch:
    """Runs batches in a directory of its own."""

    report: BatchReport

    def __init__(self, directory: Path) -> None:
        self.source, self.target = directory / "in.csv", directory / "out.csv"

    report: BatchReport

    @property
    def counts(self) -> tuple[int, int]:
        """Rows, and those that failed."""
        return self.report.rows, self.report.failed

    def run(self, text: str | bytes, **options: Any) -> list[dict[str, str]]:
        """Solve a file of that text and return the rows that come out."""
        self.source.write_bytes(text if isinstance(text, bytes) else text.encode())
        options = {"opponents": "greedy", "samples": 300, **options}
        self.report = run_batch(str(self.source), str(self.target), **options)
        written = self.target.read_bytes().decode()
        first = written.split("\n", 1)[0]
        delimiter = max(",;\t", key=first.count)
        return list(csv.DictReader(io.StringIO(written), delimiter=delimiter))


@pytest.fixture
def batch(tmp_path: Path) -> Batch:
    return Batch(tmp_path)


def answers(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    return [{name: row[name] for name in BATCH_COLUMNS} for row in rows]


def column_of(*hands: str) -> str:
    return "\n".join(["hand", *hands, ""])


# What it adds


@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.parametrize("rules", ["2-4", "giga"])
def test_rows_say_what_solve_says(batch: Batch, rules: str, players: int) -> None:
    hands = [*HANDS, FLUSHES]
    rows = batch.run(column_of(*hands), rules=rules, players=players, seed=3)
    assert batch.counts == (7, 0)
    for hand, row in zip(hands, rows, strict=True):
        solution = solve(hand, rules, players, "greedy", samples=300, seed=3, top=2)
        setting = solution.best.setting
        assert row == {
            "hand": hand,
            "back": str(setting.back),
            "middle": str(setting.middle),
            "front": str(setting.front),
            "decision": solution.decision,
            "ev": f"{solution.ev:z.6f}",
            "se": f"{solution.se:z.6f}",
            "gap2": f"{solution.settings[1].gap:z.6f}",
            "samples": "300",
            "rules": rules,
            "error": "",
        }
    assert (rules == "giga") == (rows[-1]["decision"] == "declare")


def test_every_row_sits_in_the_seat_where_its_rules_have_one(batch: Batch) -> None:
    named = ["", "malaya", "2-4"]
    text = "".join(f"{HANDS[0]},{rules}\n" for rules in named)
    rows = batch.run(f"hand,rules\n{text}", rules="malaya", players=3, seat="banker")
    for row, rules in zip(rows, named, strict=True):
        seat: Seat | None = None if rules == "2-4" else "banker"
        solution = solve(HANDS[0], rules or "malaya", 3, "greedy", samples=300, seat=seat)
        assert row["ev"] == f"{solution.ev:z.6f}"


def test_columns_follow_those_of_the_file(batch: Batch) -> None:
    batch.run(f"id,hand,note\n7,{HANDS[0]},x\n")
    header = batch.target.read_text().splitlines()[0]
    assert header == "id,hand,note,back,middle,front,decision,ev,se,gap2,samples,rules,error"
    assert header.split(",")[3:] == list(BATCH_COLUMNS)


def test_a_hand_with_only_one_setting_to_speak_of(batch: Batch) -> None:
    (row,) = batch.run(column_of(ONE_SUIT))
    listed = solve(ONE_SUIT, opponents="greedy", samples=300).settings
    assert row["gap2"] == (f"{listed[1].gap:z.6f}" if len(listed) > 1 else "")


def test_all_opponents_there_are_if_none_are_asked_for(batch: Batch) -> None:
    (row,) = batch.run(column_of(HANDS[0]), samples=None, opponents="random")
    assert row["samples"] == "10000"


# What it reads


def test_other_columns_pass_through_untouched(batch: Batch) -> None:
    fields = ["  spaces  ", 'say "hi"', "a,b", "two\nlines", "007", "1.50", "ünï♠", "", "'=1+1"]
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["note", "hand", "note"])
    writer.writerows([field, HANDS[i % 6], field] for i, field in enumerate(fields))
    batch.run(text.getvalue())
    with open(batch.target, encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert header[:3] == ["note", "hand", "note"]
    assert [(row[0], row[2]) for row in rows] == [(field, field) for field in fields]
    assert batch.report.failed == 0


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.rstrip("\n"),
        lambda text: "\ufeff" + text,
        lambda text: text.replace(",", ";"),
        lambda text: text.replace(",", "\t"),
        lambda text: text.replace("\n", "\n\n"),
        lambda text: re.sub(r"[^,\n]+", r'"\g<0>"', text),
        lambda text: text.replace("id,hand", "ID, Hand "),
        lambda text: text.replace("id,hand", '"i\nd",hand'),
    ],
    ids=[
        "crlf",
        "no last newline",
        "bom",
        ";",
        "tab",
        "empty lines",
        "quotes",
        "capitals",
        "two lines",
    ],
)
def test_files_as_programs_write_them(batch: Batch, spoil: Any) -> None:
    text = "id,hand\n" + "".join(f"{i},{hand}\n" for i, hand in enumerate(HANDS))
    expected = answers(batch.run(text))
    assert answers(batch.run(spoil(text), force=True)) == expected
    assert batch.report.failed == 0


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_the_answer_has_the_delimiter_of_the_file(batch: Batch, delimiter: str) -> None:
    batch.run(f"id{delimiter}hand\n1{delimiter}{HANDS[0]}\n")
    lines = batch.target.read_text().splitlines()
    assert [line.count(delimiter) for line in lines] == [11, 11]


def test_hands_in_any_notation(batch: Batch) -> None:
    hand = HANDS[0]
    same = [hand, hand.lower(), hand.replace(" ", ""), f'"{hand.replace(" ", ",")}"']
    same += ["".join(parse_symbols(hand)), hand.replace(" ", " | ").replace("T", "10")]
    rows = batch.run(column_of(*same))
    assert answers(rows) == [answers(rows)[0]] * len(same)
    assert batch.report.failed == 0


def parse_symbols(hand: str) -> list[str]:
    return [word[0] + dict(zip("cdhs", "♣♦♥♠", strict=True))[word[1]] for word in hand.split()]


def test_thirteen_columns(batch: Batch) -> None:
    expected = answers(batch.run(column_of(*HANDS)))
    names = [f"C{i}" for i in range(13, 0, -1)]
    lines = [",".join([*names, "id"])]
    lines += [",".join([*reversed(hand.split()), "x"]) for hand in HANDS]
    rows = batch.run("\n".join(lines), force=True)
    assert answers(rows) == expected
    assert all(row["id"] == "x" for row in rows)


def test_the_column_named_hand_comes_before_thirteen(batch: Batch) -> None:
    names = [f"c{i}" for i in range(1, 14)]
    text = ",".join([*names, "hand"]) + "\n" + "," * 13 + HANDS[0]
    batch.run(text)
    assert batch.counts == (1, 0)


def test_a_column_of_another_name(batch: Batch) -> None:
    expected = answers(batch.run(column_of(*HANDS)))
    text = "hand,my cards\n" + "".join(f"none,{hand}\n" for hand in HANDS)
    assert answers(batch.run(text, force=True, column="My Cards")) == expected


def test_standard_input_and_output(monkeypatch: pytest.MonkeyPatch, batch: Batch) -> None:
    batch.run(column_of(*HANDS))
    stdin = io.TextIOWrapper(io.BytesIO(batch.source.read_bytes()))
    monkeypatch.setattr(sys, "stdin", stdin)
    out = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(out, encoding="ascii"))
    report = run_batch("-", "-", opponents="greedy", samples=300)
    assert (report.rows, report.failed) == batch.counts
    assert out.getvalue() == batch.target.read_bytes()


# Threads and progress


@pytest.mark.parametrize("rules", ["2-4", "eastern"])
def test_the_number_of_jobs_does_not_matter(batch: Batch, rules: str) -> None:
    hands = [str(hand) for hand in deal(500, seed=22)]
    hands[77] = hands[300] = "not a hand"
    written = []
    for jobs in (1, 2, 3):
        batch.run(column_of(*hands), jobs=jobs, rules=rules, samples=60, force=True)
        written.append(batch.target.read_bytes())
        assert batch.counts == (500, 2)
    assert written[0] == written[1] == written[2]


def test_the_size_of_chunks_does_not_matter(batch: Batch, monkeypatch: pytest.MonkeyPatch) -> None:
    text = column_of(*(str(hand) for hand in deal(200, seed=25)), "As")
    written = []
    for chunk, wave in ((64, 32), (1, 1), (7, 3), (1000, 1)):
        monkeypatch.setattr(batch_module, "_CHUNK", chunk)
        monkeypatch.setattr(batch_module, "_wave", lambda _threads, wave=wave: wave)
        batch.run(text, jobs=2, samples=20, force=True)
        written.append(batch.target.read_bytes())
    assert written == [written[0]] * 4


def test_threads_that_start_together_load_a_pool_once(monkeypatch: pytest.MonkeyPatch) -> None:
    loads: list[str] = []

    def load(name: str, *_: object) -> OpponentPool:
        loads.append(name)
        time.sleep(0.05)
        return make_pool(name, records=100)

    monkeypatch.setattr(choosing, "_pools", {})
    monkeypatch.setattr(choosing, "load_pool", load)
    tables = Parallel(4, prefer="threads")(
        delayed(open_table)(opponents="greedy") for _ in range(8)
    )
    assert loads == ["greedy"]
    assert len({id(table.pool) for table in tables}) == 1


def test_rows_keep_their_order_and_progress_is_told(batch: Batch) -> None:
    hands = deal(300, seed=23)
    told: list[tuple[int, ...]] = []
    rows = batch.run(
        column_of(*map(str, hands)), jobs=2, samples=2, progress=lambda *done: told.append(done)
    )
    assert [parse_hand(row["hand"]) for row in rows] == hands
    for row, hand in zip(rows, hands, strict=True):
        assert (
            Cards(parse_hand(" ".join(row[name] for name in ("back", "middle", "front")))) == hand
        )
    assert told == sorted(told)
    assert told[-1][:2] == (300, 300)


# What goes wrong


def test_bad_rows_say_why_and_the_others_are_solved(batch: Batch) -> None:
    text = (
        f"id,hand\n1,{HANDS[0]}\n2,As Kd\n3\n4,\n5,{HANDS[1]},6\n"
        f'6,"As As Kx\n{HANDS[2]}"\n7,{HANDS[2]}\n'
    )
    rows = batch.run(text)
    assert [row["id"] for row in rows] == list("1234567")
    assert [bool(row["error"]) for row in rows] == [False, True, True, True, True, True, False]
    assert rows[2]["error"] == "1 field, but the header has 2"
    assert rows[4]["error"] == "3 fields, but the header has 2"
    assert "2 cards" in rows[1]["error"]
    for row in rows[1:6]:
        assert [row[name] for name in BATCH_COLUMNS[:-1]] == [""] * 9
    assert rows[0]["back"]
    assert rows[6]["back"]
    assert batch.counts == (7, 5)
    assert [error.split(":")[0] for error in batch.report.errors] == [
        *("line 3", "line 4", "line 5", "line 6", "line 7")
    ]
    assert all("\n" not in error for error in batch.report.errors)


def test_hands_with_too_few_opponents_say_how_many_there_are(batch: Batch) -> None:
    rows = batch.run(column_of(*HANDS[:2]), samples=10**7)
    assert batch.report.failed == 2
    for row in rows:
        assert row["error"].startswith("10000000 samples asked for, but the pool greedy has only ")
        assert row["error"].endswith(" opponents without a card of this hand; ask for fewer")


def test_only_the_first_errors_are_reported(batch: Batch) -> None:
    batch.run(column_of(*["As"] * 200))
    assert (batch.report.rows, batch.report.failed, len(batch.report.errors)) == (200, 200, 10)
    assert batch.report.errors[9].startswith("line 11: ")


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("", {}, "{} is empty; it needs a header row with a column named hand"),
        ("\n\n", {}, "{} is empty; it needs a header row with a column named hand"),
        ("hand,id\n", {}, "{} has no rows below its header"),
        ("id,cards\n", {}, "{} has no column named hand, nor c1 to c13; its columns are id, cards"),
        ("c1,c2\n", {}, "{} has no column named hand, nor c1 to c13; its columns are c1, c2"),
        ("id,hand\n", {"column": "x"}, "{} has no column 'x'; its columns are id, hand"),
        (
            "hand,ev,error\n",
            {},
            "{} has columns that batch adds: ev, error; rename them",
        ),
        (b"hand\n\xff\xfe\n", {}, "{} is not UTF-8 text (line 2); save the file as UTF-8"),
    ],
    ids=["empty", "newlines", "no rows", "no hand", "c1, c2", "no column", "clash", "latin-1"],
)
def test_files_that_cannot_be_solved(
    batch: Batch, text: str | bytes, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(FileError) as caught:
        batch.run(text, **options)
    assert str(caught.value) == message.format(batch.source)
    assert list(batch.source.parent.iterdir()) == [batch.source], "nothing half-written"


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_stops_a_batch_late_leaves_nothing(batch: Batch, jobs: int) -> None:
    lines = [str(hand) for hand in deal(2000, seed=24)]
    text = column_of(*lines).encode() + b"\xff\n"
    with pytest.raises(FileError, match="not UTF-8"):
        batch.run(text, samples=2, jobs=jobs)
    assert list(batch.source.parent.iterdir()) == [batch.source]


def test_wrong_options_are_told_before_anything_is_written(batch: Batch) -> None:
    for options, error in (({"rules": "2-5"}, RulesError), ({"samples": 1}, SolveError)):
        with pytest.raises(error):
            batch.run(column_of(HANDS[0]), **options)
    assert list(batch.source.parent.iterdir()) == [batch.source]


def test_an_existing_target_is_kept_unless_forced(batch: Batch) -> None:
    batch.target.write_text("precious")
    with pytest.raises(BatchError) as caught:
        batch.run(column_of(HANDS[0]))
    expected = f"{batch.target} exists; replace it with --force, or write to another file"
    assert str(caught.value) == expected
    assert batch.target.read_text() == "precious"
    assert len(batch.run(column_of(HANDS[0]), force=True)) == 1


def test_a_failed_batch_keeps_the_target_it_would_replace(batch: Batch) -> None:
    batch.target.write_text("precious")
    with pytest.raises(FileError):
        batch.run(b"hand\n\xff\n", force=True)
    assert batch.target.read_text() == "precious"


def test_a_file_may_be_replaced_by_its_own_answers(batch: Batch) -> None:
    batch.source.write_text(column_of(*HANDS))
    report = run_batch(
        str(batch.source), str(batch.source), opponents="greedy", samples=50, force=True
    )
    assert (report.rows, report.failed) == (6, 0)
    assert batch.source.read_text().count("\n") == 7


def test_targets_that_cannot_be_files(batch: Batch) -> None:
    folder = batch.source.parent
    batch.source.write_text(column_of(HANDS[0]))
    for target, message in (
        (folder, f"{folder} is a directory; name a file in it"),
        (
            folder / "new" / "out.csv",
            f"{folder / 'new'} is no directory; make it, or write to another file",
        ),
    ):
        with pytest.raises(BatchError) as caught:
            run_batch(str(batch.source), str(target), opponents="greedy", force=True)
        assert str(caught.value) == message


def test_a_source_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        run_batch(str(tmp_path / "gone.csv"), str(tmp_path / "out.csv"))
