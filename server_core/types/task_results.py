"""The results of task requests, up to 2025-11-25: JSON objects whose members are attributes as well.

Source: 2025-11-25, basic/utilities/tasks; the classes are named as in its schema.
"""

from enum import StrEnum

from server_core.types.wire_object import Json, WireObject


class TaskStatus(StrEnum):
    """The status of a task."""

    WORKING = "working"
    INPUT_REQUIRED = "input_required"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Task(WireObject):
    """A call that continues after its request; times are ISO 8601, durations are milliseconds."""

    taskId: str
    status: str
    statusMessage: str | None
    createdAt: str
    lastUpdatedAt: str
    ttl: int | None
    pollInterval: int | None


class GetTaskResult(Task):
    """The status of a task, as a result."""


class CancelTaskResult(Task):
    """The status of a cancelled task."""


class CreateTaskResult(WireObject):
    """The result of a call that has become a task."""

    task: Json


class ListTasksResult(WireObject):
    """A page of the tasks that a client may see."""

    tasks: list[Json]
    nextCursor: str | None
