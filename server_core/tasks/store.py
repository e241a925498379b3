"""Where tasks are kept.

Rule 1: a store keeps what it is given and decides nothing: who may see a task, and what may follow what, is not its
matter.
Rule 2: everything is bounded; the tasks that ended go first, oldest first.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from server_core.protocol.jsonrpc import encode
from server_core.tasks.task import Task

MOST_TASKS = 10_000
MOST_BYTES = 64 * 1024 * 1024


class TaskPage(NamedTuple):
    """Some of the tasks of one owner, oldest first.

    Attributes:
        tasks: the tasks.
        position: behind the last of them; None when there are no more.
    """

    tasks: Sequence[Task]
    position: int | None


class TaskStore(Protocol):
    """The tasks of one server, or of several that share the store."""

    durable: bool
    """What is kept outlives the process."""

    async def create(self, task: Task) -> None:
        """Keep a new task; :meth:`get` finds it as soon as this returns."""

    async def get(self, id: str) -> Task | None:
        """Return the task of this id; None when there is none."""

    async def update(self, task: Task) -> None:
        """Keep a task in place of what it was before; one that is kept no more stays so."""

    async def list(self, owner: str, after: int, limit: int) -> TaskPage:
        """Return tasks of one owner, in the order of their creation.

        Args:
            owner: whose.
            after: the position that the last page ended with; 0 for the first page.
            limit: at most so many.
        """

    async def delete_owned(self, owner: str) -> None:
        """Forget all tasks of one owner."""

    async def delete_expired(self, now: float) -> float | None:
        """Forget the tasks whose time is over, and return when the next one's is; None when that is never.

        Args:
            now: seconds since the epoch.
        """

    async def close(self) -> None:
        """Free what the store holds of this process."""


@dataclass(slots=True)
class _Kept:
    task: Task
    position: int
    size: int = 0


class MemoryTasks:
    """Keep tasks in memory, as long as the process lives.

    Args:
        most: how many are kept.
        most_bytes: how long the results of all may be together, as JSON text.
    """

    durable = False

    def __init__(self, most: int = MOST_TASKS, most_bytes: int = MOST_BYTES) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self._tasks: dict[str, _Kept] = {}
        self._position = 0
        self._size = 0

    def __len__(self) -> int:
        return len(self._tasks)

    async def create(self, task: Task) -> None:
        """Keep a new task; see :meth:`TaskStore.create`."""
        self._position += 1
        self._tasks[task.id] = _Kept(task, self._position)
        self._shrink()

    async def get(self, id: str) -> Task | None:
        """Return a task; see :meth:`TaskStore.get`."""
        kept = self._tasks.get(id)
        return None if kept is None else kept.task

    async def update(self, task: Task) -> None:
        """Keep a task in place of what it was; see :meth:`TaskStore.update`."""
        kept = self._tasks.get(task.id)
        if kept is None:
            return
        kept.task = task
        self._size -= kept.size
        kept.size = len(encode(task.result)) if task.result is not None else 0
        self._size += kept.size
        self._shrink()

    async def list(self, owner: str, after: int, limit: int) -> TaskPage:
        """Return tasks of one owner; see :meth:`TaskStore.list`."""
        found = [one for one in self._tasks.values() if one.position > after and one.task.owner == owner]
        page = found[:limit]
        return TaskPage([one.task for one in page], page[-1].position if len(found) > limit else None)

    async def delete_owned(self, owner: str) -> None:
        """Forget the tasks of an owner; see :meth:`TaskStore.delete_owned`."""
        self._drop([id for id, kept in self._tasks.items() if kept.task.owner == owner])

    async def delete_expired(self, now: float) -> float | None:
        """Forget what is over; see :meth:`TaskStore.delete_expired`."""
        ends = {id: kept.task.expires for id, kept in self._tasks.items()}
        self._drop([id for id, end in ends.items() if end is not None and end <= now])
        return min((end for end in ends.values() if end is not None and end > now), default=None)

    async def close(self) -> None:
        """Drop everything."""
        self._tasks.clear()
        self._size = 0

    def _shrink(self) -> None:
        excess = len(self._tasks) - self._most
        if excess <= 0 and self._size <= self._most_bytes:
            return
        # What still runs is bounded elsewhere; and the newest stays, however large its result is.
        for id in [id for id, kept in self._tasks.items() if kept.task.is_ended][:-1]:
            if excess <= 0 and self._size <= self._most_bytes:
                return
            self._drop([id])
            excess -= 1

    def _drop(self, ids: Sequence[str]) -> None:
        for id in ids:
            self._size -= self._tasks.pop(id).size


def open_store(where: str) -> TaskStore:
    """Return a store of tasks.

    Args:
        where: "memory", or the path of a SQLite file.

    Raises:
        ConfigurationError: when the file cannot be used.
    """
    if where == "memory":
        return MemoryTasks()
    from server_core.tasks.sqlite_store import SqliteTasks

    return SqliteTasks(Path(where).expanduser())
