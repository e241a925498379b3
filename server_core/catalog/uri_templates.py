"""URI templates, such as `notes://{user}/{path*}`, and matching of URIs against them.

`{part}` matches everything up to the next slash, `{part*}` matches slashes too; matching is greedy, from the left. It
takes linear time for every template: with a regular expression, a client could block the server for an hour with a URI
of a few kilobytes.
"""

import re
from functools import cached_property

MAX_URI_LENGTH = 8192
"""Longer URIs match no template."""

# Text that no template contains, as one segment and as more segments than any template lists.
_SEGMENT = "\x01"
_SEGMENTS = "/".join(_SEGMENT * 20)
_PART = re.compile(r"\{(\w+)(\*?)\}")


class UriTemplate:
    """A URI template.

    Args:
        text: as its author wrote it.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """The names of the parts in order, including duplicates."""
        return tuple(name for name, _, _ in self._pieces)

    @cached_property
    def rest(self) -> str:
        """The text without its parts."""
        return _PART.sub("", self.text)

    @cached_property
    def _start(self) -> str:
        """The prefix of every matching URI."""
        return _PART.split(self.text)[0]

    @cached_property
    def _pieces(self) -> list[tuple[str, bool, str]]:
        """For each part: its name, whether it matches slashes, and the text after it."""
        texts = _PART.split(self.text)
        return [
            (name, bool(star), behind) for name, star, behind in zip(*(texts[i::3] for i in (1, 2, 3)), strict=True)
        ]

    def covers(self, other: "UriTemplate") -> bool:
        """Return whether this template matches every URI that another one matches."""
        return self.match(other._sample) is not None

    @cached_property
    def _sample(self) -> str:
        """A matching URI that no other template matches by coincidence."""
        return self._start + "".join((_SEGMENTS if star else _SEGMENT) + behind for _, star, behind in self._pieces)

    def match(self, uri: str) -> dict[str, str] | None:
        """Return the decoded parts of a URI, or None when it does not match.

        Parts that could escape a folder if used as a file path do not match: `..`, and an encoded slash in a part that
        matches no slashes.
        """
        if len(uri) > MAX_URI_LENGTH or not uri.startswith(self._start):
            return None
        ends = self._ends(uri)
        position, parts = len(self._start), {}
        for (name, takes_slashes, behind), latest in zip(self._pieces, ends, strict=True):
            if (end := latest.get(position)) is None:
                return None
            if (value := _decoded(uri[position:end], takes_slashes)) is None:
                return None
            parts[name] = value
            position = end + len(behind)
        return parts

    def _ends(self, uri: str) -> list[dict[int, int]]:
        """For each part: possible start -> the last possible end with which the rest of the template still matches."""
        length, start = len(uri), len(self._start)
        begins: dict[int, int] = {length: length}
        ends = []
        for _, takes_slashes, behind in reversed(self._pieces):
            latest: dict[int, int] = {}
            best: int | None = None
            for position in range(length, start - 1, -1):
                if position < length and uri[position] == "/" and not takes_slashes:
                    best = None
                elif best is not None:
                    latest[position] = best
                if best is None and uri.startswith(behind, position) and position + len(behind) in begins:
                    best = position
            ends.append(latest)
            begins = latest
        return ends[::-1]


def _decoded(value: str, takes_slashes: bool) -> str | None:
    from urllib.parse import unquote

    text = unquote(value)
    if "\0" in text or ("/" in text and not takes_slashes) or not {".", ".."}.isdisjoint(text.split("/")):
        return None
    return text
