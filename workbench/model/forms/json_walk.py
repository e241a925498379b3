"""Read JSON that may be incomplete or wrong: its tokens for the colours, the lines of its values, and its indentation.

A string does not continue on the next line, so that a missing quote spoils a single line.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from server_core.runtime.safe_json import parse_json_or_none

TokenKind: TypeAlias = Literal["key", "string", "number", "literal", "punctuation"]

LONGEST = 200_000
"""The number of characters up to which the lines of values are searched."""

# Possessive quantifiers never backtrack, which would cost quadratic time on long strings.
_TOKEN = re.compile(r'"(?:[^"\\\n]++|\\.)*+"?|[{}\[\],:]|[^\s{}\[\],:"]++')
_COLON = re.compile(r"\s*+:")


def tokens(line: str) -> Iterator[tuple[int, int, TokenKind]]:
    """Yield start, end and kind of the tokens of one line."""
    for match in _TOKEN.finditer(line):
        yield match.start(), match.end(), _kind(match.group(), is_key=_COLON.match(line, match.end()) is not None)


def value_lines(text: str) -> dict[tuple[str | int, ...], int]:
    """Return the line, from 0, on which each value begins, by its path; empty for a very long text."""
    walk = JsonWalk()
    if len(text) <= LONGEST:
        walk.read(text)
    return walk.lines


def line_of(lines: Mapping[tuple[str | int, ...], int], path: tuple[str | int, ...]) -> int | None:
    """Return the line of a value in :func:`value_lines`, or of the nearest value around it."""
    around = (path[:length] for length in range(len(path), -1, -1))
    return next((lines[place] for place in around if place in lines), None)


def line_break(before: str, after: str) -> tuple[str, str]:
    """Return what a line break writes before the cursor and after it, by the texts of the line around the cursor."""
    indent = "\n" + before[: len(before) - len(before.lstrip(" \t"))]
    if not before.rstrip().endswith(("{", "[")):
        return indent, ""
    return f"{indent}  ", indent if after.lstrip().startswith(("}", "]")) else ""


@dataclass(slots=True)
class _Level:
    """An object or array that is not closed yet."""

    is_object: bool
    key: str | int = 0  # of the member that is being read
    wants_key: bool = False  # whether the next string is a key


@dataclass(slots=True)
class JsonWalk:
    """A walk through a JSON text: the place that it has reached, and the lines of the values on the way."""

    lines: dict[tuple[str | int, ...], int] = field(default_factory=dict)
    _levels: list[_Level] = field(default_factory=list)

    @property
    def path(self) -> tuple[str | int, ...]:
        """The path of the value that is read next, or of the object whose key is read next."""
        levels = self._levels[:-1] if self.wants_key else self._levels
        return tuple(level.key for level in levels)

    @property
    def wants_key(self) -> bool:
        return bool(self._levels) and self._levels[-1].wants_key

    def read(self, text: str) -> None:
        line = position = 0
        for match in _TOKEN.finditer(text):
            line += text.count("\n", position, match.start())
            position = match.start()
            self._step(match.group(), line)

    def _step(self, token: str, line: int) -> None:
        level = self._levels[-1] if self._levels else None
        if token in ("{", "["):
            self.lines[self.path] = line
            self._levels.append(_Level(token == "{", "" if token == "{" else 0, token == "{"))
        elif token in ("}", "]"):
            del self._levels[-1:]
        elif token == ":":
            if level is not None:
                level.wants_key = False
        elif token == ",":
            if level is not None and isinstance(level.key, int):
                level.key += 1
            elif level is not None:
                level.wants_key = True
        elif level is not None and level.wants_key:
            name = parse_json_or_none(token)
            level.key = name if isinstance(name, str) else token.strip('"')
        else:
            self.lines[self.path] = line


def _kind(token: str, *, is_key: bool) -> TokenKind:
    if token[0] == '"':
        return "key" if is_key else "string"
    if token in "{}[],:":
        return "punctuation"
    return "number" if token[0] in "-0123456789" else "literal"
