"""The running and the waiting requests of one session.

Rule 1: a request is identified by its :class:`InFlight`, never by its id: ids may be reused once a request is
cancelled, and clients without a session may choose the same ids.
Rule 2: the `ended` callback of a request is called once; for a cancelled request it is not called.
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
"""Called with the result of a request, or with the exception that it raised."""


class RequestScheduler:
    """Run the requests of one session.

    Args:
        most: how many requests may run at the same time; as many more may wait.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._tasks: dict[InFlight, asyncio.Task[None]] = {}
        self._released: dict[InFlight, Ended] = {}
        self._open: set[InFlight] = set()
        self._queue = RequestQueue(most)

    @property
    def tasks(self) -> tuple[asyncio.Task[None], ...]:
        """The tasks of the running requests."""
        return tuple(self._tasks.values())

    @property
    def busy(self) -> bool:
        """Whether a request is running."""
        return bool(self._tasks)

    @property
    def full(self) -> bool:
        """Whether the queue is full, so that no more requests should be read."""
        return self._queue.full

    async def room(self) -> None:
        """Wait until the queue is not full."""
        await self._queue.room()

    @property
    def has_room(self) -> bool:
        """Whether a request can start now."""
        return len(self._tasks) - len(self._open) < self._most

    def wait(self, request: InFlight, start: Callable[[], None]) -> None:
        """Queue a request until there is room.

        Args:
            request: the request.
            start: starts it.
        """
        self._queue.add(request, start)

    def run(self, request: InFlight, running: Running, ended: Ended, *, stays_open: bool = False) -> None:
        """Run a request, and return when it has ended or has to wait.

        Args:
            request: the request.
            running: the coroutine that answers it.
            ended: called with its result or exception; not called when the request is stopped.
            stays_open: it stays open until it is cancelled: it does not count as running, and nobody waits for it.
        """
        task = start(self._run(request, running, ended), request.method)
        if task.done():
            return
        self._tasks[request] = task
        if stays_open:
            self._open.add(request)
        # A task that is cancelled before its first step leaves its coroutine unstarted.
        task.add_done_callback(lambda _: self._left(request, running))
        if request.stopped:
            # It was stopped during its first step.
            self.stop(request)

    def stop(self, request: InFlight) -> None:
        """Cancel a request without calling `ended`. Released requests are ignored; they are stopped elsewhere."""
        if request in self._released:
            return
        request.wanted, request.stopped = False, True
        self._queue.discard(request)
        self._open.discard(request)
        task = self._tasks.pop(request, None)
        if task is not None:
            task.cancel()

    def pause(self, request: InFlight) -> None:
        """Do not count a request as running while it waits for its client."""
        if request in self._tasks:
            self._open.add(request)
            self._begin_next()

    def resume(self, request: InFlight) -> None:
        """Count a paused request as running again."""
        self._open.discard(request)

    def release(self, request: InFlight, ended: Ended) -> Callable[[], None]:
        """Detach a request that is answered already: it continues in the background and does not count as running.

        Args:
            request: the request; its first step is over.
            ended: called with its result or exception, instead of the original callback; not called when it is stopped.

        Returns:
            A function that stops it.
        """
        task = self._tasks.pop(request)
        self._open.discard(request)
        self._released[request] = ended
        self._begin_next()

        def stop() -> None:
            request.wanted = False
            task.cancel()

        return stop

    async def settle(self, grace: float) -> None:
        """Wait until all requests have ended, at most so many seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(grace):
                # Repeated, because each task that ends makes room for a waiting request.
                while tasks := [task for request, task in self._tasks.items() if request not in self._open]:
                    await asyncio.wait(tasks)

    def close(self) -> None:
        """Stop all requests."""
        self._queue.clear()
        for request in list(self._tasks):
            self.stop(request)

    async def _run(self, request: InFlight, running: Running, ended: Ended) -> None:
        outcome: Result | BaseException
        try:
            with running_calls.running(request.running):
                outcome = await running
        except asyncio.CancelledError:
            # Where the client or the shutdown cancelled it, `ended` is not called. Else the author's code did.
            outcome = ProtocolError(INTERNAL_ERROR, "The call was cancelled from within")
            self._notify_end(request, outcome, ended)
            raise
        except BaseException as error:
            from server_core.execution.run import ends_the_task

            if ends_the_task(error):
                raise
            outcome = error
        self._notify_end(request, outcome, ended)

    def _notify_end(self, request: InFlight, outcome: Result | BaseException, ended: Ended) -> None:
        if self._released:
            ended = self._released.pop(request, ended)
        if request.wanted:
            ended(outcome)

    def _left(self, request: InFlight, running: Running) -> None:
        running.close()
        self._tasks.pop(request, None)
        self._open.discard(request)
        self._begin_next()

    def _begin_next(self) -> None:
        while len(self._queue) and self.has_room:
            self._queue.take()()
