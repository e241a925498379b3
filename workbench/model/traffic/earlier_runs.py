"""The runs of a user in the records of an earlier session: what was called, with which arguments, and how it ended.

Only sessions of terminals and commands count, not those of other clients. A run may take several requests: rounds with
answers to the server's questions, and requests for the result of a task.
"""

import json
import re
from collections.abc import Iterable
from typing import Any

from server_core.errors import RemoteError
from server_core.protocol import jsonrpc
from server_core.protocol.jsonrpc import ErrorResponse, Notification, Request, RequestId, Response
from server_core.records.tap import Direction, Kind, Record
from workbench.model.core_use import TERMINAL
from workbench.model.describe import size
from workbench.model.error_texts import remote_error_text
from workbench.model.history import CallRun
from workbench.model.json_members import object_in, text_in
from workbench.model.traffic.entry import parse_object
from workbench.model.traffic.failure_details import read_failure_details
from workbench.model.traffic.hold_times import HoldTimes
from workbench.model.traffic.recorded_call import recorded_call

MAX_RESULT_BYTES = 256 * 1024
"""The largest result that is read again."""

KINDS = frozenset({Kind.REQUEST, Kind.RESPONSE, Kind.ERROR, Kind.NOTIFICATION, Kind.LIFECYCLE})
"""The kinds of records that runs are read from."""

_ID = re.compile(rb'"id": ?("[^"\\]*"|[0-9]+)')
_OF_TASKS = ("tasks/result", "tasks/get")
_NO_RESPONSE = "The session ended before the response."
_NO_TASK_RESULT = "It ran as a task, and its result is not in the capture."


def earlier_runs(records: Iterable[Record], before: float) -> list[CallRun]:
    """Return the runs in the :data:`KINDS` of records of one capture, oldest first, without those after `before`."""
    reader = _RunReader(before)
    for record in records:
        reader.read(record)
    return reader.finished()


class _RunReader:
    def __init__(self, before: float) -> None:
        self._before = before
        self._runs: list[CallRun] = []
        self._sessions: set[str] = set()
        self._requests: dict[tuple[str, RequestId], CallRun] = {}
        self._sent: dict[tuple[str, RequestId], tuple[int, float]] = {}  # The number and time of each request.
        self._held = HoldTimes()
        # Runs that the server has asked something, by the state that the next request returns.
        self._asked: dict[str, CallRun] = {}
        self._tasks: dict[str, CallRun] = {}
        self._last_time = 0.0

    def finished(self) -> list[CallRun]:
        for run in self._runs:
            run.fail(_NO_TASK_RESULT if run in self._tasks.values() else _NO_RESPONSE, self._last_time)
        return self._runs

    def read(self, record: Record) -> None:
        if record.kind is Kind.LIFECYCLE:
            self._read_event(record)
            return
        if record.session not in self._sessions:
            return
        self._last_time = record.time
        if record.kind in (Kind.RESPONSE, Kind.ERROR) and record.direction is Direction.OUT:
            self._read_response(record)
        elif record.direction is Direction.IN and record.kind in (Kind.REQUEST, Kind.NOTIFICATION):
            message = jsonrpc.parse(record.data)
            if isinstance(message, Request):
                self._read_request(record, message)
            elif isinstance(message, Notification) and message.method == "notifications/cancelled":
                self._cancel(record, message.params.get("requestId"))

    def _read_event(self, record: Record) -> None:
        event = parse_object(record.data) or {}
        self._held.read(record.time, event)
        if event.get("event") == "session_opened" and event.get("peer") == TERMINAL:
            self._sessions.add(record.session)
        elif event.get("event") == "call_abandoned":
            self._cancel(record, event.get("id"))
        elif (details := read_failure_details(event)) is not None:
            runs = (run for (_, id), run in reversed(self._requests.items()) if id == details.request_id)
            if (run := next(runs, None)) is not None and run.tool == details.tool:
                run.failure_details = details

    def _read_request(self, record: Record, request: Request) -> None:
        if record.call:
            return  # It was delivered instead of a request that was held, which is the run.
        if request.method in _OF_TASKS and (task := self._tasks.get(text_in(request.params, "taskId"))) is not None:
            self._add_request(record, request, task)
        call = recorded_call(request.method, request.params)
        if call is None or record.time >= self._before:
            return
        run = self._asked.pop(_round_key(request.params, record.session, call.target), None)
        if run is None:
            run = CallRun(len(self._runs) + 1, call.target, call.arguments, record.time, kind=call.kind)
            self._runs.append(run)
        self._add_request(record, request, run)

    def _add_request(self, record: Record, request: Request, run: CallRun) -> None:
        self._requests[record.session, request.id] = run
        self._sent[record.session, request.id] = record.seq, record.time

    def _read_response(self, record: Record) -> None:
        if len(record.data) > MAX_RESULT_BYTES:
            self._read_large(record)
            return
        message = jsonrpc.parse(record.data)
        if not isinstance(message, Response | ErrorResponse) or message.id is None:
            return
        if (run := self._requests.get((record.session, message.id))) is None:
            return
        seq, sent = self._sent[record.session, message.id]
        run.wire = (run.wire or 0.0) + max(record.time - sent - self._held.seconds_of(seq), 0.0)
        if isinstance(message, ErrorResponse):
            run.fail(remote_error_text(RemoteError(message.code, message.message, message.data)), record.time)
        elif message.result.get("resultType") == "input_required":
            self._asked[_round_key(message.result, record.session, run.tool)] = run
        elif task := _task_id(message.result):
            self._tasks[task] = run
        elif (result := _final_result(message.result)) is not None:
            run.finish(result, record.time)

    def _read_large(self, record: Record) -> None:
        """End the run of a response that is too large to be read: its id is at its beginning."""
        id = _ID.search(record.data[:200])
        run = None if id is None else self._requests.get((record.session, json.loads(id.group(1))))
        if run is not None:
            run.fail(f"The result has {size(len(record.data))} and is only in the capture.", record.time)

    def _cancel(self, record: Record, id: object) -> None:
        if isinstance(id, str | int) and (run := self._requests.get((record.session, id))) is not None:
            run.cancel(record.time)


def _round_key(value: dict[str, Any], session: str, name: str) -> str:
    """Return what a result that asks, and the request that answers, have in common."""
    if "inputResponses" not in value and "requestState" not in value and value.get("resultType") != "input_required":
        return ""
    return text_in(value, "requestState") or f"{session} {name}"


def _task_id(result: dict[str, Any]) -> str:
    """Return the id of the task that a call has created: 2025-11-25 nests it, the extension does not."""
    if "task" in result:
        return text_in(object_in(result, "task"), "taskId")
    return text_in(result, "taskId") if result.get("resultType") == "task" else ""


def _final_result(result: dict[str, Any]) -> dict[str, Any] | None:
    """Return the result of a call in a response; None for the state of a task that has no result yet."""
    if "taskId" not in result:
        return result
    final = result.get("result")
    return final if isinstance(final, dict) else None
