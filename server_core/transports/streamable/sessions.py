"""An MCP session over many HTTP requests: it sorts what the session sends into the responses that are open.

Rule 1: a message of a call goes to the response of that call's POST; what belongs to no call goes to the GET stream.
Rule 2: each message goes to one stream only, and waits there when nobody reads.
Rule 3: a lost connection cancels nothing; only DELETE, idleness or the server's own end close a session.
"""

import asyncio
import secrets
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from server_core.protocol.jsonrpc import Message, Notification, RequestId
from server_core.protocol.revisions import HANDSHAKE
from server_core.serving import ServingSession, SessionSource
from server_core.transports.streamable.streams import Stream

if TYPE_CHECKING:
    from server_core.settings import Settings

KEPT_STREAMS = 16
KEPT_BYTES = 4 * 1024 * 1024
STANDING = 0
"""The number of the stream of what belongs to no call."""


class HttpSession:
    """One MCP session, and the outlet of what serves it.

    Args:
        id: the `Mcp-Session-Id`.
        settings: limits.
    """

    serving: ServingSession

    def __init__(self, id: str, settings: "Settings") -> None:
        self.id = id
        self.last_used = 0.0
        self.standing = Stream(STANDING, settings.max_queued_messages)
        self._most_messages = settings.max_queued_messages
        self._calls: dict[RequestId, Stream] = {}
        self._posting: tuple[RequestId | None, Stream] | None = None
        self._kept: dict[int, Stream] = {}
        self._streams = STANDING

    @property
    def primes(self) -> bool:
        """Whether the client knows events that only tell an id; older ones choke on their empty data."""
        revision = HANDSHAKE.get(self.serving.negotiated)
        return revision is not None and revision.sse_polling

    @property
    def in_use(self) -> bool:
        """Whether something runs for it, or somebody listens."""
        return self.serving.busy or any(stream.reader is not None for stream in self._all_streams())

    def post(self, data: bytes, message: Message, id: RequestId | None) -> Stream:
        """Hand on a message that wants an answer, and return the stream that will hold it.

        Args:
            data: the message as it came.
            message: what it parsed to.
            id: the id that its answer will have.
        """
        self._streams += 1
        stream = Stream(self._streams, self._most_messages)
        # An id that is in flight already is refused at once, and its first owner's stream must not hear of that.
        if id is not None and id not in self._calls:
            self._calls[id] = stream
        self._posting = id, stream
        try:
            self.serving.receive(data, message)
        finally:
            self._posting = None
        return stream

    def receive(self, data: bytes, message: Message) -> None:
        """Hand on a message that wants no answer."""
        self.serving.receive(data, message)
        if not isinstance(message, Notification) or message.method != "notifications/cancelled":
            return
        id = message.params.get("requestId")
        if isinstance(id, str | int) and (stream := self._calls.pop(id, None)) is not None:
            # No answer follows (basic/utilities/cancellation), so the response that waits for it ends.
            stream.end()

    def send(self, message: bytes, related: RequestId | None, *, answer: bool = False) -> None:
        """Take one message for the client; never waits."""
        if not answer:
            stream = self.standing if related is None else self._calls.get(related, self.standing)
            stream.put(message)
        elif self._posting is not None and self._posting[0] == related:
            self._forget_call(related, self._posting[1])
            self._posting[1].put(message, last=True)
        elif related is not None and (call := self._calls.get(related)) is not None:
            self._forget_call(related, call)
            call.put(message, last=True)

    async def drain(self) -> None:
        """Wait until the client has taken enough that more may be sent."""
        for stream in [stream for stream in self._all_streams() if stream.full]:
            await stream.drain()

    def keep(self, stream: Stream) -> None:
        """Keep a stream whose reader knows event ids, so that it can come back for what it missed."""
        self._kept[stream.number] = stream
        done = [one for one in self._kept.values() if one.complete]
        size = sum(one.size for one in done)
        for oldest in done[:-1]:
            if len(done) <= KEPT_STREAMS and size <= KEPT_BYTES:
                break
            del self._kept[oldest.number]
            done.remove(oldest)
            size -= oldest.size

    def find_stream(self, number: int) -> Stream | None:
        """Return the stream with this number, if it is still kept."""
        return self.standing if number == STANDING else self._kept.get(number)

    def close(self) -> None:
        """End the session and every response that is open for it."""
        self.serving.close()
        for stream in list(self._all_streams()):
            stream.end()

    def _all_streams(self) -> Iterator[Stream]:
        yield self.standing
        yield from self._calls.values()
        yield from (stream for stream in self._kept.values() if stream.reader is not None)

    def _forget_call(self, id: RequestId | None, stream: Stream) -> None:
        if id is not None and self._calls.get(id) is stream:
            del self._calls[id]


class HttpSessions:
    """All MCP sessions of one endpoint, those that were used longest ago first.

    Args:
        source: who serves.
        settings: how many there may be, and how long one may be idle.
        clock: seconds that only grow.
    """

    def __init__(
        self, source: SessionSource, settings: "Settings", clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._source = source
        self._settings = settings
        self._clock = clock
        self._sessions: dict[str, HttpSession] = {}

    def open(self, peer_name: str) -> HttpSession | None:
        """Open a session; None when there are as many as there may be, and all are in use."""
        self._expire()
        if len(self._sessions) >= self._settings.max_sessions and not self._close_one():
            return None
        session = HttpSession(secrets.token_urlsafe(24), self._settings)
        session.serving = self._source.open_session(session, "http", peer_name=peer_name)
        session.last_used = self._clock()
        self._sessions[session.id] = session
        return session

    def find(self, id: str) -> HttpSession | None:
        """Return the session with this id, if there is one, and count it as used."""
        self._expire()
        session = self._sessions.pop(id, None)
        if session is not None:
            session.last_used = self._clock()
            self._sessions[id] = session
        return session

    def close(self, session: HttpSession) -> None:
        """End a session; its id is unknown from here on."""
        self._sessions.pop(session.id, None)
        session.close()

    async def settle(self, grace: float) -> None:
        """Wait until the calls that run are answered, at most so many seconds."""
        await asyncio.gather(*(one.serving.settle(grace) for one in self._sessions.values() if one.serving.busy))

    def close_all(self) -> None:
        """End every session."""
        for session in list(self._sessions.values()):
            self.close(session)

    def _expire(self) -> None:
        earliest = self._clock() - self._settings.session_idle_timeout
        for session in list(self._idle_since(earliest)):
            self.close(session)

    def _idle_since(self, earliest: float) -> Iterator[HttpSession]:
        for session in self._sessions.values():
            if session.last_used > earliest:
                return
            if not session.in_use:
                yield session

    def _close_one(self) -> bool:
        for session in self._sessions.values():
            if not session.in_use:
                self.close(session)
                return True
        return False
