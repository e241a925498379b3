"""A bounded thread pool for authors' synchronous functions.

Rule 1: the threads are daemons: a function that never returns blocks its own caller, never the end of the process.
Rule 2: an idle thread keeps nothing alive: neither the last result nor the pool that it belongs to.
"""

import asyncio
import contextvars
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, TypeVar

from server_core.runtime.processes import exit_fork

T = TypeVar("T")

DEFAULT_LIMIT = 32
"""How many functions may run at the same time on the threads of this process, until the settings are read."""


@dataclass(slots=True)
class _Job:
    work: Callable[[], Any]
    context: contextvars.Context
    loop: asyncio.AbstractEventLoop
    done: "asyncio.Future[tuple[Any, BaseException | None]]"


class Threads:
    """Run functions on threads beside the event loop, at most `limit` of them at the same time."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._idle = threading.Semaphore(0)
        self._started = 0

    async def run(self, work: Callable[[], T]) -> T:
        """Run a function on a thread, with our context variables; cancelled, we stop waiting and the thread goes on."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[tuple[T, BaseException | None]] = loop.create_future()
        self._jobs.put(_Job(work, contextvars.copy_context(), loop, done))
        if not self._idle.acquire(blocking=False) and self._started < self.limit:
            self._started += 1
            name = f"tool-{self._started}"
            threading.Thread(target=_serve, args=(self._jobs, self._idle), name=name, daemon=True).start()
        value, error = await done
        if error is not None:
            raise error
        return value

    def end(self) -> None:
        """Let the threads end as soon as they are idle; new threads are started when there is more to run."""
        self._jobs.put(None)
        self._jobs, self._idle, self._started = SimpleQueue(), threading.Semaphore(0), 0

    def __del__(self) -> None:
        # The threads refer to the queue and not to the pool, so a pool that is no longer used gets here.
        self._jobs.put(None)


def _serve(jobs: "SimpleQueue[_Job | None]", idle: threading.Semaphore) -> None:
    process = os.getpid()
    while (job := jobs.get()) is not None:
        # A job whose caller was cancelled while it was queued is not started.
        if not job.done.cancelled():
            outcome = _outcome(job)
            if os.getpid() != process:
                exit_fork()
            with suppress(RuntimeError):  # The loop is closed: no caller waits for the outcome.
                job.loop.call_soon_threadsafe(_settle, job.done, outcome)
            del outcome
        del job
        idle.release()
    jobs.put(None)  # For the next thread.


def _outcome(job: _Job) -> tuple[Any, BaseException | None]:
    # Not set as the future's exception: a future refuses StopIteration, and SystemExit would end the loop.
    try:
        return job.context.run(job.work), None
    except BaseException as error:
        return None, error


def _settle(
    done: "asyncio.Future[tuple[Any, BaseException | None]]", outcome: tuple[Any, BaseException | None]
) -> None:
    if not done.done():
        done.set_result(outcome)


_shared = Threads(DEFAULT_LIMIT)


def shared_threads() -> Threads:
    return _shared


def limit_shared_threads(limit: int) -> None:
    """Set how many functions may run at the same time on this process's threads; running ones are not affected."""
    _shared.limit = limit
