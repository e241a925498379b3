"""Read one record: fill in its entry, and update the entries of earlier records.

A request gets its response, a call its rounds and its task, and every entry its call. Unknown parts of a message are
ignored; its entry is shown like any other.
"""

from collections.abc import Callable, Iterable
from sys import intern
from typing import Any

from server_core.protocol.envelope import CLIENT_INFO, PROTOCOL_VERSION, RELATED_TASK
from server_core.records.tap import Direction, Kind, Record, named_seq
from workbench.model.json_members import finite
from workbench.model.traffic.entry import (
    ASKS,
    CANCELLED,
    ERROR,
    HANDSHAKE,
    OK,
    PENDING,
    PROBE_MARK,
    RETRY_MARK,
    STATELESS,
    TASK,
    TOOL_ERROR,
    Entry,
    parse_object,
)
from workbench.model.traffic.held_records import HeldRecords
from workbench.model.traffic.hold_times import HOLD_EVENTS
from workbench.model.traffic.request_index import RequestIndex, id_text
from workbench.model.traffic.vocabulary import PROBE

TOOL_ENDED = b'{"event": "tool_ended"'
"""The beginning of a record with the running time of a tool."""


class RecordReader:
    """Reads the records of a timeline, oldest first; `touch` is called with each earlier entry that has changed.

    `offset` is what the numbers of the entries exceed those of the records by.
    """

    def __init__(self, find: Callable[[int], Entry | None], touch: Callable[[Entry], None], offset: int = 0) -> None:
        self.transports: dict[str, str] = {}  # session -> the name of its transport
        self._find = find
        self._touch = touch
        self._offset = offset
        self._requests = RequestIndex()
        self.held = HeldRecords(self._requests, find, touch, offset)
        self._revisions: dict[str, str] = {}  # session with a handshake -> its revision
        self._clients: dict[str, str] = {}  # session with a handshake -> what its client calls itself

    def followers(self, seq: int) -> list[Entry]:
        """Return the requests that continue the call of a request."""
        return self._requests.followers(seq)

    def read(self, entry: Entry, record: Record) -> None:
        """Fill in an entry, as created from its record, and update related entries."""
        reader = _READERS.get(record.kind)
        if reader is not None:
            value = parse_object(record.data)
            if value is not None:
                reader(self, entry, value)
            elif record.kind is not Kind.LIFECYCLE:
                entry.status = ERROR
        elif record.kind is Kind.MALFORMED:
            entry.status = ERROR
        if record.call and not entry.parent:
            self._attribute(entry, self._caller_of(entry, record.call))
        if not entry.era and (agreed := self._revisions.get(record.session)):
            entry.era, entry.revision = HANDSHAKE, agreed
        if not entry.client:
            entry.client = self._clients.get(record.session, "")

    def read_tool_time(self, record: Record) -> tuple[int, float] | None:
        """Read a record with the running time of a tool: the number of the first request of its call, and seconds."""
        value = parse_object(record.data) or {}
        named, milliseconds = self.named_by(record.call), finite(value.get("ran_ms"))
        call = self._caller(record.session, record.call, named, id_text(value.get("id")))
        return None if call is None or milliseconds is None else (call.parent or call.seq, milliseconds / 1000)

    def _caller_of(self, entry: Entry, request_id: str) -> Entry | None:
        return self._caller(entry.session, entry.call, entry.named, request_id)

    def _caller(self, session: str, call: str, named: int, request_id: str) -> Entry | None:
        """Return the client's request that a record belongs to: the referenced request, or the only one with the id."""
        if not named and not named_seq(call):
            return self._requests.only_request(session, request_id)
        request = self._find(named)
        return request if request is not None and request.kind is Kind.REQUEST else None

    def restore_followers(self, entries: Iterable[Entry]) -> None:
        """Find the requests that continue calls among entries that were read before."""
        for entry in entries:
            if entry.kind is Kind.REQUEST and entry.parent and entry.is_to_server:
                self._requests.add_follower(entry)

    def named_by(self, call: str) -> int:
        """Return the number of the entry that a record refers to, whatever others have its id; 0 for none."""
        seq = named_seq(call) if call else 0
        return self._offset + seq if seq else 0

    def _read_request(self, entry: Entry, value: dict[str, Any]) -> None:
        params = value.get("params")
        entry.method = _method(value)
        entry.id = id_text(value.get("id"))
        entry.status = PENDING
        if entry.method == "initialize":
            entry.era = HANDSHAKE
            self._clients[entry.session] = _client_name(params, "clientInfo")
        if type(params) is dict:
            entry.name = _subject(entry.method, params)
            if type(meta := params.get("_meta")) is dict:
                self._read_meta(entry, meta)
            self._continue_call(entry, params)
        self._requests.add_request(entry)

    def _read_meta(self, entry: Entry, meta: dict[str, Any]) -> None:
        # `initialize` starts a session, whatever else it contains.
        if PROTOCOL_VERSION in meta and not entry.era:
            entry.era, entry.revision = STATELESS, intern(str(meta[PROTOCOL_VERSION]))
        if CLIENT_INFO in meta:
            entry.client = _client_name(meta, CLIENT_INFO)
        if meta.get(PROBE) is True:
            entry.mark = PROBE_MARK
        if "progressToken" in meta:
            self._requests.add_token(entry, meta["progressToken"])
        if RELATED_TASK in meta:
            self._attribute(entry, self._requests.by_meta(entry.session, meta))

    def _continue_call(self, entry: Entry, params: dict[str, Any]) -> None:
        if (earlier := self._requests.previous_round(entry, params)) is not None:
            entry.mark = RETRY_MARK
        elif entry.method.startswith("tasks/"):
            earlier = self._requests.by_task(params.get("taskId"))
        if earlier is not None:
            self._attribute(entry, earlier)
            self._requests.add_follower(entry)

    def _read_response(self, entry: Entry, value: dict[str, Any]) -> None:
        result = value.get("result")
        entry.id = id_text(value.get("id"))
        entry.status = _response_status(value)
        if _names_request(entry):
            request = self._caller_of(entry, entry.id)
        else:
            request = self._requests.match_response(entry, _opposite(entry.direction), result)
        # A second response to a request is shown, and belongs to nothing.
        if request is None or request.pair:
            return
        entry.join(request)
        if type(result) is dict:
            self._read_result(entry, request, result)
        entry.era, entry.revision = request.era, request.revision
        if request.status is PENDING:
            request.status = entry.status
        self._touch(request)
        self._update_first(request)

    def _read_result(self, entry: Entry, request: Entry, result: dict[str, Any]) -> None:
        if result.get("resultType") == "input_required":
            entry.status = ASKS
            self._requests.add_input_requests(request, result)
        elif request.method == "initialize" and type(agreed := result.get("protocolVersion")) is str:
            request.revision = self._revisions[entry.session] = intern(agreed)
        elif request.method.startswith("tasks/"):
            self._settle_task(request, result)
        elif (task := _created_task(result)) is not None:
            entry.status = TASK
            self._requests.add_task(task, request)

    def _update_first(self, request: Entry) -> None:
        """Give the first request of a call the status of its last round."""
        first = self._first(request)
        if request.mark == RETRY_MARK and first.status is ASKS and request.status is not ASKS:
            first.status = request.status
            self._touch(first)

    def _settle_task(self, request: Entry, result: dict[str, Any]) -> None:
        """Give the call of a task the final status of the task."""
        call = self._first(request)
        if call.status is not TASK:
            return
        outcome = result if request.method == "tasks/result" else result.get("result")
        if type(outcome) is dict and outcome.get("isError") is True:
            call.status = TOOL_ERROR
        elif request.method == "tasks/result":
            call.status = OK
        else:
            call.status = _TASK_ENDS.get(str(result.get("status")), TASK)
        self._touch(call)

    def _first(self, request: Entry) -> Entry:
        """Return the first request of the call that a request continues."""
        return (self._find(request.parent) if request.parent else None) or request

    def _read_notification(self, entry: Entry, value: dict[str, Any]) -> None:
        entry.method = _method(value)
        params = value.get("params")
        if type(params) is not dict:
            return
        if entry.method == "notifications/cancelled":
            request_id = id_text(params.get("requestId"))
            self._cancel(entry, self._requests.only_request(entry.session, request_id, entry.direction))
        elif _names_request(entry):
            self._attribute(entry, self._caller_of(entry, ""))
        elif entry.method == "notifications/progress":
            request = self._requests.by_token(entry.session, _opposite(entry.direction), params.get("progressToken"))
            self._attribute(entry, request)
        elif (task := self._requests.by_task(params.get("taskId"))) is not None:
            self._attribute(entry, task)
        elif type(meta := params.get("_meta")) is dict:
            self._attribute(entry, self._requests.by_meta(entry.session, meta))

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
        if event in HOLD_EVENTS:
            self.held.read(entry, value)
        if event == "session_opened" and type(transport := value.get("transport")) is str:
            self.transports[entry.session] = intern(transport)
        if event == "session_closed":
            for request in self._requests.pending_of(entry.session):
                self._mark_cancelled(request)
        if "id" not in value:
            return
        call = self._requests.by_task(value.get("task")) or self._caller_of(entry, id_text(value["id"]))
        if event == "call_abandoned":
            self._cancel(entry, call)
            return
        self._attribute(entry, call)
        if call is not None and "task" in value:
            self._read_task_event(call, value)

    def _read_task_event(self, request: Entry, value: dict[str, Any]) -> None:
        self._requests.add_task(value["task"], request)
        call, ended = self._first(request), _TASK_ENDS.get(str(value.get("status")))
        if ended is not None and call.status in (PENDING, TASK):
            call.status = TOOL_ERROR if ended is OK and value.get("ok") is False else ended
            self._touch(call)

    def _cancel(self, entry: Entry, request: Entry | None) -> None:
        self._attribute(entry, request)
        if request is not None and request.status is PENDING:
            self._mark_cancelled(request)

    def _mark_cancelled(self, request: Entry) -> None:
        request.status = CANCELLED
        self._touch(request)
        self._update_first(request)

    def _attribute(self, entry: Entry, request: Entry | None) -> None:
        """Attribute an entry to a request, or to the call that the request itself belongs to."""
        if request is None or request == entry:
            return
        entry.belong_to(request)
        entry.name = entry.name or request.name
        entry.client = entry.client or request.client
        if not entry.era:
            entry.era, entry.revision = request.era, request.revision


