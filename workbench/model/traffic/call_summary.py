"""The number of the calls in a list, their errors, and how long they took: counted as rows come and go.

What is no message, and an error that answers no request, count as errors as well: their rows show that.
A million calls are counted in parts, and a call is counted again only when it has changed. The times are in classes
that differ by a fifth of a percent, of which each has the newest time, so a quantile is as exact as it is shown.
"""

import math
import time
from array import array
from collections.abc import Sequence
from math import frexp

from workbench.model.describe import plural, short_duration
from workbench.model.traffic.timeline import Timeline

# How many rows are counted before the next look at the clock.
_COUNTED_AT_ONCE = 2_000
# The classes between two powers of two, and the exponents of the shortest and longest times: 2 µs and 36 hours.
_CLASSES = 512
_FIRST_EXPONENT = -18
_LAST_EXPONENT = 17
# The code of an error that answers no call, such as a message that is not JSON.
_LONE_ERROR = 2**16 - 1


class CallSummary:
    """The calls among the rows of a view, which notifies it of rows that are added or removed before others."""

    def __init__(self, timeline: Timeline) -> None:
        self.calls = 0
        self.errors = 0
        self._timeline = timeline
        self._rows_seen = 0
        self._touches_seen = len(timeline.touched)
        # For each entry 0, or 1 + 2 * the class of its time (0 without a time) + 1 for an error, or _LONE_ERROR.
        self._codes = array("H")
        # The number of the calls in each class, and the newest time in it, in seconds.
        self._counts: dict[int, int] = {}
        self._times: dict[int, float] = {}
        self._answered = 0

    def is_complete(self, rows: "array[int]") -> bool:
        """Whether all rows were counted."""
        return self._rows_seen >= len(rows)

    def refresh(self, rows: "array[int]", seconds: float | None = None) -> None:
        """Count what is new or changed among the rows, for a number of seconds at most."""
        deadline = None if seconds is None else time.monotonic() + seconds
        self._refresh_touched()
        while self._rows_seen < len(rows):
            part = rows[self._rows_seen : self._rows_seen + _COUNTED_AT_ONCE]
            self._rows_seen += len(part)
            self._count(part)
            if deadline is not None and time.monotonic() >= deadline:
                return

    def row_added(self, row: int, index: int) -> None:
        """Count an entry that became a row before others; rows at the end are counted by :meth:`refresh`."""
        if row < self._rows_seen:
            self._rows_seen += 1
            self._count((index,))

    def row_removed(self, row: int, index: int) -> None:
        if row < self._rows_seen:
            self._rows_seen -= 1
            self._uncount(index)

    def quantile(self, share: float) -> float | None:
        """Return the time within which a share of the calls was answered, in seconds; None if none was."""
        rest = max(1, math.ceil(share * self._answered))
        for number in sorted(self._counts):
            rest -= self._counts[number]
            if rest <= 0:
                return self._times[number]
        return None

    @property
    def text(self) -> str:
        """The summary on one line; empty without calls and errors."""
        if not self.calls and not self.errors:
            return ""
        facts = [plural(self.calls, "call"), plural(self.errors, "error")]
        if self._answered:
            facts += [f"p50 {short_duration(self.quantile(0.5))}", f"p95 {short_duration(self.quantile(0.95))}"]
        return " · ".join(facts)

    def _refresh_touched(self) -> None:
        touched, codes = self._timeline.touched, self._codes
        for index in touched[self._touches_seen :]:
            if index < len(codes) and codes[index]:
                self._uncount(index)
                self._count((index,))
        self._touches_seen = len(touched)

    def _count(self, indexes: Sequence[int]) -> None:
        codes, counts, times = self._codes, self._counts, self._times
        if indexes[-1] >= len(codes):
            codes.frombytes(bytes((indexes[-1] + 1 - len(codes)) * codes.itemsize))
        for index, is_call, is_error, seconds in self._timeline.call_results(indexes):
            if not is_call:
                self.errors += 1
                codes[index] = _LONE_ERROR
                continue
            number = 0
            if seconds is not None:
                number = _class_of(seconds)
                counts[number] = counts.get(number, 0) + 1
                times[number] = seconds
                self._answered += 1
            self.calls += 1
            self.errors += is_error
            codes[index] = 1 + 2 * number + is_error

    def _uncount(self, index: int) -> None:
        code = self._codes[index] if index < len(self._codes) else 0
        if not code:
            return
        self._codes[index] = 0
        if code == _LONE_ERROR:
            self.errors -= 1
            return
        number, is_error = divmod(code - 1, 2)
        self.calls -= 1
        self.errors -= is_error
        if number:
            self._answered -= 1
            self._counts[number] -= 1
            if not self._counts[number]:
                del self._counts[number], self._times[number]


def _class_of(seconds: float) -> int:
    """Return the class of a time, from 1."""
    # Faster than a logarithm.
    part, exponent = frexp(seconds)
    if not _FIRST_EXPONENT <= exponent <= _LAST_EXPONENT or not part:
        return 1 if exponent < _FIRST_EXPONENT or not part else _LAST_CLASS
    return 2 + (exponent - _FIRST_EXPONENT) * _CLASSES + int((part - 0.5) * 2 * _CLASSES)


_LAST_CLASS = 2 + (_LAST_EXPONENT + 1 - _FIRST_EXPONENT) * _CLASSES
