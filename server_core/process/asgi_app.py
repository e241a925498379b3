"""An app object as an ASGI application: to mount into Starlette, FastAPI or any other, or to run with any ASGI server.

It records and captures nothing on disk and opens no link: that is for the process that it is mounted in to decide.
Traces are sent where the settings say so, by whatever that process has set up for that.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Collection
from typing import TYPE_CHECKING, Any

from server_core.core import Core
from server_core.transports.http import app as http_application
from server_core.transports.streamable.http_exchange import Receive, Scope, Send
from server_core.transports.streamable.lifespan import run_lifespan

if TYPE_CHECKING:
    from server_core.authoring.app import MCPApp


class MountedApp:
    """An app over HTTP; its endpoint is `/mcp` under wherever it is mounted.

    Args:
        app: what it serves.
        hosts: names under which people reach it, besides the loopback ones.

    Raises:
        ConfigurationError: when a setting makes no sense.
    """

    def __init__(self, app: "MCPApp", hosts: Collection[str] = ()) -> None:
        self._core = Core(app=app, capture=False, link=False, mode="http")
        self._http = http_application(self._core.server, self._core.settings, hosts)
        self._starting = asyncio.Lock()
        self._is_started = False
        self._tracing = contextlib.AsyncExitStack()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection, as ASGI calls for it."""
        if scope["type"] == "lifespan":
            await run_lifespan(self.lifespan(), receive, send)
            return
        # Few applications hand a lifespan on to what is mounted in them.
        await self._start()
        await self._http(scope, receive, send)

    @contextlib.asynccontextmanager
    async def lifespan(self, outer: Any = None) -> AsyncIterator[None]:
        """Serve as long as this context is entered; then running calls get their grace, and every session ends.

        For the application that this one is mounted in: `Starlette(routes=[Mount("/tools", mcp)],
        lifespan=mcp.lifespan)`, and the same for FastAPI.

        Args:
            outer: that application; it is not needed.
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
        async with self._starting:
            if not self._is_started:
                await self._trace()
                await self._core.start()
                self._is_started = True

    async def _trace(self) -> None:
        if self._core.settings.otel_enable:
            from server_core.telemetry.startup import traced

            await self._tracing.enter_async_context(traced(self._core))
