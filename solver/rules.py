"""Rule sets read from TOML: the presets in rulesets/, and files of one's own."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from solver.rules_check import clashes, closest, faults, shown
from solver.rules_lines import Key, key_lines
from solver.rules_model import (
    CATEGORIES,
    FACING,
    FRONT_CATEGORIES,
    NATURALS,
    PLAIN_ROWS,
    RANKS,
    ROWS,
    UNPAID,
    Fall,
    Natural,
    RowUnits,
    Royalties,
    Royalty,
    RuleSet,
    Seat,
    biggest_payment,
    digest,
    falling_rows,
    seats_of,
)

__all__ = [
    "CATEGORIES",
    "FACING",
    "FRONT_CATEGORIES",
    "NATURALS",
    "RANKS",
    "ROWS",
    "Fall",
    "Natural",
    "Problem",
    "RowUnits",
    "Royalties",
    "Royalty",
    "RuleSet",
    "RulesError",
    "Seat",
    "biggest_payment",
    "digest",
    "falling_rows",
    "load_rules",
    "preset_names",
    "seats_of",
]

_PRESETS = Path(__file__).parent / "rulesets"
_ORDER = (
    "plain",
    "2-4",
    "1-6",
    "2-4-royalties",
    "1-6-royalties",
    "flat-royalties",
    "la-card-room",
    "giga",
    "eastern",
    "hong-kong",
    "shisanshui",
    "shisanshui-108",
    "mau-binh",
    "capsa-susun",
    "pusoy",
    "malaya",
)


# How tomllib says so.
_STATED_TWICE = re.compile("Cannot (overwrite|declare|redefine|mutate)|Duplicate inline table key")


class Problem(NamedTuple):
    """One thing wrong with a rule set: the file, the line, the key's path, and what it is."""

    file: str
    line: int | None
    key: str
    message: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return ": ".join(part for part in (place, self.key, self.message) if part)


