"""Where each key of a TOML text stands: tomllib reads values but gives no line numbers."""

import re
import tomllib
from bisect import bisect_right
from collections import Counter

Key = tuple[str | int, ...]

_SPACE = re.compile(r"(?:[\s,]|#[^\n]*)*")  # also commas: the text is known to be valid TOML
_STRING = re.compile(
    r'"""(?:[^\\]|\\.)*?""""{0,2}'  # up to two quotes may stand right before the closing three
    r"|'''.*?''''{0,2}"
    r'|"(?:[^"\\]|\\.)*"'
    r"|'[^']*'",
    re.DOTALL,
)
_BLANK = re.compile(r"[ \t]*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_DOT = re.compile(r"[ \t]*\.[ \t]*")
_EQUALS = re.compile(r"[ \t]*=[ \t]*")
_SCALAR = re.compile(r"[^,\]}#\n]*")


def key_lines(text: str) -> dict[Key, int]:
    r"""
    Line of every key, table and array item of a valid TOML text.

    Parameters
    ----------
    text : what `tomllib.loads` accepts

    Returns
    -------
    Path from the top, such as ``("naturals", 1, "units")``, to its line, the first being 1. A
    table opened by several headers or dotted keys has the line of the first.

    >>> key_lines('[royalties.front]\ntrips = 3')[("royalties", "front", "trips")]
    2
    """
    return _Scan(text).lines


class _Scan:
    """One walk over the text; `at` is the next character to read."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.lines: dict[Key, int] = {}
        self.breaks = [match.start() for match in re.finditer("\n", text)]
        self.tables: Counter[Key] = Counter()  # how many [[tables]] of each name were opened
        table: Key = ()
        while self.skip(_SPACE).at < len(text):
            if text.startswith("[[", self.at):
                self.at += 2
                table = self.header(is_array=True)
                self.at += 2
            elif text.startswith("[", self.at):
                self.at += 1
                table = self.header(is_array=False)
                self.at += 1
            else:
                self.pair(table)

    def skip(self, pattern: re.Pattern[str]) -> "_Scan":
        if match := pattern.match(self.text, self.at):
            self.at = match.end()
        return self

    def note(self, path: Key, start: int) -> None:
        self.lines.setdefault(path, bisect_right(self.breaks, start - 1) + 1)

    def key(self) -> list[str]:
        """Read a dotted key; its parts."""
        parts = []
        while True:
            self.skip(_DOT)
            start = self.at
            if self.text[start] in "\"'":
                self.skip(_STRING)
                parts.append(str(tomllib.loads("key = " + self.text[start : self.at])["key"]))
            else:
                parts.append(self.skip(_BARE_KEY).text[start : self.at])
            if not _DOT.match(self.text, self.at):
                return parts

    def header(self, *, is_array: bool) -> Key:
        """Read a table's name; the path of the table, with the index of each array on the way."""
        self.skip(_BLANK)
        start = self.at
        parts = self.key()
        self.skip(_BLANK)
        path: Key = ()
        for depth, part in enumerate(parts, start=1):
            path += (part,)
            self.note(path, start)
            if is_array and depth == len(parts):
                self.tables[path] += 1
            if path in self.tables:
                path += (self.tables[path] - 1,)
                self.note(path, start)
        return path

    def pair(self, table: Key) -> None:
        """Read `key = value`."""
        start = self.at
        path = table
        for part in self.key():
            path += (part,)
            self.note(path, start)
        self.skip(_EQUALS).value(path)

    def value(self, path: Key) -> None:
        opening = self.text[self.at]
        if opening in "\"'":
            self.skip(_STRING)
        elif opening == "[":
            self.at += 1
            item = 0
            while self.skip(_SPACE).text[self.at] != "]":
                self.note((*path, item), self.at)
                self.value((*path, item))
                item += 1
            self.at += 1
        elif opening == "{":
            self.at += 1
            while self.skip(_SPACE).text[self.at] != "}":
                self.pair(path)
            self.at += 1
        else:
            self.skip(_SCALAR)
