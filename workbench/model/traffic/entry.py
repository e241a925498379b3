"""One row of the traffic: a record with the facts from its message, and its relations to others.

There may be a million entries, so none of them is stored as an object: an entry is a place in columns.
"""

from collections.abc import Iterable
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from server_core.records.tap import Direction, Kind
from server_core.runtime.safe_json import parse_json_or_none
from workbench.model.traffic.annotations import NO_ANNOTATION, Annotation

if TYPE_CHECKING:
    from workbench.model.traffic.entry_columns import EntryColumns

OK = "ok"
ERROR = "error"
TOOL_ERROR = "tool error"
PENDING = "pending"
CANCELLED = "cancelled"
ASKS = "asks"  # The result is input requests: the client has to retry with the responses.
TASK = "task"  # The result is a task, which is still running.

HANDSHAKE = "handshake"
STATELESS = "stateless"

PROBE_MARK = "probe"  # A request for the revisions that a server supports.
RETRY_MARK = "retry"  # A later round of a call.

HELD = "held"
DELAYED = "delayed"
PASSED = "passed"  # It was delivered in addition to, or instead of, what arrived.
DROPPED = "dropped"
OUTCOMES = ("released", "edited", DROPPED, "duplicated", "answered", "expired")  # Of messages that were held.

STATUSES = ("", OK, ERROR, TOOL_ERROR, PENDING, CANCELLED, ASKS, TASK)
HOLDS = ("", HELD, DELAYED, PASSED, *OUTCOMES)

T = TypeVar("T")


class _Text:
    """A fact that is a text, which many entries share."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._column = attrgetter(name)

    def __get__(self, entry: "Entry", owner: type) -> str:
        columns = entry._columns
        code: int = self._column(columns)[entry._index]
        return columns.texts[code]

    def __set__(self, entry: "Entry", text: str) -> None:
        columns = entry._columns
        self._column(columns)[entry._index] = columns.code_of(text)


class _Choice(Generic[T]):
    """A fact that has one of a few values."""

    def __init__(self, values: Iterable[T]) -> None:
        self._values = tuple(values)
        self._codes = {value: code for code, value in enumerate(self._values)}

    def __set_name__(self, owner: type, name: str) -> None:
        self._column = attrgetter(name)

    def __get__(self, entry: "Entry", owner: type) -> T:
        code: int = self._column(entry._columns)[entry._index]
        return self._values[code]

    def __set__(self, entry: "Entry", value: T) -> None:
        self._column(entry._columns)[entry._index] = self._codes[value]


class _Number:
    """The number of another entry of the timeline; 0 if there is none."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._column = attrgetter(name)

    def __get__(self, entry: "Entry", owner: type) -> int:
        columns = entry._columns
        place: int = self._column(columns)[entry._index]
        return columns.seq[place - 1] if place else 0

    def __set__(self, entry: "Entry", seq: int) -> None:
        columns = entry._columns
        self._column(columns)[entry._index] = columns.index_of(seq) + 1 if seq else 0


