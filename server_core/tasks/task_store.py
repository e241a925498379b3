"""The store of tasks.

Rule 1: a store makes no decisions: `task_registry.py` checks the access to tasks, and `running_task.py` changes their
status.
Rule 2: everything is bounded: above a limit, ended tasks are deleted before their time to live is over. The first to
be deleted is the one that ended first, so that clients have the same time to fetch every result, however long its tool
has run.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from server_core.protocol.jsonrpc import encode
from server_core.tasks.task import TaskState

MAX_TASKS = 10_000
MAX_BYTES = 64 * 1024 * 1024


class TaskPage(NamedTuple):
    """Some of the tasks of one owner, in the order of their creation."""

    tasks: Sequence[TaskState]
    position: int | None  # That of the last of them: `after` for the next page. None when there are no more.


class TaskStore(Protocol):
    """The tasks of one server, or of several that share the store."""

    durable: bool
    """Whether tasks outlive the process."""

    async def create(self, task: TaskState) -> None:
        """Store a new task; :meth:`get` returns it as soon as this returns."""

    async def get(self, task_id: str) -> TaskState | None:
        """Return the task with this id; None when there is none."""

    async def update(self, task: TaskState) -> None:
        """Replace the stored state of a task; a task that was deleted stays deleted."""

    async def list(self, owner: str, after: int, limit: int) -> TaskPage:
        """Return the first `limit` tasks of one owner after a position, oldest first; 0 for the first page."""

    async def delete_owned(self, owner: str) -> None:
        """Delete all tasks of one owner."""

    async def delete_expired(self, now: float) -> float | None:
        """Delete the expired tasks, and return when the next task expires; None for never."""

    async def close(self) -> None:
        """Release the resources of the store."""


@dataclass(slots=True)
class _StoredTask:
    task: TaskState
    position: int  # In the order of creation, from 1.
    size: int = 0  # The number of bytes of the result as JSON text; 0 while there is none.


class MemoryTasks:
    """Store tasks in memory, at most so many, with results of at most so many bytes as JSON text."""

    durable = False

    def __init__(self, most: int = MAX_TASKS, most_bytes: int = MAX_BYTES) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self._tasks: dict[str, _StoredTask] = {}
        # The ids of the ended tasks, in the order of their ends.
        self._ended: dict[str, None] = {}
        self._position = 0
        self._size = 0

    def __len__(self) -> int:
        return len(self._tasks)

    async def create(self, task: TaskState) -> None:
        self._position += 1
        self._tasks[task.id] = _StoredTask(task, self._position)
        self._shrink()

    async def get(self, task_id: str) -> TaskState | None:
        stored = self._tasks.get(task_id)
        return None if stored is None else stored.task

    async def update(self, task: TaskState) -> None:
        stored = self._tasks.get(task.id)
        if stored is None:
            return
        stored.task = task
        self._size -= stored.size
        stored.size = len(encode(task.result)) if task.result is not None else 0
        self._size += stored.size
        if task.is_ended:
            self._ended[task.id] = None
        self._shrink()

    async def list(self, owner: str, after: int, limit: int) -> TaskPage:
        matches = [stored for stored in self._tasks.values() if stored.position > after and stored.task.owner == owner]
        page = matches[:limit]
        return TaskPage([stored.task for stored in page], page[-1].position if len(matches) > limit else None)

    async def delete_owned(self, owner: str) -> None:
        self._drop([task_id for task_id, stored in self._tasks.items() if stored.task.owner == owner])

    async def delete_expired(self, now: float) -> float | None:
        expiries = {
            task_id: stored.task.expires for task_id, stored in self._tasks.items() if stored.task.expires is not None
        }
        self._drop([task_id for task_id, expires in expiries.items() if expires <= now])
        return min((expires for expires in expiries.values() if expires > now), default=None)

    async def close(self) -> None:
        self._tasks.clear()
        self._ended.clear()
        self._size = 0

    def _shrink(self) -> None:
        # The task that ended last is retained, however large its result is. The registry limits running tasks.
        while len(self._ended) > 1 and (len(self._tasks) > self._most or self._size > self._most_bytes):
            self._drop([next(iter(self._ended))])

    def _drop(self, ids: Sequence[str]) -> None:
        for task_id in ids:
            self._size -= self._tasks.pop(task_id).size
            self._ended.pop(task_id, None)


def open_store(location: str) -> TaskStore:
    """Return the store at a location: "memory", or the path of a SQLite file."""
    if location == "memory":
        return MemoryTasks()
    from server_core.tasks.sqlite_store import SqliteTasks

    return SqliteTasks(Path(location).expanduser())
