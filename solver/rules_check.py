"""What a rule set's TOML may say: its vocabulary, and all that is wrong with one document."""

import difflib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from solver.rules_lines import Key
from solver.rules_model import (
    CATEGORIES,
    FRONT_CATEGORIES,
    NATURALS,
    RANKS,
    ROWS,
    RuleSet,
    biggest_payment,
)

MAX_UNITS = 1000
MAX_MULTIPLIER = 10
MAX_PAYMENT = 30_000  # so that any payment of a pair fits 16 bits

Fault = tuple[Key, str]
Check = Callable[[object], str | None]
# A tuple holds the check of a plain value and the schema of a table that may stand in its place.
Schema = Mapping[str, "Check | Schema | tuple[Check, Schema]"]


def shown(value: object) -> str:
    """A TOML value as an error names it."""
    if isinstance(value, dict):
        return "a table"
    text = printable(json.dumps(value, ensure_ascii=False, default=str))
    return text if len(text) <= 40 else text[:37] + "..."


def printable(text: str) -> str:
    r"""The text with an escape for each character that would break a line or trick a terminal.

    >>> printable("a\nb")
    'a\\u000ab'
    """
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text)


def closest(word: str, known: Iterable[str]) -> str:
    """A question whether the closest known word was meant; empty where none is close."""
    found = difflib.get_close_matches(word, known, n=1)
    return f'did you mean "{found[0]}"?' if found else ""


def _suggestion(word: str, known: Iterable[str]) -> str:
    return closest(word, known) or f"known: {', '.join(known)}"


def _must(good: bool, wanted: str, value: object) -> str | None:
    return None if good else f"must be {wanted}, not {shown(value)}"


def _whole(low: int, high: int, word: str | None = None) -> Check:
    wanted = f"a whole number from {low} to {high}" + (f' or "{word}"' if word else "")

    def check(value: object) -> str | None:
        # `type`, because a bool is an int for isinstance
        good = low <= value <= high if type(value) is int else value == word and word is not None
        return _must(good, wanted, value)

    return check


def _choice(*words: str) -> Check:
    wanted = " or ".join(f'"{word}"' for word in words)
    return lambda value: _must(isinstance(value, str) and value in words, wanted, value)


def _boolean(value: object) -> str | None:
    return _must(isinstance(value, bool), "true or false", value)


def _text(value: object) -> str | None:
    if isinstance(value, str) and not value.isprintable():
        return f"must be one line without characters that cannot be shown, not {shown(value)}"
    return _must(isinstance(value, str) and value.strip() != "", "a text", value)


def _texts(value: object) -> str | None:
    if not isinstance(value, list):
        return _must(False, "an array of texts", value)
    wrong = (f"item {n} {_text(item)}" for n, item in enumerate(value, start=1) if _text(item))
    return next(wrong, None)


def _players(value: object) -> str | None:
    good = (
        isinstance(value, list)
        and [type(count) for count in value] == [int, int]
        and 2 <= value[0] <= value[1] <= 4
    )
    return _must(good, "[min, max] with 2 <= min <= max <= 4", value)


_UNITS = _whole(0, MAX_UNITS)
_MULTIPLIER = _whole(1, MAX_MULTIPLIER)
_GRADED: tuple[Check, Schema] = (_UNITS, dict.fromkeys(RANKS, _UNITS))
NATURAL_OPTIONS: Mapping[str, Mapping[str, Check]] = {
    "five-pairs-and-trips": {"pairs": _choice("strict", "quad-is-two")},
    "six-pairs": {"pairs": _choice("strict", "quad-is-two", "floor")},
    "three-straights": {"wheel_front": _boolean},
}
# For a natural of a misspelt name; six-pairs, with the most values, comes last and so counts.
_ANY_OPTION = {key: check for some in NATURAL_OPTIONS.values() for key, check in some.items()}
_SCHEMA: Schema = {
    "title": _text,
    "source": _text,
    "sourcing": _choice("strong", "good", "medium", "weak"),
    "notes": _texts,
    "rows": dict.fromkeys(ROWS, _UNITS),
    "majority": _UNITS,
    "majority_rule": _choice("more-wins", "two-wins"),
    "scoop_units": _UNITS,
    "gun": _MULTIPLIER,
    "home_run": _MULTIPLIER,
    "home_run_min_players": _whole(2, 4),
    "royalties": {
        "arithmetic": _choice("add", "replace"),
        "collect": _choice("row-winner", "both"),
        "broken": _boolean,
        "limit": _whole(0, len(ROWS), word="none"),
        "back": dict.fromkeys(CATEGORIES, _UNITS),
        "middle": dict.fromkeys(CATEGORIES, _UNITS),
        "front": {"high-card": _UNITS, "pair": _GRADED, "trips": _GRADED},
    },
    "wheel": _choice("lowest", "second"),
    "natural_vs_natural": _choice("higher-full", "higher-units", "difference", "push"),
    "equal_kind": _choice("compare", "push"),
    "optional": _boolean,
    "foul": _whole(0, MAX_UNITS, word="scooped"),
    "surrender": _whole(1, MAX_UNITS, word="off"),
    "banker": _boolean,
    "players": _players,
}


