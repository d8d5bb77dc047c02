"""What batches read and write: files as programs make them, packed ones, broken ones."""

import csv
import gzip
import io
import random
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import polars
import pytest

from evaluator.cards import parse_hand
from solver import solve
from solver.batch import BatchReport, run_batch
from solver.batch_files import BatchError
from solver.batch_tally import Summary
from solver.columns import BATCH_COLUMNS
from solver.csv_rows import FileError
from solver.deals import deal

HANDS = [str(hand) for hand in deal(6, seed=41)]
SYMBOLS = dict(zip("cdhs", "♣♦♥♠", strict=True))


def batch(source: Path, target: Path, **options: Any) -> BatchReport:
    return run_batch(str(source), str(target), **{"opponents": "greedy", "samples": 20, **options})


def solved(path: Path, data: bytes, **options: Any) -> bytes:
    """Solve a file of that content, all of whose rows are right; return what is written."""
    path.write_bytes(data)
    target = path.with_name(f"out-{path.name}")
    report = batch(path, target, **options)
    assert (report.failed, report.errors) == (0, ())
    return target.read_bytes()


def settings(written: bytes, delimiter: str = ",") -> list[list[str]]:
    rows = csv.DictReader(io.StringIO(written.decode("utf-8-sig"), newline=""), delimiter=delimiter)
    return [[row["back"], row["middle"], row["front"]] for row in rows]


BEST = [
    [str(row) for row in solve(hand, opponents="greedy", samples=20).best.setting] for hand in HANDS
]


def drawn(hand: str) -> str:
    return " ".join(card[0].replace("T", "10") + SYMBOLS[card[1]] for card in hand.split())


# Files as programs write them


def test_excel(tmp_path: Path) -> None:
    lines = ["Nr;Spieler;HAND", *(f'{i};"Jörg; sen.";{drawn(h)}' for i, h in enumerate(HANDS))]
    data = b"\xef\xbb\xbf" + "".join(f"{line}\r\n" for line in lines).encode()
    written = solved(tmp_path / "in.csv", data)
    assert settings(written, ";") == BEST
    assert written.startswith(b"\xef\xbb\xbfNr;Spieler;HAND;back;"), "Excel can read it again"
    assert written.count(b"\r\n") == written.count(b"\n") == 7
    assert all(
        line.startswith(f"{i};") for i, line in enumerate(written.decode().split("\r\n")[1:7])
    )
    assert written.decode().count('"Jörg; sen."') == 6


def test_excel_with_a_card_a_cell(tmp_path: Path) -> None:
    names = [f"C{i}" for i in range(1, 14)]
    lines = ["\t".join([*names, "x"])] + ["\t".join([*drawn(h).split(), ""]) for h in HANDS]
    written = solved(tmp_path / "in.csv", "\r\n".join(lines).encode())
    assert settings(written, "\t") == BEST


def test_libreoffice(tmp_path: Path) -> None:
    lines = ['"id","hand","note"', *(f'{i},"{h}","a ""b"""' for i, h in enumerate(HANDS))]
    written = solved(tmp_path / "in.csv", "".join(f"{line}\n" for line in lines).encode())
    assert settings(written) == BEST
    assert written.count(b'"a ""b"""') == 6


def test_pandas(tmp_path: Path) -> None:
    lines = [",hand,stake", *(f"{i},{h},{i}.5" for i, h in enumerate(HANDS))]
    written = solved(tmp_path / "in.csv", "".join(f"{line}\n" for line in lines).encode())
    assert settings(written) == BEST
    assert written.startswith(b",hand,stake,back,")


def test_polars(tmp_path: Path) -> None:
    frame = polars.DataFrame({"hand": HANDS, "note": ["a\nb", 'c"d', "e,f", None, "", "é"]})
    written = solved(tmp_path / "in.csv", frame.write_csv().encode())
    assert settings(written) == BEST
    again = polars.read_csv(written)
    assert again.select(frame.columns).equals(polars.read_csv(frame.write_csv().encode()))
    assert again["note"].to_list()[:4] == ["a\nb", 'c"d', "e,f", None]


