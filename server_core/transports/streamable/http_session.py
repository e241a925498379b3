"""An MCP session over many HTTP requests: it distributes the messages of the session to the open responses.

Rule 1: a message of a call goes to the response of that call's POST; messages that belong to no call go to the GET
stream.
Rule 2: each message goes to one stream only, and is stored there when no client reads.
Rule 3: a lost connection cancels nothing; a session is closed by DELETE, by the idle timeout or by the server.
"""

from collections.abc import Callable, Sequence

from server_core.protocol import jsonrpc
from server_core.protocol.codes import INTERNAL_ERROR
from server_core.protocol.jsonrpc import MalformedMessage, Message, Notification, Request, RequestId
from server_core.protocol.revisions import REVISIONS, Revision
from server_core.transports.source import ServingSession
from server_core.transports.streamable.event_store import GET_STREAM, EventStore
from server_core.transports.streamable.response_streams import Stream, StreamLog, StreamReader

# The messages that change the state of a session, which a restarted server needs.
_STATE_CHANGING = frozenset(
    {
        "initialize",
        "notifications/initialized",
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
    }
)


class HttpSession:
    """One MCP session over HTTP, and outlet of its serving session; no other principal than its own may use it."""

    __slots__ = (
        "_calls",
        "_current_post",
        "_full",
        "_most_messages",
        "_open_streams",
        "_request_deletion",
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
        request_deletion: Callable[["HttpSession"], None],
    ) -> None:
        self.id = id
        self.principal = principal
        self.get_stream = Stream(most_messages, log=StreamLog(store, id, GET_STREAM))
        self._store = store
        self._request_deletion = request_deletion
        self._most_messages = most_messages
        # The streams of requests in flight.
        self._calls: dict[RequestId, Stream] = {}
        # During `post`: the ids of its requests, and its stream, which also gets the errors of invalid messages.
        self._current_post: tuple[Sequence[RequestId], Stream] | None = None
        # The incomplete streams with event ids, by number: a client may reconnect to them.
        self._open_streams: dict[int, Stream] = {}
        # Kept as a set, so that `full` does not visit every stream.
        self._full: set[Stream] = set()

    @property
    def supports_priming(self) -> bool:
        """Whether the client supports events that only set an id; older clients fail on their empty data."""
        revision = self._revision
        return revision is not None and revision.sse_polling

    @property
    def supports_batches(self) -> bool:
        revision = self._revision
        return revision is not None and revision.batches

    @property
    def in_use(self) -> bool:
        """Whether a call is running, or the client is listening."""
        return (
            self.serving.busy
            or self.get_stream.reader is not None
            or any(stream.reader is not None for stream in self._open_streams.values())
        )

    def post(self, pieces: Sequence[tuple[bytes, Message]]) -> Stream:
        """Process the parsed messages of a POST with requests, and return the stream for their responses."""
        ids = [message.id for _, message in pieces if isinstance(message, Request | MalformedMessage)]
        calls = [request_id for request_id in ids if request_id is not None]
        stream = Stream(self._most_messages, calls, len(ids))
        for request_id in calls:
            # An id that is in flight already is refused at once, and that must not go to the stream of the first call.
            self._calls.setdefault(request_id, stream)
        self._current_post = calls, stream
        try:
            for data, message in pieces:
                self.receive(data, message)
        finally:
            self._current_post = None
        return stream

    def receive(self, data: bytes, message: Message) -> None:
        self.serving.receive(data, message)
        if getattr(message, "method", "") in _STATE_CHANGING:
            self.save_state()
        if not isinstance(message, Notification) or message.method != "notifications/cancelled":
            return
        request_id = jsonrpc.readable_id(message.params, "requestId")
        if request_id is not None and (stream := self._calls.pop(request_id, None)) is not None:
            stream.cancel_response()

    def send(self, message: bytes, related: RequestId | None, *, is_response: bool = False) -> None:
        stream = self._stream_of(related, is_response)
        if stream is None:
            return
        stream.send(message, related, is_response=is_response)
        if stream.complete and stream.number is not None:
            self._open_streams.pop(stream.number, None)
        elif stream.full:
            self._full.add(stream)

    @property
    def full(self) -> bool:
        return any(stream.full for stream in self._full)

    async def drain(self) -> None:
        while self._full:
            stream = next(iter(self._full))
            await stream.drain()
            self._full.discard(stream)

    def close_stream(self, related: RequestId, retry_ms: int) -> None:
        """End the HTTP response of a call before its result; the client reconnects for the rest.

        Source: 2025-11-25, basic/transports, Streamable HTTP: the server may close the connection at any time.
        """
        stream = self._calls.get(related)
        if stream is None or not self.supports_priming:
            return
        self.begin_events(stream)
        stream.end_response(retry_ms)

    def begin_events(self, stream: Stream) -> None:
        """Assign event ids to the messages of a stream, so that its client can request the missed messages."""
        if stream.number is not None:
            return
        number = self._store.begin(self.id, stream.calls)
        if not stream.complete:
            self._open_streams[number] = stream
        stream.begin_events(StreamLog(self._store, self.id, number))

    def save_state(self) -> None:
        """Store the state of this session for a restarted server, and the time of its last use."""
        if (state := self.serving.export_state()) is not None:
            self._store.save_session(self.id, {"principal": self.principal, "session": state})

    async def resume(self, number: int, position: int) -> StreamReader | None:
        """Return a reader that continues after a position; None when the stream with this number is not stored."""
        if number == GET_STREAM:
            return StreamReader(self.get_stream, position)
        if (open_stream := self._open_streams.get(number)) is not None:
            return StreamReader(open_stream, position)
        replay = await self._store.after(self.id, number, position)
        if replay is None:
            return None
        calls = replay.calls
        stream = Stream(self._most_messages, calls, len(calls), StreamLog(self._store, self.id, number))
        if not replay.complete:
            # The process that ran these calls has ended; without a response, the client would reconnect forever.
            for request_id in replay.calls:
                stream.send(_unknown_outcome(request_id), request_id, is_response=True)
        stream.end()
        return StreamReader(stream, position)

    def end(self) -> None:
        """Delete the session from the server's side: queued messages are sent, and its id is invalid from now on.

        Source: 2025-11-25, basic/transports, session management: the client then gets 404, and begins a new session.
        """
        self._request_deletion(self)

    def close(self) -> None:
        """Close the serving session and all open responses; the stored state remains."""
        self.serving.close()
        for stream in (self.get_stream, *self._calls.values(), *self._open_streams.values()):
            stream.end()

    @property
    def _revision(self) -> Revision | None:
        return REVISIONS.get(self.serving.negotiated)

    def _stream_of(self, related: RequestId | None, is_response: bool) -> Stream | None:
        if not is_response:
            return self.get_stream if related is None else self._calls.get(related, self.get_stream)
        if self._current_post is not None and (related is None or related in self._current_post[0]):
            stream = self._current_post[1]
            if related is not None and self._calls.get(related) is stream:
                del self._calls[related]
            return stream
        return None if related is None else self._calls.pop(related, None)


def _unknown_outcome(request_id: RequestId) -> bytes:
    return jsonrpc.error(
        request_id, INTERNAL_ERROR, "The server was restarted while this call ran; its outcome is not known."
    )
