"""One call: the way to its client, which closes when the call is over.

Rule 1: when the call is over, nothing of it reaches the client any more, and whoever waits for that is woken.
Rule 2: a thread that works on the call reaches the client through the loop that the call began on.
"""

import asyncio
import concurrent.futures
import os
from collections.abc import Awaitable, Callable, Coroutine
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from server_core.errors import ContextError
from server_core.execution.context.client_port import ClientPort
from server_core.execution.context.input_request_keys import InputRequestKeys
from server_core.protocol.jsonrpc import RequestId

if TYPE_CHECKING:
    from server_core.serving.list_changed import Change
    from server_core.serving.server import Server

REQUEST_TIMEOUT = 60.0
"""Seconds that a client has to answer, where no settings say otherwise."""


class Call:
    """One call, from its beginning to its end.

    Args:
        port: the client.
        request_id: the id of the request.
        report: takes what the author should know, and the agent should not: the name of an event, and its facts.
        home: the server that the call runs in.
    """

    def __init__(
        self,
        port: ClientPort,
        request_id: RequestId,
        report: Callable[[str, dict[str, Any]], None] | None = None,
        home: "Server | None" = None,
    ) -> None:
        self.port = port
        self.request_id = request_id
        self.report = report or _ignore
        self.home = home
        self.make_task: Callable[[Call, float | None], Awaitable[bool]] | None = None
        """Makes the call a task; None for what cannot be one."""
        self.on_end: Callable[[bool], None] | None = None
        """Tells what there still is to tell when the call is over; its argument is whether the request is answered."""
        self._over = False
        self._cancelled = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._process = 0
        self._waiting: set[concurrent.futures.Future[Any]] = set()

    @property
    def client_request_id(self) -> RequestId:
        """The id of the client's request that this call is made for: that of the outermost, where calls are nested."""
        outer = getattr(self.port, "outer", None)
        return self.request_id if outer is None else outer.client_request_id

    @property
    def cancelled(self) -> bool:
        """Whether nobody waits for the result any more; tools on threads look at it between steps."""
        return self._cancelled

    @property
    def over(self) -> bool:
        """Whether the call is over, so that nothing of it reaches the client any more."""
        return self._over

    def raise_if_cancelled(self) -> None:
        """Leave the tool when nobody waits for the result any more.

        Raises:
            asyncio.CancelledError: when the call was cancelled or its time is up.
        """
        if self._cancelled:
            raise asyncio.CancelledError

    @cached_property
    def nested_request_names(self) -> InputRequestKeys:
        """The names of the requests that the call makes of its own server."""
        return InputRequestKeys()

    @cached_property
    def _open_requests(self) -> dict[str, asyncio.Timeout]:
        return {}

    # To its client, and to all.

    async def request(
        self, method: str, params: dict[str, Any], timeout: float | None = None, key: str = ""
    ) -> dict[str, Any]:
        """Ask the client; what :class:`ClientPort` says of errors holds here too.

        Args:
            method: a request method of the client.
            params: its params.
            timeout: seconds to wait for the answer; as the settings say when not given.
            key: names the question; :meth:`withdraw` knows it by this.
        """
        if self._over:
            raise ContextError(f"The call is over, so the client cannot be asked any more ({method}).")
        if timeout is None:
            timeout = REQUEST_TIMEOUT if self.home is None else self.home.settings.request_timeout
        if not key:
            return await self.port.request(method, params, related=self.request_id, timeout=timeout)
        withdrawn = self._open_requests[key] = asyncio.timeout(None)
        try:
            async with withdrawn:
                return await self.port.request(method, params, related=self.request_id, timeout=timeout, key=key)
        except TimeoutError:
            if not withdrawn.expired():
                raise
            raise ContextError(f"The question {key!r} ({method}) was withdrawn.") from None
        finally:
            self._open_requests.pop(key, None)

    def withdraw(self, key: str) -> bool:
        """Withdraw a question of this call; whoever waits for its answer gets a :class:`ContextError`.

        Args:
            key: of the question.

        Returns:
            Whether it was still open.
        """
        question = self._open_requests.pop(key, None)
        if question is None:
            return False
        question.reschedule(asyncio.get_running_loop().time())
        return True

    async def deliver(self, method: str, params: dict[str, Any]) -> None:
        """Tell the client something, unless the call is over; waits while the client is too slow."""
        if not self._over:
            self.port.notify(method, params, related=self.request_id)
            await self.port.drain()

    def send_notification(self, method: str, params: dict[str, Any]) -> None:
        """Tell the client something, unless the call is over; never waits."""
        if not self._over:
            self.port.notify(method, params, related=self.request_id)

    def changed(self, change: "Change", delay: float | None = None) -> None:
        """Tell every client of the server that wants to know it of a change.

        Args:
            change: what has changed.
            delay: seconds for which more changes are waited for; as the settings say when not given.

        Raises:
            ContextError: when the call has no server.
        """
        if self.home is None:
            raise ContextError(f"This call runs without a server, so nobody can be told of {change.method}.")
        self.home.list_changes.changed([change], delay)

    # Its course.

    async def close_stream(self, retry_ms: int = 1000) -> None:
        """Let go of the connection that waits for this call: its client comes back for what the call still sends.

        For calls that take long, over HTTP: no connection has to stay open. The call goes on. Nothing happens where
        the transport or the revision of the client has no such thing.

        Args:
            retry_ms: how long the client should wait before it comes back, in milliseconds.

        Raises:
            ValueError: when that is below zero.

        Source: 2025-11-25, basic/transports, Streamable HTTP, sending messages to the server.
        """
        if retry_ms < 0:
            raise ValueError("retry_ms must not be negative.")
        if not self._over:
            self.port.close_stream(related=self.request_id, retry_ms=retry_ms)

    async def become_task(self, ttl: float | None = None) -> bool:
        """Go on as a task: the request is answered now, and its client fetches the result later.

        From here on nobody waits for the call, so it may take as long as it needs. Questions work as before; on a task
        that the client has not asked for itself, progress and log messages do not reach it.

        Args:
            ttl: for how many seconds from now on the task, with its result, is to be kept; when not given, as long as
                the server's settings say, which also limit it.

        Returns:
            Whether the call is a task now. Where its client takes none, or as many run as may, it goes on as a call.

        Raises:
            ContextError: when the call is over, or its client is being asked something.
            ValueError: when the time is not above zero.

        Source: 2026-07-28, the tasks extension.
        """
        if ttl is not None and not ttl > 0:
            raise ValueError("ttl must be a number of seconds above zero.")
        if self._over:
            raise ContextError("The call is over, so it cannot become a task any more.")
        return self.make_task is not None and await self.make_task(self, ttl)

    def __enter__(self) -> Self:
        """Begin; see :meth:`begin`."""
        self.begin()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        """End; see :meth:`end`."""
        cancelled = isinstance(error, asyncio.CancelledError)
        self.end(cancelled=cancelled, answered=not cancelled)

    def begin(self) -> None:
        """Remember the loop that threads have to go back to."""
        self._loop = asyncio.get_running_loop()
        self._process = os.getpid()

    def end(self, *, cancelled: bool = False, answered: bool = True) -> None:
        """Close the way to the client and wake the threads that wait for it.

        Args:
            cancelled: the result is not wanted any more.
            answered: the client's request will be answered.
        """
        if self.on_end is not None:
            self.on_end(answered)
        self._over = True
        self._cancelled = cancelled
        for future in list(self._waiting):
            future.cancel()

    def wait_for(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Run the coroutine on the loop, from a thread, and wait for what it returns.

        Raises:
            ContextError: when called where it would block the loop itself, or in a process that the tool has forked.
        """
        if self._loop is None or _on_a_loop():
            work.close()
            raise ContextError("context.blocking is for tools written with plain `def`; here, use `await`.")
        if os.getpid() != self._process:
            work.close()
            raise ContextError(
                "This process was forked by the tool; only the one that it was forked from has a client."
            )
        if self._over:
            work.close()
            raise ContextError("The call is over; nothing of it reaches the client any more.")
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        self._waiting.add(future)
        try:
            if self._over:  # It ended between the check and the entry in the set.
                future.cancel()
            return future.result()
        except concurrent.futures.CancelledError:
            raise asyncio.CancelledError from None
        finally:
            self._waiting.discard(future)


def _on_a_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _ignore(event: str, facts: dict[str, Any]) -> None:
    """Drop a failure that nobody asked to hear of."""
