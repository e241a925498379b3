"""The JSON members of a task that are the same on both wires."""

import time
from datetime import UTC, datetime
from typing import Any, TypeAlias

from server_core.tasks.task import TaskState

Json: TypeAlias = dict[str, Any]

_SOONEST_MS, _LATEST_MS = 100, 5000


def common_members(task: TaskState, status: str, message: str = "") -> Json:
    """Return the members that a task has on both wires, with its status on the wire; the message may be empty."""
    status_message = {"statusMessage": message} if message else {}
    return {
        "taskId": task.id,
        "status": status,
        **status_message,
        "createdAt": _timestamp(task.created),
        "lastUpdatedAt": _timestamp(task.updated),
    }


def ttl_ms(task: TaskState) -> int | None:
    """Return the time to live of a task in milliseconds, from its creation; None for unlimited."""
    return None if task.ttl is None else max(1, round(task.ttl * 1000))


def poll_ms(task: TaskState) -> int:
    """Return the poll interval for clients in milliseconds; it grows with the age of the task."""
    age = time.time() - task.created
    return max(_SOONEST_MS, min(round(age * 1000 / 4), _LATEST_MS))


def _timestamp(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
