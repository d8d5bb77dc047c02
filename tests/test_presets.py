"""The shipped rule sets: their values, sources and plain words."""

import subprocess
import sys
import time
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from solver.rules import (
    ROWS,
    Natural,
    RuleSet,
    load_rules,
    preset_names,
)
from solver.rules_words import cautions, describe

PRESETS = preset_names()

ASIAN = {
    ("front", "trips"): 3,
    ("middle", "full-house"): 2,
    ("middle", "quads"): 8,
    ("back", "quads"): 4,
    ("middle", "straight-flush"): 10,
    ("back", "straight-flush"): 5,
}
# What differs from one unit a row, no bonus, scooped fouls, no surrender, the lowest wheel
# (rules.md section 4); the royalty tables and naturals follow below.
KEYS: dict[str, dict[str, object]] = {
    "plain": {"sourcing": "strong"},
    "2-4": {"sourcing": "strong", "majority": 1},
    "1-6": {"sourcing": "strong", "scoop_units": 3},
    "2-4-royalties": {"sourcing": "medium", "majority": 1, "surrender": 2},
    "1-6-royalties": {"sourcing": "medium", "scoop_units": 3, "surrender": 3},
    "flat-royalties": {"sourcing": "medium", "majority": 1, "surrender": 2},
    "la-card-room": {"sourcing": "medium", "majority": 1, "surrender": 2},
    "giga": {"sourcing": "strong", "majority": 1, "surrender": 1},
    "eastern": {"sourcing": "good", "equal_kind": "push"},
    "hong-kong": {"sourcing": "medium", "wheel": "second"},
    "shisanshui": {
        "sourcing": "strong",
        "gun": 2,
        "home_run": 2,
        "natural_vs_natural": "higher-units",
        "wheel": "second",
    },
    "shisanshui-108": {
        "sourcing": "good",
        "gun": 2,
        "home_run": 2,
        "natural_vs_natural": "higher-units",
        "wheel": "second",
    },
    "mau-binh": {
        "sourcing": "strong",
        "gun": 2,
        "home_run": 2,
        "equal_kind": "push",
        "foul": 6,
        "wheel": "second",
    },
    "capsa-susun": {"sourcing": "weak", "gun": 2, "home_run": 2, "foul": 3, "wheel": "second"},
    "pusoy": {"sourcing": "weak", "scoop_units": 3, "wheel": "second"},
    "malaya": {"sourcing": "strong", "banker": True, "natural_vs_natural": "difference"},
}
ROYALTIES: dict[str, tuple[str, str, dict[tuple[str, str], int]]] = {
    "2-4-royalties": ("add", "row-winner", ASIAN),
    "1-6-royalties": ("add", "row-winner", ASIAN),
    "flat-royalties": ("add", "row-winner", dict.fromkeys(ASIAN, 1)),
    "giga": (
        "add",
        "row-winner",
        {
            ("front", "trips"): 3,
            ("middle", "full-house"): 1,
            ("middle", "quads"): 5,
            ("back", "quads"): 3,
            ("middle", "straight-flush"): 6,
            ("back", "straight-flush"): 4,
        },
    ),
    "eastern": (
        "replace",
        "row-winner",
        {**ASIAN, ("middle", "royal-flush"): 14, ("back", "royal-flush"): 7},
    ),
    "hong-kong": ("replace", "row-winner", ASIAN),
    "shisanshui": ("replace", "row-winner", ASIAN),
    "shisanshui-108": ("replace", "row-winner", ASIAN),
    "mau-binh": ("replace", "row-winner", ASIAN),
    "capsa-susun": ("replace", "row-winner", {key: 2 * units for key, units in ASIAN.items()}),
    "pusoy": ("add", "both", ASIAN),
    "malaya": (
        "add",
        "both",
        {
            ("front", "trips"): 2,
            ("middle", "full-house"): 2,
            ("back", "quads"): 4,
            ("middle", "quads"): 6,
            ("back", "straight-flush"): 6,
            ("middle", "straight-flush"): 8,
        },
    ),
}
THREE = "three-straights 3 three-flushes 3 six-pairs 3"
NATURAL_LISTS = {
    "2-4-royalties": f"dragon 13 {THREE}",
    "1-6-royalties": f"dragon 13 {THREE}",
    "flat-royalties": "dragon 1 three-straights 1 three-flushes 1 six-pairs 1",
    "la-card-room": "six-pairs 4 three-straights 4 three-flushes 4",
    "giga": "suited-dragon 24 dragon 12 three-flushes 12 three-straights 12 six-pairs 12",
    "eastern": "dragon 13 one-colour 13 twelve-colours 3 six-pairs 3 three-straights 3 "
    "three-flushes 3",
    "hong-kong": f"suited-dragon 26 dragon 13 {THREE}",
    "shisanshui": "suited-dragon 104 dragon 52 four-trips 52 three-quads 52 twelve-royals 26 "
    "three-straight-flushes 26 all-big 6 all-small 6 five-pairs-and-trips 6 six-pairs 6 "
    "three-straights 6 three-flushes 6 one-colour 6",
    "shisanshui-108": "suited-dragon 108 dragon 36 twelve-royals 24 three-straight-flushes 22 "
    "three-quads 20 all-big 15 all-small 12 one-colour 10 four-trips 6 five-pairs-and-trips 5 "
    "six-pairs 4 three-straights 4 three-flushes 3",
    "mau-binh": "suited-dragon 24 dragon 12 five-pairs-and-trips 3 six-pairs 3 three-flushes 3 "
    "three-straights 3",
    "malaya": "suited-dragon 26 three-straight-flushes 18 three-quads 16 all-big 10 all-small 10 "
    "one-colour 10 four-trips 6 five-pairs-and-trips 5 six-pairs 4 three-straights 4 "
    "three-flushes 3",
}


