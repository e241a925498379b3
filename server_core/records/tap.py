"""The record bus: every byte that crosses a wire, and every event of the core, as a numbered record.

`seq` defines the order. Emitting never blocks and never raises into the traffic: a reader or a watcher that fails is
reported once, as an event and in the log. Secrets are masked here, once, before a record is seen or stored.
"""

import base64
import json
import logging
import math
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from server_core.protocol.jsonrpc import (
    ErrorResponse,
    MalformedMessage,
    Notification,
    Request,
    RequestId,
    Response,
    id_text,
)
from server_core.records.masking import Masker
from server_core.runtime.safe_text import safe_str

if TYPE_CHECKING:
    from server_core.records.interception import Interceptor

_log = logging.getLogger(__name__)

Watcher = Callable[[Mapping[str, Any]], None]
"""Called with an event of the core as a JSON value: its name as `event`, and its facts, not masked."""


class Kind(StrEnum):
    """The kind of a record."""

    REQUEST = "request"
    RESPONSE = "response"
    NOTIFICATION = "notification"
    ERROR = "error"
    MALFORMED = "malformed"
    STDERR = "stderr"
    STDOUT = "stdout"
    HTTP = "http"
    LIFECYCLE = "lifecycle"


KINDS: dict[type, Kind] = {
    Request: Kind.REQUEST,
    Notification: Kind.NOTIFICATION,
    Response: Kind.RESPONSE,
    ErrorResponse: Kind.ERROR,
    MalformedMessage: Kind.MALFORMED,
}
"""The kind of record for each type of message."""


class Direction(StrEnum):
    """The direction of the bytes, from the server's point of view."""

    IN = "in"
    OUT = "out"
    NONE = "none"


class Record(NamedTuple):
    """One message or event."""

    # From 1, without gaps within one run of a core.
    seq: int
    # In seconds since the epoch.
    time: float
    # Empty for the core itself.
    session: str
    direction: Direction
    kind: Kind
    # Identifies the client's request that the record belongs to, if the record does not have that id itself (stray
    # output, requests and notifications of the server during a call); empty when unknown. It is the JSON text of the
    # request's id; where clients that share a session may use the same id at the same time, its `call_name`. A request
    # of the client with a call was delivered instead of that request, or as a copy of it.
    call: str
    # The bytes as they crossed the wire, with secrets masked; JSON text for HTTP and lifecycle records.
    data: bytes

    def to_wire(self) -> dict[str, Any]:
        """Return the record as a JSON value; data that is not UTF-8 is base64 in `data64`."""
        wire: dict[str, Any] = {
            "seq": self.seq,
            "time": self.time,
            "session": self.session,
            "direction": self.direction.value,
            "kind": self.kind.value,
            "call": self.call,
        }
        try:
            wire["data"] = self.data.decode()
        except UnicodeDecodeError:
            wire["data64"] = base64.b64encode(self.data).decode("ascii")
        return wire

    @classmethod
    def from_wire(cls, wire: dict[str, Any]) -> "Record":
        """Return the record of a JSON value from :meth:`to_wire`; KeyError or ValueError if it is none."""
        data = wire["data"].encode() if "data" in wire else base64.b64decode(wire["data64"], validate=True)
        return cls(
            wire["seq"],
            wire["time"],
            wire["session"],
            Direction(wire["direction"]),
            Kind(wire["kind"]),
            wire["call"],
            data,
        )


def call_name(id: RequestId, seq: int) -> str:
    """Return a name for a request, which distinguishes it from others with the same id; `seq` is that of its record."""
    return f"{id_text(id)}@{seq}"


def named_seq(call: str) -> int:
    """Return the record number in a name from :func:`call_name`; 0 if the text is only an id."""
    # The JSON text of an id is digits, or ends with a quotation mark, so it cannot end with `@` and digits.
    _, at, seq = call.rpartition("@")
    return int(seq) if at and seq.isdecimal() and len(seq) < 20 else 0


# The constructor of a named tuple is a Python function; calling `tuple.__new__` directly is faster.
_new_record: Callable[[tuple[int, float, str, Direction, Kind, str, bytes]], Record] = partial(tuple.__new__, Record)


class Reader(Protocol):
    """Receives every record of a tap."""

    def put(self, record: Record) -> None:
        """Receive a record, on the emitting thread, with the lock of the tap held; must not block."""


