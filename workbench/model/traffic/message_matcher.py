"""The filter language for messages that are being served: which of them match, before they are delivered.

A core with a hold loads this module (`server_core.holding.matcher`). Every message is tested, so the facts that most
filters need are those of the message and its request, and the others are computed when a filter asks for them: by a
timeline of the few records that the message depends on, so that a filter means the same as in the Inspector.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias, TypeVar

from server_core.protocol.jsonrpc import Request, id_text
from server_core.records.tap import Kind, Record
from workbench.model.traffic.annotations import NO_ANNOTATION
from workbench.model.traffic.entry import ERROR, OK, PENDING, Entry
from workbench.model.traffic.filter import parse_filter
from workbench.model.traffic.timeline import Timeline


class RequestOfMessage(Protocol):
    """The request that a message is or belongs to, with its record."""

    @property
    def record(self) -> Record: ...

    @property
    def request(self) -> Request: ...


R = TypeVar("R", bound=RequestOfMessage)
Related: TypeAlias = Callable[[Record, R | None], Sequence[Record]]


_LATER = ("client", "era", "id", "latency", "mark", "method", "name", "pair", "parent", "revision", "size", "status")
_OF_RECORD = ("annotation", "call", "data", "direction", "hold", "kind", "seq", "session", "summary", "time")
_FACTS = frozenset((*_LATER, *_OF_RECORD))


class Candidate:
    """The facts of one message, most of which are computed when they are first asked for."""

    __slots__ = (*_OF_RECORD, *_LATER, "_record", "_related", "_request")

    client: str
    era: str
    id: str
    latency: float | None
    mark: str
    method: str
    name: str
    pair: int
    parent: int
    revision: str
    size: int
    status: str
    summary: str

    def __init__(self, record: Record, request: RequestOfMessage | None, related: Related[Any]) -> None:
        # This is done for each message, so only few facts are set.
        self.seq, self.time, self.session, self.direction, self.kind, self.call, self.data = record
        self.hold = ""
        self.annotation = NO_ANNOTATION
        self._record = record
        self._request = request
        self._related = related
        if request is not None and record.kind is not Kind.NOTIFICATION:
            self.method = request.request.method
            name = request.request.params.get("name")
            if type(name) is str:
                self.name = name

    def __getattr__(self, name: str) -> Any:
        # Called for facts that are not set.
        if name not in _FACTS:
            raise AttributeError(name)
        record, request = self._record, self._request
        value: Any
        if name == "size":
            value = len(record.data)
        elif name == "status" and (status := _plain_status(record)) is not None:
            value = status
        elif request is not None and record.kind is not Kind.NOTIFICATION and name in _OF_REQUEST:
            value = _OF_REQUEST[name](request.request)
        else:
            value = getattr(self._read(), name)
        setattr(self, name, value)
        return value

    def _read(self) -> Entry:
        timeline = Timeline()
        records = {each.seq: each for each in (*self._related(self._record, self._request), self._record)}
        timeline.extend(records[seq] for seq in sorted(records))
        return timeline[timeline.place_of(self._record.seq)]


def _plain_status(record: Record) -> str | None:
    """Return the status of a message that has the usual one of its kind; None if its result has to be read."""
    if record.kind is not Kind.RESPONSE:
        return _STATUSES.get(record.kind, "")
    return None if _UNUSUAL.search(record.data) else OK


_STATUSES = {Kind.REQUEST: PENDING, Kind.ERROR: ERROR}
_UNUSUAL = re.compile(rb'"(?:isError"|input_required"|task)')
"""What a result that is not simply a success contains."""


def _name(request: Request) -> str:
    params = request.params
    if request.method == "completion/complete" and type(reference := params.get("ref")) is dict:
        params = reference
    name = params.get("name")
    if type(name) is not str:
        name = params.get("uri")
    return name if type(name) is str else ""


_OF_REQUEST: dict[str, Callable[[Request], str]] = {
    "id": lambda request: id_text(request.id),
    "name": _name,
}
"""The facts that a request and its response share."""


def compile_matcher(text: str) -> Callable[[Record, R | None, Related[R]], bool]:
    """Return the test of a filter for messages; FilterError, which is a ValueError, if the text is no filter."""
    test = parse_filter(text).test

    def matches(record: Record, request: R | None, related: Related[R]) -> bool:
        return test(Candidate(record, request, related))

    return matches
