"""What can be wrong with a rule file, and the lines it is found on."""

import json
import tomllib
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from solver.rules import (
    CATEGORIES,
    NATURALS,
    RANKS,
    ROWS,
    Problem,
    RulesError,
    RuleSet,
    biggest_payment,
    load_rules,
    preset_names,
)
from solver.rules_check import MAX_PAYMENT
from solver.rules_lines import Key, key_lines
from solver.rules_words import cautions, describe

PRESETS = preset_names()
Write = Callable[[str], Path]
NATURAL = '[[naturals]]\nname = "dragon"\nunits = 3\n'


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a rule file of that text and return its path."""

    def write_text(text: str) -> Path:
        path = tmp_path / "house.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write_text


def problems(path: Path) -> list[tuple[int | None, str, str]]:
    """Line, key and message of all that is wrong with a file that must not load."""
    with pytest.raises(RulesError) as caught:
        load_rules(path)
    assert {problem.file for problem in caught.value.problems} == {str(path)}
    return [(problem.line, problem.key, problem.message) for problem in caught.value.problems]


def test_an_unknown_preset_lists_them_and_suggests_the_closest() -> None:
    with pytest.raises(RulesError) as caught:
        load_rules("shisansui")
    message = str(caught.value)
    assert message.startswith('no rules are called "shisansui"; did you mean "shisanshui"? presets')
    assert all(name in message for name in PRESETS)
    assert "\n" not in message


@pytest.mark.parametrize("name", ["", "../rulesets/2-4", "2-4/", "house"])
def test_a_name_is_never_part_of_a_path(name: str) -> None:
    with pytest.raises(RulesError, match="no rules are called"):
        load_rules(name)


@pytest.mark.parametrize(
    ("text", "line", "key", "message"),
    [
        ("\nscoop_unit = 3", 2, "scoop_unit", 'unknown key; did you mean "scoop_units"?'),
        ('"a b" = 3', 1, "'a b'", "unknown key; known: title, source"),
        ("gun = true", 1, "gun", "must be a whole number from 1 to 10, not true"),
        ("gun = 2.0", 1, "gun", "must be a whole number from 1 to 10, not 2.0"),
        ('gun = "2"', 1, "gun", 'must be a whole number from 1 to 10, not "2"'),
        ("gun = 0", 1, "gun", "must be a whole number from 1 to 10, not 0"),
        ("gun = 11", 1, "gun", "must be a whole number from 1 to 10, not 11"),
        ("majority = -1", 1, "majority", "must be a whole number from 0 to 1000, not -1"),
        ("scoop_units = 1001", 1, "scoop_units", "must be a whole number from 0 to 1000"),
        ("surrender = 0", 1, "surrender", 'from 1 to 1000 or "off", not 0'),
        ('foul = "flat"', 1, "foul", 'from 0 to 1000 or "scooped", not "flat"'),
        ("home_run_min_players = 5", 1, "home_run_min_players", "from 2 to 4, not 5"),
        ("banker = 1", 1, "banker", "must be true or false, not 1"),
        ('wheel = "low"', 1, "wheel", 'must be "lowest" or "second", not "low"'),
        ("wheel = []", 1, "wheel", 'must be "lowest" or "second", not []'),
        ("optional = 1979-05-27", 1, "optional", "must be true or false"),
        ('title = " "', 1, "title", 'must be a text, not " "'),
        ('title = "a\\u001b[1m"', 1, "title", r'cannot be shown, not "a\u001b[1m"'),
        ('source = "a\\u007f"', 1, "source", r'cannot be shown, not "a\u007f"'),
        ('source = "a\u202eb"', 1, "source", r'cannot be shown, not "a\u202eb"'),
        ('notes = ["a", "b\\nc"]', 1, "notes", "item 2 must be one line without characters that"),
        ("notes = [1]", 1, "notes", "item 1 must be a text, not 1"),
        ("notes = 1", 1, "notes", "must be an array of texts, not 1"),
        ('sourcing = "unstated"', 1, "sourcing", 'must be "strong" or "good"'),
        ("players = [4, 2]", 1, "players", "2 <= min <= max <= 4, not [4, 2]"),
        ("players = [1, 4]", 1, "players", "2 <= min <= max <= 4, not [1, 4]"),
        ("players = [2, 5]", 1, "players", "2 <= min <= max <= 4, not [2, 5]"),
        ("players = [2]", 1, "players", "2 <= min <= max <= 4, not [2]"),
        ("players = [true, 4]", 1, "players", "2 <= min <= max <= 4, not [true, 4]"),
        ("rows = 2", 1, "rows", "must be a table of back, middle, front, not 2"),
        ("rows = {\tback = 1, top = 2}", 1, "rows.top", "unknown key; known: back, middle, front"),
        ("rows.front = -2", 1, "rows.front", "must be a whole number from 0 to 1000, not -2"),
        ("[royalties]\n\nlimit = 4", 3, "royalties.limit", 'from 0 to 3 or "none", not 4'),
        (
            "[royalties.front]\nfull-house = 3",
            2,
            "royalties.front.full-house",
            "three cards cannot hold it; front takes high-card, pair, trips",
        ),
        ("[royalties.back]\nquad = 3", 2, "royalties.back.quad", 'did you mean "quads"?'),
        ("[royalties.back]\ntrips = {A = 3}", 2, "royalties.back.trips", "not a table"),
        ("[royalties.front]\npair = {10 = 3}", 2, "royalties.front.pair.10", "known: 2, 3, 4"),
        ("[royalties.front.pair]\nA = 'x'", 2, "royalties.front.pair.A", 'not "x"'),
        ("[naturals]\ndragon = 3", 1, "naturals", "must be an array of tables, not a table"),
        ("naturals = [\n3]", 2, "naturals[1]", "must be a table with name and units, not 3"),
        (NATURAL + NATURAL, 5, "naturals[2].name", "dragon is listed twice"),
        (NATURAL.replace("3", "-3"), 3, "naturals[1].units", "from 0 to 1000, not -3"),
        (NATURAL.replace("dragon", "dragoon"), 2, "naturals[1].name", 'did you mean "dragon"?'),
        (NATURAL.replace("dragon", "a\\u0007"), 2, "naturals[1].name", "cannot be shown, not"),
        (NATURAL.replace('"dragon"', "3"), 2, "naturals[1].name", "must be a text, not 3"),
        ('[[naturals]]\nname = "dragon"', 1, "naturals[1]", "has no units"),
        ("[[naturals]]\nunits = 3", 1, "naturals[1]", "has no name"),
        (NATURAL + "unit = 4", 4, "naturals[1].unit", 'did you mean "units"?'),
        (
            NATURAL + 'pairs = "strict"',
            4,
            "naturals[1].pairs",
            "only five-pairs-and-trips and six-pairs may have it",
        ),
        (NATURAL + "wheel_front = true", 4, "naturals[1].wheel_front", "only three-straights"),
        (
            NATURAL.replace("dragon", "five-pairs-and-trips") + 'pairs = "floor"',
            4,
            "naturals[1].pairs",
            'must be "strict" or "quad-is-two", not "floor"',
        ),
        ('extends = "2-5"', 1, "extends", 'no preset "2-5"; did you mean "2-4"?'),
        ('extends = "house.toml"', 1, "extends", "no preset"),
        ('extends = "../rulesets/2-4"', 1, "extends", "no preset"),
        ('extends = ["2-4"]', 1, "extends", 'must be the name of a preset, not ["2-4"]'),
        ("\nhome_run = 2", 2, "home_run", "set gun to 2 or more, or home_run to 1"),
        ('extends = "mau-binh"\ngun = 1', 2, "gun", "set gun to 2 or more, or home_run to 1"),
        ('majority_rule = "two-wins"', 1, "majority_rule", "has no effect while majority is 0"),
        (
            "gun = 2\nhome_run_min_players = 4",
            2,
            "home_run_min_players",
            "has no effect while home_run is 1",
        ),
    ],
)
def test_one_problem(write: Write, text: str, line: int, key: str, message: str) -> None:
    ((found_line, found_key, found_message),) = problems(write(text))
    assert (found_line, found_key) == (line, key)
    assert message in found_message
    assert "\n" not in found_message


@pytest.mark.parametrize("limit", [0, 1, 2, 3])
def test_a_limit_forbids_royalties_below_the_plain_row(write: Write, limit: int) -> None:
    text = (
        'rows.back = 3\n[royalties]\narithmetic = "{}"\nlimit = {}\n'
        "back = {{ quads = 2, straight-flush = 3 }}"
    )
    assert problems(write(text.format("replace", limit))) == [
        (
            4,
            "royalties.limit",
            "limit pays the best royalties, so none may be worth less than the plain row: "
            "back quads is 2, a plain row 3",
        )
    ]
    assert load_rules(write(text.format("add", limit))).royalties.limit == limit
    assert load_rules(write(text.format("replace", '"none"'))).royalties.limit is None


def test_a_payment_above_the_limit_is_refused(write: Write) -> None:
    text = "gun = 10\nhome_run = 10\nscoop_units = {}"
    assert biggest_payment(load_rules(write(text.format(297)))) == MAX_PAYMENT
    assert problems(write(text.format(298))) == [
        (None, "", "one player could owe another 30,100 units; at most 30,000 are allowed")
    ]


def test_all_problems_are_told_at_once_in_file_order(write: Write) -> None:
    path = write(
        'extends = "2-4"  # home_run = 9\n'
        "home_run = 2\n"
        "rows = { back = -1, midle = 2 }\n"
        "[royalties]\n"
        "front.full-house = 3\n"
        "[royalties.middle]\n"
        "quads = 1.5\n"
        "[[naturals]]\n"
        'name = "dragon"\n'
        "units = 3\n"
        "[[naturals]]\n"
        "units = -3\n"
        'name = "dragon"\n'
    )
    assert [(line, key) for line, key, _ in problems(path)] == [
        (2, "home_run"),
        (3, "rows.back"),
        (3, "rows.midle"),
        (5, "royalties.front.full-house"),
        (7, "royalties.middle.quads"),
        (12, "naturals[2].units"),
        (13, "naturals[2].name"),
    ]
    with pytest.raises(RulesError) as caught:
        load_rules(path)
    assert str(caught.value).splitlines()[0].startswith(f"{path}:2: home_run: ")
    assert str(Problem("", None, "", "why")) == "why"


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (b"gun = 2\nhome_run 2\n", 2, "not valid TOML: Expected '=' after a key"),
        (b"gun = 2\ngun = 3\n", 2, "not valid TOML: a key or table stated twice"),
        (b"[rows]\n[rows]\n", 2, "not valid TOML: a key or table stated twice"),
        (b"rows = {back = 1, back = 2}", 1, "not valid TOML: a key or table stated twice"),
        (b'gun = 2\n\ntitle = """', 3, "not valid TOML: "),
        (b"gun = 2\n# \xe4\n", 2, "not UTF-8 text; save the file as UTF-8"),
        (b"gun = " + b"9" * 5000, None, "a number of thousands of digits"),
        (b"gun = " + b"[" * 5000, None, "arrays or tables nested too deep"),
    ],
)
def test_a_file_that_is_not_toml(
    tmp_path: Path, content: bytes, line: int | None, message: str
) -> None:
    path = tmp_path / "house.toml"
    path.write_bytes(content)
    ((found_line, key, found),) = problems(path)
    assert (found_line, key) == (line, "")
    assert message in found
    assert "\n" not in found


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    assert problems(tmp_path / "none.toml") == [(None, "", "no such file")]
    ((line, _, message),) = problems(tmp_path)
    assert line is None
    assert message.startswith("cannot be read: ")


