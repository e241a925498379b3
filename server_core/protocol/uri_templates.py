"""URI templates, such as `notes://{user}/{path*}`: their variables, their expansion, and matching of URIs against them.

Expansion supports the expressions of levels 1 to 3; modifiers are parsed and ignored. Matching supports `{part}`, which
matches everything up to the next slash, and `{part*}`, which matches slashes too; it is greedy, from the left. It takes
linear time for every template: with a regular expression, a client could block the server for an hour with a URI of a
few kilobytes.

Source: RFC 6570.
"""

import json
import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any
from urllib.parse import quote, unquote

MAX_URI_LENGTH = 8192
"""Longer URIs match no template."""

# RFC 6570 appendix A: the text before the first value, the separator, and whether names are written.
_OPERATORS: dict[str, tuple[str, str, bool]] = {
    "": ("", ",", False),
    "+": ("", ",", False),
    "#": ("#", ",", False),
    ".": (".", ".", False),
    "/": ("/", "/", False),
    ";": (";", ";", True),
    "?": ("?", "&", True),
    "&": ("&", "&", True),
}
_RESERVED = ":/?#[]@!$&'()*+,;="
_EXPRESSION = re.compile(r"\{([+#./;?&]?)([^{}]*)\}")
_PART = re.compile(r"\w+\*?")

# Text that no template contains, as one segment and as more segments than any template lists.
_SEGMENT = "\x01"
_SEGMENTS = "/".join(_SEGMENT * 20)


class UriTemplate:
    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def variables(self) -> tuple[str, ...]:
        """The names of the variables in order, including duplicates."""
        return tuple(name for _, body, _ in self._expressions for name in _names(body) if name)

    @cached_property
    def is_matchable(self) -> bool:
        """Whether every brace belongs to a part, so that URIs can be matched."""
        rest = _EXPRESSION.sub("", self.text)
        return not {"{", "}"} & set(rest) and all(
            not operator and _PART.fullmatch(body) for operator, body, _ in self._expressions
        )

    def expand(self, values: Mapping[str, Any]) -> str:
        """Return the URI; variables without a value are left out, as the RFC requires.

        Args:
            values: texts; other JSON values, which no template has in its form, are written as JSON.
        """
        texts = (_expand_expression(operator, body, values) + behind for operator, body, behind in self._expressions)
        return self._start + "".join(texts)

    def covers(self, other: "UriTemplate") -> bool:
        """Return whether this template matches every URI that another one matches."""
        return self.match(other._sample) is not None

    def match(self, uri: str) -> dict[str, str] | None:
        """Return the decoded parts of a URI, or None when it does not match.

        Parts that could escape a folder if used as a file path do not match: `..`, and an encoded slash in a part that
        matches no slashes.
        """
        if len(uri) > MAX_URI_LENGTH or not uri.startswith(self._start):
            return None
        ends = self._ends(uri)
        position, parts = len(self._start), {}
        for (name, allows_slashes, behind), latest in zip(self._parts, ends, strict=True):
            if (end := latest.get(position)) is None:
                return None
            if (value := _decode_part(uri[position:end], allows_slashes)) is None:
                return None
            parts[name] = value
            position = end + len(behind)
        return parts

    @cached_property
    def _start(self) -> str:
        """The text before the first expression, the prefix of every matching URI."""
        return _EXPRESSION.split(self.text)[0]

    @cached_property
    def _expressions(self) -> list[tuple[str, str, str]]:
        """Each expression: its operator, its variables, and the text after it."""
        texts = _EXPRESSION.split(self.text)
        return list(zip(*(texts[i::3] for i in (1, 2, 3)), strict=True))

    @cached_property
    def _parts(self) -> list[tuple[str, bool, str]]:
        """For each part: its name, whether it matches slashes, and the text after it."""
        return [(body.removesuffix("*"), body.endswith("*"), behind) for _, body, behind in self._expressions]

    @cached_property
    def _sample(self) -> str:
        """A matching URI that no other template matches by coincidence."""
        texts = ((_SEGMENTS if slashes else _SEGMENT) + behind for _, slashes, behind in self._parts)
        return self._start + "".join(texts)

    def _ends(self, uri: str) -> list[dict[int, int]]:
        """For each part: possible start -> the last possible end with which the rest of the template still matches."""
        length, start = len(uri), len(self._start)
        # From the last part to the first, and for each from the end of the URI to its start: so every position is
        # examined once a part, whatever the template. The rest of the URI matches from the keys of `begins`.
        begins: dict[int, int] = {length: length}
        ends = []
        for _, allows_slashes, behind in reversed(self._parts):
            latest: dict[int, int] = {}
            end: int | None = None
            for position in range(length, start - 1, -1):
                if position < length and uri[position] == "/" and not allows_slashes:
                    end = None
                elif end is not None:
                    latest[position] = end
                if end is None and uri.startswith(behind, position) and position + len(behind) in begins:
                    end = position
            ends.append(latest)
            begins = latest
        return ends[::-1]


def _names(body: str) -> list[str]:
    return [name.strip().split(":")[0].rstrip("*") for name in body.split(",")]


def _expand_expression(operator: str, body: str, values: Mapping[str, Any]) -> str:
    first, between, is_named = _OPERATORS[operator]
    safe = _RESERVED if operator in ("+", "#") else ""
    given = [(name, quote(_text(values[name]), safe=safe)) for name in _names(body) if name in values]
    # RFC 6570 section 3.2.7: a path-style parameter without a value has no "=".
    texts = [
        value if not is_named else name if operator == ";" and not value else f"{name}={value}" for name, value in given
    ]
    return first + between.join(texts) if texts else ""


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _decode_part(value: str, allows_slashes: bool) -> str | None:
    """Return the decoded value of a part; None when it could escape a folder."""
    text = unquote(value)
    if "\0" in text or ("/" in text and not allows_slashes) or not {".", ".."}.isdisjoint(text.split("/")):
        return None
    return text
