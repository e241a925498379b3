"""The store of the traffic: every record as an entry, requests joined with their answers, calls with what they caused.

Rules:

1. The order is that of `seq`; a record that is there already is ignored, so a backlog and a live stream may overlap.
2. Ids keep their type, and each session and each direction of asking has ids of its own: the client's request 1 and
   the server's request 1 are two requests.
3. Bodies are bounded: when they weigh more than the budget the oldest ones go, and their entries stay.
4. The timeline shows nothing and owns no filter; a `View` does.
"""

import json
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from operator import attrgetter
from sys import intern
from typing import Any

from server_core.tap import Direction, Kind, Record
from workbench.model.entry import CANCELLED, ERROR, OK, PENDING, TOOL_ERROR, Entry, parse_object

BODY_BUDGET = 32 * 1024 * 1024
"""How many bytes of bodies are kept, unless told otherwise."""


class Timeline:
    """Every record that this terminal has seen.

    Args:
        body_budget: how many bytes of bodies to keep.
    """

    def __init__(self, body_budget: int = BODY_BUDGET) -> None:
        self.version = 0
        """Grows with each change, so that a screen knows when to paint."""
        self._budget = body_budget
        self.clear()

    def clear(self) -> None:
        """Forget everything, as when another core is looked at."""
        self.version += 1
        self.generation = self.version
        """Changes when everything was forgotten."""
        self._entries: list[Entry] = []
        self._bodies = 0
        self._released = 0
        # (session, which way the request went) -> id -> the newest request with this id
        self._requests: dict[tuple[str, Direction], dict[str, Entry]] = {}
        # (session, which way the request went) -> JSON text of the progress token -> the request
        self._tokens: dict[tuple[str, Direction], dict[str, Entry]] = {}
        self._touched = array("Q")

    def __len__(self) -> int:
        return len(self._entries)

    def __getitem__(self, index: int) -> Entry:
        return self._entries[index]

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries)

    def since(self, index: int) -> list[Entry]:
        """Return the entries from an index on."""
        return self._entries[index:]

    @property
    def last_seq(self) -> int:
        """The number of the newest record; 0 before the first."""
        return self._entries[-1].seq if self._entries else 0

    @property
    def touched(self) -> "array[int]":
        """Indexes of entries that changed after they were added, in the order of the changes; it only grows."""
        return self._touched

    def by_seq(self, seq: int) -> Entry | None:
        """Return the entry of a record; None when it is not here."""
        index = self.index_of(seq)
        return None if index is None else self._entries[index]

    def index_of(self, seq: int) -> int | None:
        """Return the index of a record's entry; None when it is not here."""
        index = self.place_of(seq)
        return index if index < len(self._entries) and self._entries[index].seq == seq else None

    def place_of(self, seq: int) -> int:
        """Return the index of a record's entry, or of the first one after it when it is not here."""
        entries = self._entries
        if not entries:
            return 0
        # Without gaps, which is nearly always, the place follows from the number.
        guess = seq - entries[0].seq
        if 0 <= guess < len(entries) and entries[guess].seq == seq:
            return guess
        return bisect_left(entries, seq, key=_seq)

    def answer_of(self, entry: Entry) -> Entry | None:
        """Return the other half of a request and its answer."""
        return self.by_seq(entry.pair) if entry.pair else None

    def find_request(self, session: str, id: str, direction: Direction = Direction.IN) -> Entry | None:
        """Return the newest request with this id.

        Args:
            session: the session it went over.
            id: JSON text of the id.
            direction: which way the request went; IN for the client's own.
        """
        return self._requests.get((session, direction), {}).get(id)

    def caused_by(self, seq: int) -> list[Entry]:
        """Return what belongs to a call: its answer, and all that happened on its behalf, oldest first."""
        start = self.index_of(seq)
        if start is None:
            return []
        return [one for one in self.since(start + 1) if one.parent == seq]

    def extend(self, records: Iterable[Record]) -> None:
        """Add records, oldest first.

        Args:
            records: those that are older than what is here already are ignored.
        """
        last = self.last_seq
        count = len(self._entries)
        for record in records:
            if record.seq > last:
                last = record.seq
                self._add(record)
        if len(self._entries) != count:
            self.version += 1
            self._let_go()

    def _add(self, record: Record) -> None:
        entry = Entry(record)
        entry.session = intern(entry.session)
        self._entries.append(entry)
        self._bodies += entry.size
        read = _READERS.get(entry.kind)
        if read is not None:
            value = parse_object(record.data)
            if value is not None:
                read(self, entry, value)
            elif entry.kind is not Kind.LIFECYCLE:
                entry.status = ERROR
        elif entry.kind is Kind.MALFORMED:
            entry.status = ERROR
        if entry.call and not entry.parent:
            self._belong(entry, self.find_request(entry.session, entry.call))

    def _read_request(self, entry: Entry, value: dict[str, Any]) -> None:
        params = value.get("params")
        entry.method = _method(value)
        entry.id = id_text(value.get("id"))
        entry.status = PENDING
        if type(params) is dict:
            entry.name = _subject(entry.method, params)
            self._note_token(entry, params)
        self._requests.setdefault((entry.session, entry.direction), {})[entry.id] = entry

    def _read_answer(self, entry: Entry, value: dict[str, Any]) -> None:
        entry.id = id_text(value.get("id"))
        entry.status = _answer_status(value)
        request = self.find_request(entry.session, entry.id, _opposite(entry.direction))
        if request is None or request.pair:
            return
        entry.id = request.id
        entry.method = request.method
        entry.name = request.name
        entry.pair, request.pair = request.seq, entry.seq
        entry.parent = request.parent or request.seq
        entry.latency = request.latency = max(entry.time - request.time, 0.0)
        if request.status is PENDING:
            request.status = entry.status
        self._touch(request)

    def _read_notification(self, entry: Entry, value: dict[str, Any]) -> None:
        entry.method = _method(value)
        params = value.get("params")
        if type(params) is not dict:
            return
        if entry.method == "notifications/cancelled":
            request = self.find_request(entry.session, id_text(params.get("requestId")), entry.direction)
            self._belong(entry, request)
            if request is not None and request.status is PENDING:
                request.status = CANCELLED
                self._touch(request)
        elif entry.method == "notifications/progress":
            asked = self._tokens.get((entry.session, _opposite(entry.direction)), {})
            self._belong(entry, asked.get(id_text(params.get("progressToken"))))

    def _read_http(self, entry: Entry, value: dict[str, Any]) -> None:
        entry.method = intern(f"{value.get('method', '')} {value.get('path', '')}".strip())
        status = value.get("status")
        if type(status) is int:
            entry.status = ERROR if status >= 400 else OK

    def _read_lifecycle(self, entry: Entry, value: dict[str, Any]) -> None:
        event = value.get("event")
        if type(event) is not str:
            return
        entry.method = intern(event)
        if type(tool := value.get("tool")) is str:
            entry.name = intern(tool)
        if event.endswith("_failed") or value.get("ok") is False:
            entry.status = ERROR
        if "id" in value:
            self._belong(entry, self.find_request(entry.session, id_text(value["id"])))

    def _note_token(self, entry: Entry, params: dict[str, Any]) -> None:
        meta = params.get("_meta")
        if type(meta) is dict and "progressToken" in meta:
            tokens = self._tokens.setdefault((entry.session, entry.direction), {})
            tokens[id_text(meta["progressToken"])] = entry

    def _belong(self, entry: Entry, request: Entry | None) -> None:
        """Attribute an entry to a request, or to the call that the request itself belongs to."""
        if request is None or request is entry:
            return
        entry.parent = request.parent or request.seq
        entry.name = entry.name or request.name

    def _touch(self, entry: Entry) -> None:
        index = self.index_of(entry.seq)
        if index is not None:
            self._touched.append(index)

    def _let_go(self) -> None:
        while self._bodies > self._budget and self._released < len(self._entries) - 1:
            entry = self._entries[self._released]
            self._released += 1
            self._bodies -= entry.size
            entry.release()


