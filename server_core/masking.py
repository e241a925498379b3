"""Secrets in bytes -> the names of the secrets: applied once, where records are made."""

import base64
import json
import re
import threading
import time
from collections.abc import Callable, Hashable, Iterable, Mapping
from itertools import count
from typing import TypeAlias

# Shorter values would hide half of the traffic, and are no secrets worth the name.
SHORTEST = 4
# Likewise of the lines of a value that has several.
SHORTEST_LINE = 8
# So many forms are tried one after the other; of more, only those that begin as the bytes at hand do.
FEW = 8
# How often a value may be quoted as JSON within JSON.
DEEPEST = 3
# What was renewed may still be in flight, or in the hands of a call that runs on.
RENEWED_SECONDS = 24 * 3600.0
MOST_RENEWED = 50


class Masker:
    """Replace the values of secrets, in every form in which they travel, by their names.

    Args:
        secrets: name -> value of each secret that is set.
        clock: seconds that only grow.
    """

    def __init__(self, secrets: Mapping[str, str] | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.has_secrets = False
        """Whether there is anything to mask."""
        self._clock = clock
        self._lock = threading.Lock()
        self._known: frozenset[_Secret] = frozenset()
        self._renewed: dict[Hashable, list[tuple[frozenset[_Secret], float]]] = {}
        self._forms: dict[_Secret, set[bytes]] = {}
        self._table: tuple[re.Pattern[bytes], dict[bytes, bytes]] | None = None
        self.set(secrets or {})

    def set(self, secrets: Mapping[str, str]) -> None:
        """Mask these values from now on, in addition to those given before.

        A value that was replaced or removed stays masked: it may still be in flight. What is masked already costs
        next to nothing, so callers need not remember what they gave. Safe on any thread.

        Args:
            secrets: name -> value.
        """
        wanted = _worth_masking(secrets)
        with self._lock:
            if wanted <= self._known:
                return
            self._known |= wanted
            self._apply()

    def renew(self, which: Hashable, secrets: Mapping[str, str]) -> None:
        """Mask these values from now on, in place of those that were given before for the same thing.

        What they replace stays masked for a day, and of what is replaced more often than that, the latest
        `MOST_RENEWED`. Safe on any thread.

        Args:
            which: what the values belong to: the account of somebody, say.
            secrets: name -> value.
        """
        wanted = _worth_masking(secrets)
        with self._lock:
            given = self._renewed.get(which, [])
            if not wanted or (given and given[-1][0] == wanted):
                return
            now = self._clock()
            # The time of what was given last counts from when it is replaced: now.
            before = [*given[:-1], *((values, now) for values, _ in given[-1:])]
            recent = [one for one in before if now - one[1] < RENEWED_SECONDS and one[0] != wanted]
            self._renewed[which] = [*recent[-MOST_RENEWED:], (wanted, now)]
            self._apply()

    def mask(self, data: bytes) -> bytes:
        """Return the bytes with every secret's value replaced by `<secret NAME>`."""
        if self._table is None:
            return data
        pattern, names = self._table
        return pattern.sub(lambda match: names[match.group()], data)

    def mask_text(self, text: str) -> str:
        """Return the text with every secret's value replaced by `<secret NAME>`."""
        if self._table is None:
            return text
        try:
            data = text.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:  # Halves of characters, which no text on a wire can have.
            data = text.encode("utf-8", "replace")
        return self.mask(data).decode("utf-8", "surrogateescape")

    def _apply(self) -> None:
        """Look for what is known from now on, and for nothing else."""
        wanted = self._known.union(*(values for given in self._renewed.values() for values, _ in given))
        self._forms = {one: self._forms.get(one) or _forms(one[1]) for one in wanted}
        names = {form: _label(one[0], form) for one, forms in self._forms.items() for form in forms}
        self._table = (re.compile(_any_of(names)), names) if names else None
        self.has_secrets = bool(names)


_Secret: TypeAlias = tuple[str, str]
"""Name and value."""


def _worth_masking(secrets: Mapping[str, str]) -> frozenset[_Secret]:
    return frozenset(one for one in secrets.items() if len(one[1]) >= SHORTEST)


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
