"""A server on HTTP, a client that sends given messages, and a reader of its streams."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx

from server_core import MCPApp
from server_core.protocol.sse import Event, EventReader
from server_core.runtime.background import spawn
from server_core.serving.server import Server
from server_core.settings import Settings
from server_core.transports.http_server import serve_http
from tests.server_core.toolkit import INITIALIZED, Records, Toolkit, initialize, new_server
from tests.waiting import within

ACCEPT = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


class Site:
    """A server on HTTP, and a client that sends given messages."""

    def __init__(
        self, toolkit: Toolkit, server: Server, serving: asyncio.Task[None], url: str, client: httpx.AsyncClient
    ) -> None:
        self.toolkit = toolkit
        self.serving = serving
        self.server = server
        self.records = Records(server.tap)
        self.url = url
        self.client = client
        self.session = ""

    async def post(self, data: bytes, **headers: str) -> httpx.Response:
        return await within(self.client.post(self.url, content=data, headers=self._headers(headers)))

    @asynccontextmanager
    async def stream(self, method: str, data: bytes | None = None, **headers: str) -> AsyncIterator["Events"]:
        sent = self._headers(headers)
        async with self.client.stream(method, self.url, content=data, headers=sent) as response:
            yield Events(response)

    async def open(self, revision: str = "2025-11-25", **capabilities: Any) -> "Site":
        response = await self.post(initialize(revision, **capabilities))
        self.session = response.headers["mcp-session-id"]
        assert (await self.post(INITIALIZED)).status_code == 202
        return self

    def _headers(self, headers: dict[str, str]) -> dict[str, str]:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        session = {"Mcp-Session-Id": self.session} if self.session else {}
        return {name: value for name, value in {**ACCEPT, **session, **named}.items() if value}


class Events:
    """The events of one response, one after the other."""

    def __init__(self, response: httpx.Response) -> None:
        self.response = response
        self._reader = EventReader(1 << 24)
        self._events: list[Event] = []
        self._pieces = response.aiter_bytes()

    @property
    def retry(self) -> int | None:
        """After how many milliseconds the client should reconnect, if given."""
        return self._reader.retry

    async def next(self) -> Event:
        """Return the next event."""
        async with asyncio.timeout(5):
            while not self._events:
                self._events += self._reader.receive_data(await anext(self._pieces))
        return self._events.pop(0)

    async def piece(self) -> bytes:
        """Return the next bytes as they come, comments and all."""
        return await within(anext(self._pieces))

    async def message(self) -> dict[str, Any]:
        """Return the message of the next event."""
        message = json.loads((await self.next()).data)
        assert isinstance(message, dict)
        return message

    async def rest(self) -> list[dict[str, Any]]:
        """Return all messages to the end of the response."""
        messages = []
        try:
            while True:
                messages.append(await self.message())
        except StopAsyncIteration:
            return messages


@asynccontextmanager
async def serving(
    settings: Settings | None = None, host: str = "127.0.0.1", app: MCPApp | None = None
) -> AsyncIterator[Site]:
    toolkit = Toolkit()
    toolkit.app = app or toolkit.app
    settings = settings or Settings(shutdown_grace=0.5)
    server = new_server(toolkit, settings=settings)
    url: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    task = spawn(serve_http(server, host, 0, settings, url.set_result), "serve http")
    async with httpx.AsyncClient(trust_env=False, timeout=None) as client:
        yield Site(toolkit, server, task, await within(url), client)
    toolkit.gate.set()
    task.cancel()
    await asyncio.wait([task])
