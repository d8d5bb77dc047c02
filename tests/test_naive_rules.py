"""The naive twins of the payments, against the worked examples of the rules and small tables."""

from fractions import Fraction
from itertools import permutations
from typing import Any

import pytest
from naive import parse
from naive_rules import (
    PLAIN,
    Rules,
    State,
    broken_royalty,
    hand_of,
    pair_payment,
    pair_units,
    settle,
    strongest_natural,
)

NO_ROYALTIES = PLAIN["royalties"]
ASIAN_TABLE = {
    **NO_ROYALTIES,
    "arithmetic": "replace",
    "front": {"trips": 3},
    "middle": {"full-house": 2, "quads": 8, "straight-flush": 10},
    "back": {"quads": 4, "straight-flush": 5},
}
TWO_FOUR: Rules = {**PLAIN, "majority": 1}
ONE_SIX: Rules = {**PLAIN, "scoop_units": 3}
SHISANSHUI: Rules = {
    **PLAIN,
    "gun": 2,
    "home_run": 2,
    "royalties": ASIAN_TABLE,
    "wheel": "second",
    "naturals": [
        {"name": "suited-dragon", "units": 104},
        {"name": "dragon", "units": 52},
        {"name": "four-trips", "units": 52},
        {"name": "three-quads", "units": 52},
        {"name": "twelve-royals", "units": 26},
        {"name": "three-straight-flushes", "units": 26},
        {"name": "all-big", "units": 6},
        {"name": "all-small", "units": 6},
        {"name": "five-pairs-and-trips", "units": 6},
        {"name": "six-pairs", "units": 6, "pairs": "floor"},
        {"name": "three-straights", "units": 6},
        {"name": "three-flushes", "units": 6},
        {"name": "one-colour", "units": 6},
    ],
    "natural_vs_natural": "higher-units",
}


def state(text: str, declare: str | None = None, surrender: bool = False) -> dict[str, Any]:
    back, middle, front = map(parse, text.split("/"))
    rows = {"back": back, "middle": middle, "front": front}
    return {**rows, "declare": declare, "surrender": surrender}


def royalties(**changes: Any) -> dict[str, Any]:
    return {"royalties": {**NO_ROYALTIES, **changes}}


ALICE = state("As Ks 6s 5s 3s / Qh Qd 8c 3c 2h / Js Jd 9h")
BOB = state("Kc Qc 6c 5c 4c / Kd 6d 5d 4d 3d / Th 9s 7s")
WEAK = state("2c 2d 5h 7s 9c / 3h 4s 6d 8h Tc / 2h 3d 7c")
MIDDLING = state("9h 9d 9s 4c Kd / 8c 8d 4h 5s Jh / 6c 6h 5d")
FOULED = state("As Ks Td 8h 2s / 7d 7h 6d 6s 5c / 3h 3s 4c")
ROYAL_ROWS = state("As Ks Qs Js Ts / 9h 8h 7h 6h 5h / Kc Kd Kh")
TABLE = {
    "Ann": state("Kc Kd Kh 2c 2d / Ac Ad Ah 3c 4d / Qc Qd Qh"),
    "Bob": state("5s 7s 8s 9s Js / Jc Jd 6c 8d 9c / Ts 9h 4s"),
    "Cy": state("4h 5h 6h 7c 8c / Th Tc 2h 3d 5d / Qs Jh 9d"),
    "Dee": FOULED,
}


def test_strongest_natural_comes_first() -> None:
    found = strongest_natural(SHISANSHUI, parse("As Ks Qs Js Ts 9s 8s 7s 6s 5s 4s 3s 2h"))
    assert found == {"name": "dragon", "units": 52}
    assert strongest_natural(SHISANSHUI, parse("As Ks 6s 5s 3s Qh Qd 8c 3c 2h Js Jd 9h")) is None


@pytest.mark.parametrize(
    ("rules", "units", "sweep"), [(PLAIN, 1, 3), (TWO_FOUR, 2, 4), (ONE_SIX, 1, 6)]
)
def test_worked_pairs_and_sweeps(rules: Rules, units: int, sweep: int) -> None:
    assert pair_payment(ALICE, BOB, rules) == units
    assert pair_payment(BOB, ALICE, rules) == -units
    assert pair_payment(MIDDLING, WEAK, rules) == sweep