def faults(document: Mapping[str, Any], presets: tuple[str, ...]) -> list[Fault]:
    """
    All that is wrong with the keys one document states itself, each by its key path.

    Parameters
    ----------
    document : a rule set as `tomllib` reads it
    presets : the names `extends` may take

    >>> faults({"gun": True}, ())
    [(('gun',), 'must be a whole number from 1 to 10, not true')]
    """
    # `extends` and `naturals` are checked apart; here they only keep their names known
    schema = {**_SCHEMA, "naturals": lambda _: None, "extends": lambda _: None}
    found = list(_table_faults(document, schema, ()))
    if "extends" in document:
        base = document["extends"]
        if not isinstance(base, str):
            found.append((("extends",), f"must be the name of a preset, not {shown(base)}"))
        elif base not in presets:
            found.append((("extends",), f"no preset {shown(base)}; {_suggestion(base, presets)}"))
    if "naturals" in document:
        found.extend(_natural_faults(document["naturals"]))
    return found


def clashes(
    rules: RuleSet, own: Mapping[str, Any], wrong: AbstractSet[str | int]
) -> Iterator[Fault]:
    """
    Keys that are right by themselves but not together.

    Parameters
    ----------
    rules : what the document and its preset come to, without the keys in `wrong`
    own : the document
    wrong : its top-level keys with a fault, about which nothing more is said
    """
    if rules.home_run > 1 and rules.gun == 1 and not wrong & {"gun", "home_run"}:
        where: Key = ("home_run",) if "home_run" in own else ("gun",)
        yield where, "home_run multiplies what a gun pays: set gun to 2 or more, or home_run to 1"
    for key, needed, off in (
        ("majority_rule", "majority", 0),
        ("home_run_min_players", "home_run", 1),
    ):
        if key in own and not wrong & {key, needed} and getattr(rules, needed) == off:
            yield (key,), f"has no effect while {needed} is {off}"
    if rules.royalties.limit is not None and not wrong & {"rows", "royalties"}:
        for row in ROWS:
            for category, rank, units in rules.royalties.table(row):
                if rules.royalty(row, category, rank) < 0:
                    stated = "limit" in own.get("royalties", {})
                    yield (
                        ("royalties", "limit") if stated else (),
                        "limit pays the best royalties, so none may be worth less than the plain "
                        f"row: {row} {category} is {units}, a plain row {rules.row_units(row)}",
                    )
    owed = biggest_payment(rules)
    if not wrong and owed > MAX_PAYMENT:
        yield (
            (),
            f"one player could owe another {owed:,} units; at most {MAX_PAYMENT:,} are allowed",
        )


def _table_faults(table: Mapping[str, Any], schema: Schema, path: Key) -> Iterator[Fault]:
    for key, value in table.items():
        here = (*path, key)
        rule = schema.get(key)
        if isinstance(rule, tuple):
            rule = rule[isinstance(value, dict)]
        if rule is None:
            yield here, _unknown_key(key, schema, path)
        elif not isinstance(rule, Mapping):
            if message := rule(value):
                yield here, message
        elif isinstance(value, dict):
            yield from _table_faults(value, rule, here)
        else:
            yield here, f"must be a table of {', '.join(rule)}, not {shown(value)}"


def _unknown_key(key: str, schema: Schema, path: Key) -> str:
    if path == ("royalties", "front") and key in CATEGORIES:
        return f"three cards cannot hold it; front takes {', '.join(FRONT_CATEGORIES)}"
    if path[:1] == ("naturals",):
        takers = [name for name, options in NATURAL_OPTIONS.items() if key in options]
        if takers:
            return f"only {' and '.join(takers)} may have it"
    return f"unknown key; {_suggestion(key, schema)}"


def _natural_faults(naturals: object) -> Iterator[Fault]:
    if not isinstance(naturals, list):
        yield ("naturals",), f"must be an array of tables, not {shown(naturals)}"
        return
    seen: set[str] = set()
    for index, natural in enumerate(naturals):
        here: Key = ("naturals", index)
        if not isinstance(natural, dict):
            yield here, f"must be a table with name and units, not {shown(natural)}"
            continue
        name = natural.get("name")
        known = isinstance(name, str) and name in NATURALS
        options = NATURAL_OPTIONS.get(str(name), {}) if known else _ANY_OPTION
        yield from _table_faults(natural, {"name": _text, "units": _UNITS, **options}, here)
        for key in ("name", "units"):
            if key not in natural:
                yield here, f"has no {key}"
        if isinstance(name, str) and _text(name) is None:
            if not known:
                yield (*here, "name"), f"no natural {shown(name)}; {_suggestion(name, NATURALS)}"
            elif name in seen:
                yield (*here, "name"), f"{name} is listed twice"
            seen.add(name)
