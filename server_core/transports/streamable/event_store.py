"""Storing the events of sessions, so that a client whose connection broke receives the events that it missed.

Rule 1: writing never blocks and never fails: a remote store writes in the background, and a store that cannot write
drops events. Reading may wait.
Rule 2: everything is bounded; the oldest events are dropped first, those of completed streams before all others.

Source: 2025-11-25, basic/transports, resumability and redelivery.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from server_core.protocol.jsonrpc import RequestId

# The number of the stream of messages that belong to no call; every session has it.
GET_STREAM = 0

# How many streams of one session are stored.
MAX_STREAMS = 64
MAX_SESSION_BYTES = 4 * 1024 * 1024
MAX_BYTES = 256 * 1024 * 1024

# A message and its position: larger than that of every event before it in its stream.
StoredEvent: TypeAlias = tuple[int, bytes]


@dataclass(frozen=True, slots=True)
class Replay:
    """The stored events of a stream after a position."""

    events: list[StoredEvent]
    # The ids of the requests whose responses belong to the stream.
    calls: Sequence[RequestId] = ()
    # There will be no more events.
    complete: bool = False


class EventStore(Protocol):
    """The streams of all sessions of one endpoint, and the state of each session for a restarted server."""

    def begin(self, session: str, calls: Sequence[RequestId]) -> int:
        """Begin a stream for the responses to some requests; return its number, which is unique in the session."""

    def append(self, session: str, stream: int, message: bytes, *, last: bool = False) -> int:
        """Store a message, which may complete its stream, and return its position."""

    async def after(self, session: str, stream: int, position: int) -> Replay | None:
        """Return the stored events of a stream after a position, 0 for all; None when the stream is unknown."""

    def save_session(self, session: str, state: dict[str, Any]) -> None:
        """Store the state of a session, JSON-safe, for a restarted server; it replaces the earlier state."""

    async def load_session(self, session: str) -> dict[str, Any] | None:
        """Return the state from :meth:`save_session`; None when there is none."""

    def delete_session(self, session: str) -> None:
        """Delete everything about a session that has ended."""

    def close(self) -> None:
        """Free the resources of the store."""


@dataclass(slots=True)
class _StoredStream:
    calls: Sequence[RequestId]
    complete: bool = False
    events: deque[StoredEvent] = field(default_factory=deque)
    size: int = 0


@dataclass(slots=True)
class _StoredSession:
    streams: dict[int, _StoredStream] = field(default_factory=dict)
    size: int = 0

    def shorten(self, stream: _StoredStream, most_events: int) -> None:
        """Drop the oldest events of a stream until it is within the limits."""
        while len(stream.events) > 1 and (len(stream.events) > most_events or stream.size > MAX_SESSION_BYTES):
            freed = len(stream.events.popleft()[1])
            stream.size -= freed
            self.size -= freed

    def shrink(self) -> None:
        """Drop the oldest completed streams; if that is not enough, the events of the oldest other streams."""
        for complete in (True, False):
            for number, stream in list(self.streams.items())[:-1]:
                if self.size <= MAX_SESSION_BYTES and (len(self.streams) <= MAX_STREAMS or not complete):
                    return
                if stream.complete is complete:
                    self.size -= stream.size
                    stream.size = 0
                    stream.events.clear()
                    if complete:
                        del self.streams[number]


class MemoryEvents:
    """Store events in memory; `most_events` limits each stream, `most_bytes` all sessions together."""

    def __init__(self, most_events: int, most_bytes: int = MAX_BYTES) -> None:
        self._most_events = most_events
        self._most_bytes = most_bytes
        # The sessions with the oldest writes come first.
        self._sessions: dict[str, _StoredSession] = {}
        self._size = 0
        # Numbers and positions are unique in the whole store, which is simpler than in each session, and sufficient.
        self._streams = GET_STREAM
        self._position = 0

    def begin(self, session: str, calls: Sequence[RequestId]) -> int:
        self._streams += 1
        stored = self._touch(session)
        stored.streams[self._streams] = _StoredStream(calls)
        if len(stored.streams) > MAX_STREAMS:
            self._shrink(stored)
        return self._streams

    def append(self, session: str, stream: int, message: bytes, *, last: bool = False) -> int:
        self._position += 1
        stored = self._touch(session)
        events = stored.streams.get(stream)
        if events is None:
            events = stored.streams[stream] = _StoredStream(())
        events.events.append((self._position, message))
        events.complete = last
        self._grow(stored, events, len(message))
        return self._position

    async def after(self, session: str, stream: int, position: int) -> Replay | None:
        stored = self._sessions.get(session)
        events = None if stored is None else stored.streams.get(stream)
        if events is None:
            return Replay([]) if stream == GET_STREAM else None
        return Replay([event for event in events.events if event[0] > position], events.calls, events.complete)

    def save_session(self, session: str, state: dict[str, Any]) -> None:
        """Store nothing: this store does not outlive the process."""

    async def load_session(self, session: str) -> dict[str, Any] | None:
        return None

    def delete_session(self, session: str) -> None:
        stored = self._sessions.pop(session, None)
        self._size -= 0 if stored is None else stored.size

    def close(self) -> None:
        self._sessions.clear()
        self._size = 0

    def _touch(self, session: str) -> _StoredSession:
        stored = self._sessions.pop(session, None) or _StoredSession()
        self._sessions[session] = stored
        return stored

    def _grow(self, stored: _StoredSession, events: _StoredStream, size: int) -> None:
        events.size += size
        stored.size += size
        self._size += size
        before = stored.size
        stored.shorten(events, self._most_events)
        self._size += stored.size - before
        if stored.size > MAX_SESSION_BYTES:
            self._shrink(stored)
        while self._size > self._most_bytes and len(self._sessions) > 1:
            self.delete_session(next(iter(self._sessions)))

    def _shrink(self, stored: _StoredSession) -> None:
        before = stored.size
        stored.shrink()
        self._size += stored.size - before