def test_google_sheets_and_old_macs(tmp_path: Path) -> None:
    for newline in ("\r\n", "\r"):
        text = newline.join(["hand,id", *(f"{h},7" for h in HANDS)])
        assert settings(solved(tmp_path / "in.csv", text.encode(), force=True)) == BEST


@pytest.mark.parametrize("field", ['a"b', "c\rd", "e\r\nf", '"', ";", " ", "=1+1", "\x00", "1e5"])
def test_fields_come_back_untouched(tmp_path: Path, field: str) -> None:
    text = io.StringIO(newline="")
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows([["note", "hand"], [field, HANDS[0]]])
    written = solved(tmp_path / "in.csv", text.getvalue().encode())
    rows = list(csv.DictReader(io.StringIO(written.decode(), newline="")))
    assert [row["note"] for row in rows] == [field]
    assert written.split(b",back,", 1)[0] == b'"note","hand"', "quotes and all"


def test_the_delimiter_is_that_which_makes_sense(tmp_path: Path) -> None:
    text = f'"note, with, commas";hand\nx;{HANDS[0]}\n'
    assert settings(solved(tmp_path / "in.csv", text.encode()), ";") == BEST[:1]


def test_the_rules_and_players_of_a_row(tmp_path: Path) -> None:
    asked = [("", ""), ("1-6", ""), ("", "3"), ("shisanshui", "4"), (" plain ", " 2 "), ("1-6", "")]
    text = "rules,hand,Players,id\n" + "".join(
        f"{rules},{hand},{players},7\n" for hand, (rules, players) in zip(HANDS, asked, strict=True)
    )
    written = solved(tmp_path / "in.csv", text.encode(), players=4).decode()
    added = [name for name in BATCH_COLUMNS if name != "rules"]
    assert written.splitlines()[0] == ",".join(["rules,hand,Players,id", *added])
    for row, (rules, players) in zip(csv.DictReader(io.StringIO(written)), asked, strict=True):
        own = solve(row["hand"], rules.strip() or "2-4", int(players or 4), "greedy", samples=20)
        assert (row["ev"], row["front"]) == (f"{own.ev:z.6f}", str(own.best.setting.front))
        assert (row["rules"], row["Players"]) == (rules, players)


def test_rules_and_players_that_a_row_cannot_have(tmp_path: Path) -> None:
    asked = {
        "2-5,": 'no rules are called "2-5"; ',
        "gone.toml,": "gone.toml: no such file",
        ",two": "players is 'two'; it must be a whole number",
        ",9": "9 players; the rules 2-4 are for 2 to 4",
        "\x00,": "no rules are called",
        "x" * 5000 + ".toml,": "",
    }
    lines = [f"{pair},{HANDS[0]}" for pair in asked]
    (tmp_path / "in.csv").write_text("\n".join(["rules,players,hand", *lines]))
    report = batch(tmp_path / "in.csv", tmp_path / "out.csv")
    assert report.failed == len(asked)
    for line, error, message in zip(range(2, 9), report.errors, asked.values(), strict=False):
        assert error.startswith(f"line {line}: {message}")


# Packed files


def test_gzip_both_ways(tmp_path: Path) -> None:
    data = "".join(f"{line}\n" for line in ["hand", *HANDS]).encode()
    plain = solved(tmp_path / "in.csv", data)
    packed = solved(tmp_path / "in.csv.gz", gzip.compress(data))
    assert gzip.decompress(packed) == plain
    assert packed[4:8] == bytes(4), "no time stamp"


def test_parquet_both_ways(tmp_path: Path) -> None:
    frame = polars.DataFrame(
        {
            "id": range(6),
            "hand": HANDS,
            "x": [0.5, None, 1, 2, 3, 4],
            "list": [[i] for i in range(6)],
        }
    )
    frame.write_parquet(tmp_path / "in.parquet")
    for name in ("out.parquet", "out.csv"):
        batch(tmp_path / "in.parquet", tmp_path / name)
    found = polars.read_parquet(tmp_path / "out.parquet")
    assert found.columns == [*frame.columns, *BATCH_COLUMNS]
    assert found.select(frame.columns).equals(frame), "columns keep their types"
    assert found["ev"].dtype == polars.Float64
    assert found["samples"].to_list() == [20] * 6
    assert [list(row) for row in found.select("back", "middle", "front").iter_rows()] == BEST
    assert settings((tmp_path / "out.csv").read_bytes()) == BEST

    text = "".join(f"{line}\r\n" for line in ["hand;n", *(f"{h};é" for h in HANDS)])
    (tmp_path / "in.csv").write_bytes(b"\xef\xbb\xbf" + text.encode())
    batch(tmp_path / "in.csv", tmp_path / "csv.parquet")
    assert polars.read_parquet(tmp_path / "csv.parquet")["n"].to_list() == ["é"] * 6
    assert polars.read_parquet(tmp_path / "csv.parquet")["hand"].to_list() == HANDS


