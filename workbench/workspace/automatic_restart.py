"""The restarts of a relayed server that has ended, without the user: each after a pause, which the user may end.

Rule 1: a server that was never reached is not restarted: its command or URL is probably wrong.
Rule 2: at most one restart runs; whatever the user does ends the pause.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from server_core.errors import WorkbenchError
from server_core.runtime.background import spawn
from workbench.model.restart_schedule import RestartSchedule


class AutomaticRestart:
    """Restarts one server; `restart` may raise WorkbenchError, and `on_change` is called each second of a pause too."""

    def __init__(
        self,
        restart: Callable[[], Awaitable[None]],
        is_lost: Callable[[], bool],
        on_change: Callable[[], None],
        clock: Callable[[], float],
        schedule: RestartSchedule,
    ) -> None:
        self.is_trying = False  # whether the server is being started by this
        self.in_vain = 0  # the number of starts after which it has given up; 0 if it has not
        self._due: float | None = None
        self._restart = restart
        self._is_lost = is_lost
        self._on_change = on_change
        self._clock = clock
        self._schedule = schedule
        self._task: asyncio.Task[None] | None = None
        self._connected: float | None = None

    @property
    def seconds_left(self) -> float | None:
        """The time until the next start; None if none is due."""
        return None if self._due is None else max(0.0, self._due - self._clock())

    def note_connected(self) -> None:
        """Remember that the server was reached."""
        self._connected = self._clock()
        self.in_vain = 0

    def begin(self) -> bool:
        """Restart the server, which has ended, and return whether a change of state follows."""
        if self._connected is None:
            return False
        # One that has failed for another reason than the server's does not prevent the next.
        if self._task is None or self._task.done():
            self._task = spawn(self._run(self._clock() - self._connected), "restart the server")
        return True

    def begin_again(self) -> None:
        """Restart the server as if it had not been started in vain: the user has tried it."""
        self._schedule.reset()
        self.begin()

    def stop(self) -> None:
        """End the pause, without a start."""
        self.in_vain = 0
        if not self.is_trying:
            self.close()

    def close(self) -> None:
        """End the pause or the start: the workspace ends."""
        if self._task is not None:
            self._task.cancel()
        self._task, self._due = None, None

    async def _run(self, lived_s: float) -> None:
        while (pause := self._schedule.next_pause(lived_s)) is not None:
            await self._wait(pause)
            self.is_trying = True
            try:
                # The workspace reports the reason.
                with suppress(WorkbenchError):
                    await self._restart()
            finally:
                self.is_trying = False
            lived_s = 0.0
            if not self._is_lost():
                break
        else:
            self.in_vain = self._schedule.in_vain
        self._task = None
        self._on_change()

    async def _wait(self, pause: float) -> None:
        self._due = self._clock() + pause
        while left := self.seconds_left:
            self._on_change()
            # The next change is at a full second.
            await asyncio.sleep(left % 1 or 1.0)
        self._due = None
