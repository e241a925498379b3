"""Searching for all masked values together.

A text without secrets costs a single search, for the anchors of all secrets; only when an anchor matches, the patterns
of its secrets are tried.
"""

import re
from collections.abc import Collection, Iterable
from functools import cached_property
from itertools import count

from server_core.records.masking.json_text import Span, mask_json, starts_json
from server_core.records.masking.masked_secret import MaskedSecret, Place
from server_core.records.masking.readings import MAX_LAYERS, has_needless_escapes, readings
from server_core.records.masking.regions import RECORD, Region
from server_core.runtime.safe_json import parse_json

# In texts that are not short, searching for up to so many anchors separately is faster than a combined pattern.
FEW_ANCHORS = 128
SHORT_TEXT = 1024
# Up to so many alternatives are tried in sequence; more are grouped by their common beginnings.
FEW = 8
_NOTHING = rb"(?!)"
# How many bytes an escape of one byte may take, as in `%25255Cu0074`: each layer adds two.
ESCAPED = 6 + 2 * MAX_LAYERS
MAX_REACH = 64 * 1024


class SecretSearch:
    """The search for all values that are masked, of which there must be at least one; see :class:`Masker`."""

    def __init__(self, secrets: Iterable[MaskedSecret]) -> None:
        # In a fixed order, which decides between the labels of equal texts.
        ordered = sorted(secrets, key=lambda secret: (-secret.length, secret.label))
        self._all = tuple(ordered)
        self._by_anchor: dict[bytes, set[MaskedSecret]] = {}
        for secret in ordered:
            for anchor in secret.anchors:
                self._by_anchor.setdefault(anchor, set()).add(secret)
        # Secrets without an anchor are always searched for.
        self._everywhere = frozenset(self._by_anchor.pop(b"", ()))
        for anchor, candidates in self._by_anchor.items():
            # A search only returns the longest of the anchors that begin at a position.
            candidates.update(*(self._by_anchor.get(anchor[:length], ()) for length in range(1, len(anchor))))
        self._anchors = re.compile(_any_of(self._by_anchor) if self._by_anchor else _NOTHING)
        self._few = tuple(self._by_anchor) if len(self._by_anchor) <= FEW_ANCHORS else None
        self._wholes = {whole: secret.label for secret in reversed(ordered) for whole in secret.wholes}
        self._longest_whole = max(map(len, self._wholes))
        self.reach = min(MAX_REACH, ESCAPED * self._longest_whole)
        """How many bytes after a position are needed to decide whether a value spans it."""

    def mask(self, data: bytes, region: Region | None = None) -> bytes:
        candidates = self._candidates(data)
        if candidates:
            masker = _CandidateMasker(candidates, self._wholes)
            if starts_json(data) and (masked := mask_json(data, masker, region or RECORD)) is not None:
                # What only resembles JSON may contain a value of brackets and commas alone; JSON has to stay JSON.
                if not masker.spans(masked, Place.KEY) or _is_json(masked):
                    return masked
                data = masked
            data = masker.mask(data, Place.TEXT)
        if len(data) <= self._longest_whole + 2:  # A line may include its newline.
            return self._wholes.get(data.strip(), data)
        return data

    def cut(self, data: bytes, limit: int) -> int:
        near = data[: limit + self.reach]
        if candidates := self._candidates(near):
            for span in _CandidateMasker(candidates, self._wholes).spans(near, Place.TEXT):
                if span.start < limit < span.end:
                    return span.start or span.end
        return limit

    def settled_length(self, data: bytes, is_cut_off: bool = False) -> int:
        if not is_cut_off and starts_json(data):
            return 0  # It is masked as a whole.
        start = max(0, len(data) - self.reach)
        begun = (
            start + reading.origin(match.start())
            for reading in readings(data[start:])
            if (match := self._beginning.search(reading.text)) is not None
        )
        return min(begun, default=len(data))

    def presentable_length(self, data: bytes) -> int:
        settled = self.settled_length(data)
        begun = data[settled:]
        # Any character may be escaped, so these reveal nothing about a value, unless the value begins with them.
        is_escape = begun[:1] in (b"%", b"\\") and begun.count(begun[:1]) == len(begun)
        return len(data) if is_escape and begun[:1] not in self._first_bytes else settled

    def mask_rest(self, data: bytes, shown: int) -> bytes:
        if shown:
            for span in _CandidateMasker(self._candidates(data), self._wholes).spans(data, Place.TEXT):
                if span.start < shown < span.end:
                    return span.label + self.mask(data[span.end :])
        return self.mask(data[shown:])

    @cached_property
    def _first_bytes(self) -> frozenset[bytes]:
        return frozenset(text[:1] for secret in self._all for text in secret.texts)

    @cached_property
    def _beginning(self) -> re.Pattern[bytes]:
        return re.compile(b"|".join(sorted({pattern for secret in self._all for pattern in secret.beginnings})))

    def _candidates(self, data: bytes) -> Collection[MaskedSecret]:
        if has_needless_escapes(data):
            return self._everywhere.union(*(self._anchored(reading.text) for reading in readings(data)))
        # Necessary escapes do not change the anchors.
        return self._everywhere | self._anchored(data) if self._has_anchor(data) else self._everywhere

    def _has_anchor(self, text: bytes) -> bool:
        if self._few is None or len(text) < SHORT_TEXT:
            return self._anchors.search(text) is not None
        return any(map(text.__contains__, self._few))

    def _anchored(self, text: bytes) -> set[MaskedSecret]:
        secrets: set[MaskedSecret] = set()
        match = self._anchors.search(text) if self._has_anchor(text) else None
        while match is not None and len(secrets) < len(self._all):
            secrets |= self._by_anchor[match.group()]
            # From the next byte on, because anchors may overlap.
            match = self._anchors.search(text, match.start() + 1)
        return secrets


