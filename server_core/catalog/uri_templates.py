"""Addresses with parts in braces: `notes://{user}/{path*}`, and the parts of an address that fits one.

`{part}` stands for everything up to the next slash, `{part*}` for slashes as well; of several ways to fit, the first
part takes as much as it can. The work grows with the length of the address and no faster, whatever the template: a
regular expression would take a client's hour for an address of some kilobytes.
"""

import re
from functools import cached_property

MOST_ADDRESS = 8192
"""Longer addresses fit no template."""

# What no author writes, once and in more segments than a template has that does not take them all.
_ONE = "\x01"
_MANY = "/".join(_ONE * 20)
_PART = re.compile(r"\{(\w+)(\*?)\}")


class UriTemplate:
    """One such template.

    Args:
        text: as its author wrote it.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """The names of the parts in their order; one that stands there twice comes twice."""
        return tuple(name for name, _, _ in self._pieces)

    @cached_property
    def rest(self) -> str:
        """What is not part of it: the text without its parts."""
        return _PART.sub("", self.text)

    @cached_property
    def _start(self) -> str:
        """What every address begins with."""
        return _PART.split(self.text)[0]

    @cached_property
    def _pieces(self) -> list[tuple[str, bool, str]]:
        """For each part: its name, whether it takes slashes, and the text behind it."""
        texts = _PART.split(self.text)
        return [
            (name, bool(star), behind) for name, star, behind in zip(*(texts[i::3] for i in (1, 2, 3)), strict=True)
        ]

    def covers(self, other: "UriTemplate") -> bool:
        """Return whether every address of another template fits this one as well."""
        return self.match(other._sample) is not None

    @cached_property
    def _sample(self) -> str:
        """An address of it that fits no other template by chance."""
        return self._start + "".join((_MANY if star else _ONE) + behind for _, star, behind in self._pieces)

    def match(self, uri: str) -> dict[str, str] | None:
        """Return the parts of an address, decoded; None when it does not fit.

        A part that would lead elsewhere, were it taken for the path of a file, fits nothing: `..`, and a slash that is
        hidden in a part that takes none.
        """
        if len(uri) > MOST_ADDRESS or not uri.startswith(self._start):
            return None
        ends = self._ends(uri)
        position, found = len(self._start), {}
        for (name, takes_slashes, behind), latest in zip(self._pieces, ends, strict=True):
            if (end := latest.get(position)) is None:
                return None
            if (value := _decoded(uri[position:end], takes_slashes)) is None:
                return None
            found[name] = value
            position = end + len(behind)
        return found

    def _ends(self, uri: str) -> list[dict[int, int]]:
        """For each part: where it may begin -> where it ends at the latest, so that all behind it fits as well."""
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
