"""All tasks of one server: their owners, the limit of running tasks, and their expiry.

The store is opened on first use, so that it costs nothing in a server without tasks.
"""

import asyncio
import math
import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from server_core.errors import ProtocolError
from server_core.protocol.codes import INTERNAL_ERROR, INVALID_PARAMS
from server_core.protocol.revisions import Revision
from server_core.runtime.background import spawn
from server_core.tasks.running_task import RunningTask
from server_core.tasks.task import TaskState, ends_with_its_session
from server_core.tasks.task_store import TaskPage, TaskStore, open_store

if TYPE_CHECKING:
    from server_core.settings import Settings

Watcher: TypeAlias = Callable[[TaskState], None]
"""Called with a task whenever its status or its input requests change."""

SHUT_DOWN = "The server was stopped while the task was running."
SESSION_ENDED = "The session that created the task ended while it was running."
TIME_OVER = "The time to live of the task ended before its tool had finished."


class TaskRegistry:
    """The tasks of one server; the clock returns seconds since the epoch."""

    def __init__(self, settings: "Settings", clock: Callable[[], float] = time.time) -> None:
        self._settings = settings
        self._clock = clock
        self._opened: TaskStore | None = None
        self._running: dict[str, RunningTask] = {}
        self._watchers: list[Watcher] = []
        self._next_expiry = math.inf
        self._timer: asyncio.TimerHandle | None = None

    @property
    def durable(self) -> bool:
        """Whether tasks outlive the process."""
        return self._settings.task_store != "memory"

    @property
    def has_room(self) -> bool:
        """Whether another task may start."""
        return sum(not running.task.is_ended for running in self._running.values()) < self._settings.max_tasks

    def runs_for(self, owner: str) -> bool:
        """Whether a task of this owner is running."""
        return any(running.task.owner == owner and not running.task.is_ended for running in self._running.values())

    def watch(self, watcher: Watcher) -> Callable[[], None]:
        """Call the watcher on every change of every task, and return a function that ends this."""
        self._watchers.append(watcher)
        return lambda: self._watchers.remove(watcher)

    # Creation and access.

    async def create(
        self, owner: str, tool: str, revision: Revision, ttl: float | None, on_changed: Watcher
    ) -> RunningTask:
        """Create a task, which is accessible as soon as this returns; ProtocolError if too many run.

        `on_changed` is called with it on every change, before the watchers; `ttl` is in seconds.
        """
        if not self.has_room:
            most = self._settings.max_tasks
            raise ProtocolError(INTERNAL_ERROR, f"The limit of {most} running tasks is reached; try again later")
        now = self._clock()
        task = TaskState(os.urandom(16).hex(), owner, tool, now, now, self._granted(ttl))

        def changed(task: TaskState) -> None:
            on_changed(task)
            for watcher in list(self._watchers):
                watcher(task)

        running = RunningTask(task, revision, self._store(), changed, self._saved, self._clock)
        # Registered before it is stored, so that it counts as running during the wait.
        self._running[task.id] = running
        try:
            await self._store().create(task)
        except BaseException:
            del self._running[task.id]
            raise
        self._expect(task.expires)
        return running

    def running(self, task_id: str, owner: str) -> RunningTask | None:
        """Return a task that runs in this process; None when there is none that this owner may see."""
        running = self._running.get(task_id)
        return running if running is not None and self._is_visible(running.task, owner) else None

    async def find(self, task_id: str, owner: str) -> TaskState:
        """Return the current state of a task; ProtocolError when there is none that the owner may see."""
        running = self._running.get(task_id)
        task = running.task if running is not None else await self._store().get(task_id)
        if task is None or not self._is_visible(task, owner):
            raise ProtocolError(
                INVALID_PARAMS, "There is no such task: it is unknown or expired, or belongs to another user"
            )
        return task

    async def find_running(self, task_id: str, owner: str) -> RunningTask | TaskState:
        """Return the running task, or the state of its end; ProtocolError if not visible, or another process has it."""
        if (running := self.running(task_id, owner)) is not None:
            return running
        task = await self.find(task_id, owner)
        if not task.is_ended:
            raise ProtocolError(INTERNAL_ERROR, "Another process of this server runs the task; send the request there")
        return task

    async def page(self, owner: str, after: int) -> TaskPage:
        """Return tasks of an owner after a position, oldest first."""
        page = await self._store().list(owner, after, self._settings.page_size)
        current = [self._running[task.id].task if task.id in self._running else task for task in page.tasks]
        return TaskPage([task for task in current if self._is_visible(task, owner)], page.position)

    # Ending.

    def leave(self, owner: str) -> None:
        """Stop the tasks of a session that has ended, if no other client can access them."""
        if not ends_with_its_session(owner):
            return
        for running in list(self._running.values()):
            if running.task.owner == owner:
                running.fail(SESSION_ENDED)
        if not self.durable and self._opened is not None:
            spawn(self._opened.delete_owned(owner), "delete the tasks of a session")

    async def close(self, grace: float) -> None:
        """Wait for the running tasks, at most `grace` seconds; stop the others, and close the store."""
        if self._timer is not None:
            self._timer.cancel()
        if self._running:
            await asyncio.wait(
                [spawn(running.ended.wait(), "end of a task") for running in self._running.values()], timeout=grace
            )
        for running in list(self._running.values()):
            running.fail(SHUT_DOWN)
            await running.saved()
        if self._opened is not None:
            await self._opened.close()
            self._opened = None

    # Internals.

    def _store(self) -> TaskStore:
        if self._opened is None:
            self._opened = open_store(self._settings.task_store)
            if self._opened.durable:
                # It may hold tasks of an earlier process.
                self._expect(0)
        return self._opened

    def _saved(self, running: RunningTask) -> None:
        self._running.pop(running.task.id, None)

    def _is_visible(self, task: TaskState, owner: str) -> bool:
        return task.owner == owner and (task.expires is None or task.expires > self._clock())

    def _granted(self, wanted: float | None) -> float | None:
        longest = self._settings.max_task_ttl or math.inf
        granted = min(self._settings.task_ttl if wanted is None else wanted, longest)
        return None if math.isinf(granted) else granted

    def _expect(self, expires: float | None) -> None:
        """Set the timer for expired tasks to this time, if it is not due earlier already."""
        if expires is None or expires >= self._next_expiry:
            return
        self._next_expiry = expires
        if self._timer is not None:
            self._timer.cancel()
        delay = max(0.0, expires - self._clock())
        self._timer = asyncio.get_running_loop().call_later(delay, lambda: spawn(self._sweep(), "delete expired tasks"))

    async def _sweep(self) -> None:
        self._next_expiry = math.inf
        now = self._clock()
        for running in list(self._running.values()):
            if running.task.expires is not None and running.task.expires <= now:
                running.fail(TIME_OVER)
                await running.saved()
                self._running.pop(running.task.id, None)
        if self._opened is not None:
            self._expect(await self._opened.delete_expired(now))
