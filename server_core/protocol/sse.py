"""Server-sent events <-> bytes, without I/O.

Source: the HTML standard, server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html
"""

from dataclasses import dataclass

COMMENT = b": still here\n\n"
"""A comment that keeps the connection from appearing idle; readers ignore it."""

MAX_RETRY_DIGITS = 9
"""Longer `retry` values, in milliseconds, are ignored."""


def encode_event(id: str, data: bytes, retry: int | None = None) -> bytes:
    """Return the bytes of one event, with an id to resume from (empty for none) and one line of data.

    Without data it only sets the id; `retry` is how many milliseconds a reader should wait before it reconnects.
    """
    kind = b"event: message\n" if data else b""
    name = b"id: %b\n" % id.encode() if id else b""
    wait = b"" if retry is None else b"retry: %d\n" % retry
    return b"%b%b%bdata: %b\n\n" % (kind, name, wait, data)


@dataclass(slots=True)
class Event:
    """A received event."""

    data: bytes
    # Its type: the standard's `event` field.
    kind: str
    # The last id of the stream, set by this event or an earlier one; None when there was none yet.
    id: str | None


class EventTooLong(ValueError):
    """An event was longer than the limit."""


class EventReader:
    """Split the bytes of a stream into events of at most `limit` bytes each."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._buffer = bytearray()
        self._scanned = 0
        self._data: list[bytes] = []
        self._size = 0
        self._kind = "message"
        # Whether the data so far ended with a CR, whose LF may still follow.
        self._after_return = False
        self.last_id: str | None = None
        """The id to resume from when the stream breaks, if the server sent any."""
        self.retry: int | None = None
        """How many milliseconds to wait before reconnecting, if the server sent that."""

    def reset(self) -> None:
        """Discard an incomplete event, before the stream continues on another connection."""
        self._buffer.clear()
        self._scanned, self._after_return = 0, False
        self._end_event([])

    def receive_data(self, data: bytes) -> list[Event]:
        """Process bytes read from the stream and return the events that are complete now; see :class:`EventTooLong`."""
        events: list[Event] = []
        # A line may end with CR, LF or both.
        after_return, self._after_return = self._after_return, data.endswith(b"\r")
        if after_return:
            data = data.removeprefix(b"\n")
        for line in self._lines(data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")):
            if not line:
                self._end_event(events)
            else:
                self._process_field(line)
                self._check_size(self._size)
        self._check_size(self._size + len(self._buffer))
        return events

    def _check_size(self, size: int) -> None:
        if size > self._limit:
            raise EventTooLong(f"an event is longer than {self._limit:,} bytes")

    def _lines(self, data: bytes) -> list[bytes]:
        """Return the lines that are complete now; the rest is buffered."""
        self._buffer += data
        # Bytes without a newline are scanned once only, although a long line arrives in many pieces.
        end = self._buffer.rfind(b"\n", self._scanned)
        if end < 0:
            self._scanned = len(self._buffer)
            return []
        whole = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        self._scanned = 0
        return whole.split(b"\n")

    def _process_field(self, line: bytes) -> None:
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._data.append(value)
            # Even an empty line uses memory.
            self._size += len(value) + 1
        elif name == b"event":
            self._kind = value.decode("utf-8", "replace")
        elif name == b"id" and b"\0" not in value:
            self.last_id = value.decode("utf-8", "replace")
        elif name == b"retry" and value.isdigit() and len(value) <= MAX_RETRY_DIGITS:
            self.retry = int(value)

    def _end_event(self, events: list[Event]) -> None:
        # An event without data only sets the id.
        if data := b"\n".join(self._data):
            events.append(Event(data, self._kind, self.last_id))
        self._data, self._size, self._kind = [], 0, "message"
