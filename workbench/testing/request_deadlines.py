"""The time limits of the requests in a test, and the error that ends all of them at once.

An error in answering a question of the server ends the pending requests, and they fail with that error; a test must not
wait for a response that cannot come.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from server_core.errors import WorkbenchError
from workbench.testing.assertion_errors import TookTooLong, Unmet


class RequestDeadlines:
    """The deadlines of the pending requests of one client; `timeout` is for requests without their own."""

    def __init__(self, timeout: float) -> None:
        self._timeout = timeout
        self._pending: set[asyncio.Timeout] = set()
        self._failure: Exception | None = None

    @asynccontextmanager
    async def within(self, seconds: float | None, request: str) -> AsyncIterator[None]:
        """Limit the time for a request, and raise its failure as a failure of the test."""
        seconds = self._timeout if seconds is None else seconds
        deadline = asyncio.timeout(seconds)
        self._pending.add(deadline)
        try:
            async with deadline:
                yield
        except TimeoutError:
            if not deadline.expired():
                raise
            self.raise_unreported()
            raise TookTooLong(f"{request}: no response within {seconds:g} seconds; see `timeout`") from None
        except WorkbenchError as error:
            self.raise_unreported()
            raise Unmet(f"{request}: {error}") from None
        finally:
            self._pending.discard(deadline)

    def fail(self, error: Exception) -> None:
        """End all pending requests with an error."""
        if self._failure is None:
            self._failure = error
        for deadline in self._pending:
            deadline.reschedule(asyncio.get_running_loop().time())

    def raise_unreported(self) -> None:
        """Raise the error that ended the requests, unless a request has raised it already."""
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure from failure.__cause__  # Not from the time limit that it has set.