def test_two_rows_won_and_one_tied() -> None:
    tied = state("Tc Td 2h 5h 9c / 7h 7s 2s 3d 4c / 6d 6s 5c")
    assert pair_payment(MIDDLING, tied, TWO_FOUR) == 3
    assert pair_payment(MIDDLING, tied, ONE_SIX) == 2


def test_one_row_won_and_two_tied_is_where_majority_rules_differ() -> None:
    one = {**MIDDLING, "back": parse("9h 9d 9s 4c Ad")}
    assert pair_payment(one, MIDDLING, TWO_FOUR) == 2
    assert pair_payment(one, MIDDLING, {**TWO_FOUR, "majority_rule": "two-wins"}) == 1


def test_only_the_row_winner_collects() -> None:
    table = {"arithmetic": "add", "back": {"quads": 4}}
    sevens = state("7c 7d 7h 7s 2c / 9c 9d 4c 5d Jc / Ac Kd Qc")
    sixes = state("6c 6d 6h 6s 2d / 9h 9s 4d 5h Jd / Ad Kc Qd")
    assert pair_payment(sevens, sixes, {**PLAIN, **royalties(**table)}) == 5
    assert pair_payment(sevens, sixes, {**PLAIN, **royalties(**table, collect="both")}) == 1


def test_replace_counts_totals_and_the_limit_takes_the_best_increments() -> None:
    def rules(**changes: Any) -> Rules:
        return {**PLAIN, "royalties": {**ASIAN_TABLE, **changes}}

    assert pair_payment(ROYAL_ROWS, WEAK, rules()) == 18
    assert pair_payment(ROYAL_ROWS, WEAK, rules(limit=1)) == 1 + 10 + 1
    assert pair_payment(ROYAL_ROWS, WEAK, rules(limit=2)) == 1 + 10 + 5
    assert pair_payment(ROYAL_ROWS, WEAK, rules(back={"royal-flush": 7})) == 20
    assert pair_payment(ROYAL_ROWS, WEAK, rules(front={"trips": {"K": 4}})) == 19
    assert pair_payment(ROYAL_ROWS, WEAK, rules(front={"trips": {"A": 4}})) == 16


def test_royalties_of_both_are_added_after_the_gun() -> None:
    rules = {**PLAIN, "gun": 2, "royalties": {**ASIAN_TABLE, "arithmetic": "add"}}
    assert pair_payment(ROYAL_ROWS, WEAK, rules) == (3 + 18) * 2
    both = {**rules, "royalties": {**rules["royalties"], "collect": "both"}}
    assert pair_payment(ROYAL_ROWS, WEAK, both) == 3 * 2 + 18
    assert pair_payment(ROYAL_ROWS, FOULED, both) == 3 * 2 + 18


def test_shisanshui_gun_and_home_run() -> None:
    trips = state("2s 4s 6s 8s Js / Ac Ad Ah 3c 4d / Qc Qd Qh")
    assert pair_payment(trips, WEAK, SHISANSHUI) == 10
    sweep = {"a": MIDDLING, "b": WEAK, "c": WEAK, "d": WEAK}
    assert pair_units(sweep, SHISANSHUI)["a", "d"] == 12
    assert settle(sweep, SHISANSHUI)["a"] == 36
    assert settle({"a": MIDDLING, "b": WEAK}, SHISANSHUI)["a"] == 6


def test_table_of_four_with_a_foul() -> None:
    assert sorted(card for player in TABLE.values() for card in hand_of(player)) == list(range(52))
    assert settle(TABLE, SHISANSHUI) == {"Ann": 60, "Bob": -13, "Cy": -15, "Dee": -32}


def test_no_home_run_over_one_who_surrendered() -> None:
    rules = {**SHISANSHUI, "surrender": 2}
    table = {**TABLE, "Bob": {**TABLE["Bob"], "surrender": True}}
    assert settle(table, rules) == {"Ann": 22, "Bob": -4, "Cy": -10 + 2 + 6, "Dee": -16}


def test_stakes_are_per_pair() -> None:
    stakes = {frozenset("ab"): Fraction(100), frozenset("ac"): Fraction(10)}
    table = {"a": ALICE, "b": BOB, "c": BOB}
    assert settle(table, TWO_FOUR, stakes) == {"a": 220, "b": -200, "c": -20}


