"""Output of calls outside the wire, assembled into lines; each line is recorded, masked, and forwarded.

Secrets are masked in whole lines, since a partial line may end in the middle of a secret. A line that stays unfinished
for a while is forwarded up to where a secret may have begun, so that prompts and progress bars are visible.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from server_core.execution import running_calls
from server_core.execution.running_calls import InFlight
from server_core.records.tap import Kind, Tap

LINE_LIMIT = 16 * 1024
"""A longer line becomes several records of at most so many bytes."""
UNFINISHED_SECONDS = 0.1
"""How long a line may stay unfinished before it is forwarded."""
DESCRIPTOR = InFlight("", "")
"""The writer of output through the descriptor, whose call is unknown."""


@dataclass(slots=True)
class _Begun:
    """A line that has not ended.

    Attributes:
        data: its bytes so far.
        passed: how many of them have been forwarded.
        since: when the first unchecked bytes arrived; None when there are none.
    """

    data: bytes = b""
    passed: int = 0
    since: float | None = None


class StrayLines:
    """Record the output to one of the standard streams, line by line.

    Args:
        tap: records the lines.
        kind: STDOUT or STDERR.
        pass_on: called with the masked bytes.
        on_unfinished: called when :meth:`pass_unfinished` has something to do.
    """

    def __init__(
        self, tap: Tap, kind: Kind, pass_on: Callable[[bytes], None], on_unfinished: Callable[[], None]
    ) -> None:
        self._tap = tap
        self._kind = kind
        self._pass_on = pass_on
        self._on_unfinished = on_unfinished
        self._begun: dict[InFlight, _Begun] = {}
        self._lock = threading.Lock()

    @property
    def has_unfinished(self) -> bool:
        """Whether there are unfinished lines that :meth:`pass_unfinished` has not checked."""
        return any(begun.since is not None for begun in list(self._begun.values()))

    def write(self, data: bytes, writer: InFlight) -> None:
        """Process output.

        Args:
            data: the bytes that were written.
            writer: the call that wrote them, or :data:`DESCRIPTOR`.
        """
        with self._lock:
            begun = self._begun.pop(writer, None) or _Begun()
            *lines, rest = (begun.data + data).split(b"\n")
            pieces = [piece for line in lines for piece in self._cut(line)]
            *whole, rest = self._cut(rest, self._tap.masker.reach)
            pieces += whole
            if rest:
                passed = 0 if pieces else begun.passed
                since = time.monotonic() if begun.since is None or pieces else begun.since
                self._begun[writer] = _Begun(rest, passed, since)
        self._record(pieces, writer, begun.passed)
        if rest:
            self._on_unfinished()

    def pass_unfinished(self) -> None:
        """Forward lines that have been unfinished for a while."""
        with self._lock:
            for begun in self._begun.values():
                if begun.since is None or time.monotonic() - begun.since < UNFINISHED_SECONDS:
                    continue
                begun.since = None
                presentable = self._tap.masker.presentable_length(begun.data)
                if presentable > begun.passed:
                    # While holding the lock, so that later bytes of this line cannot be forwarded first.
                    self._pass_on(self._tap.masker.mask_rest(begun.data[:presentable], begun.passed))
                    begun.passed = presentable

    def end(self, call: InFlight) -> None:
        """Record the unfinished line of a call."""
        if not self._begun:
            return
        self._end(call)
        if running_calls.sole_call() is call:
            self._end(DESCRIPTOR)

    def end_all(self) -> None:
        """Record the unfinished lines of all calls."""
        for writer in list(self._begun):
            self._end(writer)

    def _end(self, writer: InFlight) -> None:
        with self._lock:
            begun = self._begun.pop(writer, None)
        if begun is not None:
            self._record(self._cut(begun.data), writer, begun.passed)

    def _cut(self, line: bytes, reach: int = 0) -> list[bytes]:
        """Split a long line into the pieces to record, none of which ends within a secret.

        Args:
            line: its bytes.
            reach: how many bytes are required after a cut, for a line that has not ended.
        """
        pieces = []
        while len(line) > LINE_LIMIT + reach:
            at = self._tap.masker.cut(line, LINE_LIMIT)
            pieces.append(line[:at])
            line = line[at:]
        return [*pieces, line]

    def _record(self, lines: list[bytes], writer: InFlight, passed: int) -> None:
        """Record lines and forward them.

        Args:
            lines: their bytes.
            writer: the call that wrote them.
            passed: how many bytes of the first line have been forwarded.
        """
        call = running_calls.sole_call() if writer is DESCRIPTOR else writer
        masked = []
        for line in lines:
            record = self._tap.emit(self._kind, line, session=call.session, call=call.call)
            masked.append(self._tap.masker.mask_rest(line, passed) if passed else record.data)
            passed = 0
        if masked:
            self._pass_on(b"\n".join((*masked, b"")))
