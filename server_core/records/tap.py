"""The one bus: every byte that crosses a wire, and every event of the core, as a numbered record.

`seq` is the only order. Emitting never waits and never raises into the traffic: a reader or a watcher that fails is
reported, once, as an event and in the log. Secrets are masked here, once, before anyone sees or stores a record.
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
from typing import Any, NamedTuple, Protocol

from server_core.protocol.jsonrpc import (
    ErrorResponse,
    Malformed,
    Notification,
    Request,
    RequestId,
    Response,
    id_text,
)
from server_core.records.masking import Masker
from server_core.runtime.safe_text import readable

_log = logging.getLogger(__name__)

Watcher = Callable[[Mapping[str, Any]], None]
"""Takes an event of the core as a JSON value: its name as `event`, and its facts, with nothing masked in them."""


class Kind(StrEnum):
    """What a record holds."""

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
    Malformed: Kind.MALFORMED,
}
"""What a message that crossed a wire is recorded as."""


class Direction(StrEnum):
    """Which way the bytes went, as seen from the server."""

    IN = "in"
    OUT = "out"
    NONE = "none"


class Record(NamedTuple):
    """One thing that happened.

    Attributes:
        seq: its number, from 1, without gaps within one run of a core.
        time: when, in seconds since the epoch.
        session: the session it belongs to; empty for the core itself.
        direction: which way it went.
        kind: what it is.
        call: names the client's request that it belongs to, for what carries no id of its own (stray output, requests
            and notifications of the server during a call); empty when unknown. It is the JSON text of that request's
            id; where clients that share a session may use one id at the same time, :func:`call_name` of it.
        data: the bytes as they crossed the wire, with secrets masked; JSON text for HTTP and lifecycle records.
    """

    seq: int
    time: float
    session: str
    direction: Direction
    kind: Kind
    call: str
    data: bytes

    def to_wire(self) -> dict[str, Any]:
        """Return the record as a JSON value; bytes that are no UTF-8 travel as base64 in `data64`."""
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
        """Return the record that :meth:`to_wire` wrote.

        Raises:
            KeyError, ValueError: when the value is no record.
        """
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
    """Return what names a request in records, and no other one that has the same id.

    Args:
        id: the request's.
        seq: the number of its record.
    """
    return f"{id_text(id)}@{seq}"


def named_seq(call: str) -> int:
    """Return the number of the record that :func:`call_name` named; 0 where the text is an id alone."""
    # The JSON text of an id ends with a digit that no `@` comes before, or with a quotation mark.
    _, at, seq = call.rpartition("@")
    return int(seq) if at and seq.isdecimal() and len(seq) < 20 else 0


# The constructor of a named tuple is a Python function; this is what it calls.
_record: Callable[[tuple[int, float, str, Direction, Kind, str, bytes]], Record] = partial(tuple.__new__, Record)


class Reader(Protocol):
    """Takes every record of a tap."""

    def put(self, record: Record) -> None:
        """Take a record, under the lock of the tap, on the thread that emits; must not wait."""


class Subscription:
    """One reader's place on the bus: a bounded buffer that counts what it had to drop.

    Args:
        lock: whoever puts a record holds it.
        limit: how many records may wait; None for no bound.
        bytes_limit: how many bytes of records may wait, or one record that is larger; None for no bound.
        on_ready: called, on the thread that emits, when the first record comes into an empty buffer.
    """

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
        """How many records this reader missed because it was too slow."""

    def put(self, record: Record) -> None:
        """Take a record; when the buffer is full the oldest ones go."""
        waiting = self._waiting
        waiting.append(record)
        self._bytes += len(record.data)
        if len(waiting) == 1:
            self._on_ready()
        while (len(waiting) > self._limit or self._bytes > self._bytes_limit) and len(waiting) > 1:
            self._bytes -= len(waiting.popleft().data)
            self.dropped += 1

    def drain(self) -> list[Record]:
        """Return all that waits, oldest first."""
        with self._lock:
            drained, self._waiting, self._bytes = self._waiting, deque(), 0
        return list(drained)


class Tap:
    """Number, mask and hand out the records of one core.

    Args:
        masker: knows the secrets.
        clock: seconds since the epoch.
    """

    def __init__(self, masker: Masker | None = None, clock: Callable[[], float] = time.time) -> None:
        self.masker = masker or Masker()
        self._clock = clock
        self._seq = 0
        self.lock = threading.Lock()
        """Held while a record is numbered and put; a reader holds it to take records out."""
        self._readers: tuple[Reader, ...] = ()
        self._watchers: tuple[Watcher, ...] = ()
        self._failed: set[object] = set()
        self._on_received: Callable[[], None] | None = None

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
        """Make the next record and hand it to every subscription; safe from any thread.

        Args:
            kind: what it is.
            data: the bytes as they crossed the wire.
            session: the session it belongs to.
            direction: which way it went.
            call: names the client's request that it belongs to.

        Returns:
            The record.
        """
        if self.masker.has_secrets:
            data = self.masker.mask(data)
        failed: dict[Reader, Exception] = {}
        with self.lock:
            self._seq = seq = self._seq + 1
            record = _record((seq, self._clock(), session, direction, kind, call, data))
            for reader in self._readers:
                try:
                    reader.put(record)
                except Exception as error:
                    failed[reader] = error
        for reader, failure in failed.items():
            self._report(reader, failure)
        if direction is Direction.IN and self._on_received is not None:
            self._on_received()
        return record

    def lifecycle(self, event: str, session: str = "", *, call: str = "", **facts: Any) -> Record:
        """Record an event of the core itself.

        Args:
            event: its name, in the past tense.
            session: the session it belongs to, if any.
            call: names the client's request that it belongs to, where its id in the facts may name several.
            facts: JSON values that tell more.
        """
        text = json.dumps({"event": event, **facts}, ensure_ascii=False, default=readable)
        record = self.emit(Kind.LIFECYCLE, text.encode("utf-8", "replace"), session=session, call=call)
        for watcher in self._watchers:
            try:
                watcher(json.loads(text))
            except Exception as error:
                self._report(watcher, error)
        return record

    def watch_events(self, watcher: Watcher) -> None:
        """Hand every event of the core from now on to a function.

        Args:
            watcher: called on the thread on which it happens; it must not wait. What it raises is reported.
        """
        self._watchers += (watcher,)

    def subscribe(
        self, limit: int | None, on_ready: Callable[[], None], bytes_limit: int | None = None
    ) -> Subscription:
        """Hand every record from now on to a new subscription.

        Args:
            limit: how many records may wait for this reader; None for no bound.
            on_ready: called, on the thread that emits, when there is something to drain; it must not wait. What it
                raises is reported.
            bytes_limit: how many bytes of records may wait for this reader; None for no bound.
        """
        subscription = Subscription(self.lock, limit, on_ready, bytes_limit)
        self.attach(subscription)
        return subscription

    def on_received(self, callback: Callable[[], None] | None) -> None:
        """Set what is called with each message that came in, when it is recorded and nothing was done about it yet.

        Args:
            callback: called on the thread that emits; it must not raise. None for nothing any more.
        """
        self._on_received = callback

    def attach(self, reader: Reader) -> None:
        """Hand every record from now on to this reader."""
        with self.lock:
            self._readers += (reader,)

    def unsubscribe(self, reader: Reader) -> None:
        """Hand no more records to this reader."""
        with self.lock:
            self._readers = tuple(one for one in self._readers if one is not reader)

    def _report(self, reader: object, error: Exception) -> None:
        """Make the failure of a subscription or a watcher known, the first time; the traffic goes on."""
        if reader in self._failed:
            return
        self._failed.add(reader)
        text = self.masker.mask_text(f"{type(error).__name__}: {readable(error)}")
        # Not by `lifecycle`: what watches events would be called by the failure of what watches events.
        event = {
            "event": "subscriber_failed",
            "subscriber": getattr(reader, "__qualname__", repr(reader)),
            "error": text,
        }
        self.emit(Kind.LIFECYCLE, json.dumps(event, ensure_ascii=False).encode("utf-8", "replace"))
        _log.error("A reader of the records failed (%s). Serving continues.", text)
