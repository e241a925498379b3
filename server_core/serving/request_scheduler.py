"""The requests of one session that run or wait for room: the only registry of its requests in flight.

Rule 1: a request is identified by its :class:`InFlight`, never by its id: ids may be reused once a request is
cancelled, and clients without a session may choose the same ids.
Rule 2: a request is registered from when it is queued or run until it has ended, is released, or is stopped.
Rule 3: no queued request is lost or refused. The transport checks :attr:`RequestScheduler.full` and stops reading, so
that the client has to wait and the queue stays bounded.
Rule 4: only requests are queued. Cancellations, and responses to requests of a running call, are processed at once. The
queue holds as many requests as may run, before such a message is delayed. When the queue is full, messages behind it
wait as well, since reading on would need unlimited memory; the timeout of the running call's request ends the wait.
Rule 5: the `ended` callback of a request is called once; for a cancelled request it is not called.
"""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Iterable
from contextvars import copy_context
from functools import partial
from typing import Any, TypeAlias

from server_core.errors import ProtocolError
from server_core.execution.running_calls import InFlight, RequestState
from server_core.protocol.codes import INTERNAL_ERROR
from server_core.runtime.background import start

Result: TypeAlias = dict[str, Any] | bytes
Work: TypeAlias = Coroutine[Any, Any, Result]
Start: TypeAlias = Callable[[], None]
Ended: TypeAlias = Callable[[Result | BaseException], None]
"""Called with the result of a request, or with the exception that it raised."""


class RequestScheduler:
    """Runs the requests of one session: at most so many at the same time; as many more may wait."""

    def __init__(self, most: int) -> None:
        self._most = most
        # The requests and their tasks; None while a request is queued, and in its first step.
        self._requests: dict[InFlight, asyncio.Task[None] | None] = {}
        # How many of them are in the state RUNNING.
        self._running = 0
        self._released: dict[InFlight, Ended] = {}
        self._queue: dict[InFlight, Start] = {}
        self._queue_changed = asyncio.Event()

    @property
    def requests(self) -> Iterable[InFlight]:
        """The requests in flight, oldest first."""
        return self._requests

    def find(self, call: str) -> InFlight | None:
        """Return the request in flight that has this name in records, if there is any."""
        return next((request for request in self._requests if request.call == call), None)

    @property
    def tasks(self) -> tuple[asyncio.Task[None], ...]:
        """The tasks of the running requests."""
        return tuple(task for task in self._requests.values() if task is not None)

    @property
    def busy(self) -> bool:
        """Whether a request is in flight."""
        return bool(self._requests)

    @property
    def full(self) -> bool:
        """Whether the queue is full, so that no more requests should be read."""
        return len(self._queue) >= self._most

    async def wait_for_room(self) -> None:
        """Wait until the queue is not full."""
        while self.full:
            self._queue_changed.clear()
            await self._queue_changed.wait()

    @property
    def has_room(self) -> bool:
        """Whether a request can start now, without overtaking others."""
        return self._running < self._most and not self._queue

    def wait(self, request: InFlight, begin: Start) -> None:
        """Queue a request until there is room; then `begin` is called."""
        self._requests[request] = None
        request.state = RequestState.QUEUED
        # The context holds the identity of the client.
        self._queue[request] = partial(copy_context().run, begin)

    def run(self, request: InFlight, work: Work, ended: Ended, *, stays_open: bool = False) -> None:
        """Run a request, and return when it has ended or has to wait; a stopped one does not call `ended`.

        If it `stays_open` until it is cancelled, it does not count as running, and no shutdown waits for it.
        """
        self._requests[request] = None
        request.state = RequestState.OPEN if stays_open else RequestState.RUNNING
        self._running += not stays_open
        task = start(self._run(request, work, ended), request.method)
        if task.done():
            return
        # The task may be cancelled before its first step; then nothing has closed the coroutine.
        task.add_done_callback(lambda _: self._finish_task(request, work))
        if request in self._requests:
            self._requests[request] = task
        else:
            # It was stopped during its first step.
            task.cancel()

    def stop(self, request: InFlight) -> None:
        """Cancel a request without calling `ended`. Released requests are ignored; they are stopped elsewhere."""
        if request.state is RequestState.RELEASED:
            return
        task = self._remove(request)
        request.state = RequestState.STOPPED
        if task is not None:
            task.cancel()

    def pause(self, request: InFlight) -> None:
        """Do not count a request as running while it waits for its client."""
        if request.state is RequestState.RUNNING:
            request.state = RequestState.OPEN
            self._running -= 1
            self._begin_next()

    def resume(self, request: InFlight) -> None:
        """Count a paused request as running again."""
        if request.state is RequestState.OPEN:
            request.state = RequestState.RUNNING
            self._running += 1

    def release(self, request: InFlight, ended: Ended) -> Callable[[], None]:
        """Detach a request that is answered already: it continues in the background and does not count as running.

        Its first step must be over. `ended` replaces the original callback. Returns a function that stops the request.
        """
        task = self._remove(request)
        assert task is not None, request
        request.state = RequestState.RELEASED
        self._released[request] = ended
        self._begin_next()

        def stop() -> None:
            request.state = RequestState.STOPPED
            task.cancel()

        return stop

    async def settle(self, grace: float) -> None:
        """Wait until all requests have ended, at most `grace` seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(grace):
                # Repeated, because each task that ends makes room for a queued request.
                while self._running or self._queue:
                    await (asyncio.wait(tasks) if (tasks := self._counted()) else asyncio.sleep(0))

    def close(self) -> None:
        """Stop all requests."""
        for request in list(self._requests):
            self.stop(request)

    def _counted(self) -> list[asyncio.Task[None]]:
        return [task for request, task in self._requests.items() if task and request.state is RequestState.RUNNING]

    async def _run(self, request: InFlight, work: Work, ended: Ended) -> None:
        outcome: Result | BaseException
        try:
            with request:
                outcome = await work
        except asyncio.CancelledError:
            # Where the client or the shutdown cancelled it, `ended` is not called. Else the author's code did.
            outcome = ProtocolError(INTERNAL_ERROR, "The call was cancelled by its own code")
            self._notify_end(request, outcome, ended)
            raise
        except BaseException as error:
            from server_core.execution.run import ends_the_task

            if ends_the_task(error):
                self._remove(request)
                raise
            outcome = error
        self._notify_end(request, outcome, ended)

    def _notify_end(self, request: InFlight, outcome: Result | BaseException, ended: Ended) -> None:
        # Empty in most cores, and a dictionary need not be searched then.
        if self._released:
            ended = self._released.pop(request, ended)
        if request.state is not RequestState.STOPPED:
            # Before the answer is sent, so that what is sent with it does not describe the request as in flight.
            self._remove(request)
            request.state = RequestState.ENDED
            ended(outcome)

    def _finish_task(self, request: InFlight, work: Work) -> None:
        work.close()
        self._remove(request)
        self._begin_next()

    def _begin_next(self) -> None:
        while self._queue and self._running < self._most:
            request, begin = next(iter(self._queue.items()))
            self._remove(request)
            begin()

    def _remove(self, request: InFlight) -> asyncio.Task[None] | None:
        if request not in self._requests:
            return None
        if request.state is RequestState.RUNNING:
            self._running -= 1
        elif request.state is RequestState.QUEUED:
            del self._queue[request]
            self._queue_changed.set()
        return self._requests.pop(request)
