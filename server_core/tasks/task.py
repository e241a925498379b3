"""The data of a task, and the transitions of its status.

Rule 1: :meth:`TaskState.moved` is the only way to change the status of a task; an ended task never changes.
Rule 2: a task is independent of the wire. The differences (the error of a tool is `failed` on one and `completed` on
the other) are decided there.

Source: 2025-11-25, basic/utilities/tasks, task status lifecycle; the tasks extension, task status.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias, get_args

from server_core.errors import WorkbenchError

Json: TypeAlias = dict[str, Any]
Status: TypeAlias = Literal["working", "input_required", "completed", "failed", "cancelled"]

TRANSITIONS: Mapping[Status, Collection[Status]] = {
    "working": ("input_required", "completed", "failed", "cancelled"),
    "input_required": ("working", "completed", "failed", "cancelled"),
    "completed": (),
    "failed": (),
    "cancelled": (),
}
"""The statuses that may follow each."""
STATUSES: tuple[Status, ...] = get_args(Status)


class IllegalMove(WorkbenchError):
    """The transition from one status to the other is not allowed."""


@dataclass(frozen=True, slots=True)
class TaskState:
    """The state of a task at one moment.

    Attributes:
        id: its id on the wire, which cannot be guessed.
        owner: who may see it.
        tool: the name of the tool.
        created: when, in seconds since the epoch.
        updated: when its status, its message or its input requests last changed, in seconds since the epoch.
        ttl: its time to live in seconds, from its creation; None for unlimited.
        status: its status.
        message: a description of the status; may be empty.
        questions: the open input requests by key: `method` and `params`.
        result: the result of the tool, if it has ended with a result.
        error: the JSON-RPC error, if it has ended with an error.
    """

    id: str
    owner: str
    tool: str
    created: float
    updated: float
    ttl: float | None
    status: Status = "working"
    message: str = ""
    questions: Mapping[str, Json] = field(default_factory=dict)
    result: Json | None = None
    error: Json | None = None

    @property
    def is_ended(self) -> bool:
        """Whether its status is final."""
        return not TRANSITIONS[self.status]

    @property
    def expires(self) -> float | None:
        """When it may be deleted, in seconds since the epoch; None for never."""
        return None if self.ttl is None else self.created + self.ttl

    def moved(
        self,
        status: Status,
        now: float,
        *,
        message: str = "",
        questions: Mapping[str, Json] | None = None,
        result: Json | None = None,
        error: Json | None = None,
    ) -> "TaskState":
        """Return the task in its next status.

        Args:
            status: the next status.
            now: seconds since the epoch.
            message: a description of the status.
            questions: the open input requests.
            result: the result of the tool.
            error: the JSON-RPC error that the call ended with.

        Raises:
            IllegalMove: when the transition is not allowed.
        """
        if status not in TRANSITIONS[self.status]:
            raise IllegalMove(f"Task {self.id} is {self.status}, and cannot become {status}.")
        return replace(
            self,
            status=status,
            updated=now,
            message=message,
            questions=questions or {},
            result=result,
            error=error,
        )

    def asking(self, questions: Mapping[str, Json], now: float) -> "TaskState":
        """Return the task with these open input requests; its status is `input_required` while there are any."""
        status: Status = "input_required" if questions else "working"
        if status == self.status:
            return replace(self, questions=dict(questions), updated=now)
        return self.moved(status, now, questions=dict(questions))
