"""The data of a task, its owner, and the transitions of its status.

Rule 1: :meth:`TaskState.with_status` is the only way to change the status of a task; an ended task never changes.
Rule 2: a task is independent of the wire. The differences (the error of a tool is `failed` on one and `completed` on
the other) are decided there.

Only the owner of a task can get it, list it, answer its input requests and cancel it:

| caller | owner |
|---|---|
| an authenticated user, in a session or without one | the user |
| a stateless client without authentication | every client that knows the id, which cannot be guessed |
| a session without authentication | that session alone |
| the client on standard input and output, with a durable store | every user who can start the server |

Source: 2025-11-25, basic/utilities/tasks, task status lifecycle, and task isolation and access control; the tasks
extension, task status.
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
ANY_CLIENT = ""
"""The owner of a task of a stateless client without authentication."""
_STDIO = "stdio"
STATUSES: tuple[Status, ...] = get_args(Status)


class IllegalTransition(WorkbenchError):
    """The transition from one status to the other is not allowed."""


@dataclass(frozen=True, slots=True)
class TaskState:
    """The state of a task at one moment."""

    # Files hold tasks under the names of these fields: a changed name needs another FORMAT in sqlite_store.py.
    id: str  # On the wire; it cannot be guessed.
    owner: str
    tool: str
    created: float  # In seconds since the epoch.
    updated: float  # When its status, its message or its input requests last changed, in seconds since the epoch.
    ttl: float | None  # Its time to live in seconds, from its creation; None for unlimited.
    status: Status = "working"
    message: str = ""
    questions: Mapping[str, Json] = field(default_factory=dict)  # The open input requests by key: method and params.
    result: Json | None = None  # The result of the tool, if it has ended with a result.
    error: Json | None = None  # The JSON-RPC error, if it has ended with an error.

    @property
    def is_ended(self) -> bool:
        """Whether its status is final."""
        return not TRANSITIONS[self.status]

    @property
    def expires(self) -> float | None:
        """When it may be deleted, in seconds since the epoch; None for never."""
        return None if self.ttl is None else self.created + self.ttl

    def with_status(
        self,
        status: Status,
        now: float,
        *,
        message: str = "",
        questions: Mapping[str, Json] | None = None,
        result: Json | None = None,
        error: Json | None = None,
    ) -> "TaskState":
        """Return the task in its next status at a time; IllegalTransition if that cannot follow the current one."""
        if status not in TRANSITIONS[self.status]:
            raise IllegalTransition(f"Task {self.id} is {self.status}, and cannot become {status}.")
        return replace(
            self,
            status=status,
            updated=now,
            message=message,
            questions=questions or {},
            result=result,
            error=error,
        )

    def with_requests(self, questions: Mapping[str, Json], now: float) -> "TaskState":
        """Return the task with these open input requests; its status is `input_required` while there are any."""
        status: Status = "input_required" if questions else "working"
        if status == self.status:
            return replace(self, questions=dict(questions), updated=now)
        return self.with_status(status, now, questions=dict(questions))


def stateless_owner(principal: str) -> str:
    """Return the owner of the tasks of a stateless client; the principal is its authenticated user, or empty."""
    return f"principal:{principal}" if principal else ANY_CLIENT


def session_owner(principal: str, transport: str, token: str, *, durable: bool) -> str:
    """Return the owner of the tasks of a session; `token` is a unique secret of this session."""
    if principal:
        return stateless_owner(principal)
    return _STDIO if durable and transport == "stdio" else f"session:{token}"


def ends_with_its_session(owner: str) -> bool:
    """Return whether no client can access a task after the end of the session that created it."""
    return owner.startswith("session:")
