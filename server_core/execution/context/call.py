"""One call: its connection to the client, which is closed when the call is over.

Rule 1: when the call is over, it can no longer send anything to the client, and threads that wait for it are woken.
Rule 2: a thread that works on the call uses the event loop on which the call began.
"""

import asyncio
import concurrent.futures
import os
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from server_core.errors import ContextError
from server_core.execution.context.client_port import ClientPort
from server_core.execution.context.input_request_keys import InputRequestKeys
from server_core.protocol.jsonrpc import RequestId

if TYPE_CHECKING:
    from server_core.catalog.catalog import Catalog
    from server_core.serving.list_changed import Change
    from server_core.serving.server import Server

REQUEST_TIMEOUT = 60.0
"""Seconds that a client has to answer, where there are no settings."""


class Call:
    """One call, from its beginning to its end.

    Args:
        port: the connection to the client.
        request_id: the id of the request.
        progress_token: the token of the client's request, if it requested progress.
        secrets: the secrets that the tool declares and that are set.
        catalog: the server's catalog while the call runs.
        report: called with the name and the fields of an event for the author, which the agent does not get.
        home: the server that the call runs in.
        meta: the `_meta` of the request.
    """

    def __init__(
        self,
        port: ClientPort,
        request_id: RequestId,
        progress_token: str | int | None = None,
        secrets: Mapping[str, str] | None = None,
        catalog: "Catalog | None" = None,
        report: Callable[[str, dict[str, Any]], None] | None = None,
        home: "Server | None" = None,
        meta: Mapping[str, Any] | None = None,
    ) -> None:
        self.port = port
        self.request_id = request_id
        self.report = report or _ignore
        self.home = home
        self.meta = meta or {}
        self._progress_token = progress_token
        self._secrets = secrets or {}
        self._catalog = catalog
        self.make_task: Callable[[Call, float | None], Awaitable[bool]] | None = None
        """Turns the call into a task; None if that is not possible."""
        self.on_end: Callable[[bool], None] | None = None
        """Called when the call is over, to send queued reports; its argument is whether the request is answered."""
        self._over = False
        self._cancelled = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._process = 0
        self._waiting: set[concurrent.futures.Future[Any]] = set()

    @property
    def client_request_id(self) -> RequestId:
        """The id of the client's request that this call serves; for a nested call, that of the outermost call."""
        outer = getattr(self.port, "outer", None)
        return self.request_id if outer is None else outer.client_request_id

    @property
    def cancelled(self) -> bool:
        """Whether the result is no longer wanted; tools on threads can check this between steps."""
        return self._cancelled

    @property
    def over(self) -> bool:
        """Whether the call is over, so that it can no longer send anything to the client."""
        return self._over

    def raise_if_cancelled(self) -> None:
        """Raise an exception if the result is no longer wanted.

        Raises:
            asyncio.CancelledError: when the call was cancelled or its time limit is over.
        """
        if self._cancelled:
            raise asyncio.CancelledError

    @cached_property
    def nested_request_names(self) -> InputRequestKeys:
        """The keys of the requests that the call makes to its own server."""
        return InputRequestKeys()

    @cached_property
    def _open_requests(self) -> dict[str, asyncio.Timeout]:
        return {}

    # To its client, and to all clients.

    async def request(
        self, method: str, params: dict[str, Any], timeout: float | None = None, key: str = ""
    ) -> dict[str, Any]:
        """Send a request to the client and return its result; raises the same errors as :meth:`ClientPort.request`.

        Args:
            method: a request method of the client.
            params: its params.
            timeout: seconds to wait for the answer; the default is a setting.
            key: a name for the request, for :meth:`withdraw`.
        """
        if self._over:
            raise ContextError(f"The call has ended, so requests can no longer be sent to the client ({method}).")
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
            raise ContextError(f"The request {key!r} ({method}) was withdrawn.") from None
        finally:
            self._open_requests.pop(key, None)

    def withdraw(self, key: str) -> bool:
        """Withdraw a request of this call; the code that waits for its answer gets a :class:`ContextError`.

        Args:
            key: the key of the request.

        Returns:
            Whether the request was still open.
        """
        timeout = self._open_requests.pop(key, None)
        if timeout is None:
            return False
        timeout.reschedule(asyncio.get_running_loop().time())
        return True

    async def deliver(self, method: str, params: dict[str, Any]) -> None:
        """Send a notification to the client, unless the call is over; waits while the client is too slow."""
        if not self._over:
            self.port.notify(method, params, related=self.request_id)
            await self.port.drain()

    def send_notification(self, method: str, params: dict[str, Any]) -> None:
        """Send a notification to the client, unless the call is over; never waits."""
        if not self._over:
            self.port.notify(method, params, related=self.request_id)

    def changed(self, change: "Change", delay: float | None = None) -> None:
        """Notify every client of the server that subscribed to a change.

        Args:
            change: the change.
            delay: seconds to wait for more changes before notifying; the default is a setting.

        Raises:
            ContextError: when the call has no server.
        """
        if self.home is None:
            raise ContextError(f"This call runs without a server, so no client can be notified of {change.method}.")
        self.home.list_changes.changed([change], delay)

    # Its life cycle.

    async def close_stream(self, retry_ms: int = 1000) -> None:
        """Close the connection that waits for this call; the client reconnects for later messages.

        For long calls over HTTP, so that no connection has to stay open. The call continues. Does nothing if the
        transport or the revision of the client does not support it.

        Args:
            retry_ms: how long the client should wait before it reconnects, in milliseconds.

        Raises:
            ValueError: when `retry_ms` is negative.

        Source: 2025-11-25, basic/transports, Streamable HTTP, sending messages to the server.
        """
        if retry_ms < 0:
            raise ValueError("retry_ms must not be negative.")
        if not self._over:
            self.port.close_stream(related=self.request_id, retry_ms=retry_ms)

    async def become_task(self, ttl: float | None = None) -> bool:
        """Continue as a task: the request is answered now, and the client fetches the result later.

        The call may then take as long as it needs. Requests to the client work as before; if the client did not ask
        for a task, progress and log messages no longer reach it.

        Args:
            ttl: how many seconds to store the task and its result, from now on. The default and the maximum are
                settings.

        Returns:
            Whether the call is a task now. If its client does not support tasks, or too many are running, it continues
            as a call.

        Raises:
            ContextError: when the call is over, or a request to its client is open.
            ValueError: when `ttl` is not above zero.

        Source: 2026-07-28, the tasks extension.
        """
        if ttl is not None and not ttl > 0:
            raise ValueError("ttl must be a number of seconds above zero.")
        if self._over:
            raise ContextError("The call has ended, so it can no longer become a task.")
        return self.make_task is not None and await self.make_task(self, ttl)

    def __enter__(self) -> Self:
        """Begin the call; see :meth:`begin`."""
        self.begin()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        """End the call; see :meth:`end`."""
        cancelled = isinstance(error, asyncio.CancelledError)
        self.end(cancelled=cancelled, answered=not cancelled)

    def begin(self) -> None:
        """Store the running event loop, which threads of the call use."""
        self._loop = asyncio.get_running_loop()
        self._process = os.getpid()

    def end(self, *, cancelled: bool = False, answered: bool = True) -> None:
        """Close the connection to the client and wake the threads that wait for it.

        Args:
            cancelled: whether the result is no longer wanted.
            answered: whether the client's request will be answered.
        """
        if self.on_end is not None:
            self.on_end(answered)
        self._over = True
        self._cancelled = cancelled
        for future in list(self._waiting):
            future.cancel()

    def wait_for(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Run a coroutine on the event loop, from a thread, and return its result.

        Raises:
            ContextError: when called on the event loop itself, or in a process that the tool has forked.
        """
        if self._loop is None or _on_a_loop():
            work.close()
            raise ContextError("context.blocking is for tools written with plain `def`; here, use `await`.")
        if os.getpid() != self._process:
            work.close()
            raise ContextError("This process was forked by the tool; only its parent process has a client.")
        if self._over:
            work.close()
            raise ContextError("The call has ended, so nothing can be sent to its client any more.")
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
    """Drop an event, for calls without `report`."""