DOCUMENT = (
    '''\
# "a" = 1
title = "x # no comment \\" \\\\" # comment
text = """one
gun = 5 \\"""
[no.table]
six quotes"""""
'''
    + """\
literal = '''
[[not]] '''
raw = 'back\\slash' # '
"quoted . key".'b' . c = 1979-05-27 07:32:00 # date
rows = { back = 1, front = {deep = [1, 2]}, "mid dle" = "}" }
list = [ # first ]
  1, "]",
  [ 2,
    3 ], { name = "x",  units = 2 },
]
[ royalties . "front" ] # table
trips = 3
[[naturals]]
name = "a"
[naturals.sub]
units = 1
[[naturals]]

units = 2
[[naturals.inner]]
x = 1
[[naturals.inner]]
x = 2
[royalties.back]
\tquads = 1"""
)


def test_lines_of_keys_in_every_kind_of_toml() -> None:
    lines = key_lines(DOCUMENT)
    assert set(paths(tomllib.loads(DOCUMENT))) == set(lines)
    assert lines == {
        ("title",): 2,
        ("text",): 3,
        ("literal",): 7,
        ("raw",): 9,
        ("quoted . key",): 10,
        ("quoted . key", "b"): 10,
        ("quoted . key", "b", "c"): 10,
        ("rows",): 11,
        ("rows", "back"): 11,
        ("rows", "front"): 11,
        ("rows", "front", "deep"): 11,
        ("rows", "front", "deep", 0): 11,
        ("rows", "front", "deep", 1): 11,
        ("rows", "mid dle"): 11,
        ("list",): 12,
        ("list", 0): 13,
        ("list", 1): 13,
        ("list", 2): 14,
        ("list", 2, 0): 14,
        ("list", 2, 1): 15,
        ("list", 3): 15,
        ("list", 3, "name"): 15,
        ("list", 3, "units"): 15,
        ("royalties",): 17,
        ("royalties", "front"): 17,
        ("royalties", "front", "trips"): 18,
        ("naturals",): 19,
        ("naturals", 0): 19,
        ("naturals", 0, "name"): 20,
        ("naturals", 0, "sub"): 21,
        ("naturals", 0, "sub", "units"): 22,
        ("naturals", 1): 23,
        ("naturals", 1, "units"): 25,
        ("naturals", 1, "inner"): 26,
        ("naturals", 1, "inner", 0): 26,
        ("naturals", 1, "inner", 0, "x"): 27,
        ("naturals", 1, "inner", 1): 28,
        ("naturals", 1, "inner", 1, "x"): 29,
        ("royalties", "back"): 30,
        ("royalties", "back", "quads"): 31,
    }


