"""`capsa score`: the files it reads, what it answers, and what it says of wrong tables."""

import csv
import io
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from solver.cli import app

HEADER = "player,back,middle,front"
ALICE = "Alice,As Ks 6s 5s 3s,Qh Qs 8c 3c 2h,Js Jd 9h"
BOB = "Bob,Kc Qc 6c 5c 4c,Kd 6d 5d 4d 3d,Th 9s 7s"
CAL = "Cal,Tc Td Ts 4h 2c,7c 7d 7h 4s 2d,8d 8h 6h"
DRAGON = "Dru,As Kd Qc Jc Tc,9s 8d 7c 6c 5c,4s 3d 2c"
PAIRS = "Pam,Ah Ad Kc Kh 2d,Qh Qd Js Jh 9c,Ts Th 9d"
FOUR = """player,back,middle,front
Ann,K♣K♦K♥2♣2♦,A♣A♦A♥3♣4♦,Q♣Q♦Q♥
Bob,5♠7♠8♠9♠J♠,J♣J♦6♣8♦9♣,T♠9♥4♠
Cy,4♥5♥6♥7♣8♣,T♥T♣2♥3♦5♦,Q♠J♥9♦
Dee,As Ks Td 8h 2s,7d 7h 6d 6s 5c,3h 3s 4c
"""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are named as a person names them."""
    monkeypatch.chdir(tmp_path)


def run(table: str | bytes, *arguments: str, stakes: str | None = None) -> Result:
    """Settle the text of a table; an exception that got out fails the test."""
    data = table if isinstance(table, bytes) else table.encode()
    Path("t.csv").write_bytes(data)
    if stakes is not None:
        Path("s.csv").write_text(stakes, encoding="utf-8")
        arguments = ("--stakes", "s.csv", *arguments)
    result = CliRunner(env={"COLUMNS": "80"}).invoke(app, ["score", "t.csv", *arguments])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def answer(table: str | bytes, *arguments: str, stakes: str | None = None) -> dict[str, object]:
    """The answer as json, of a table that can be settled."""
    result = run(table, "--format", "json", *arguments, stakes=stakes)
    assert result.exit_code == 0, result.stderr
    read: dict[str, object] = json.loads(result.stdout)
    return read


def errors(table: str | bytes, *arguments: str, stakes: str | None = None) -> list[str]:
    """What is said of a wrong table."""
    result = run(table, *arguments, stakes=stakes)
    assert (result.exit_code, result.stdout) == (1, "")
    lines = [line for line in result.stderr.splitlines() if not line.startswith("compiling")]
    assert all(line.startswith("error: ") for line in lines)
    return [line.removeprefix("error: ") for line in lines]


def lines(*rows: str) -> str:
    return "".join(f"{row}\n" for row in rows)


# What it answers


def test_table() -> None:
    result = run(lines(HEADER, ALICE, BOB), stakes="player_a,player_b,unit\nBob,Alice,0.25\n")
    assert result.stdout == lines(
        "Bob pays Alice 2 units of 0.25: 0.50",
        "  back: Alice, ace-high flush over king-high flush: +1",
        "  middle: Bob, king-high flush over pair of queens, eight kicker: -1",
        "  front: Alice, pair of jacks, nine kicker over ten high: +1",
        "  more rows: Alice: +1",
        "",
        "Totals",
        "  Alice  +0.50",
        "  Bob    -0.50",
    )


def test_json() -> None:
    stakes = "player_a,player_b,unit\nAlice,Bob,100\n"
    assert answer(lines(HEADER, ALICE, BOB), "--rules", "1-6", stakes=stakes) == {
        "rules": "1-6",
        "pairs": [
            {
                "a": "Alice",
                "b": "Bob",
                "units": 1,
                "unit": "100",
                "amount": "100",
                "reasons": [
                    "back: Alice, ace-high flush over king-high flush: +1",
                    "middle: Bob, king-high flush over pair of queens, eight kicker: -1",
                    "front: Alice, pair of jacks, nine kicker over ten high: +1",
                ],
            }
        ],
        "totals": {"Alice": "100", "Bob": "-100"},
    }


def test_csv() -> None:
    result = run(lines(HEADER, ALICE, BOB, CAL), "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert [(row["a"], row["b"], row["units"], row["amount"]) for row in rows] == [
        ("Alice", "Bob", "2", "2"),
        ("Alice", "Cal", "2", "2"),
        ("Bob", "Cal", "2", "2"),
        ("Alice", "", "", "4"),
        ("Bob", "", "", "0"),
        ("Cal", "", "", "-4"),
    ]
    assert rows[0]["reasons"].endswith("; more rows: Alice: +1")


def test_four_players_of_which_one_fouled() -> None:
    totals = answer(FOUR, "--rules", "shisanshui")["totals"]
    assert totals == {"Ann": "60", "Bob": "-13", "Cy": "-15", "Dee": "-32"}


def test_stakes_differ_by_pair() -> None:
    stakes = "unit;Player_B;Player_A\n100;Bob;Alice\n10;Alice;Cal\n"
    totals = answer(lines(HEADER, ALICE, BOB, CAL), stakes=stakes)["totals"]
    assert totals == {"Alice": "220", "Bob": "-198", "Cal": "-22"}


@pytest.mark.parametrize(
    "table",
    [
        lines(HEADER.upper(), ALICE, BOB).encode("utf-8-sig"),
        lines(HEADER, "", ALICE, ",,,", BOB).replace("\n", "\r\n").encode(),
        lines(HEADER, ALICE, BOB).replace(",", ";").encode(),
        lines(HEADER, ALICE, BOB).replace(",", "\t").encode(),
        lines(
            "seat, Front ,middle,back,player,surrender",
            '1,"Js, Jd, 9h",Qh Qs 8c 3c 2h,As Ks 6s 5s 3s, Alice ,',
            "2,Th 9s 7s,Kd 6d 5d 4d 3d,Kc Qc 6c 5c 4c,Bob",
        ).encode(),
    ],
    ids=["BOM, capitals", "blank rows, CRLF", "semicolons", "tabs", "other order, another column"],
)
def test_forms_of_tables(table: bytes) -> None:
    assert answer(table)["totals"] == {"Alice": "2", "Bob": "-2"}


@pytest.mark.parametrize("name", ["dragon", "Dragon", " DRAGON "])
def test_a_declared_natural(name: str) -> None:
    table = lines(f"{HEADER},declare", f"{DRAGON},{name}", PAIRS)
    result = run(table, "--rules", "giga")
    assert "Pam pays Dru 12 units\n  natural: Dru, dragon: +12\n" in result.stdout


def test_naturals_against_each_other_may_lie_in_any_order() -> None:
    shuffled = "Pam,Ts Th 9d Qh Qd,Ah Ad Kc Kh 2d,Js Jh 9c"
    table = lines(f"{HEADER},declare", f"{DRAGON},dragon", f"{shuffled},six pairs")
    assert "naturals: Dru's dragon (52) against Pam's six-pairs (6), the higher in full: +52" in (
        run(table, "--rules", "shisanshui").stdout
    )


@pytest.mark.parametrize("said", ["yes", "Y", "true", "1"])
def test_a_surrender_needs_no_cards(said: str) -> None:
    table = lines(f"{HEADER},surrender", f"{ALICE},no", f"Bob,,,,{said}", f"{CAL},")
    totals = answer(table, "--rules", "giga")["totals"]
    assert totals == {"Alice": "3", "Bob": "-2", "Cal": "-1"}


def test_a_banker_settles_with_each_of_the_others() -> None:
    score = run(lines(HEADER, ALICE, BOB, CAL), "--rules", "malaya", "--banker", "Bob").stdout
    assert score.count(" pays ") == 2
    assert score.endswith("  Alice  +1\n  Bob     0\n  Cal    -1\n")


# What it says of wrong tables


def test_everything_wrong_is_said_at_once() -> None:
    table = lines(
        f"{HEADER},declare,surrender",
        "Alice,As Ks 6s 5s,Qh Qs 8c 3c Xx,Js Jd 9h,,",
        ",Kc Qc 6c 5c 4c,Kd 6d 5d 4d 3d,Th 9s 7s,,maybe",
        f"{CAL},six-pears,",
        f"{PAIRS.replace('Kh', '8h')},six-pairs,yes",
        "Cal,,,,,",
    )
    stakes = lines(
        "player_a,player_b,unit",
        "Cal,Pam,ten",
        "Pam,Cal,-1",
        "Cal,Pat,1",
        "Pam,Pam,1",
    )
    assert errors(table, "--rules", "shisanshui", "--banker", "Pat", stakes=stakes) == [
        "t.csv:3: surrender is 'maybe'; it must be yes or no",
        "5 players; the rules shisanshui are for 2 to 4",
        "t.csv:6: Cal is there twice",
        "the rules shisanshui have no banker; Pat cannot be one",
        "t.csv:2: Alice, back: 4 cards, the row takes 5",
        "t.csv:2: Alice, middle: not a set of cards: unknown 'Xx' at 13",
        "t.csv:3: player 2 has no name",
        "t.csv:4: Cal declares 'six-pears', which is no natural of the rules shisanshui; "
        'did you mean "six-pairs"?',
        "t.csv:5: Pam surrenders, which the rules shisanshui forbid",
        "t.csv:5: Pam both declares and surrenders; only one is possible",
        "t.csv:5: Pam declares six-pairs, which the 13 cards do not hold",
        "t.csv:6: Cal, back: no cards, the row takes 5",
        "t.csv:6: Cal, middle: no cards, the row takes 5",
        "t.csv:6: Cal, front: no cards, the row takes 3",
        "t.csv:5: Js is in Alice's front and in Pam's middle",
        "t.csv:5: Kc is in player 2's back and in Pam's back",
        "t.csv:5: Th is in player 2's front and in Pam's front",
        "t.csv:5: Ts is in Cal's back and in Pam's front",
        "t.csv:5: 2d is in Cal's middle and in Pam's back",
        "t.csv:5: 8h is in Cal's front and in Pam's back",
        "s.csv:2: Cal and Pam: the unit must be a decimal such as 0.25, 0 or more, not 'ten'",
        "s.csv:3: Pam and Cal are there twice",
        "s.csv:3: Pam and Cal: the unit must be a decimal such as 0.25, 0 or more, not '-1'",
        "s.csv:4: player 'Pat' is not at the table; did you mean \"Pam\"?",
        "s.csv:5: Pam is both players of the pair",
    ]


def test_cards_dealt_twice() -> None:
    twice = "Bob,Kc Qc 6c As Ks,Kd 6d 5d 4d 3d,Th 9s Js"
    own = "Cal,Tc Td Ts 4h 2c,7c 7d 7h 4s 4h,8d 8h 2d"
    row = "Dan,2s 2s 5h Jc Jh,6h 8s 3h 9d 9c,Ah Ad Kh"
    assert errors(lines(HEADER, ALICE, twice, own, row)) == [
        "t.csv:5: Dan, back: not a set of cards: 2s twice",
        "t.csv:3: As Ks are in Alice's back and in Bob's back",
        "t.csv:3: Js is in Alice's front and in Bob's front",
        "t.csv:4: 4h is in Cal's back and in Cal's middle",
    ]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (
            lines(HEADER, ALICE, BOB.replace("Bob", "B\x1b[1mob")),
            r"t.csv:3: B\u001b[1mob: the name has characters that cannot be shown",
        ),
        (
            lines(HEADER, ALICE, BOB.replace("Bob", '"B\u2028ob"')),
            r"t.csv:3: B\u2028ob: the name has characters that cannot be shown",
        ),
        (lines(HEADER), "t.csv: no players"),
        (lines(HEADER, ALICE), "1 player; the rules 2-4 are for 2 to 4"),
        (lines("player,back,midle,front"), "t.csv:1: no column middle"),
        (lines("player,back,middle,front,front"), "t.csv:1: two columns front"),
        (
            lines(f"{HEADER},surender", f"{ALICE},", f"{BOB},yes"),
            "t.csv:1: unknown column 'surender'; did you mean \"surrender\"?",
        ),
        (lines(HEADER, ALICE, BOB.replace(" ", ",")), "t.csv:3: 14 fields, but the header has 4"),
        (lines(HEADER, '"Alice,As').encode(), "t.csv:2: unexpected end of data"),
        ("Zoë".encode("latin-1"), "t.csv: not UTF-8 text; save the file as UTF-8"),
        ("", "t.csv:1: no column player"),
        (
            lines(f"{HEADER},declare", ALICE, f"{BOB},dragon"),
            "t.csv:3: Bob declares 'dragon', which is no natural of the rules 2-4; known: none",
        ),
    ],
)
def test_one_thing_wrong(table: str | bytes, message: str) -> None:
    assert errors(table)[0].startswith(message)


@pytest.mark.parametrize(
    ("rules", "arguments", "message"),
    [
        ("malaya", (), "the rules malaya have a banker; name one (--banker NAME)"),
        (
            "malaya",
            ("--banker", "bob"),
            "the banker 'bob' is not at the table; did you mean \"Bob\"?",
        ),
        ("2-4", ("--banker", "Bob"), "the rules 2-4 have no banker; Bob cannot be one"),
        ("2-5", (), 'no rules are called "2-5"'),
    ],
)
def test_rules_and_bankers(rules: str, arguments: tuple[str, ...], message: str) -> None:
    (found,) = errors(lines(HEADER, ALICE, BOB), "--rules", rules, *arguments)
    assert found.startswith(message)


def test_files_that_are_not_there() -> None:
    Path("t.csv").write_text(lines(HEADER, ALICE, BOB))
    for arguments in (["none.csv"], ["t.csv", "--stakes", "none.csv"]):
        result = CliRunner().invoke(app, ["score", *arguments])
        assert result.exit_code == 1
        assert result.stderr.splitlines()[-1] == "error: none.csv: No such file or directory"


@pytest.mark.parametrize("unit", ["", "1e3", "nan", "1,5", "+1", ".5", "1_0", "١"])
def test_units_that_are_no_decimals(unit: str) -> None:
    (found,) = errors(lines(HEADER, ALICE, BOB), stakes=f"player_a;player_b;unit\nBob;Alice;{unit}")
    assert found.startswith("s.csv:2: Bob and Alice: the unit must be a decimal such as 0.25")
