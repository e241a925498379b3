"""All values that are masked at one time, looked for together.

What holds no secret is passed at the cost of one search, for the anchors of all of them; only where one is found, the
patterns of the secrets that it belongs to are tried.
"""

import re
from collections.abc import Collection, Iterable
from functools import cached_property
from itertools import count

from server_core.records.masking.json_text import Span, looks_like_json, mask_json
from server_core.records.masking.readings import MOST_LAYERS, has_needless_escapes, readings
from server_core.records.masking.regions import RECORD, Region
from server_core.records.masking.secret import Place, Secret

# Up to so many anchors are quicker found one by one than by one pattern of them all, in texts that are not short.
FEW_ANCHORS = 128
SHORT_TEXT = 1024
# A pattern tries so many one after the other; of more, only those that begin as the bytes at hand do.
FEW = 8
_NOTHING = rb"(?!)"
# Bytes that an escape of one byte needs, as in `%25255Cu0074`: each of the layers that are read adds two.
ESCAPED = 6 + 2 * MOST_LAYERS
MOST_REACH = 64 * 1024


class Known:
    """The values that are masked.

    Args:
        secrets: one or more.
    """

    def __init__(self, secrets: Iterable[Secret]) -> None:
        ordered = sorted(secrets, key=lambda secret: (-secret.length, secret.label))
        self._all = tuple(ordered)
        self._by_anchor: dict[bytes, set[Secret]] = {}
        for secret in ordered:
            for anchor in secret.anchors:
                self._by_anchor.setdefault(anchor, set()).add(secret)
        # Their values give nothing to look for.
        self._everywhere = frozenset(self._by_anchor.pop(b"", ()))
        for anchor, found in self._by_anchor.items():
            # A search finds the longest of the anchors that begin at one place.
            found.update(*(self._by_anchor.get(anchor[:length], ()) for length in range(1, len(anchor))))
        self._anchors = re.compile(_any_of(self._by_anchor) if self._by_anchor else _NOTHING)
        self._few = tuple(self._by_anchor) if len(self._by_anchor) <= FEW_ANCHORS else None
        self._wholes = {whole: secret.label for secret in reversed(ordered) for whole in secret.wholes}
        self._longest_whole = max(map(len, self._wholes))
        self.reach = min(MOST_REACH, ESCAPED * self._longest_whole)
        """How many bytes of a text behind a place say whether a value lies across it."""

    def mask(self, data: bytes, region: Region | None = None) -> bytes:
        """Return a text or a message with every value masked.

        Args:
            data: its bytes.
            region: what part of a message it is, if it is JSON; a record when not given.
        """
        found = self._candidates(data)
        if found:
            masking = _Found(found, self._wholes)
            if looks_like_json(data) and (masked := mask_json(data, masking, region or RECORD)) is not None:
                return masked
            data = masking.text(data, Place.TEXT)
        if len(data) <= self._longest_whole + 2:  # A line may come with its end.
            return self._wholes.get(data.strip(), data)
        return data

    def cut(self, data: bytes, limit: int) -> int:
        """Return where a text may be cut so that no value lies across the cut: at a limit, or before it.

        Args:
            data: its bytes, more than the limit.
            limit: how long the first piece should be; it is longer only where a single value is.
        """
        near = data[: limit + self.reach]
        if found := self._candidates(near):
            for span in _Found(found, self._wholes).spans(near, Place.TEXT):
                if span.start < limit < span.end:
                    return span.start or span.end
        return limit

    def settled(self, data: bytes, is_cut_off: bool = False) -> int:
        """Return how many bytes of an unfinished text are masked alike, whatever comes behind it.

        Args:
            data: its bytes.
            is_cut_off: it remains unfinished.
        """
        if not is_cut_off and looks_like_json(data):
            return 0  # It is masked as a whole.
        start = max(0, len(data) - self.reach)
        begun = (
            start + reading.origin(match.start())
            for reading in readings(data[start:])
            if (match := self._beginning.search(reading.text)) is not None
        )
        return min(begun, default=len(data))

    def presentable(self, data: bytes) -> int:
        """Return how many bytes of an unfinished text can be shown: what is settled, and an escape's beginning.

        Args:
            data: its bytes.
        """
        settled = self.settled(data)
        begun = data[settled:]
        # All of a value's characters may be escaped, so these say nothing of it, unless they are its own.
        is_escape = begun[:1] in (b"%", b"\\") and begun.count(begun[:1]) == len(begun)
        return len(data) if is_escape and begun[:1] not in self._first_bytes else settled

    def mask_behind(self, data: bytes, shown: int) -> bytes:
        """Return the masked rest of a text; a value that begins in what was shown is masked as a whole.

        Args:
            data: its bytes.
            shown: how many of them were shown.
        """
        for span in _Found(self._candidates(data), self._wholes).spans(data, Place.TEXT) if shown else ():
            if span.start < shown < span.end:
                return span.label + self.mask(data[span.end :])
        return self.mask(data[shown:])

    @cached_property
    def _first_bytes(self) -> frozenset[bytes]:
        return frozenset(text[:1] for secret in self._all for text in secret.texts)

    @cached_property
    def _beginning(self) -> re.Pattern[bytes]:
        return re.compile(b"|".join(sorted({one for secret in self._all for one in secret.beginnings})))

    def _candidates(self, data: bytes) -> Collection[Secret]:
        """Return the secrets that may be in a text."""
        if has_needless_escapes(data):
            return self._everywhere.union(*(self._anchored(reading.text) for reading in readings(data)))
        # Escapes that are needed leave the anchors as they are.
        return self._everywhere | self._anchored(data) if self._has_anchor(data) else self._everywhere

    def _has_anchor(self, text: bytes) -> bool:
        if self._few is None or len(text) < SHORT_TEXT:
            return self._anchors.search(text) is not None
        return any(map(text.__contains__, self._few))

    def _anchored(self, text: bytes) -> set[Secret]:
        """Return the secrets that have an anchor in a text."""
        found: set[Secret] = set()
        match = self._anchors.search(text) if self._has_anchor(text) else None
        while match is not None and len(found) < len(self._all):
            found |= self._by_anchor[match.group()]
            match = self._anchors.search(text, match.start() + 1)
        return found


