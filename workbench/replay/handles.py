"""Parts of an answer that are not compared, and parts that a later request has to send back with their new values.

A server generates new states of rounds, and new ids and times of tasks, each time. The type of a result and the
hints for caching exist in one era only.
"""

from typing import Any, TypeGuard

from server_core.protocol.envelope import SERVER_INFO
from server_core.protocol.jsonrpc import Params

STATE, TASK_ID = "requestState", "taskId"
_HINTS = frozenset({"resultType", "ttlMs", "cacheScope"})
_OF_TASKS = (TASK_ID, "createdAt", "lastUpdatedAt", "pollInterval", "pollIntervalMs")


class Handles:
    """Maps the handles (states and task ids) in a recording to the handles of this run."""

    def __init__(self) -> None:
        self._now: dict[tuple[str, str], str] = {}

    def learn(self, recorded: dict[str, Any], replayed: dict[str, Any]) -> None:
        """Store the new handles for the recorded ones, from two results of the same request.

        Args:
            recorded: the body of the answer in the capture.
            replayed: the body of the answer now.
        """
        before, now = _made_up(recorded), _made_up(replayed)
        self._now |= {(kind, before[kind]): now[kind] for kind in before.keys() & now.keys()}

    def lacks_state(self, params: Params) -> bool:
        """Return whether a recorded request sends back a state that has no counterpart in this run."""
        return STATE in params and (STATE, str(params[STATE])) not in self._now

    def renewed(self, params: Params) -> Params:
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
        result = _timeless(result)
    elif is_task(result.get("task")):
        result["task"] = _timeless(result["task"])
    return body | {"result": result}


def without_hints(body: dict[str, Any]) -> dict[str, Any]:
    """Return the body of an answer without the members that exist in one era only."""
    result = body.get("result")
    if not isinstance(result, dict):
        return body
    result = {key: value for key, value in result.items() if key not in _HINTS}
    meta = result.get("_meta")
    if isinstance(meta, dict) and not meta.keys() - {SERVER_INFO}:
        del result["_meta"]
    return body | {"result": result}


def is_task(value: Any) -> TypeGuard[dict[str, Any]]:
    """Return whether a value is the state of a task."""
    return isinstance(value, dict) and isinstance(value.get(TASK_ID), str) and "status" in value


def _made_up(body: dict[str, Any]) -> dict[str, str]:
    result = body.get("result")
    if not isinstance(result, dict):
        return {}
    handles = {STATE: result.get(STATE)}
    for task in (result, result.get("task")):
        if is_task(task):
            handles[TASK_ID] = task[TASK_ID]
    return {kind: value for kind, value in handles.items() if isinstance(value, str)}


def _timeless(task: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in task.items() if key not in _OF_TASKS}
