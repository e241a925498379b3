"""One call: its connection to the client, which is closed when the call ends.

Rule 1: a call that has ended can no longer send anything to the client, and threads that wait for it are woken.
Rule 2: a thread that works on the call uses the event loop on which the call began.
"""

import asyncio
import concurrent.futures
import os
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Self

from server_core.errors import ContextError
from server_core.execution.context.client_port import ClientPort, ClientWaits, InputRequestKeys
from server_core.protocol.jsonrpc import RequestId

if TYPE_CHECKING:
    from server_core.catalog.catalog import Catalog
    from server_core.execution.context.context import Context
    from server_core.serving.list_changed import Change
    from server_core.serving.nested_caller import NestedCaller
    from server_core.serving.server import Server

REQUEST_TIMEOUT = 60.0
"""Seconds that a client has to respond, for a call without a server and its settings."""


class Call:
    """One call, from its beginning to its end."""

    def __init__(
        self,
        port: ClientPort,
        request_id: RequestId,
        progress_token: str | int | None = None,
        secrets: Mapping[str, str] | None = None,
        catalog: "Catalog | None" = None,
        report: Callable[[str, dict[str, Any]], None] | None = None,
        own_server: "Server | None" = None,
        meta: Mapping[str, Any] | None = None,
        nested_caller: "NestedCaller | None" = None,
    ) -> None:
        self._port = port
        self.request_id = request_id
        self.report = report or _ignore
        """Called with the name and the fields of an event for the author, which the agent does not get."""
        self.own_server = own_server
        """The server that the call runs in; None for a call of a test."""
        self.meta = meta or {}
        """The `_meta` of the request."""
        self.nested_caller = nested_caller
        """The running tool that made the call; None for a call of a client."""
        self._progress_token = progress_token  # None if the client did not request progress.
        self._secrets = secrets or {}  # Those that the tool declares and that are set.
        self._catalog = catalog
        self.make_task: Callable[[Call, float | None], Awaitable[bool]] | None = None
        """Turns the call into a task; None if that is not possible."""
        self.on_end: Callable[[bool], None] | None = None
        """Called when the call ends, to send queued reports; its argument is whether the request will be answered."""
        self._has_ended = False
        self._cancelled = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._process = 0
        self._waiting: set[concurrent.futures.Future[Any]] = set()

    @property
    def client_request_id(self) -> RequestId:
        """The id of the client's request that this call serves; for a nested call, that of the outermost call."""
        return self.request_id if self.nested_caller is None else self.nested_caller.outer.client_request_id

    @property
    def port(self) -> ClientPort:
        """The connection to the client; a nested call uses that of the outermost call."""
        # Not stored in a nested call: the port is replaced when the outermost call becomes a task.
        return self._port if self.nested_caller is None else self.nested_caller.outer.port

    @port.setter
    def port(self, port: ClientPort) -> None:
        self._port = port

    def key_for_client(self, method: str, key: str) -> str:
        """Return the key with which the client gets a request of this call; it may be empty in a call of a client."""
        return key if self.nested_caller is None else self.nested_caller.key_for_client(method, key)

    @property
    def cancelled(self) -> bool:
        """Whether the result is no longer wanted; tools on threads can check this between steps."""
        return self._cancelled

    @property
    def has_ended(self) -> bool:
        """Whether the call has ended, so that it can no longer send anything to the client."""
        return self._has_ended

    def raise_if_cancelled(self) -> None:
        """Raise an exception if the result is no longer wanted.

        Raises:
            asyncio.CancelledError: when the call was cancelled or its time limit is over.
        """
        if self._cancelled:
            raise asyncio.CancelledError

    @cached_property
    def nested_request_keys(self) -> InputRequestKeys:
        """The keys of the requests that the call makes to its own server."""
        return InputRequestKeys()

    @cached_property
    def client_waits(self) -> ClientWaits:
        """The time that the call has waited for its client; a nested call shares that of the outermost call."""
        return ClientWaits() if self.nested_caller is None else self.nested_caller.outer.client_waits

    @cached_property
    def _open_requests(self) -> dict[str, asyncio.Timeout]:
        return {}

    # To its client, and to all clients of the server.

    async def request(
        self, method: str, params: dict[str, Any], timeout: float | None = None, key: str = ""
    ) -> dict[str, Any]:
        """Send a request to the client and return its result; see :meth:`ClientPort.request`.

        The default of `timeout` is a setting; `key` names the request for :meth:`withdraw`.
        """
        if self._has_ended:
            raise ContextError(f"The call has ended, so requests can no longer be sent to the client ({method}).")
        if timeout is None:
            timeout = REQUEST_TIMEOUT if self.own_server is None else self.own_server.settings.request_timeout
        client_key = self.key_for_client(method, key)
        send = partial(
            self.port.request, method, params, related=self.client_request_id, timeout=timeout, key=client_key
        )
        with self.client_waits:
            return await self._send_named(key, method, send) if key else await send()

    async def _send_named(self, key: str, method: str, send: Callable[[], Awaitable[dict[str, Any]]]) -> dict[str, Any]:
        # A timeout without a deadline: `withdraw` reschedules it to now, which cancels the request and nothing else.
        withdrawal = self._open_requests[key] = asyncio.timeout(None)
        try:
            async with withdrawal:
                return await send()
        except TimeoutError:
            if not withdrawal.expired():
                raise
            raise ContextError(f"The request {key!r} ({method}) was withdrawn.") from None
        finally:
            self._open_requests.pop(key, None)

    def withdraw(self, key: str) -> bool:
        """Withdraw a request of this call, and return whether it was still open.

        The code that waits for its response gets a :class:`ContextError`.
        """
        timeout = self._open_requests.pop(key, None)
        if timeout is None:
            return False
        timeout.reschedule(asyncio.get_running_loop().time())
        return True

    async def send_and_drain(self, method: str, params: dict[str, Any]) -> None:
        """Send a notification to the client, unless the call has ended; waits while the client is too slow."""
        if not self._has_ended:
            self.port.notify(method, params, related=self.client_request_id)
            await self.port.drain()

    def send_notification(self, method: str, params: dict[str, Any]) -> None:
        """Send a notification to the client, unless the call has ended; never waits."""
        if not self._has_ended:
            self.port.notify(method, params, related=self.client_request_id)

    def notify_clients(self, change: "Change", delay: float | None = None) -> None:
        """Notify every client of the server that subscribed to a change.

        `delay` is how many seconds to wait for more changes before; the default is a setting.
        """
        if self.own_server is None:
            raise ContextError(f"This call runs without a server, so no client can be notified of {change.method}.")
        self.own_server.list_changes.changed([change], delay)

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
        if not self._has_ended:
            self.port.close_stream(related=self.client_request_id, retry_ms=retry_ms)

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
            ContextError: when the call has ended, or a request to its client is open.
            ValueError: when `ttl` is not above zero.

        Source: 2026-07-28, the tasks extension.
        """
        if ttl is not None and not ttl > 0:
            raise ValueError("ttl must be a number of seconds above zero.")
        if self._has_ended:
            raise ContextError("The call has ended, so it can no longer become a task.")
        return self.make_task is not None and await self.make_task(self, ttl)

    def __enter__(self) -> Self:
        self.begin()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        cancelled = isinstance(error, asyncio.CancelledError)
        self.end(cancelled=cancelled, answered=not cancelled)

    def begin(self) -> None:
        """Begin the call on the running event loop, which threads of the call use."""
        self._loop = asyncio.get_running_loop()
        self._process = os.getpid()

    def end(self, *, cancelled: bool = False, answered: bool = True) -> None:
        """Close the connection to the client and wake the threads that wait for it.

        `cancelled` means that the result is no longer wanted, `answered` that the client's request will be answered.
        """
        if self.on_end is not None:
            self.on_end(answered)
        self._has_ended = True
        self._cancelled = cancelled
        for future in list(self._waiting):
            future.cancel()

    def wait_for(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Run a coroutine on the event loop, from a thread, and return its result.

        A call on the event loop itself, or in a process that the tool has forked, is an error, since it would wait
        forever.
        """
        if self._loop is None or _on_a_loop():
            work.close()
            raise ContextError("context.blocking is for tools written with plain `def`; here, use `await`.")
        if os.getpid() != self._process:
            work.close()
            raise ContextError("This process was forked by the tool; only its parent process has a client.")
        if self._has_ended:
            work.close()
            raise ContextError("The call has ended, so nothing can be sent to its client any more.")
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        self._waiting.add(future)
        try:
            if self._has_ended:  # It ended between the check and the entry in the set.
                future.cancel()
            return future.result()
        except concurrent.futures.CancelledError:
            # Another class than that of asyncio, which authors and `ends_the_task` expect.
            raise asyncio.CancelledError from None
        finally:
            self._waiting.discard(future)


class Namespace:
    """One part of a context, such as `context.log`."""

    def __init__(self, context: "Context") -> None:
        self._context = context


def _on_a_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _ignore(event: str, facts: dict[str, Any]) -> None:
    """Drop an event."""
