"""Pass messages through the middleware of the current generation.

Rule 1: an error of a middleware fails its request and never produces a malformed message (`middleware_checks.py`).
Rule 2: a notification from the client has taken effect before middleware sees it; a notification from the server is
sent when, and as, middleware passes it on.
Rule 3: the notifications of a request are sent before its response, in their original order.
Rule 4: a notification that a middleware sends while it handles a notification does not pass middleware again.

`initialize`, `server/discover` and `ping` skip middleware: they are answered before the author's code is loaded.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from server_core.execution.run import ends_the_task
from server_core.execution.wire_errors import request_report
from server_core.middleware.error_handling import ErrorHandlingMiddleware
from server_core.middleware.logging import LoggingMiddleware
from server_core.middleware.middleware import CallNext, MiddlewareContext, Step, chained, message_of
from server_core.protocol import jsonrpc
from server_core.protocol.jsonrpc import Notification, Params, Request, RequestId
from server_core.runtime.background import start
from server_core.runtime.safe_text import safe_str
from server_core.serving.handshake import merge_objects
from server_core.serving.method_handlers import context_of
from server_core.serving.middleware_checks import MiddlewareFailed, check_result, guarded_step, passed_params
from server_core.serving.nested_caller import await_answer

if TYPE_CHECKING:
    from server_core.loading.project import Generation
    from server_core.serving.method_table import Caller
    from server_core.serving.server import Server
    from server_core.serving.sessions import Session

Json: TypeAlias = dict[str, Any]
Send: TypeAlias = Callable[[str, Params, RequestId | None], None]
"""Sends a notification: its method, its params, and the id of the request that it belongs to."""

_TOO_MANY = "Too many notifications wait in the middleware."
_is_notifying: ContextVar[bool] = ContextVar("is_notifying", default=False)


class Instruments(NamedTuple):
    """The outermost and the innermost step of a server, which observe it."""

    outer: Step
    inner: Step


class Chain:
    """The middleware of one generation: that of its authors, and the server's own steps before and after it."""

    def __init__(
        self, server: "Server", outer: Sequence[Step] = (), middleware: Sequence[Step] = (), inner: Sequence[Step] = ()
    ) -> None:
        self._server = server
        authors = [guarded_step(step) for step in middleware]
        # Inside of the error handling, so that an invalid result is handled as an error.
        self._steps: tuple[Step, ...] = (*outer, check_result, *authors, *inner)
        # The task of the latest notification to each client; the next notification waits for it, to preserve the order.
        self._sending: dict[object, asyncio.Task[None]] = {}
        # The notifications in the middleware, to clients and from clients.
        self._outgoing = 0
        self._incoming = 0

    async def answer(self, caller: "Caller", request: Request) -> Json:
        """Answer a request; see :meth:`Server.answer`."""
        if not self._server.loaded.is_set():
            await self._server.loaded.wait()
            # The server has another chain now, that of the loaded generation.
            return await await_answer(self._server.answer(caller, request))

        async def end(context: MiddlewareContext[Any]) -> Json:
            message = Request(request.id, request.method, passed_params(context, request.method))
            return await await_answer(self._server.answer_by_table(caller, message))

        with context_of(self._server, caller, request, self._server.catalog) as call:
            context = MiddlewareContext(
                message=message_of(request),
                mcp_context=call,
                method=request.method,
                request_id=request.id,
                session_id=caller.client.session_id,
            )
            result: Json = await chained(self._steps, end)(context)
        if (sending := self._sending.get(caller)) is not None:
            # The notifications of the request are sent before its response.
            await asyncio.wait({sending})
        return result

    def receive(self, session: "Session", notification: Notification) -> None:
        """Pass a notification from a client, which has taken effect already, through the middleware; never raises."""
        if self._incoming >= self._server.settings.max_queued_messages:
            self._report_failure(session.client.session_key, notification.method, MiddlewareFailed(_TOO_MANY))
            return
        task = start(self._receive(session, notification), "notification from a client in middleware")
        if not task.done():
            self._incoming += 1
            task.add_done_callback(self._on_received)

    def notify(self, caller: "Caller", method: str, params: Params, related: RequestId | None, send: Send) -> None:
        """Pass a notification from the server through the middleware, and then to `send`; never raises."""
        if _is_notifying.get():
            send(method, params, related)
            return
        if self._outgoing >= self._server.settings.max_queued_messages:
            self._report_failure(caller.client.session_key, method, MiddlewareFailed(_TOO_MANY))
            return
        notifying = self._notify(caller, Notification(method, params), related, send, self._sending.get(caller))
        task = start(notifying, "notification to a client in middleware")
        if not task.done():
            self._outgoing += 1
            self._sending[caller] = task
            task.add_done_callback(lambda _: self._on_notified(caller, task))

    def _on_received(self, _: "asyncio.Task[None]") -> None:
        self._incoming -= 1

    def _on_notified(self, caller: "Caller", task: "asyncio.Task[None]") -> None:
        self._outgoing -= 1
        if self._sending.get(caller) is task:
            del self._sending[caller]

    async def _receive(self, session: "Session", notification: Notification) -> None:
        async def end(context: MiddlewareContext[Any]) -> None:
            """Do nothing: the notification has taken effect already."""

        if not self._server.loaded.is_set():
            await self._server.loaded.wait()
            if self._server.chain is not None:
                self._server.chain.receive(session, notification)
            return
        await self._pass_through(session, notification, MiddlewareContext(message=message_of(notification)), end)

    async def _notify(
        self,
        caller: "Caller",
        notification: Notification,
        related: RequestId | None,
        send: Send,
        before: "asyncio.Task[None] | None",
    ) -> None:
        is_sent = False

        async def end(context: MiddlewareContext[Any]) -> None:
            nonlocal is_sent
            params = passed_params(context, notification.method)
            if before is not None:
                await asyncio.wait({before})
            if not is_sent:
                is_sent = True
                send(notification.method, params, related)

        context = MiddlewareContext(message=message_of(notification), source="server")
        await self._pass_through(caller, notification, context, end)

    async def _pass_through(
        self, caller: "Caller", notification: Notification, context: MiddlewareContext[Any], end: CallNext
    ) -> None:
        # Not reset: the task of this notification has its own context.
        _is_notifying.set(True)
        context = context.copy(type="notification", method=notification.method, session_id=caller.client.session_id)
        try:
            await chained(self._steps, end)(context)
        except BaseException as error:  # Including SystemExit, which must not end the server.
            if ends_the_task(error):
                raise
            self._report_failure(caller.client.session_key, notification.method, error)

    def _report_failure(self, session: str, method: str, error: BaseException) -> None:
        self._server.tap.emit_event("middleware_failed", session, method=method, **report_of(error))