def paths(value: object, path: Key = ()) -> list[Key]:
    """Paths of everything in a TOML value."""
    found = [path] if path else []
    items: list[tuple[str | int, object]] = []
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))
    for key, item in items:
        found += paths(item, (*path, key))
    return found


# text, but no surrogates, which TOML cannot hold
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
WORDS = st.sampled_from(
    [field.name for field in fields(RuleSet)]
    + ["extends", "arithmetic", "collect", "broken", "limit", "units", "pairs", "wheel_front"]
    + [*ROWS, *CATEGORIES, *RANKS]
)
LEAVES = (
    st.integers(-2, 1200)
    | st.booleans()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT
    | st.sampled_from([*PRESETS, *NATURALS, "off", "scooped", "replace", "add", "both", "push"])
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS | TEXT, inner, max_size=4),
    max_leaves=12,
)


def toml(value: Any) -> str:
    """A value as TOML, tables inline."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{quoted(key)} = {toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",\n".join(map(toml, value)) + "]"
    return quoted(value) if isinstance(value, str) else json.dumps(value)


def quoted(text: str) -> str:
    escaped = "".join(
        char if char.isalnum() or char in " -_" else f"\\U{ord(char):08X}" for char in text
    )
    return f'"{escaped}"'


@settings(
    deadline=None, max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(document=st.dictionaries(WORDS | TEXT, VALUES, max_size=5))
@example(document={"extends": "malaya", "royalties": {"front": {"pair": {"A": 4}, "trips": 0}}})
def test_any_document_loads_or_says_where_it_is_wrong(
    document: dict[str, Any], write: Write
) -> None:
    text = "\n".join(f"{quoted(key)} = {toml(value)}" for key, value in document.items())
    assert tomllib.loads(text) == document
    lines = key_lines(text)
    assert set(lines) == set(paths(document))
    for path, line in lines.items():
        if isinstance(path[-1], str):
            assert quoted(path[-1]) in text.split("\n")[line - 1]
    try:
        rules = load_rules(write(text))
    except RulesError as error:
        assert all(problem.line for problem in error.problems if problem.key)
    else:
        assert biggest_payment(rules) <= MAX_PAYMENT
        hash(rules)
        describe(rules)
        cautions(rules)


@settings(
    deadline=None, max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(content=st.binary(max_size=40) | TEXT.map(str.encode))
def test_any_bytes_load_or_are_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "house.toml"
    path.write_bytes(content)
    try:
        load_rules(path)
    except RulesError as error:
        assert str(error)