class Entry:
    """One record and its relations to others.

    The first request of a call has the status of the whole call, over its rounds and its task. Later rounds of a call,
    and requests about its task, belong to the first request of the call.
    """

    __slots__ = ("_columns", "_index")

    kind = _Choice(Kind)
    direction = _Choice(Direction)
    session = _Text()
    # The method, also on the response; the event of a lifecycle record.
    method = _Text()
    # The tool, resource or prompt; for entries that belong to a call, that of the call.
    name = _Text()
    # One of the constants above, or empty.
    status = _Choice(STATUSES)
    # Of the matching request or response.
    pair = _Number()
    # Of the client's request that it belongs to.
    parent = _Number()
    # Empty if unknown.
    era = _Choice(("", HANDSHAKE, STATELESS))
    # The date.
    revision = _Text()
    # What the client calls itself; empty if unknown.
    client = _Text()
    mark = _Choice(("", PROBE_MARK, RETRY_MARK))
    # What happened to it while it was held; empty if it was not held.
    hold = _Choice(HOLDS)

    def __init__(self, columns: "EntryColumns", index: int) -> None:
        self._columns = columns
        self._index = index

    def __repr__(self) -> str:
        return f"<Entry {self.seq} {self.direction} {self.kind} {self.method} {self.id} {self.status}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Entry) and self._index == other._index and self._columns is other._columns

    def __hash__(self) -> int:
        return hash(self._index)

    def join(self, request: "Entry") -> None:
        """Take over the facts of the request that this responds to, and relate both to each other."""
        columns, index, asked = self._columns, self._index, request._index
        for column in columns.shared:
            column[index] = column[asked]
        columns.pair[index], columns.pair[asked] = asked + 1, index + 1
        self.belong_to(request)

    def belong_to(self, request: "Entry") -> None:
        """Become part of the call of a request."""
        parents = self._columns.parent
        parents[self._index] = parents[request._index] or request._index + 1

    @property
    def index(self) -> int:
        """The place in its timeline."""
        return self._index

    @property
    def seq(self) -> int:
        return self._columns.seq[self._index]

    @property
    def time(self) -> float:
        """In seconds since the epoch."""
        return self._columns.time[self._index]

    @property
    def size(self) -> int:
        """In bytes, also of a body that is no longer in memory."""
        return self._columns.size[self._index]

    @property
    def id(self) -> str:
        """JSON text, so that "1" and 1 differ."""
        return self._columns.id_at(self._index)

    @id.setter
    def id(self, text: str) -> None:
        self._columns.set_id(self._index, text)

    @property
    def call(self) -> str:
        """The name of the request that the record refers to; empty if it refers to none."""
        return self._columns.call_at(self._index)

    @property
    def named(self) -> int:
        """The number of the request that the record refers to; 0 if it refers to none by a number, or it is missing."""
        return self._columns.named_at(self._index)

    @property
    def latency(self) -> float | None:
        """The seconds between request and response, on both, without the time for which the request was held.

        It is None if one of them is missing.
        """
        return self._columns.latency_at(self._index)

    @property
    def answered(self) -> float | None:
        """When a request was answered, in seconds since the epoch; None if it was not."""
        place = self._columns.pair[self._index]
        return max(self._columns.time[place - 1], self.time) if place else None

    @property
    def held_seconds(self) -> float:
        """For how long a request waited for an operator before it was delivered; 0 for other records."""
        return self._columns.held_seconds.get(self._index, 0.0)

    @held_seconds.setter
    def held_seconds(self, seconds: float) -> None:
        self._columns.held_seconds[self._index] = seconds

    @property
    def data(self) -> bytes | None:
        """The bytes of the record; None if they are neither in memory nor in a capture."""
        return self._columns.bodies.body(self._index)

    @property
    def summary(self) -> str:
        """A summary on one line that is safe to show."""
        return self._columns.bodies.summary(self._index, self.kind)

    @property
    def annotation(self) -> Annotation:
        """What a user has added to it."""
        return self._columns.annotations.get(self.seq, NO_ANNOTATION)

    @property
    def is_to_server(self) -> bool:
        return self.direction is Direction.IN

    @property
    def call_seq(self) -> int:
        """The number of the request that began the call; 0 for a message of no call."""
        return self.parent or (self.seq if self.kind is Kind.REQUEST else 0)


def parse_object(data: bytes) -> dict[str, Any] | None:
    """Return the JSON object in the bytes; None if there is none."""
    # Parsed JSON has exact types, for which `type` is faster than `isinstance`; the same holds in all of this folder.
    value = parse_json_or_none(data)
    return value if type(value) is dict else None


def parse_batch(data: bytes) -> list[Any] | None:
    """Return the values of the JSON array in the bytes; None if there is none."""
    if data.lstrip()[:1] != b"[":
        return None
    value = parse_json_or_none(data)
    return value if type(value) is list else None