def test_the_presets_are_those_of_the_rules_table_in_its_order() -> None:
    assert tuple(KEYS) == PRESETS


@pytest.mark.parametrize("name", PRESETS)
def test_keys_of_a_preset(name: str) -> None:
    rules = load_rules(name)
    default = RuleSet(name=name, title=rules.title)
    unchecked = ("source", "notes", "royalties", "naturals")
    assert {
        field.name: getattr(rules, field.name)
        for field in fields(rules)
        if field.name not in unchecked
        and getattr(rules, field.name) != getattr(default, field.name)
    } == KEYS[name]


@pytest.mark.parametrize("name", PRESETS)
def test_royalties_of_a_preset(name: str) -> None:
    royalties = load_rules(name).royalties
    table = {
        (row, royalty.category): royalty.units for row in ROWS for royalty in royalties.table(row)
    }
    expected = ROYALTIES.get(name, ("add", "row-winner", {}))
    assert (royalties.arithmetic, royalties.collect, table) == expected
    assert royalties.limit is None
    assert not royalties.broken


@pytest.mark.parametrize("name", PRESETS)
def test_naturals_of_a_preset(name: str) -> None:
    naturals = load_rules(name).naturals
    listed = " ".join(f"{natural.name} {natural.units}" for natural in naturals)
    assert listed == NATURAL_LISTS.get(name, "")
    for natural in naturals:
        pairs: str | None = None
        if natural.name in ("six-pairs", "five-pairs-and-trips"):
            pairs = "quad-is-two"
        if (name, natural.name) == ("shisanshui", "six-pairs"):
            pairs = "floor"
        assert natural == Natural(natural.name, natural.units, pairs, wheel_front=True)


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_states_its_source_extends_nothing_and_needs_no_caution(name: str) -> None:
    path = Path(sys.modules["solver.rules"].__file__ or "").parent / "rulesets" / f"{name}.toml"
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# ")
    assert {"title", "source", "sourcing"} <= tomllib.loads(text).keys()
    assert "extends" not in tomllib.loads(text)
    assert cautions(load_rules(name)) == []
    assert load_rules(path) == load_rules(name)


def test_reading_all_presets_takes_less_than_50_ms() -> None:
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        for name in preset_names():
            load_rules(name)
        seconds.append(time.perf_counter() - start)
    assert min(seconds) < 0.05


def test_reading_rules_imports_nothing_slow() -> None:
    code = (
        "import sys, solver.rules, solver.rules_words; "
        "print([name for name in ('numba', 'numpy', 'typer', 'rich') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[1],
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_is_told_with_its_source(name: str) -> None:
    rules = load_rules(name)
    lines = describe(rules)
    assert lines[0] == f"{rules.title} ({name})"
    assert f"Source: {rules.source} ({rules.sourcing}: " in "\n".join(lines)
    assert [line for line in lines if line.startswith("Open: ")] == [
        f"Open: {note}" for note in rules.notes
    ]


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("plain", "Each row won is worth 1 unit."),
        ("plain", "No royalties."),
        ("plain", "No naturals."),
        ("plain", "Nobody may surrender."),
        ("plain", "Among straights and straight flushes A-2-3-4-5 is the lowest."),
        ("2-4", "Winning more rows than the other adds 1 unit."),
        ("1-6", "Winning all three rows adds 3 units."),
        ("giga", "A player may surrender for 1 unit to each who plays."),
        ("2-4-royalties", "Royalties, on top of the row's unit, to the winner of the row:"),
        ("shisanshui", "Winning all three rows doubles the pair's total: a gun."),
        ("shisanshui", "  middle: full house 2, quads 8, straight flush 10"),
        (
            "shisanshui",
            "  six-pairs (six pairs; four of a kind are two pairs, three are one): 6 units",
        ),
        (
            "shisanshui",
            (
                "With 3 or more players, winning all three rows against everybody again doubles "
                "each of those totals: a home run."
            ),
        ),
        ("eastern", "Two naturals of one kind: nobody pays."),
        ("mau-binh", "A fouled hand pays each opponent 6 units, never multiplied."),
        ("pusoy", "Royalties are never multiplied."),
        ("malaya", "One seat is the banker: it plays each of the others and wins tied rows."),
        ("malaya", "For 2 to 4 players."),
    ],
)
def test_plain_words(name: str, line: str) -> None:
    assert line in describe(load_rules(name))
