"""What of an answer is not compared, and what of it a later request has to bring back as it is this time.

A server makes up the states of rounds, and the ids and times of tasks, anew each time; and what it says of an
answer's kind and of how long it holds exists in one era alone.
"""

from typing import Any, TypeGuard

from server_core.protocol.envelope import SERVER_INFO
from server_core.protocol.jsonrpc import Params

STATE, TASK_ID = "requestState", "taskId"
_HINTS = frozenset({"resultType", "ttlMs", "cacheScope"})
_OF_TASKS = (TASK_ID, "createdAt", "lastUpdatedAt", "pollInterval", "pollIntervalMs")


class Handles:
    """What was made up when a conversation was recorded, and what stands for it now."""

    def __init__(self) -> None:
        self._now: dict[tuple[str, str], str] = {}

    def learn(self, recorded: dict[str, Any], replayed: dict[str, Any]) -> None:
        """Take note of what two results of the same request have made up.

        Args:
            recorded: the body of the answer in the capture.
            replayed: the body of the answer now.
        """
        before, now = _made_up(recorded), _made_up(replayed)
        self._now |= {(kind, before[kind]): now[kind] for kind in before.keys() & now.keys()}

    def lacks_state(self, params: Params) -> bool:
        """Return whether a recorded request brings back a state for which there is none this time."""
        return STATE in params and (STATE, str(params[STATE])) not in self._now

    def renewed(self, params: Params) -> Params:
        """Return the params of a recorded request with what stands for the handles in it now."""
        handles = {kind: self._now.get((kind, str(params.get(kind)))) for kind in (STATE, TASK_ID)}
        return params | {kind: value for kind, value in handles.items() if value is not None}


def without_handles(body: dict[str, Any]) -> dict[str, Any]:
    """Return the body of an answer as it is compared: without what is made up anew each time."""
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
    """Return the body of an answer as it is compared with one of another era: without what only one of them has."""
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
    found = {STATE: result.get(STATE)}
    for task in (result, result.get("task")):
        if is_task(task):
            found[TASK_ID] = task[TASK_ID]
    return {kind: value for kind, value in found.items() if isinstance(value, str)}


def _timeless(task: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in task.items() if key not in _OF_TASKS}
