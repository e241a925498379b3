"""The HTTP port of a core: served from its start or opened on request, at most one at a time."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from server_core.errors import ConfigurationError

if TYPE_CHECKING:
    from server_core.settings import Settings
    from server_core.transports.source import ToolSource

Spawn = Callable[[Coroutine[Any, Any, None], str], "asyncio.Task[None]"]
"""Starts a task, with a name, that the core cancels when it stops."""


class HttpPort:
    """The port of the core with this id; `on_change` is called when :attr:`url` has changed."""

    def __init__(
        self, core_id: str, source: "ToolSource", settings: "Settings", spawn: Spawn, on_change: Callable[[], None]
    ) -> None:
        self.url: str | None = None
        """Where clients can connect; None while they cannot."""
        self._core_id = core_id
        self._source = source
        self._settings = settings
        self._spawn = spawn
        self._on_change = on_change
        self._lock = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None

    async def serve(self, host: str, port: int, on_ready: Callable[[str], None] | None = None) -> None:
        """Serve HTTP until cancelled.

        Args:
            port: 0 for any free port.
            on_ready: called with the URL once clients can connect.

        Raises:
            ConfigurationError: when the port is in use, or the host is not an interface of this machine.
        """
        from server_core.transports.http_server import serve_http

        def publish(url: str) -> None:
            self._set_url(url)
            if on_ready is not None:
                on_ready(url)

        try:
            await serve_http(self._source, host, port, self._settings, publish)
        finally:
            self._set_url(None)

    async def open(self, host: str, port: int) -> str:
        """Serve HTTP in addition, and return the URL; arguments and errors are those of :meth:`serve`."""
        async with self._lock:
            if self.url is not None:
                return self.url
            url: asyncio.Future[str] = asyncio.get_running_loop().create_future()

            async def serve() -> None:
                try:
                    await self.serve(host, port, url.set_result)
                except ConfigurationError as error:
                    url.set_exception(error)

            self._task = self._spawn(serve(), "http")
            return await url

    async def close(self) -> None:
        """End what :meth:`open` began: running calls get a grace period, and the sessions over HTTP end.

        Raises:
            ConfigurationError: when HTTP is what the core was started for.
        """
        async with self._lock:
            if self.url is None:
                return
            if self._task is None:
                raise ConfigurationError(
                    f"This core was started to serve HTTP, so only its end closes the port: "
                    f"workbench stop {self._core_id}"
                )
            self._task.cancel()
            await asyncio.wait({self._task})

    def _set_url(self, url: str | None) -> None:
        if url != self.url:
            self.url = url
            self._on_change()