@pytest.mark.parametrize(
    ("a", "b", "units"),
    [
        (FOULED, BOB, -6),
        (FOULED, FOULED, 0),
        ({**BOB, "surrender": True}, ALICE, -2),
        ({**BOB, "surrender": True}, FOULED, 0),
        ({**BOB, "surrender": True}, {**ALICE, "surrender": True}, 0),
        ({**BOB, "declare": "dragon"}, FOULED, 52),
        ({**BOB, "declare": "dragon"}, {**ALICE, "surrender": True}, 52),
        ({**BOB, "declare": "dragon"}, {**ALICE, "declare": "four-trips"}, 0),
        ({**BOB, "declare": "dragon"}, {**ALICE, "declare": "all-big"}, 52),
        ({**BOB, "declare": "dragon"}, {**ALICE, "declare": "dragon"}, 0),
    ],
)
def test_first_clause_that_applies(a: State, b: State, units: int) -> None:
    rules = {**SHISANSHUI, "surrender": 2}
    assert pair_payment(a, b, rules) == units
    assert pair_payment(b, a, rules) == -units


@pytest.mark.parametrize(
    ("mode", "units"),
    [("higher-full", 52), ("higher-units", 0), ("difference", 0), ("push", 0)],
)
def test_natural_against_another_kind(mode: str, units: int) -> None:
    rules = {**SHISANSHUI, "natural_vs_natural": mode}
    dragon, trips = {**BOB, "declare": "dragon"}, {**ALICE, "declare": "four-trips"}
    assert pair_payment(dragon, trips, rules) == units


def test_flat_foul_is_never_multiplied_but_counts_as_gunned() -> None:
    rules = {**SHISANSHUI, "foul": 6}
    assert pair_units(TABLE, rules) == {
        ("Ann", "Bob"): 20,
        ("Ann", "Cy"): 20,
        ("Ann", "Dee"): 6,
        ("Bob", "Cy"): 1,
        ("Bob", "Dee"): 6,
        ("Cy", "Dee"): 6,
    }


def test_banker_wins_ties_and_settles_alone() -> None:
    rules = {**PLAIN, "banker": True, "scoop_units": 3}
    table = {"bank": MIDDLING, "b": MIDDLING, "c": WEAK}
    assert pair_units(table, rules) == {("bank", "b"): 3, ("bank", "c"): 6}
    assert pair_units(table, rules, banker="c") == {("bank", "c"): 6, ("b", "c"): 6}


def test_broken_royalty() -> None:
    rules: Rules = {**PLAIN, **royalties(broken=True, back={"quads": 4, "straight-flush": 5})}
    split_quads = state("7c 7d 7h 2c 2d / 7s 6d 5c 4c 3h / Ac Kd Qc")
    assert broken_royalty(split_quads, rules) == 4
    assert broken_royalty(state("7c 7d 7h 7s 2c / 9c 9d 4c 5d Jc / Ac Kd Qc"), rules) == 0
    longer_run = state("5c 6c 7c 8c 9c / Kd Kh 2d 3d 5h / Tc 4d 3h")
    assert broken_royalty(longer_run, rules) == 0
    assert pair_payment(split_quads, WEAK, rules) == 3 + 4


def test_automatic_naturals_are_declared_at_the_table() -> None:
    dragon = state("As Kd Qc Jc Tc / 9s 8d 7c 6c 5c / 4s 3d 2c")
    rules = {**SHISANSHUI, "optional": False}
    assert settle({"a": dragon, "b": MIDDLING}, rules)["a"] == 52
    assert settle({"a": dragon, "b": MIDDLING}, SHISANSHUI)["a"] != 52


def test_every_pair_is_antisymmetric() -> None:
    players = [ALICE, BOB, WEAK, MIDDLING, FOULED, ROYAL_ROWS, {**BOB, "surrender": True}]
    rules = {**SHISANSHUI, "surrender": 1, "royalties": {**ASIAN_TABLE, "collect": "both"}}
    for a, b in permutations(players, 2):
        assert pair_payment(a, b, rules) == -pair_payment(b, a, rules)
        assert pair_payment(a, b, rules, banker=1) == -pair_payment(b, a, rules, banker=-1)
