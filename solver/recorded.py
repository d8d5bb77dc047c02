"""Recorded settings of real players as opponents, read from a CSV file."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations, pairwise
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from evaluator.broken import broken_code
from evaluator.cards import CardError, Cards, parse_cards
from evaluator.naturals import natural_bits, natural_table
from evaluator.ranking import Wheel, row_name, row_strength
from solver.csv_rows import Row, names_of, open_sheet, with_first
from solver.declaring import naturals_of
from solver.pool import DECLARE, SET, SURRENDER, OpponentPool, PoolError, Progress, silent
from solver.rules import ROWS, RuleSet

# With fewer opponents than this the standard error is no guide: it is itself uncertain by a tenth
# or more, and a rare big payment that nobody happened to make is missing from it altogether.
FEWEST: Final = 100
_ROW_SIZES: Final = {"back": 5, "middle": 5, "front": 3}
_CHOICES: Final = {"declare": DECLARE, "surrender": SURRENDER}
_NO: Final = ("", "no", "n", "false", "0")
_SHOWN: Final = 10  # rows that cannot be used


class _Record(NamedTuple):
    hand: int
    strengths: tuple[int, ...]
    broken: int
    decision: int


def read_recorded(
    path: str | Path, rules: RuleSet, strict: bool = False, progress: Progress = silent
) -> OpponentPool:
    r"""Read settings that players were seen to make; they become the pool.

    A hand serves under every renaming of the suits that the rules do not notice, like those of
    other pools, so 330 rows give the 100 opponents that a hand needs; 1,000 where the
    rules have naturals of one colour, which 8 renamings keep.

    Parameters
    ----------
    path
        CSV as `run_batch` reads it, with columns ``back, middle, front`` in any notation of cards.
        A column ``declare`` says who declared a natural (its name, or yes), ``surrender`` who
        surrendered (yes); the rows then only tell the cards. Without such a column everybody set
        the hand, except that naturals which the rules force are always declared. Further columns
        are ignored.
    rules
        Say where A-2-3-4-5 stands, and thereby which rows are in order, and what can be declared.
    strict
        Whether a row that cannot be used is an error; else it is skipped.
    progress
        Called with what is wrong with the rows that are skipped.

    Returns
    -------
    OpponentPool
        Named after the file.

    Raises
    ------
    PoolError
        If fewer than two rows can be used, columns are missing, or strict and a row is wrong.
    FileError
        If the file is damaged or no UTF-8 text.
    OSError
        If it cannot be read.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> from solver.rules import load_rules
    >>> path = Path(mkdtemp()) / "club.csv"
    >>> row = "As Ks 6s 5s 3s,Qh Qs 8c 3c 2h,Js Jd 9h\n"
    >>> _ = path.write_text("back,middle,front\n" + 2 * row)
    >>> read_recorded(path, load_rules("2-4")).strengths.shape
    (2, 3)
    """
    records, wrong = [], []
    with open_sheet(str(path), _has_rows, f"columns {', '.join(ROWS)}") as sheet:
        names = names_of(sheet.head.header)
        _check_header(names, path)
        for row in with_first(sheet.rows, str(path)):
            try:
                records.append(_record(_fields(row, names), rules))
            except _Unusable as error:
                wrong.append(f"{path}:{row.line}: {error}")
    if wrong:
        told = [*wrong[:_SHOWN], *_count_rest(len(wrong) - _SHOWN)]
        if strict:
            raise PoolError("\n".join(told))
        rows = len(wrong) + len(records)
        progress("\n".join([*told, f"{len(wrong):,} of {rows:,} recorded settings skipped"]), 1.0)
    if len(records) < 2:
        raise PoolError(f"{path} has fewer than two usable settings; an estimate needs hundreds")
    hands, strengths, broken, decisions = zip(*records, strict=True)
    return OpponentPool(
        Path(path).name,
        rules.wheel,
        seed=0,
        strengths=np.array(strengths, np.int16),
        broken=np.array(broken, np.uint8),
        decisions=np.array(decisions, np.uint8),
        about={"source": str(path)},
        dealt=np.array(hands, np.int64),
        fewest=FEWEST,
    )


class _Unusable(Exception):
    """A row that cannot be used, with all that is wrong with it."""


def _has_rows(header: list[str]) -> bool:
    return set(ROWS) <= set(names_of(header))


def _check_header(names: list[str], path: str | Path) -> None:
    problems = [f"no column {row}" for row in ROWS if row not in names]
    problems += [f"two columns {name}" for name in (*ROWS, *_CHOICES) if names.count(name) > 1]
    if problems:
        raise PoolError(
            f"{path}: {', '.join(problems)}; recorded settings have a header row with columns "
            f"{', '.join(ROWS)}"
        )


def _fields(row: Row, names: list[str]) -> Mapping[str, str]:
    if row.fault:
        raise _Unusable(row.fault)
    if len(row.fields) != len(names):
        noun = "field" if len(row.fields) == 1 else "fields"
        raise _Unusable(f"{len(row.fields)} {noun}, but the header has {len(names)}")
    return dict(zip(names, map(str.strip, row.fields), strict=True))


def _record(fields: Mapping[str, str], rules: RuleSet) -> _Record:
    """Return what a player did, or raise _Unusable."""
    rows: dict[str, Cards] = {}
    problems = []
    for row, size in _ROW_SIZES.items():
        try:
            rows[row] = parse_cards(fields[row]) if fields[row] else Cards()
        except CardError as error:
            problems.append(f"{row}: {error}")
            continue
        if len(rows[row]) != size:
            noun = "card" if len(rows[row]) == 1 else "cards"
            problems.append(f"{row}: {len(rows[row]) or 'no'} {noun}, the row takes {size}")
    problems += _shared(rows)
    done = [what for what in _CHOICES if fields.get(what, "").casefold() not in _NO]
    if len(done) > 1:
        problems.append("both declares and surrenders; only one is possible")
    if problems:
        raise _Unusable("; ".join(problems))
    hand = sum(cards.mask for cards in rows.values())
    strengths = tuple(row_strength(cards, rules.wheel) for cards in rows.values())
    decision = _CHOICES[done[0]] if done else SET
    if decision != SURRENDER and _holds_natural(hand, rules):
        decision = decision if rules.optional else DECLARE
    elif decision == DECLARE:
        raise _Unusable(f"declares, but holds no natural of the rules {rules.name}")
    elif decision == SURRENDER and rules.surrender is None:
        raise _Unusable(f"surrenders, which the rules {rules.name} forbid")
    back, middle, front = strengths
    if decision == SET and not back >= middle >= front:
        raise _Unusable("a foul: " + " and ".join(_out_of_order(strengths, rules.wheel)))
    broken = broken_code(hand, rows["back"].mask, rows["middle"].mask)
    return _Record(hand, strengths, broken, decision)


def _shared(rows: Mapping[str, Cards]) -> Iterator[str]:
    for row, other in combinations(rows, 2):
        if shared := rows[row].mask & rows[other].mask:
            yield f"{Cards.from_mask(shared)} in {row} and in {other}"


def _holds_natural(hand: int, rules: RuleSet) -> bool:
    bits = natural_bits(hand, natural_table()) if rules.naturals else 0
    return any(bits >> int(kind) & 1 for kind in naturals_of(rules).kinds)


def _out_of_order(strengths: Iterable[int], wheel: Wheel) -> Iterator[str]:
    shown = [
        (row, strength, row_name(strength, wheel))
        for row, strength in zip(ROWS, strengths, strict=True)
    ]
    for (row, strength, name), (below, above, other) in pairwise(shown):
        if above > strength:
            yield f"{below} ({other}) beats {row} ({name})"


def _count_rest(more: int) -> list[str]:
    return [f"and {more:,} more rows"] if more > 0 else []