class Subscription:
    """A reader with a bounded buffer that counts the records it had to drop; made by :meth:`Tap.subscribe`."""

    def __init__(
        self, lock: threading.Lock, limit: int | None, on_ready: Callable[[], None], bytes_limit: int | None = None
    ) -> None:
        self._waiting: deque[Record] = deque()
        self._bytes = 0
        self._limit = math.inf if limit is None else limit
        self._bytes_limit = math.inf if bytes_limit is None else bytes_limit
        self._on_ready = on_ready
        self._lock = lock
        self.dropped = 0
        """How many records were dropped because they were not drained in time."""

    def put(self, record: Record) -> None:
        waiting = self._waiting
        waiting.append(record)
        self._bytes += len(record.data)
        if len(waiting) == 1:
            self._on_ready()
        while (len(waiting) > self._limit or self._bytes > self._bytes_limit) and len(waiting) > 1:
            self._bytes -= len(waiting.popleft().data)
            self.dropped += 1

    def drain(self) -> list[Record]:
        """Return and remove all buffered records, oldest first."""
        with self._lock:
            drained, self._waiting, self._bytes = self._waiting, deque(), 0
        return list(drained)


class Tap:
    """Number, mask and distribute the records of one core."""

    def __init__(self, masker: Masker | None = None, clock: Callable[[], float] = time.time) -> None:
        self.masker = masker or Masker()
        self._clock = clock
        self._seq = 0
        self.lock = threading.Lock()
        """Held while a record is numbered and put; a reader holds it to remove records."""
        self._readers: tuple[Reader, ...] = ()
        self._watchers: tuple[Watcher, ...] = ()
        self._failed: set[object] = set()
        self._on_received: Callable[[], None] | None = None
        self.interceptor: Interceptor | None = None
        """What may take a recorded message before it is delivered; None while nothing does."""

    @property
    def last_seq(self) -> int:
        """The number of the newest record; 0 before the first."""
        return self._seq

    def emit(
        self,
        kind: Kind,
        data: bytes,
        *,
        session: str = "",
        direction: Direction = Direction.NONE,
        call: str = "",
    ) -> Record:
        """Create the next record, masked, and pass it to every reader; thread-safe."""
        if self.masker.has_secrets:
            data = self.masker.mask(data)
        failed: dict[Reader, Exception] = {}
        with self.lock:
            self._seq = seq = self._seq + 1
            record = _new_record((seq, self._clock(), session, direction, kind, call, data))
            for reader in self._readers:
                try:
                    reader.put(record)
                except Exception as error:
                    failed[reader] = error
        # Without the lock, because a report is a record, too.
        for reader, failure in failed.items():
            self._report(reader, failure)
        if direction is Direction.IN and self._on_received is not None:
            self._on_received()
        return record

    def emit_event(self, event: str, session: str = "", *, call: str = "", **facts: Any) -> Record:
        """Record an event of the core, named in the past tense; `call` as in :class:`Record`, for ambiguous ids."""
        # A fact that is not JSON is recorded as its text: an event must not be lost because of it.
        text = json.dumps({"event": event, **facts}, ensure_ascii=False, default=safe_str)
        record = self.emit(Kind.LIFECYCLE, text.encode("utf-8", "replace"), session=session, call=call)
        for watcher in self._watchers:
            try:
                watcher(json.loads(text))
            except Exception as error:
                self._report(watcher, error)
        return record

    def watch_events(self, watcher: Watcher) -> None:
        """Call a function with every event of the core from now on, on the thread of the event; it must not block."""
        self._watchers += (watcher,)

    def subscribe(
        self, limit: int | None, on_ready: Callable[[], None], bytes_limit: int | None = None
    ) -> Subscription:
        """Return a new subscription to every record from now on.

        The buffer is limited, except for a single larger record. `on_ready` is called, on the emitting thread, when the
        first record is added to an empty buffer; it must not block.
        """
        subscription = Subscription(self.lock, limit, on_ready, bytes_limit)
        self.attach(subscription)
        return subscription

    def on_received(self, callback: Callable[[], None] | None) -> None:
        """Set what is called, on the emitting thread, after the record of each incoming message; it must not raise."""
        self._on_received = callback

    def attach(self, reader: Reader) -> None:
        """Pass every record from now on to this reader."""
        with self.lock:
            self._readers += (reader,)

    def unsubscribe(self, reader: Reader) -> None:
        """Pass no more records to this reader."""
        with self.lock:
            self._readers = tuple(other for other in self._readers if other is not reader)

    def _report(self, reader: object, error: Exception) -> None:
        if reader in self._failed:
            return
        # Only its first failure: a reader that is broken fails for every record.
        self._failed.add(reader)
        # Not with `emit_event`: the failure of a watcher would call the watchers again.
        event = {
            "event": "subscriber_failed",
            "subscriber": getattr(reader, "__qualname__", repr(reader)),
            "error": f"{type(error).__name__}: {safe_str(error)}",
        }
        record = self.emit(Kind.LIFECYCLE, json.dumps(event, ensure_ascii=False).encode("utf-8", "replace"))
        _log.error("A subscriber of the records failed (%s). Serving continues.", json.loads(record.data)["error"])