class _Found:
    """Mask the secrets that may be in a text.

    Args:
        secrets: those.
        wholes: what stands in place of texts that are a value and nothing else.
    """

    def __init__(self, secrets: Collection[Secret], wholes: dict[bytes, bytes]) -> None:
        self._secrets = secrets
        self._wholes = wholes

    def text(self, data: bytes, place: Place) -> bytes:
        """Return a piece of text with every value masked that is masked at such a place."""
        pieces: list[bytes] = []
        done = 0
        for span in self.spans(data, place):
            pieces += (data[done : span.start], span.label)
            done = span.end
        return b"".join((*pieces, data[done:])) if pieces else data

    def whole(self, data: bytes) -> bytes | None:
        """Return what stands in place of a text that is a value and nothing else; None when it is none."""
        return self._wholes.get(data)

    def spans(self, data: bytes, place: Place) -> list[Span]:
        """Return where the values lie that are masked at such a place; of those that overlap, the first and longest."""
        found: list[Span] = []
        patterns = [(one, secret.label) for secret in self._secrets if (one := secret.pattern(place)) is not None]
        for reading in readings(data):
            for pattern, label in patterns:
                found += [
                    Span(reading.origin(match.start()), reading.origin(match.end()), label)
                    for match in pattern.finditer(reading.text)
                ]
        found.sort(key=lambda span: (span.start, -span.end, span.label))
        apart: list[Span] = []
        for span in found:
            if apart and span.start < apart[-1].end:
                apart[-1] = apart[-1]._replace(end=max(span.end, apart[-1].end))
            else:
                apart.append(span)
        return apart


def _any_of(anchors: Iterable[bytes]) -> bytes:
    """The pattern of the longest of the anchors that stands somewhere."""
    return _alternatives(sorted(anchors, key=len, reverse=True))


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