def build_chain(server: "Server", generation: "Generation") -> tuple[Chain, Json]:
    """Return the middleware of a generation, and the capabilities that it adds."""
    settings = server.settings
    outer: list[Step] = []
    inner: list[Step] = []
    if server.instruments is not None:
        outer.append(server.instruments.outer)
        inner.append(server.instruments.inner)
    if settings.middleware_enable_error_handling:
        outer.append(ErrorHandlingMiddleware(mask_error_details=settings.middleware_mask_error_details))
    if settings.middleware_enable_logging:
        outer.append(LoggingMiddleware(settings.middleware_log_level, mask=server.tap.masker.mask_text))
    authors = [step for app in generation.apps for step in app.middleware]
    capabilities: Json = {}
    for step in authors:
        try:
            capabilities = merge_objects(capabilities, _capabilities(step))
        except BaseException as error:  # Including SystemExit, as in every call of a middleware.
            server.tap.emit_event("middleware_failed", method="get_capabilities", **report_of(error))
    return Chain(server, outer, authors, inner), capabilities


def _capabilities(middleware: Step) -> Json:
    getter: Callable[[], object] | None = getattr(middleware, "get_capabilities", None)
    capabilities = {} if getter is None else getter()
    if not isinstance(capabilities, dict):
        kind = type(capabilities).__name__
        raise MiddlewareFailed(f"{type(middleware).__name__}.get_capabilities returned a {kind}; return a dict.")
    jsonrpc.encode(capabilities)
    return capabilities


def report_of(error: BaseException) -> Json:
    """Return the description of a failed middleware, for people."""
    return request_report(error) or {"message": safe_str(error)}
