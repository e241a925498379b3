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

# A longer line becomes several records of at most so many bytes.
LINE_LIMIT = 16 * 1024
# How long a line may stay unfinished before it is forwarded.
UNFINISHED_SECONDS = 0.1
# The writer of output through the descriptor, whose call is unknown.
DESCRIPTOR = InFlight("", "")


@dataclass(slots=True)
class _PartialLine:
    """A line that has not ended."""

    data: bytes = b""
    # How many bytes of it have been forwarded.
    forwarded: int = 0
    # When the first bytes arrived that :meth:`StrayLines.forward_unfinished` has not checked; None when there are none.
    since: float | None = None


class StrayLines:
    """Record the output to one of the standard streams, line by line.

    `forward` is called with masked bytes, on any thread; `on_unfinished` if :meth:`forward_unfinished` has work.
    """

    def __init__(
        self, tap: Tap, kind: Kind, forward: Callable[[bytes], None], on_unfinished: Callable[[], None]
    ) -> None:
        self._tap = tap
        self._kind = kind
        self._forward = forward
        self._on_unfinished = on_unfinished
        self._partial_lines: dict[InFlight, _PartialLine] = {}
        self._lock = threading.Lock()

    @property
    def has_unfinished(self) -> bool:
        """Whether there are unfinished lines that :meth:`forward_unfinished` has not checked."""
        return any(partial.since is not None for partial in list(self._partial_lines.values()))

    def write(self, data: bytes, writer: InFlight) -> None:
        """Process output of a call, or of :data:`DESCRIPTOR`."""
        with self._lock:
            partial = self._partial_lines.pop(writer, None) or _PartialLine()
            *lines, rest = (partial.data + data).split(b"\n")
            pieces = [piece for line in lines for piece in self._split_long_line(line)]
            *whole, rest = self._split_long_line(rest, self._tap.masker.reach)
            pieces += whole
            if rest:
                forwarded = 0 if pieces else partial.forwarded
                since = time.monotonic() if partial.since is None or pieces else partial.since
                self._partial_lines[writer] = _PartialLine(rest, forwarded, since)
        self._record(pieces, writer, partial.forwarded)
        if rest:
            self._on_unfinished()

    def forward_unfinished(self) -> None:
        """Forward lines that have been unfinished for a while."""
        with self._lock:
            for partial in self._partial_lines.values():
                if partial.since is None or time.monotonic() - partial.since < UNFINISHED_SECONDS:
                    continue
                partial.since = None
                presentable = self._tap.masker.presentable_length(partial.data)
                if presentable > partial.forwarded:
                    # While holding the lock, so that later bytes of this line cannot be forwarded first.
                    self._forward(self._tap.masker.mask_rest(partial.data[:presentable], partial.forwarded))
                    partial.forwarded = presentable

    def end(self, call: InFlight) -> None:
        """Record the unfinished line of a call."""
        if not self._partial_lines:
            return
        self._end(call)
        if running_calls.sole_call() is call:
            self._end(DESCRIPTOR)

    def end_all(self) -> None:
        """Record the unfinished lines of all calls."""
        for writer in list(self._partial_lines):
            self._end(writer)

    def _end(self, writer: InFlight) -> None:
        with self._lock:
            partial = self._partial_lines.pop(writer, None)
        if partial is not None:
            self._record(self._split_long_line(partial.data), writer, partial.forwarded)

    def _split_long_line(self, line: bytes, reach: int = 0) -> list[bytes]:
        """Split a long line into the pieces to record, none of which ends within a secret.

        A line that has not ended is cut only where so many bytes follow, which is how long a secret can be.
        """
        pieces = []
        while len(line) > LINE_LIMIT + reach:
            at = self._tap.masker.cut(line, LINE_LIMIT)
            pieces.append(line[:at])
            line = line[at:]
        return [*pieces, line]

    def _record(self, lines: list[bytes], writer: InFlight, forwarded: int) -> None:
        """Record lines and forward them, except for the bytes of the first line that have been forwarded already."""
        call = running_calls.sole_call() if writer is DESCRIPTOR else writer
        masked = []
        for line in lines:
            record = self._tap.emit(self._kind, line, session=call.session, call=call.call)
            masked.append(self._tap.masker.mask_rest(line, forwarded) if forwarded else record.data)
            forwarded = 0
        if masked:
            self._forward(b"\n".join((*masked, b"")))