def test_rows_of_parquet_are_called_rows(tmp_path: Path) -> None:
    polars.DataFrame({"hand": [HANDS[0], None, "As"]}).write_parquet(tmp_path / "in.parquet")
    report = batch(tmp_path / "in.parquet", tmp_path / "out.parquet")
    assert [error.split(":")[0] for error in report.errors] == ["row 2", "row 3"]
    errors = polars.read_parquet(tmp_path / "out.parquet")["error"].to_list()
    assert errors == [None, "no cards given; a hand has 13", "not a hand: 1 card, a hand has 13"]


def test_parquet_without_polars(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    how = r"pip install 'capsa-susun\[analysis\]', or use CSV"
    with pytest.raises(BatchError, match=how):
        solved(tmp_path / "in.parquet", b"")
    source = tmp_path / "in.csv"
    source.write_text("\n".join(["hand", *HANDS]))
    with pytest.raises(BatchError, match=how):
        batch(source, tmp_path / "out.parquet")
    assert not list(tmp_path.glob("out*")), "said before any row is solved"


# Broken files


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("in.csv", b"hand\nAs\n\xe4\n", "{} is not UTF-8 text (line 3); save the file as UTF-8"),
        ("in.csv", "hand\nAs".encode("utf-16"), "{} is not UTF-8 text (line 1); save the file"),
        ("in.csv", b"hand\n" * 500_000 + b"\xc3", "{} is not UTF-8 text (line 500001); "),
        ("in.csv.gz", b"hand\nAs\n", "{} is a damaged gzip file: Not a gzipped file"),
        ("in.csv.gz", gzip.compress(b"hand\n" * 99)[:-9], "{} is a damaged gzip file: Compressed"),
        ("in.csv.gz", gzip.compress(b"hand\n")[:-5] + b"12345", "{} is a damaged gzip file: "),
        ("in.parquet", b"hand\nAs\n", "{}: parquet: "),
        ("in.csv", b'"hand\nAs\n', "{} has no column named hand, nor c1 to c13; its columns are "),
    ],
)
def test_files_that_cannot_be_read(tmp_path: Path, name: str, data: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(FileError) as caught:
        batch(tmp_path / name, tmp_path / "out.csv")
    assert str(caught.value).startswith(message.format(tmp_path / name))
    assert "\n" not in str(caught.value)
    assert len(list(tmp_path.iterdir())) == 1


# Rows of every kind, broken in every way

ALPHABET = "AKQJT98765432cdhsxX10♠♥ \u0410\u041a\u2665\ufe0f;|/\\'`\t\x00\x1b\u202e😀é"


def spoiled(hand: str, chance: random.Random) -> str:
    """Return a line, with id, that cannot be solved."""
    cards = hand.split()
    kind = chance.randrange(12)
    if kind == 0:
        cards = cards[: chance.randrange(13)]
    elif kind == 1:
        cards[chance.randrange(1, 13)] = cards[0]
    elif kind == 2:
        cards.append("2c" if "2c" not in cards else "3c")
    elif kind == 3:
        place = chance.randrange(13)
        cards[place] = f"{chance.choice('BCXYZ1')}{cards[place][1]}"
    elif kind == 4:
        place = chance.randrange(13)
        cards[place] = cards[place][0] + chance.choice("xyzéс😀\x00")
    elif kind == 5:
        return f"1,{hand},{chance.choice(['', 'x', 'x,y'])}"
    elif kind == 6:
        return hand
    elif kind == 7:
        return f'1,"{hand}x'  # never closed
    elif kind == 8:
        return f'1,"{hand}"x'
    elif kind == 9:
        return "1," + "".join(chance.choices(ALPHABET, k=chance.randrange(1, 60)))
    elif kind == 10:
        return f"1,{hand} " + "As" * chance.randrange(1, 400)
    elif kind == 11:
        return f'"a\nb\n{chance.randrange(9)}","{hand[:-1]}"'
    return f"1,{' '.join(cards)}"


def test_rows_broken_in_every_way(tmp_path: Path) -> None:
    chance = random.Random(1)
    lines = ["id,hand"]
    for i in range(10_000):
        if i % 500 == 0:
            lines.append(f"good,{HANDS[i // 500 % 6]}")
        lines.append(spoiled(HANDS[i % 6], chance))
    (tmp_path / "in.csv").write_text("\n".join(lines), encoding="utf-8")
    report = batch(tmp_path / "in.csv", tmp_path / "out.csv", jobs=2)
    assert (report.rows, report.failed) == (10_020, 10_000)
    with open(tmp_path / "out.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 10_020
    for row in rows:
        assert bool(row["error"]) == (row["id"] != "good")
        assert bool(row["back"]) == (row["id"] == "good")
        assert row["error"].isprintable()


def test_a_quote_that_stays_open_costs_one_row(tmp_path: Path) -> None:
    lines = ["id,hand", f'1,"{HANDS[0]}', *(f"{i},{HANDS[1]}" for i in range(300))]
    (tmp_path / "in.csv").write_text("\n".join(lines))
    report = batch(tmp_path / "in.csv", tmp_path / "out.csv")
    assert (report.rows, report.errors) == (301, ("line 2: a quote is not closed",))


def test_lines_are_counted_past_fields_of_several(tmp_path: Path) -> None:
    text = f'id,hand\n\n"a\nb",{HANDS[0]}\r\n"c\n\n",As\nx,Ks\n'
    (tmp_path / "in.csv").write_text(text, newline="")
    report = batch(tmp_path / "in.csv", tmp_path / "out.csv")
    assert [error.split(":")[0] for error in report.errors] == ["line 5", "line 8"]


# What it comes to


def test_summary(tmp_path: Path) -> None:
    hands = [str(hand) for hand in deal(300, seed=42)]
    (tmp_path / "in.csv").write_text("\n".join(["hand", "As", *hands]))
    summary = batch(tmp_path / "in.csv", tmp_path / "out.csv", rules="giga").summary
    rows = list(csv.DictReader((tmp_path / "out.csv").read_text().splitlines()))[1:]
    evs = [float(row["ev"]) for row in rows]
    mean = sum(evs) / 300
    spread = (sum((ev - mean) ** 2 for ev in evs) / 299 / 300) ** 0.5
    assert (summary.rows, summary.failed) == (301, 1)
    assert summary.mean_ev == pytest.approx(mean)
    assert summary.mean_ev_se == pytest.approx(spread)
    done = Counter(row["decision"] for row in rows)
    assert done.keys() == {"set", "declare", "surrender"}
    assert summary.decisions == {what: count / 300 for what, count in done.items()}
    pairs = sum(
        solve(hand, "giga", 2, "greedy", samples=20).best.names["front"].startswith("pair")
        for hand in hands
    )
    assert summary.categories["front"]["pair"] == pytest.approx(pairs / 300)
    assert all(sum(shares.values()) == pytest.approx(1) for shares in summary.categories.values())
    leads = ((row["gap2"], line) for line, row in enumerate(rows, start=3))
    gaps = sorted((float(gap), line) for gap, line in leads if gap)
    assert [(hard.gap2, hard.line) for hard in summary.hardest] == gaps[:10]
    assert [parse_hand(hard.hand) for hard in summary.hardest] == [
        parse_hand(hands[line - 3]) for _, line in gaps[:10]
    ]


def test_summary_of_nothing(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("hand\nAs\n")
    summary = batch(tmp_path / "in.csv", tmp_path / "out.csv").summary
    none: dict[str, dict[str, float]] = {"back": {}, "middle": {}, "front": {}}
    assert summary == Summary(1, 1, None, None, {}, none, [])
