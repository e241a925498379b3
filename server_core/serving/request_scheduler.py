"""The requests of one session that are being worked on: their tasks, and those that wait for others to end.

Rule 1: what is worked on is known by its :class:`InFlight`, never by an id alone: ids are free again once a request is
cancelled, and clients without a session choose theirs without knowing of each other.
Rule 2: whoever began a request is told how it ended, once; a request that nobody wants any more ends unheard.
"""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from typing import Any, TypeAlias

from server_core.errors import ProtocolError
from server_core.execution import running_calls
from server_core.protocol.codes import INTERNAL_ERROR
from server_core.runtime.background import start
from server_core.serving.request_queue import RequestQueue
from server_core.serving.session_info import InFlight

Result: TypeAlias = dict[str, Any] | bytes
Running: TypeAlias = Coroutine[Any, Any, Result]
Ended: TypeAlias = Callable[[Result | BaseException], None]
"""Told the result of a request, or what it raised."""


class RequestScheduler:
    """What one session works on.

    Args:
        most: how many requests may be worked on at the same time; as many more may wait.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._tasks: dict[InFlight, asyncio.Task[None]] = {}
        self._heirs: dict[InFlight, Ended] = {}
        self._open: set[InFlight] = set()
        self._queue = RequestQueue(most)

    @property
    def tasks(self) -> tuple[asyncio.Task[None], ...]:
        """Those of the requests that are being worked on."""
        return tuple(self._tasks.values())

    @property
    def busy(self) -> bool:
        """Whether something is being worked on."""
        return bool(self._tasks)

    @property
    def full(self) -> bool:
        """Whether requests have to end before more should come."""
        return self._queue.full

    async def room(self) -> None:
        """Wait until more may come."""
        await self._queue.room()

    @property
    def has_room(self) -> bool:
        """Whether a request can be begun now."""
        return len(self._tasks) - len(self._open) < self._most

    def wait(self, one: InFlight, start: Callable[[], None]) -> None:
        """Let a request wait until there is room.

        Args:
            one: the request.
            start: begins it.
        """
        self._queue.add(one, start)

    def run(self, one: InFlight, running: Running, ended: Ended, *, standing: bool = False) -> None:
        """Work on a request, and return when it is answered or has to wait.

        Args:
            one: the request.
            running: answers it.
            ended: told its result, or what it raised; not called when the request is stopped.
            standing: it has no end of its own: it takes nobody's place, and nobody waits for it.
        """
        task = start(self._run(one, running, ended), one.method)
        if task.done():
            return
        self._tasks[one] = task
        if standing:
            self._open.add(one)
        # A task that is cancelled before its first step leaves its coroutine behind, never started.
        task.add_done_callback(lambda _: self._left(one, running))
        if one.stopped:
            # Meanwhile, in its first step.
            self.stop(one)

    def stop(self, one: InFlight) -> None:
        """Stop working on a request; how it ends is not told. One that was let go is stopped elsewhere."""
        if one in self._heirs:
            return
        one.wanted, one.stopped = False, True
        self._queue.discard(one)
        self._open.discard(one)
        task = self._tasks.pop(one, None)
        if task is not None:
            task.cancel()

    def pause(self, one: InFlight) -> None:
        """Let a request take nobody's place while it waits for its client to come back."""
        if one in self._tasks:
            self._open.add(one)
            self._begin_next()

    def resume(self, one: InFlight) -> None:
        """Count a request again that was paused."""
        self._open.discard(one)

    def release(self, one: InFlight, ended: Ended) -> Callable[[], None]:
        """Let a request go on for itself, because it is answered: it no longer counts as being worked on.

        Args:
            one: the request; it has had to wait already.
            ended: told its result, or what it raised, in place of whoever began it; not called when it is stopped.

        Returns:
            What stops it.
        """
        task = self._tasks.pop(one)
        self._open.discard(one)
        self._heirs[one] = ended
        self._begin_next()

        def stop() -> None:
            one.wanted = False
            task.cancel()

        return stop

    async def settle(self, grace: float) -> None:
        """Wait until everything is answered, at most so many seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(grace):
                # As long as there are tasks: each that ends makes room for one that waits.
                while tasks := [task for one, task in self._tasks.items() if one not in self._open]:
                    await asyncio.wait(tasks)

    def close(self) -> None:
        """Stop everything."""
        self._queue.clear()
        for one in list(self._tasks):
            self.stop(one)

    async def _run(self, one: InFlight, running: Running, ended: Ended) -> None:
        outcome: Result | BaseException
        try:
            with running_calls.running(one.running):
                outcome = await running
        except asyncio.CancelledError:
            # The client or our end asked for it, then nobody waits for an answer; or it was the author's own doing.
            outcome = ProtocolError(INTERNAL_ERROR, "The call was cancelled from within")
            self._notify_end(one, outcome, ended)
            raise
        except BaseException as error:
            from server_core.execution.run import ends_the_task

            if ends_the_task(error):
                raise
            outcome = error
        self._notify_end(one, outcome, ended)

    def _notify_end(self, one: InFlight, outcome: Result | BaseException, ended: Ended) -> None:
        if self._heirs:
            ended = self._heirs.pop(one, ended)
        if one.wanted:
            ended(outcome)

    def _left(self, one: InFlight, running: Running) -> None:
        running.close()
        self._tasks.pop(one, None)
        self._open.discard(one)
        self._begin_next()

    def _begin_next(self) -> None:
        while len(self._queue) and self.has_room:
            self._queue.take()()
