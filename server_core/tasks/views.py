"""What both wires say of a task in the same way."""

import time
from datetime import UTC, datetime
from typing import Any, TypeAlias

from server_core.tasks.task import Task

Json: TypeAlias = dict[str, Any]

_SOONEST_MS, _LATEST_MS = 100, 5000


def described(task: Task, status: str, message: str = "") -> Json:
    """Return the members that tasks have on both wires.

    Args:
        task: the task.
        status: its status, in the words of the wire.
        message: the status in words; empty for none.
    """
    words = {"statusMessage": message} if message else {}
    return {
        "taskId": task.id,
        "status": status,
        **words,
        "createdAt": _timestamp(task.created),
        "lastUpdatedAt": _timestamp(task.updated),
    }


def ttl_ms(task: Task) -> int | None:
    """Return for how many milliseconds from its creation a task is kept; None for without end."""
    return None if task.ttl is None else max(1, round(task.ttl * 1000))


def poll_ms(task: Task) -> int:
    """Return how long a client should wait before it asks again, in milliseconds: longer, the longer a task runs."""
    age = time.time() - task.created
    return max(_SOONEST_MS, min(round(age * 1000 / 4), _LATEST_MS))


def _timestamp(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