_READERS = {
    Kind.REQUEST: RecordReader._read_request,
    Kind.RESPONSE: RecordReader._read_response,
    Kind.ERROR: RecordReader._read_response,
    Kind.NOTIFICATION: RecordReader._read_notification,
    Kind.HTTP: RecordReader._read_http,
    Kind.LIFECYCLE: RecordReader._read_lifecycle,
}


_TASK_ENDS = {"completed": OK, "failed": ERROR, "cancelled": CANCELLED}


def _method(value: dict[str, Any]) -> str:
    method = value.get("method")
    # Interned: a hundred thousand entries share a few names.
    return intern(method) if type(method) is str else ""


def _client_name(members: Any, key: str) -> str:
    """Return the name in an `Implementation` of the specification."""
    info = members.get(key) if type(members) is dict else None
    name = info.get("name") if type(info) is dict else None
    return intern(name) if type(name) is str else ""


def _subject(method: str, params: dict[str, Any]) -> str:
    """Return the tool, resource or prompt in a request."""
    if method == "completion/complete":
        reference = params.get("ref")
        params = reference if type(reference) is dict else {}
    subject = params.get("name")
    if type(subject) is not str:
        subject = params.get("uri")
    return intern(subject) if type(subject) is str else ""


def _response_status(value: dict[str, Any]) -> str:
    if "error" in value:
        return ERROR
    result = value.get("result")
    return TOOL_ERROR if type(result) is dict and result.get("isError") is True else OK


def _created_task(result: dict[str, Any]) -> Any:
    """Return the id of the task in a result; None for any other result.

    Source: 2025-11-25, CreateTaskResult; the tasks extension of 2026-07-28, where `resultType` marks it.
    """
    if result.get("resultType") == "task":
        return result.get("taskId")
    task = result.get("task")
    return task.get("taskId") if type(task) is dict and "content" not in result else None


def _names_request(entry: Entry) -> bool:
    """Whether a record refers to a unique request of a client, whatever other requests have its id."""
    return entry.named > 0 or named_seq(entry.call) > 0


def _opposite(direction: Direction) -> Direction:
    return Direction.OUT if direction is Direction.IN else Direction.IN