_READERS = {
    Kind.REQUEST: Timeline._read_request,
    Kind.RESPONSE: Timeline._read_answer,
    Kind.ERROR: Timeline._read_answer,
    Kind.NOTIFICATION: Timeline._read_notification,
    Kind.HTTP: Timeline._read_http,
    Kind.LIFECYCLE: Timeline._read_lifecycle,
}
_seq = attrgetter("seq")


def id_text(id: Any) -> str:
    """Return an id or token as JSON text, in which "1" and 1 differ; empty for what can be neither."""
    if type(id) is int:
        return str(id)
    if type(id) is str:
        return json.dumps(id, ensure_ascii=False)
    return ""


def _method(value: dict[str, Any]) -> str:
    method = value.get("method")
    return intern(method) if type(method) is str else ""


def _subject(method: str, params: dict[str, Any]) -> str:
    """Return the tool, resource or prompt that a request names."""
    if method == "completion/complete":
        reference = params.get("ref")
        params = reference if type(reference) is dict else {}
    subject = params.get("name")
    if type(subject) is not str:
        subject = params.get("uri")
    return intern(subject) if type(subject) is str else ""


def _answer_status(value: dict[str, Any]) -> str:
    if "error" in value:
        return ERROR
    result = value.get("result")
    return TOOL_ERROR if type(result) is dict and result.get("isError") is True else OK


def _opposite(direction: Direction) -> Direction:
    return Direction.OUT if direction is Direction.IN else Direction.IN