class _CandidateMasker:
    """Mask the secrets that may be in a text; `wholes` has the labels of texts that equal a value."""

    def __init__(self, secrets: Collection[MaskedSecret], wholes: dict[bytes, bytes]) -> None:
        self._secrets = secrets
        self._wholes = wholes

    def mask(self, data: bytes, place: Place) -> bytes:
        pieces: list[bytes] = []
        done = 0
        for span in self.spans(data, place):
            pieces += (data[done : span.start], span.label)
            done = span.end
        return b"".join((*pieces, data[done:])) if pieces else data

    def label_of(self, data: bytes) -> bytes | None:
        return self._wholes.get(data)

    def spans(self, data: bytes, place: Place) -> list[Span]:
        matches: list[Span] = []
        patterns = [
            (pattern, secret.label) for secret in self._secrets if (pattern := secret.pattern(place)) is not None
        ]
        for reading in readings(data):
            for pattern, label in patterns:
                matches += [
                    Span(reading.origin(match.start()), reading.origin(match.end()), label)
                    for match in pattern.finditer(reading.text)
                ]
        return _merge_overlaps(matches)


def _merge_overlaps(spans: list[Span]) -> list[Span]:
    """Return spans in order; overlapping spans are merged, with the label of the first."""
    spans.sort(key=lambda span: (span.start, -span.end, span.label))
    merged: list[Span] = []
    for span in spans:
        if merged and span.start < merged[-1].end:
            merged[-1] = merged[-1]._replace(end=max(span.end, merged[-1].end))
        else:
            merged.append(span)
    return merged


def _is_json(data: bytes) -> bool:
    try:
        parse_json(data)
    except ValueError:
        return False
    return True


def _any_of(anchors: Iterable[bytes]) -> bytes:
    """Return the pattern that matches the longest anchor at a position."""
    return _alternatives(sorted(anchors, key=len, reverse=True))


def _alternatives(forms: list[bytes]) -> bytes:
    """Return the pattern of forms in order of precedence, grouped by their common beginnings."""
    if len(forms) <= FEW:
        return b"|".join(map(re.escape, forms))
    groups: dict[bytes, list[bytes]] = {}
    for form in forms:
        groups.setdefault(form[:1], []).append(form)
    # An empty rest belongs to a form that is the beginning of others, which take precedence.
    ended = groups.pop(b"", None)
    return b"|".join([*map(_group_pattern, groups.values()), *([b""] if ended else [])])


def _group_pattern(forms: list[bytes]) -> bytes:
    length = next(n for n in count(1) if len({form[: n + 1] for form in forms}) > 1 or n >= len(forms[0]))
    return re.escape(forms[0][:length]) + b"(?:" + _alternatives([form[length:] for form in forms]) + b")"
