"""An event loop on a separate thread, for the server that runs beside a plain test."""

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

from workbench.testing.assertion_errors import TookTooLong, Unmet, closed

T = TypeVar("T")

END_SECONDS = 5.0
"""How long the loop may take to end; a tool that blocks it must not block the tests."""
LAST_SECONDS = 0.5
"""The same, for a loop that is already blocked."""


def loop_of_the_test() -> asyncio.AbstractEventLoop:
    """Return the event loop that the test runs on.

    Raises:
        Unmet: when it does not run on asyncio.
    """
    __tracebackhide__ = True
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        raise Unmet(
            "an async client needs an asyncio event loop, and this test has none (does it run on trio?): with anyio, "
            'let the fixture `anyio_backend` return "asyncio"; or use `mcp_client` or `with Client(...)`, not awaited'
        ) from None


class LoopThread:
    """A running loop, until :meth:`close`.

    Attributes:
        is_blocked: whether the last coroutine was not run in time.
    """

    def __init__(self) -> None:
        self.is_blocked = False
        self.loop = asyncio.new_event_loop()
        # Without `daemon`, a tool that blocks the loop forever would keep the test run from ending.
        self._thread = threading.Thread(target=self._run, name="workbench client", daemon=True)
        self._thread.start()

    def run(self, coroutine: Coroutine[Any, Any, T], timeout: float | None = None) -> T:
        """Run a coroutine on the loop, and return its result.

        Args:
            coroutine: has its own timeout, which works while the loop is not blocked.
            timeout: the seconds after which the loop itself counts as blocked; None for never.

        Raises:
            TookTooLong: when the loop is blocked.
            Unmet: when the loop has ended.
        """
        future = self._start(coroutine)
        try:
            result = future.result(timeout)
            self.is_blocked = False
            return result
        except TimeoutError:
            if future.done():
                raise
            future.cancel()
            self.is_blocked = True
            raise TookTooLong(
                "the event loop of the server is blocked: does an `async def` tool block, instead of awaiting?"
            ) from None
        except BaseException:
            future.cancel()
            raise

    async def run_async(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine on the loop, and return its result to a task of another loop."""
        return await asyncio.wrap_future(self._start(coroutine))

    def close(self) -> None:
        """End the loop and its thread."""
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(LAST_SECONDS if self.is_blocked else END_SECONDS)

    def _start(self, coroutine: Coroutine[Any, Any, T]) -> Future[T]:
        if self.loop.is_closed():
            coroutine.close()
            raise closed()
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop)

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self.loop) as runner:
            runner.get_loop().run_forever()
