"""The requests without a response, which later messages refer to, and the last progress of each.

They are read from records while messages are held, and from the newest records when a hold is set, so that the response
to an earlier request matches a filter by its method or tool. Their number is limited; the oldest are dropped.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from server_core.protocol import jsonrpc
from server_core.protocol.jsonrpc import Message, Notification, Request, RequestId, id_text
from server_core.records.tap import Direction, Kind, Record, named_seq

MAX_REQUESTS = 4096

_ANSWERS = frozenset({Kind.RESPONSE, Kind.ERROR})
_Key = tuple[str, Direction, str]
"""The session, the direction of the request, and the JSON text of its id."""


@dataclass(slots=True, eq=False)
class PendingRequest:
    """A request, and the progress that its sender was sent last."""

    record: Record
    request: Request
    key: "_Key"
    progress: float = -math.inf
    alive_at: float = 0.0  # When its sender last had a reason to restart its timeout, in seconds since the epoch.

    @property
    def token(self) -> RequestId | None:
        """Its progress token; None if its sender wants no progress."""
        meta = self.request.params.get("_meta")
        return jsonrpc.readable_id(meta, "progressToken") if type(meta) is dict else None

    @property
    def name(self) -> str:
        """The tool, prompt or resource that it names; empty if it names none."""
        params = self.request.params
        name = params.get("name") or params.get("uri")
        return name if type(name) is str else ""


class PendingRequests:
    """The open requests of all sessions, by what later messages refer to."""

    def __init__(self) -> None:
        self._by_id: dict[_Key, PendingRequest] = {}
        self._by_seq: dict[int, PendingRequest] = {}
        self._handshakes: dict[str, list[Record]] = {}

    def read(self, records: Iterable[Record]) -> None:
        """Read earlier records, oldest first."""
        for record in records:
            self.note(record)

    def note(
        self, record: Record, message: Message | None = None, related: RequestId | None = None
    ) -> PendingRequest | None:
        """Read one message, and return the request that it is, that it answers, or during which it was sent.

        Args:
            record: its record.
            message: the parsed message, if it is known.
            related: the id of the request that a response answers, if it is known.
        """
        kind = record.kind
        if kind is Kind.REQUEST:
            return self._add(record, jsonrpc.parse(record.data) if message is None else message)
        if kind is Kind.LIFECYCLE:
            if b'"session_closed"' in record.data:
                self._handshakes.pop(record.session, None)
            return None
        request = self._request_of(record, message, related)
        if request is None:
            return None
        if kind in _ANSWERS:
            self._remove(request)
            if request.request.method == "initialize":
                self._handshakes.setdefault(record.session, []).append(record)
        elif kind is Kind.NOTIFICATION and b'"progressToken"' in record.data:
            _note_progress(request, record)
        return request

    def _request_of(self, record: Record, message: Message | None, related: RequestId | None) -> PendingRequest | None:
        if record.call and (seq := named_seq(record.call)):
            return self._by_seq.get(seq)
        if record.kind in _ANSWERS:
            if related is None:
                message = jsonrpc.parse(record.data) if message is None else message
                related = getattr(message, "id", None)
            direction = Direction.OUT if record.direction is Direction.IN else Direction.IN
            return self._by_id.get((record.session, direction, id_text(related)))
        return self._by_id.get((record.session, Direction.IN, record.call)) if record.call else None

    def related_to(self, record: Record, request: PendingRequest | None) -> list[Record]:
        """Return the known records that a message depends on: of the handshake of its session, and its request."""
        handshake = self._handshakes.get(record.session, [])
        return handshake if request is None else [*handshake, request.record]

    def _add(self, record: Record, request: Message) -> PendingRequest | None:
        if not isinstance(request, Request):
            return None
        key = record.session, record.direction, id_text(request.id)
        entry = PendingRequest(record, request, key, -math.inf, record.time)
        self._by_seq[record.seq] = entry
        # The oldest of those with the same id stays: that is the request which the next response answers.
        self._by_id.setdefault(key, entry)
        if request.method == "initialize":
            self._handshakes[record.session] = [record]
        if len(self._by_seq) > MAX_REQUESTS:
            self._remove(self._by_seq[next(iter(self._by_seq))])
        return entry

    def _remove(self, entry: PendingRequest) -> None:
        self._by_seq.pop(entry.record.seq, None)
        if self._by_id.get(entry.key) is entry:
            del self._by_id[entry.key]


def _note_progress(request: PendingRequest, record: Record) -> None:
    message = jsonrpc.parse(record.data)
    progress = message.params.get("progress") if isinstance(message, Notification) else None
    if type(progress) is int or type(progress) is float:
        request.progress = max(request.progress, float(progress))
        request.alive_at = record.time
