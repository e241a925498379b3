"""Secrets in bytes -> the names of the secrets: applied once, where records are made."""

import base64
import json
import re
import threading
from collections.abc import Iterable, Mapping
from itertools import count

# Shorter values would hide half of the traffic, and are no secrets worth the name.
SHORTEST = 4
# Likewise of the lines of a value that has several.
SHORTEST_LINE = 8
# So many forms are tried one after the other; of more, only those that begin as the bytes at hand do.
FEW = 8
# How often a value may be quoted as JSON within JSON.
DEEPEST = 3


class Masker:
    """Replace the values of secrets, in every form in which they travel, by their names.

    Args:
        secrets: name -> value of each secret that is set.
    """

    def __init__(self, secrets: Mapping[str, str] | None = None) -> None:
        self.has_secrets = False
        """Whether there is anything to mask."""
        self._lock = threading.Lock()
        self._known: frozenset[tuple[str, str]] = frozenset()
        self._names: dict[bytes, bytes] = {}
        self._pattern: re.Pattern[bytes] | None = None
        self.set(secrets or {})

    def set(self, secrets: Mapping[str, str]) -> None:
        """Mask these values from now on, in addition to those given before.

        A value that was replaced or removed stays masked: it may still be in flight. What is masked already costs
        next to nothing, so callers need not remember what they gave. Safe on any thread.

        Args:
            secrets: name -> value.
        """
        wanted = {one for one in secrets.items() if len(one[1]) >= SHORTEST}
        with self._lock:
            new = wanted - self._known
            if not new:
                return
            names = dict(self._names)
            for name, value in new:
                names |= {form: _label(name, form) for form in _forms(value)}
            self._names = names
            self._pattern = re.compile(_any_of(names))
            self._known |= new
            self.has_secrets = True

    def mask(self, data: bytes) -> bytes:
        """Return the bytes with every secret's value replaced by `<secret NAME>`."""
        if self._pattern is None:
            return data
        return self._pattern.sub(lambda match: self._names[match.group()], data)

    def mask_text(self, text: str) -> str:
        """Return the text with every secret's value replaced by `<secret NAME>`."""
        if self._pattern is None:
            return text
        try:
            data = text.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:  # Halves of characters, which no text on a wire can have.
            data = text.encode("utf-8", "replace")
        return self.mask(data).decode("utf-8", "surrogateescape")


def _forms(value: str) -> set[bytes]:
    """The ways in which a value is written: plain, escaped, percent-encoded, base64, and line by line."""
    # Imported here: a server without secrets must not wait for it before its first answer.
    from urllib.parse import quote, quote_plus

    plain = value.encode("utf-8", "surrogateescape")
    base64s = {base64.b64encode(plain), base64.urlsafe_b64encode(plain)}
    percent = {quote(plain, safe="").encode(), quote(plain).encode(), quote_plus(plain).encode()}
    # What is printed becomes a record a line.
    lines = {line.strip() for line in value.splitlines() if len(line.strip()) >= SHORTEST_LINE}
    texts = {value, repr(value)[1:-1], *lines}
    # The text of a structured result is JSON within JSON, and what quotes that goes one deeper.
    for _ in range(DEEPEST):
        texts |= {json.dumps(text, ensure_ascii=ascii)[1:-1] for text in texts for ascii in (False, True)}
    escaped = {text.encode("utf-8", "surrogateescape") for text in texts}
    return escaped | percent | base64s | {form.rstrip(b"=") for form in base64s}


def _label(name: str, form: bytes) -> bytes:
    # A number may stand bare in JSON, where a name would not parse.
    return b"0" if form.isdigit() else f"<secret {name}>".encode("ascii", "replace")


def _any_of(forms: Iterable[bytes]) -> bytes:
    """The pattern of the longest of the forms that stands somewhere; a number is none within a longer number."""
    longest_first = sorted(forms, key=len, reverse=True)
    numbers = [rb"(?<!\d)" + form + rb"(?!\d)" for form in longest_first if form.isdigit()]
    others = [form for form in longest_first if not form.isdigit()]
    return b"|".join([*([_alternatives(others)] if others else []), *numbers])


def _alternatives(forms: list[bytes]) -> bytes:
    """The pattern of forms that are in the order in which they count, grouped by how they begin."""
    if len(forms) <= FEW:
        return b"|".join(map(re.escape, forms))
    groups: dict[bytes, list[bytes]] = {}
    for form in forms:
        groups.setdefault(form[:1], []).append(form)
    # What is empty here ends a form that is the beginning of others, which count first.
    ended = groups.pop(b"", None)
    return b"|".join([*map(_beginning_alike, groups.values()), *([b""] if ended else [])])


def _beginning_alike(forms: list[bytes]) -> bytes:
    length = next(n for n in count(1) if len({form[: n + 1] for form in forms}) > 1 or n >= len(forms[0]))
    return re.escape(forms[0][:length]) + b"(?:" + _alternatives([form[length:] for form in forms]) + b")"
