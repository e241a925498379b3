"""What clients are answered about tasks, up to 2025-11-25: JSON objects whose members are attributes as well.

Source: 2025-11-25, basic/utilities/tasks, of whose schema the classes have the names.
"""

from enum import StrEnum

from server_core.types.wire_object import Json, WireObject


class TaskStatus(StrEnum):
    """Where a task is."""

    WORKING = "working"
    INPUT_REQUIRED = "input_required"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Task(WireObject):
    """A call that goes on for itself; times are ISO 8601, spans are milliseconds."""

    taskId: str
    status: str
    statusMessage: str | None
    createdAt: str
    lastUpdatedAt: str
    ttl: int | None
    pollInterval: int | None


class GetTaskResult(Task):
    """Where a task is, as an answer."""


class CancelTaskResult(Task):
    """Where a task is that has been cancelled."""


class CreateTaskResult(WireObject):
    """The answer to a call that has become a task."""

    task: Json


class ListTasksResult(WireObject):
    """One page of the tasks that a client may see."""

    tasks: list[Json]
    nextCursor: str | None
