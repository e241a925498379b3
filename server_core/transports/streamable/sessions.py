"""An MCP session over many HTTP requests: it sorts what the session sends into the responses that are open.

Rule 1: a message of a call goes to the response of that call's POST; what belongs to no call goes to the GET stream.
Rule 2: each message goes to one stream only, and is kept there when nobody reads.
Rule 3: a lost connection cancels nothing; only DELETE, idleness or the end of what serves it close a session.
"""

from collections.abc import Callable, Sequence

from server_core.protocol import jsonrpc
from server_core.protocol.codes import INTERNAL_ERROR
from server_core.protocol.jsonrpc import Malformed, Message, Notification, Request, RequestId
from server_core.protocol.revisions import REVISIONS, Revision
from server_core.transports.source import ServingSession
from server_core.transports.streamable.event_store import STANDING, EventStore
from server_core.transports.streamable.streams import Stream, StreamLog, StreamReader

# What a client tells once, for the rest of its session.
_TELLING = frozenset(
    {
        "initialize",
        "notifications/initialized",
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
    }
)


class HttpSession:
    """One MCP session, and the outlet of what serves it.

    Args:
        id: the `Mcp-Session-Id`.
        principal: who has proved to have opened it; nobody else may use it.
        most_messages: how many may wait for one response.
        store: keeps the events.
        on_end: called with the session when what serves it ends it.
    """

    __slots__ = (
        "_calls",
        "_full",
        "_live",
        "_most_messages",
        "_on_end",
        "_posting",
        "_store",
        "get_stream",
        "id",
        "principal",
        "serving",
    )

    serving: ServingSession

    def __init__(
        self,
        id: str,
        principal: str,
        most_messages: int,
        store: EventStore,
        on_end: Callable[["HttpSession"], None],
    ) -> None:
        self.id = id
        self.principal = principal
        self.get_stream = Stream(most_messages, log=StreamLog(store, id, STANDING))
        self._store = store
        self._on_end = on_end
        self._most_messages = most_messages
        self._calls: dict[RequestId, Stream] = {}
        self._posting: tuple[Sequence[RequestId], Stream] | None = None
        self._live: dict[int, Stream] = {}
        self._full: set[Stream] = set()

    @property
    def primes(self) -> bool:
        """Whether the client knows events that only tell an id; older ones choke on their empty data."""
        revision = self._revision
        return revision is not None and revision.sse_polling

    @property
    def takes_batches(self) -> bool:
        """Whether a POST may bring an array of messages."""
        revision = self._revision
        return revision is not None and revision.batches

    @property
    def in_use(self) -> bool:
        """Whether something runs for it, or somebody listens."""
        return (
            self.serving.busy
            or self.get_stream.reader is not None
            or any(stream.reader is not None for stream in self._live.values())
        )

    def post(self, pieces: Sequence[tuple[bytes, Message]]) -> Stream:
        """Hand on the messages of one POST that wants answers, and return the stream that will hold them.

        Args:
            pieces: each message as it came, and what it parsed to.
        """
        ids = [message.id for _, message in pieces if isinstance(message, Request | Malformed)]
        calls = [id for id in ids if id is not None]
        stream = Stream(self._most_messages, calls, len(ids))
        for id in calls:
            # An id that is in flight already is refused at once, and its first owner's stream must not hear of that.
            self._calls.setdefault(id, stream)
        self._posting = calls, stream
        try:
            for data, message in pieces:
                self.receive(data, message)
        finally:
            self._posting = None
        return stream

    def receive(self, data: bytes, message: Message) -> None:
        """Hand on one message."""
        self.serving.receive(data, message)
        if getattr(message, "method", "") in _TELLING:
            self.keep()
        if not isinstance(message, Notification) or message.method != "notifications/cancelled":
            return
        id = jsonrpc.readable_id(message.params, "requestId")
        if id is not None and (stream := self._calls.pop(id, None)) is not None:
            stream.settle()

    def send(self, message: bytes, related: RequestId | None, *, answer: bool = False) -> None:
        """Take one message for the client; never waits."""
        stream = self._stream_of(related, answer)
        if stream is None:
            return
        stream.send(message, related, answer=answer)
        if stream.complete and stream.number is not None:
            self._live.pop(stream.number, None)
        elif stream.full:
            self._full.add(stream)

    @property
    def full(self) -> bool:
        """Whether the client has to take something before more should be sent."""
        return any(stream.full for stream in self._full)

    async def drain(self) -> None:
        """Wait until the client has taken enough that more may be sent."""
        while self._full:
            stream = next(iter(self._full))
            await stream.drain()
            self._full.discard(stream)

    def close_stream(self, related: RequestId, retry_ms: int) -> None:
        """End the response of a call before its answer; the client comes back for the rest.

        Args:
            related: the id of the call.
            retry_ms: how long it should wait before that.

        Source: 2025-11-25, basic/transports, Streamable HTTP: the server may close the connection at any time.
        """
        stream = self._calls.get(related)
        if stream is None or not self.primes:
            return
        self.begin_events(stream)
        stream.end_response(retry_ms)

    def begin_events(self, stream: Stream) -> None:
        """Number the messages of a stream, so that its reader can come back for what it missed."""
        if stream.number is not None:
            return
        number = self._store.begin(self.id, stream.calls)
        if not stream.complete:
            self._live[number] = stream
        stream.begin_events(StreamLog(self._store, self.id, number))

    def keep(self) -> None:
        """Keep what a restarted server has to know of this session, and that it is still used."""
        if (facts := self.serving.remember()) is not None:
            self._store.keep(self.id, {"principal": self.principal, "session": facts})

    async def resume(self, number: int, position: int) -> StreamReader | None:
        """Return what reads on behind an event; None when its stream is not kept.

        Args:
            number: of the stream.
            position: of the last event that was read.
        """
        if number == STANDING:
            return StreamReader(self.get_stream, position)
        if (live := self._live.get(number)) is not None:
            return StreamReader(live, position)
        replay = await self._store.after(self.id, number, position)
        if replay is None:
            return None
        calls = replay.calls
        stream = Stream(self._most_messages, calls, len(calls), StreamLog(self._store, self.id, number))
        if not replay.complete:
            # The process that ran these calls has ended, and their client would ask for the answers for ever.
            for id in replay.calls:
                stream.send(_cut_off(id), id, answer=True)
        stream.end()
        return StreamReader(stream, position)

    def end(self) -> None:
        """End the session from the side of the server: what waits is sent, and its id is unknown from here on.

        Source: 2025-11-25, basic/transports, session management: the client then gets 404, and begins another.
        """
        self._on_end(self)

    def close(self) -> None:
        """End the session and every response that is open for it."""
        self.serving.close()
        for stream in (self.get_stream, *self._calls.values(), *self._live.values()):
            stream.end()

    @property
    def _revision(self) -> Revision | None:
        return REVISIONS.get(self.serving.negotiated)

    def _stream_of(self, related: RequestId | None, answer: bool) -> Stream | None:
        if not answer:
            return self.get_stream if related is None else self._calls.get(related, self.get_stream)
        if self._posting is not None and (related is None or related in self._posting[0]):
            stream = self._posting[1]
            if related is not None and self._calls.get(related) is stream:
                del self._calls[related]
            return stream
        return None if related is None else self._calls.pop(related, None)


def _cut_off(id: RequestId) -> bytes:
    return jsonrpc.error(id, INTERNAL_ERROR, "The server was restarted while this call ran; its outcome is not known.")
