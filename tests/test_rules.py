"""Rule sets: the model, what follows from it, and files of one's own."""

from collections.abc import Callable
from dataclasses import FrozenInstanceError, replace
from pathlib import Path

import pytest

from solver.rules import (
    RANKS,
    Fall,
    Natural,
    Royalty,
    RulesError,
    RuleSet,
    biggest_payment,
    digest,
    falling_rows,
    load_rules,
    preset_names,
)
from solver.rules_words import cautions, describe

PRESETS = preset_names()
Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a rule file of that text and return its path."""

    def write_text(text: str) -> Path:
        path = tmp_path / "house.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write_text


def test_rule_sets_are_frozen_and_hash_by_value() -> None:
    rules = load_rules("eastern")
    assert hash(rules) == hash(load_rules("eastern"))
    assert len({load_rules(name) for name in PRESETS}) == len(PRESETS)
    with pytest.raises(FrozenInstanceError):
        rules.gun = 3  # type: ignore[misc]


def test_royalty_is_what_a_row_earns_on_top_of_the_plain_row(write: Write) -> None:
    added, replaced = load_rules("2-4-royalties"), load_rules("eastern")
    assert added.royalty("middle", "quads") == 8
    assert replaced.royalty("middle", "quads") == 7
    assert replaced.royalty("back", "flush") == 0
    assert replaced.royalty("back", "royal-flush") == 6
    # no figure of its own: that of the straight flush
    assert added.royalty("back", "royal-flush") == 5
    assert added.royalties.units("back", "flush") is None
    below = load_rules(
        write(
            "rows = { back = 3 }\n"
            '[royalties]\narithmetic = "replace"\nback = { quads = 2, straight-flush = 0 }'
        )
    )
    assert below.royalty("back", "quads") == -1
    assert below.royalty("back", "straight-flush") == -3


def test_front_pairs_and_trips_may_be_graded_by_rank(write: Write) -> None:
    rules = load_rules(
        write("[royalties.front]\ntrips = { A = 9, 2 = 5 }\npair = { Q = 1, K = 2, A = 3 }")
    )
    assert rules.royalties.front == (
        Royalty("pair", RANKS.index("Q"), 1),
        Royalty("pair", RANKS.index("K"), 2),
        Royalty("pair", RANKS.index("A"), 3),
        Royalty("trips", RANKS.index("2"), 5),
        Royalty("trips", RANKS.index("A"), 9),
    )
    assert rules.royalty("front", "pair", RANKS.index("K")) == 2
    assert rules.royalty("front", "pair", RANKS.index("J")) == 0
    assert rules.royalties.units("front", "pair", RANKS.index("J")) is None
    # trips of 3 to K earn nothing, less than a pair of queens; so they fall, deuces and aces not
    assert [fall.stronger for fall in falling_rows(rules)] == [
        f"trips of {rank}" for rank in "3456789TJQK"
    ]


def test_falling_rows_are_found_against_the_best_weaker_kind(write: Write) -> None:
    text = '[royalties]\narithmetic = "{}"\nback = {{ flush = 4, full-house = 3, quads = 9 }}'
    added, replaced = (load_rules(write(text.format(way))) for way in ("add", "replace"))
    assert falling_rows(added) == [
        Fall("back", "full-house", 4, "flush", 5),
        Fall("back", "straight-flush", 1, "quads", 10),
        Fall("back", "royal-flush", 1, "quads", 10),
    ]
    assert [(fall.stronger, fall.units) for fall in falling_rows(replaced)] == [
        ("full-house", 3),
        ("straight-flush", 1),
        ("royal-flush", 1),
    ]


def test_replace_is_compared_with_the_plain_row(write: Write) -> None:
    rules = load_rules(
        write('rows = { front = 5 }\n[royalties]\narithmetic = "replace"\nfront = { trips = 3 }')
    )
    # where nothing is said the row is worth its 5 units, so trips earn less than a pair
    assert falling_rows(rules) == [Fall("front", "trips", 3, "pair", 5)]
    assert cautions(rules) == ["royalties.front: trips earns 3 units, less than pair (5 units)"]


def test_a_natural_below_one_worth_less_is_named(write: Write) -> None:
    rules = load_rules(
        write(
            'naturals = [{ name = "dragon", units = 13 }, { name = "suited-dragon", units = 26 }]'
        )
    )
    (caution,) = cautions(rules)
    assert caution.startswith("naturals: suited-dragon (26 units) stands below dragon (13 units);")


@pytest.mark.parametrize(
    ("name", "units"),
    [
        ("plain", 3),
        ("2-4", 4),
        ("1-6", 6),
        ("eastern", 3 + 14 + 7),
        ("shisanshui", 104),
        ("mau-binh", (3 + 10 + 5) * 2 * 2),
        ("pusoy", 3 + 3 + 3 + 10 + 5),
    ],
)
def test_biggest_payment(name: str, units: int) -> None:
    assert biggest_payment(load_rules(name)) == units


def test_biggest_payment_counts_broken_royalties(write: Write) -> None:
    rules = load_rules(write('extends = "shisanshui"\nnaturals = []\nroyalties.broken = true'))
    assert biggest_payment(rules) == (3 + 10 + 5) * 4 + 5


def test_digest_follows_payments_only() -> None:
    rules = load_rules("2-4")
    assert digest(rules) == "4c3d03cdb42a"  # names trained pools: a change makes them stale
    assert len({digest(load_rules(name)) for name in PRESETS}) == len(PRESETS)
    words = replace(rules, name="x", title="x", source="x", sourcing="weak", notes=("x",))
    assert digest(words) == digest(rules)
    assert digest(replace(rules, players=(2, 2))) == digest(rules)
    assert digest(replace(rules, majority_rule="two-wins")) != digest(rules)


def test_a_file_without_a_base_starts_from_one_unit_a_row(write: Write) -> None:
    rules = load_rules(write(""))
    assert rules == RuleSet(name="house", title="house")
    assert replace(rules, name="plain") == replace(
        load_rules("plain"),
        title="house",
        source=rules.source,
        sourcing=rules.sourcing,
    )


def test_extends_merges_tables_key_by_key(write: Write) -> None:
    base = load_rules("shisanshui")
    rules = load_rules(
        write(
            'extends = "shisanshui"\nhome_run = 1\nrows.back = 2\n'
            "[royalties]\nlimit = 1\n[royalties.middle]\nfull-house = 3\nflush = 2\n"
        )
    )
    assert (rules.gun, rules.home_run, rules.wheel) == (2, 1, "second")
    assert rules.rows == (2, 1, 1)
    assert rules.royalties.arithmetic == "replace"
    assert rules.royalties.limit == 1
    assert rules.royalties.back == base.royalties.back
    assert rules.royalties.middle == (
        Royalty("flush", None, 2),
        Royalty("full-house", None, 3),
        Royalty("quads", None, 8),
        Royalty("straight-flush", None, 10),
    )
    assert rules.naturals == base.naturals


def test_extends_replaces_naturals_as_a_whole(write: Write) -> None:
    assert load_rules(write('extends = "malaya"\nnaturals = []')).naturals == ()
    rules = load_rules(
        write('extends = "malaya"\n[[naturals]]\nname = "three-straights"\nunits = 2\n'
              "wheel_front = false")
    )  # fmt: skip
    assert rules.naturals == (Natural("three-straights", 2, None, wheel_front=False),)


def test_extends_can_switch_off(write: Write) -> None:
    path = write('extends = "giga"\nsurrender = "off"\nroyalties.limit = "none"')
    rules = load_rules(path)
    assert rules.surrender is None
    assert rules.royalties.limit is None


def test_a_changed_preset_does_not_claim_its_source(write: Write) -> None:
    rules = load_rules(write('extends = "la-card-room"\nsurrender = 3'))
    assert rules.title == rules.name == "house"
    assert rules.source == "not stated; changed from the preset la-card-room"
    assert rules.sourcing == "unstated"
    assert rules.notes == ()
    own = load_rules(write('extends = "2-4"\ntitle = "Ours"\nsource = "us"\nsourcing = "good"'))
    assert (own.title, own.source, own.sourcing) == ("Ours", "us", "good")


def test_same_rules_written_in_another_order_are_equal(write: Write) -> None:
    first = load_rules(write("[royalties.front]\npair = { A = 3, K = 2 }\ntrips = 4"))
    second = load_rules(write("[royalties]\nfront = { trips = 4, pair = { K = 2, A = 3 } }"))
    assert first == second
    assert digest(first) == digest(second)


def test_text_that_ends_in_toml_and_paths_are_files(write: Write, tmp_path: Path) -> None:
    path = write("gun = 2")
    assert load_rules(str(path)) == load_rules(path)
    with pytest.raises(RulesError, match="2-4: no such file"):
        load_rules(tmp_path / "2-4")


def test_windows_line_ends_and_byte_order_mark_are_read(tmp_path: Path) -> None:
    path = tmp_path / "house.toml"
    path.write_bytes(b"\xef\xbb\xbfgun = 3\r\nmajority = 2\r\n")
    assert load_rules(path).majority == 2


def test_plain_words_of_rare_clauses(write: Write) -> None:
    path = write("""
rows.back = 2
majority = 2
majority_rule = "two-wins"
gun = 4
optional = false
players = [3, 3]
naturals = [{ name = "dragon", units = 3 }]
[royalties]
broken = true
limit = 2
front.pair = { A = 3 }
""")
    lines = describe(load_rules(path))
    assert "A row won is worth, in units: back 2, middle 1, front 1." in lines
    assert "Winning two or three rows adds 2 units; one win and two ties does not." in lines
    assert "Winning all three rows multiplies the pair's total by 4: a gun." in lines
    assert "  front: pair of A 3" in lines
    assert "At most 2 royalties a hand are paid, the best ones." in lines
    text = path.read_text()
    for limit, told in (
        (0, "No royalties of rows are paid."),
        (1, "Only the best royalty of a hand is paid."),
    ):
        assert told in describe(load_rules(write(text.replace("limit = 2", f"limit = {limit}"))))
    assert any(line.startswith("Quads or a straight flush among the 13 cards") for line in lines)
    assert any(", always declared, " in line for line in lines)
    assert "For 3 players." in lines
