"""Where the events of sessions are kept, so that a client whose connection broke gets what it missed.

Rule 1: what writes never waits and never fails: a store that is far away writes behind, and one that cannot write
keeps less. What reads may wait.
Rule 2: everything is bounded; the oldest events go first, those of streams that have ended before all others.

Source: 2025-11-25, basic/transports, resumability and redelivery.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from server_core.protocol.jsonrpc import RequestId

STANDING = 0
"""The number of the stream of what belongs to no call; every session has it."""

MOST_STREAMS = 64
"""How many streams of one session are kept."""
MOST_SESSION_BYTES = 4 * 1024 * 1024
MOST_BYTES = 256 * 1024 * 1024

Event: TypeAlias = tuple[int, bytes]
"""A message and its position: larger than that of every event before it in its stream."""


@dataclass(frozen=True, slots=True)
class Replay:
    """What is kept of one stream behind a position.

    Attributes:
        events: what came there, in order.
        calls: the ids of the requests whose answers the stream carries.
        complete: there will be no more.
    """

    events: list[Event]
    calls: Sequence[RequestId] = ()
    complete: bool = False


class EventStore(Protocol):
    """The streams of all sessions of one endpoint, and what a restarted server has to know of each session."""

    def begin(self, session: str, calls: Sequence[RequestId]) -> int:
        """Begin a stream and return its number, which no other stream of the session has or had.

        Args:
            session: the session's id.
            calls: the ids of the requests whose answers it will carry.
        """

    def append(self, session: str, stream: int, message: bytes, *, last: bool = False) -> int:
        """Keep a message and return its position.

        Args:
            session: the session's id.
            stream: the number of one of its streams.
            message: the message.
            last: it completes the stream.
        """

    async def after(self, session: str, stream: int, position: int) -> Replay | None:
        """Return what is kept of a stream behind a position, 0 for all; None when nothing is known of it."""

    def keep(self, session: str, facts: dict[str, Any]) -> None:
        """Keep what a restarted server has to know of a session, in place of what was kept before.

        Args:
            session: the session's id.
            facts: JSON-safe.
        """

    async def find(self, session: str) -> dict[str, Any] | None:
        """Return what :meth:`keep` has kept of a session; None when that is nothing."""

    def forget(self, session: str) -> None:
        """Drop everything about a session that has ended."""

    def close(self) -> None:
        """Free what the store holds of this process."""


@dataclass(slots=True)
class _KeptStream:
    calls: Sequence[RequestId]
    complete: bool = False
    events: deque[Event] = field(default_factory=deque)
    size: int = 0


@dataclass(slots=True)
class _KeptSession:
    streams: dict[int, _KeptStream] = field(default_factory=dict)
    size: int = 0

    def shorten(self, stream: _KeptStream, most_events: int) -> None:
        """Drop the oldest events of a stream until it holds no more than it may."""
        while len(stream.events) > 1 and (len(stream.events) > most_events or stream.size > MOST_SESSION_BYTES):
            freed = len(stream.events.popleft()[1])
            stream.size -= freed
            self.size -= freed

    def shrink(self) -> None:
        """Drop the oldest streams that have ended; where that is not enough, what the oldest others hold."""
        for complete in (True, False):
            for number, stream in list(self.streams.items())[:-1]:
                if self.size <= MOST_SESSION_BYTES and (len(self.streams) <= MOST_STREAMS or not complete):
                    return
                if stream.complete is complete:
                    self.size -= stream.size
                    stream.size = 0
                    stream.events.clear()
                    if complete:
                        del self.streams[number]


class MemoryEvents:
    """Keep events in memory, as long as the process lives.

    Args:
        most_events: how many are kept of one stream.
        most_bytes: how many bytes are kept of all sessions together.
    """

    def __init__(self, most_events: int, most_bytes: int = MOST_BYTES) -> None:
        self._most_events = most_events
        self._most_bytes = most_bytes
        # Those that were written to longest ago come first.
        self._sessions: dict[str, _KeptSession] = {}
        self._size = 0
        self._streams = STANDING
        self._position = 0

    def begin(self, session: str, calls: Sequence[RequestId]) -> int:
        """Begin a stream; see :meth:`EventStore.begin`."""
        self._streams += 1
        kept = self._written(session)
        kept.streams[self._streams] = _KeptStream(calls)
        if len(kept.streams) > MOST_STREAMS:
            self._shrink(kept)
        return self._streams

    def append(self, session: str, stream: int, message: bytes, *, last: bool = False) -> int:
        """Keep a message; see :meth:`EventStore.append`."""
        self._position += 1
        kept = self._written(session)
        events = kept.streams.get(stream)
        if events is None:
            events = kept.streams[stream] = _KeptStream(())
        events.events.append((self._position, message))
        events.complete = last
        self._grow(kept, events, len(message))
        return self._position

    async def after(self, session: str, stream: int, position: int) -> Replay | None:
        """Return what is kept of a stream; see :meth:`EventStore.after`."""
        kept = self._sessions.get(session)
        events = None if kept is None else kept.streams.get(stream)
        if events is None:
            return Replay([]) if stream == STANDING else None
        return Replay([event for event in events.events if event[0] > position], events.calls, events.complete)

    def keep(self, session: str, facts: dict[str, Any]) -> None:
        """Keep nothing: what a process remembers of its sessions is gone with it anyway."""

    async def find(self, session: str) -> dict[str, Any] | None:
        """Return nothing; see :meth:`keep`."""
        return None

    def forget(self, session: str) -> None:
        """Drop everything about a session."""
        kept = self._sessions.pop(session, None)
        self._size -= 0 if kept is None else kept.size

    def close(self) -> None:
        """Drop everything."""
        self._sessions.clear()
        self._size = 0

    def _written(self, session: str) -> _KeptSession:
        kept = self._sessions.pop(session, None) or _KeptSession()
        self._sessions[session] = kept
        return kept

    def _grow(self, kept: _KeptSession, events: _KeptStream, size: int) -> None:
        events.size += size
        kept.size += size
        self._size += size
        before = kept.size
        kept.shorten(events, self._most_events)
        self._size += kept.size - before
        if kept.size > MOST_SESSION_BYTES:
            self._shrink(kept)
        while self._size > self._most_bytes and len(self._sessions) > 1:
            self.forget(next(iter(self._sessions)))

    def _shrink(self, kept: _KeptSession) -> None:
        before = kept.size
        kept.shrink()
        self._size += kept.size - before
