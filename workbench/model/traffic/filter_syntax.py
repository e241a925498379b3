"""The syntax of a filter: a tree of terms, with its test for entries and its canonical text.

The canonical text of a filter is read as the same tree. Its words stand side by side with one space between them, have
quotes only where they need them, and brackets only around alternatives.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from workbench.model.traffic.filter_paths import quoted
from workbench.model.traffic.filter_tokens import Test, Token

# A word that is nothing else, and a value of a field, that need no quotes.
_PLAIN_WORD = re.compile(r"\w[\w./-]*")
_PLAIN_VALUE = re.compile(r'[^\s()|&!"][^\s()|&"]*')


@dataclass(frozen=True, slots=True)
class Term:
    """One term."""

    token: Token
    test: Test = field(compare=False, repr=False)

    @property
    def text(self) -> str:
        return _TEXTS[self.token.kind](self.token)

    @property
    def tokens(self) -> Iterator[Token]:
        yield self.token


@dataclass(frozen=True, slots=True)
class Negation:
    """What does not match a filter."""

    inner: "Node"

    @property
    def test(self) -> Test:
        inner = self.inner.test
        return lambda entry: not inner(entry)

    @property
    def text(self) -> str:
        return f"!{_in_brackets(self.inner, (Conjunction, Alternative))}"

    @property
    def tokens(self) -> Iterator[Token]:
        return self.inner.tokens


@dataclass(frozen=True, slots=True)
class Conjunction:
    """What matches all of two or more filters, none of which is a conjunction."""

    parts: "tuple[Node, ...]"

    @property
    def test(self) -> Test:
        tests = [part.test for part in self.parts]
        return lambda entry: all(test(entry) for test in tests)

    @property
    def text(self) -> str:
        return " ".join(_in_brackets(part, (Alternative,)) for part in self.parts)

    @property
    def tokens(self) -> Iterator[Token]:
        for part in self.parts:
            yield from part.tokens


@dataclass(frozen=True, slots=True)
class Alternative:
    """What matches any of two or more filters, none of which is an alternative."""

    parts: "tuple[Node, ...]"

    @property
    def test(self) -> Test:
        tests = [part.test for part in self.parts]
        return lambda entry: any(test(entry) for test in tests)

    @property
    def text(self) -> str:
        return " | ".join(part.text for part in self.parts)

    @property
    def tokens(self) -> Iterator[Token]:
        for part in self.parts:
            yield from part.tokens


Node: TypeAlias = Term | Negation | Conjunction | Alternative


def all_of(nodes: Sequence[Node]) -> Node:
    """Return the filter for what matches each of one or more filters."""
    parts = [part for node in nodes for part in (node.parts if isinstance(node, Conjunction) else (node,))]
    return parts[0] if len(parts) == 1 else Conjunction(tuple(parts))


def any_of(nodes: Sequence[Node]) -> Node:
    """Return the filter for what matches any of one or more filters."""
    parts = [part for node in nodes for part in (node.parts if isinstance(node, Alternative) else (node,))]
    return parts[0] if len(parts) == 1 else Alternative(tuple(parts))


def _in_brackets(node: Node, kinds: tuple[type, ...]) -> str:
    return f"({node.text})" if isinstance(node, kinds) else node.text


def _value(token: Token) -> str:
    is_plain = not token.is_quoted and _PLAIN_VALUE.fullmatch(token.text) is not None
    return token.text if is_plain else quoted(token.text)


def _path(token: Token) -> str:
    match token.operator:
        case "exists":
            return f"{token.name} exists"
        case "=~":
            return f"{token.name} =~ /{token.text}/"
    return f"{token.name} {token.operator} {_value(token)}"


_TEXTS: dict[str, Callable[[Token], str]] = {
    "compare": lambda token: f"{token.name}{token.operator}{_value(token)}",
    "field": lambda token: f"{token.name}:{_value(token)}",
    "path": _path,
    "regex": lambda token: f"/{token.text}/",
    "word": lambda token: token.text if _PLAIN_WORD.fullmatch(token.text) else quoted(token.text),
}
