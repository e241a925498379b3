"""What a task is, and which status may follow which.

Rule 1: everything that changes the status of a task goes through :meth:`Task.moved`; nothing leaves an ended one.
Rule 2: a task says the same to both wires. What they show differently (a tool's error is `failed` on one and
`completed` on the other) is theirs to decide.

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
    """No task may go from the one status to the other."""


@dataclass(frozen=True, slots=True)
class Task:
    """One task as it is at one moment.

    Attributes:
        id: its name on the wire; nobody can guess it.
        owner: who may see it.
        tool: the name of the tool that runs.
        created: when, in seconds since the epoch.
        updated: when its status, its message or its questions last changed, in seconds since the epoch.
        ttl: for how many seconds from its creation it is kept; None for without end.
        status: where it is in its life.
        message: the status in words; empty when there is no more to say.
        questions: what its client is asked, by key: `method` and `params`.
        result: what the tool gave, once that is there.
        error: the JSON-RPC error that the call ended with instead.
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
        """Whether it stays as it is."""
        return not TRANSITIONS[self.status]

    @property
    def expires(self) -> float | None:
        """When it may be forgotten, in seconds since the epoch; None for never."""
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
    ) -> "Task":
        """Return the task in its next status.

        Args:
            status: the next one.
            now: seconds since the epoch.
            message: the status in words.
            questions: what is asked of the client, where that is what it waits for.
            result: what the tool gave.
            error: the JSON-RPC error that the call ended with.

        Raises:
            IllegalMove: when the status cannot follow.
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

    def asking(self, questions: Mapping[str, Json], now: float) -> "Task":
        """Return the task with these open questions: it waits for answers as long as there are any."""
        status: Status = "input_required" if questions else "working"
        if status == self.status:
            return replace(self, questions=dict(questions), updated=now)
        return self.moved(status, now, questions=dict(questions))
