"""Values in responses that differ from run to run without being a difference: handles, hints, and the pace of tasks.

A server generates new states of rounds, and new ids and times of tasks, each time; a later request has to send the new
handles back. The type of a result and the hints for caching exist in one era only. The status that a poll of a task
returns depends on timing.

Source: 2025-11-25, basic/utilities/tasks; the tasks extension of 2026-07-28.
"""

from typing import Any, TypeGuard

from server_core.protocol.envelope import SERVER_INFO
from server_core.protocol.jsonrpc import Params
from workbench.client.tasks import WORKING

STATE, TASK_ID = "requestState", "taskId"
_HINTS = frozenset({"resultType", "ttlMs", "cacheScope"})
_OF_TASKS = (TASK_ID, "createdAt", "lastUpdatedAt", "pollInterval", "pollIntervalMs")


class Handles:
    """Maps the handles (states and task ids) in a recording to the handles of this run."""

    def __init__(self) -> None:
        self._now: dict[tuple[str, str], str] = {}

    def add(self, recorded: dict[str, Any], replayed: dict[str, Any]) -> None:
        """Store the new handles for the recorded ones, from the bodies of two answers to the same request."""
        before, now = _generated_handles(recorded), _generated_handles(replayed)
        self._now |= {(kind, before[kind]): now[kind] for kind in before.keys() & now.keys()}

    def lacks_state(self, params: Params) -> bool:
        """Return whether a recorded request sends back a state that has no counterpart in this run."""
        return STATE in params and (STATE, str(params[STATE])) not in self._now

    def with_new_handles(self, params: Params) -> Params:
        """Return the params of a recorded request with the handles replaced by those of this run."""
        handles = {kind: self._now.get((kind, str(params.get(kind)))) for kind in (STATE, TASK_ID)}
        return params | {kind: value for kind, value in handles.items() if value is not None}


def without_handles(body: dict[str, Any]) -> dict[str, Any]:
    """Return the body of an answer without the values that are generated each time."""
    result = body.get("result")
    if not isinstance(result, dict):
        return body
    result = {key: value for key, value in result.items() if key != STATE}
    if is_task(result):
        result = _without_times(result)
    elif is_task(result.get("task")):
        result["task"] = _without_times(result["task"])
    return body | {"result": result}


def without_hints(body: dict[str, Any]) -> dict[str, Any]:
    """Return the body of an answer without the members that exist in one era only."""
    result = body.get("result")
    if not isinstance(result, dict):
        return body
    result = {key: value for key, value in result.items() if key not in _HINTS}
    meta = result.get("_meta")
    # Only the stateless era repeats the server's info in each result.
    if isinstance(meta, dict) and not meta.keys() - {SERVER_INFO}:
        del result["_meta"]
    return body | {"result": result}


def is_task(value: Any) -> TypeGuard[dict[str, Any]]:
    """Return whether a value is the state of a task."""
    return isinstance(value, dict) and isinstance(value.get(TASK_ID), str) and "status" in value


def _generated_handles(body: dict[str, Any]) -> dict[str, str]:
    result = body.get("result")
    if not isinstance(result, dict):
        return {}
    handles = {STATE: result.get(STATE)}
    for task in (result, result.get("task")):
        if is_task(task):
            handles[TASK_ID] = task[TASK_ID]
    return {kind: value for kind, value in handles.items() if isinstance(value, str)}


def _without_times(task: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in task.items() if key not in _OF_TASKS}


def is_behind(recorded: dict[str, Any], replayed: dict[str, Any]) -> bool:
    """Return whether a task is still working that had ended in the recording: it has to be polled again."""
    before, now = recorded.get("result"), replayed.get("result")
    return is_task(before) and is_task(now) and before["status"] != WORKING and now["status"] == WORKING


def is_ahead(recorded: dict[str, Any], replayed: dict[str, Any]) -> bool:
    """Return whether a task has ended, in whatever way, that was still working in the recording."""
    before, now = recorded.get("result"), replayed.get("result")
    return is_task(before) and is_task(now) and before["status"] == WORKING and now["status"] != WORKING


def poll_interval(replayed: dict[str, Any]) -> Any:
    """Return the interval, in milliseconds, at which the task in the body of an answer may be polled."""
    state = replayed["result"]
    return state.get("pollIntervalMs", state.get("pollInterval"))
