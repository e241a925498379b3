"""An app object as an ASGI application: to mount into Starlette, FastAPI or another, or to run with any ASGI server.

It writes no capture to disk and opens no link: that is up to the process that it is mounted in. Traces are sent if the
settings enable them, with the OpenTelemetry setup of that process.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Collection
from typing import TYPE_CHECKING, Any

from server_core.core import Core
from server_core.transports.streamable.asgi import Receive, Scope, Send, run_lifespan
from server_core.transports.streamable.endpoint import StreamableHttp

if TYPE_CHECKING:
    from server_core.authoring.declared_app import DeclaredApp


class MountedApp:
    """An app over HTTP; its endpoint is `/mcp` below the path where it is mounted.

    Args:
        app: the app to serve.
        hosts: host names under which clients reach it, besides the loopback names.

    Raises:
        ConfigurationError: when a setting is invalid.
    """

    def __init__(self, app: "DeclaredApp", hosts: Collection[str] = ()) -> None:
        self._core = Core(app=app, capture=False, link=False, mode="http")
        self._http = StreamableHttp(self._core.server, self._core.settings, hosts)
        self._start_lock = asyncio.Lock()
        self._is_started = False
        self._tracing = contextlib.AsyncExitStack()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one ASGI connection."""
        if scope["type"] == "lifespan":
            await run_lifespan(self.lifespan(), receive, send)
            return
        # At the first request, since few applications forward lifespan events to mounted applications.
        await self._start()
        await self._http(scope, receive, send)

    @contextlib.asynccontextmanager
    async def lifespan(self, outer: Any = None) -> AsyncIterator[None]:
        """Serve while this context is entered; on exit, running calls get a grace period, and all sessions are closed.

        For the application that this app is mounted in: `Starlette(routes=[Mount("/tools", mcp)],
        lifespan=mcp.lifespan)`, and the same for FastAPI.

        Args:
            outer: that application; it is not used.
        """
        await self._start()
        try:
            async with self._http.lifespan():
                yield
        finally:
            await self._core.stop()
            await self._tracing.aclose()

    async def _start(self) -> None:
        if self._is_started:
            return
        async with self._start_lock:
            if not self._is_started:
                await self._start_tracing()
                await self._core.start()
                self._is_started = True

    async def _start_tracing(self) -> None:
        if self._core.settings.otel_enable:
            from server_core.telemetry.startup import traced

            await self._tracing.enter_async_context(traced(self._core))