class RulesError(ValueError):
    """A rule set that cannot be used; `problems` has everything that is wrong, in file order."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = tuple(problems)


@cache
def preset_names() -> tuple[str, ...]:
    """
    Names of the presets: those of rules.md section 4 in its order, then any others by name.

    >>> preset_names()[:3]
    ('plain', '2-4', '1-6')
    """
    names = {path.stem for path in _PRESETS.glob("*.toml")}
    known = [name for name in _ORDER if name in names]
    return (*known, *sorted(names.difference(known)))


def load_rules(name_or_path: str | Path) -> RuleSet:
    """
    Read a preset, or a rule set of one's own from a TOML file.

    Parameters
    ----------
    name_or_path : a preset's name; or a path (text that ends in ``.toml``, or any `Path`). The
        file may start from a preset with ``extends = "2-4"``: its keys then replace the preset's,
        `rows` and the royalty tables key by key, `naturals` as a whole. What the preset says of
        its source is not taken over, since it no longer holds.

    Returns
    -------
    The rule set, named after the file.

    Raises
    ------
    RulesError : no such preset or file, or a file that is not a valid rule set; lists all faults.

    >>> load_rules("1-6").scoop_units
    3
    """
    if isinstance(name_or_path, Path) or name_or_path.endswith(".toml"):
        return _load(Path(name_or_path))
    presets = preset_names()
    if name_or_path not in presets:
        listed = f"{closest(name_or_path, presets)} presets: {', '.join(presets)}".lstrip()
        message = f"no rules are called {shown(name_or_path)}; {listed}; or a file ending in .toml"
        raise RulesError([Problem("", None, "", message)])
    return _preset(name_or_path)


@cache
def _preset(name: str) -> RuleSet:
    return _load(_PRESETS / f"{name}.toml")


def _load(path: Path) -> RuleSet:
    text, own = _read(path)
    found = faults(own, preset_names())
    # What is wrong is left out, so that clashes between the other keys come to light as well.
    wrong = {key[0] for key, _ in found}
    if "extends" not in wrong:
        right = {key: value for key, value in own.items() if key not in wrong}
        rules = _build(path.stem, _extended(right))
        found.extend(clashes(rules, own, wrong))
        if not found:
            return rules
    lines = key_lines(text)
    problems = [
        Problem(str(path), lines[key] if key else None, _dotted(key), message)
        for key, message in found
    ]
    raise RulesError(sorted(problems, key=lambda problem: problem.line or 0))


def _read(path: Path) -> tuple[str, dict[str, Any]]:
    """The text of a TOML file and its content."""

    def error(line: int | None, message: str) -> RulesError:
        return RulesError([Problem(str(path), line, "", message)])

    try:
        data = path.read_bytes()
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
        return text, tomllib.loads(text)
    except FileNotFoundError:
        raise error(None, "no such file") from None
    except OSError as failure:
        raise error(None, f"cannot be read: {failure.strerror}") from None
    except UnicodeDecodeError as failure:
        line = data.count(b"\n", 0, failure.start) + 1
        raise error(line, "not UTF-8 text; save the file as UTF-8") from None
    except RecursionError:
        raise error(None, "arrays or tables nested too deep") from None
    except tomllib.TOMLDecodeError as failure:
        message, _, place = str(failure).partition(" (at ")
        if _STATED_TWICE.match(message):
            message = "a key or table stated twice"
        number = re.match(r"line (\d+)", place)
        line_read = int(number[1]) if number else text.count("\n") + 1 if place else None
        raise error(line_read, f"not valid TOML: {message}") from None
    except ValueError:  # what `int` says of more than 4,300 digits
        raise error(None, "a number of thousands of digits") from None


def _extended(own: Mapping[str, Any]) -> dict[str, Any]:
    """The document laid over the preset it extends."""
    if "extends" not in own:
        return dict(own)
    _, base = _read(_PRESETS / f"{own['extends']}.toml")
    base = {key: value for key, value in base.items() if key not in UNPAID}
    base["source"] = f"not stated; changed from the preset {own['extends']}"
    merged = _merged(base, own)
    del merged["extends"]
    return merged


def _merged(base: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    result = {**base, **own}
    for key in ("rows", "royalties", *ROWS):
        old, new = base.get(key), own.get(key)
        if isinstance(old, dict) and isinstance(new, dict):
            result[key] = _merged(old, new)
    return result


def _build(name: str, document: Mapping[str, Any]) -> RuleSet:
    """A rule set from a document without faults."""
    fields = dict(document)
    fields["rows"] = PLAIN_ROWS._replace(**fields.get("rows", {}))
    fields["royalties"] = _royalties(fields.get("royalties", {}))
    fields["naturals"] = tuple(map(_natural, fields.get("naturals", [])))
    for key in ("notes", "players"):
        if key in fields:
            fields[key] = tuple(fields[key])
    if fields.get("surrender") == "off":
        del fields["surrender"]
    return RuleSet(**{"name": name, "title": name, **fields})


def _royalties(tables: Mapping[str, Any]) -> Royalties:
    fields = dict(tables)
    for row in ROWS:
        royalties = []
        for category, units in fields.get(row, {}).items():
            if isinstance(units, dict):
                royalties += [Royalty(category, RANKS.index(rank), units[rank]) for rank in units]
            else:
                royalties.append(Royalty(category, None, units))
        # one order, so that two files that say the same are equal
        fields[row] = tuple(sorted(royalties, key=lambda r: (CATEGORIES.index(r.category), r.rank)))
    if fields.get("limit") == "none":
        del fields["limit"]
    return Royalties(**fields)


def _natural(fields: Mapping[str, Any]) -> Natural:
    pairs = "quad-is-two" if fields["name"] in ("six-pairs", "five-pairs-and-trips") else None
    return Natural(**{"pairs": pairs, **fields})


def _dotted(key: Key) -> str:
    """`naturals[2].units`; items count from 1."""
    text = ""
    for part in key:
        if isinstance(part, int):
            text += f"[{part + 1}]"
        else:
            bare = re.fullmatch(r"[A-Za-z0-9_-]+", part)
            text += ("." if text else "") + (part if bare else repr(part))
    return text
