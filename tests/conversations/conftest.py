"""Fixtures that run a test over every transport and every revision, against a server in the same process.

A test with `world` runs over every transport, in the default revision. With :func:`over` it runs in all revisions, or
those with a given feature, and over the default transports. All messages on the connections are checked against the
schemas of the revisions.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from server_core.protocol.framing import LineFramer, OversizedLine
from server_core.protocol.revisions import LATEST, REVISIONS, Revision
from server_core.runtime.background import spawn
from server_core.serving.server import Server
from server_core.settings import Settings
from server_core.transports.channel import Channel
from server_core.transports.http_client.http_client import HttpChannel
from server_core.transports.http_server import serve_http
from server_core.transports.memory import MemoryChannel
from server_core.transports.stdio import FdOutlet, serve_stdio
from server_core.transports.websocket import WebSocketChannel, serve_websocket
from tests.conversations.witness import Witness
from tests.conversations.workshop import Workshop, workshop
from tests.server_core.toolkit import Toolkit, new_server
from tests.waiting import within
from workbench.client.session import ClientSession

Dial = Callable[[], Awaitable[Channel]]
SETTINGS = Settings(shutdown_grace=0.5)


class World:
    """A server with its toolkit, and ways to connect to it.

    Args:
        toolkit: the tools that it serves.
        server: the server.
        dial: opens a channel to the server.
        transport: the name of the transport.
        revision: the revision of the clients.
    """

    def __init__(self, toolkit: Workshop, server: Server, dial: Dial, transport: str, revision: Revision) -> None:
        self.toolkit = toolkit
        self.server = server
        self.transport = transport
        self.revision = revision
        self.witness = Witness()
        self._dial = dial
        self._sessions: list[ClientSession] = []

    async def dial(self, *, ours: bool = True) -> Channel:
        """Open a channel.

        Args:
            ours: whether our own client will use it, so that its messages have to be valid.
        """
        return self.witness.attach(await self._dial(), ours=ours)

    async def open(self, **options: Any) -> ClientSession:
        """Open a session of our client in the revision of this run; it is closed with the world.

        Args:
            options: those of :meth:`ClientSession.open`.
        """
        options = {"revision": self.revision, **options}
        session = await within(ClientSession.open(await self.dial(), **options))
        self._sessions.append(session)
        return session

    def set(self, **settings: Any) -> None:
        """Change settings of the server, before it needs them."""
        self.server.settings = replace(self.server.settings, **settings)

    async def close(self) -> None:
        """Close the sessions, and check the problems that the witness has recorded."""
        self.toolkit.gate.set()
        for session in self._sessions:
            await within(session.close())
        assert self.witness.problems == []


@asynccontextmanager
async def over_memory(server: Server, folder: Path) -> AsyncIterator[Dial]:
    async def dial() -> Channel:
        return MemoryChannel(server)

    yield dial


@asynccontextmanager
async def over_stdio(server: Server, folder: Path) -> AsyncIterator[Dial]:
    async with AsyncExitStack() as stack:

        async def dial() -> Channel:
            (server_in, client_out), (client_in, server_out) = os.pipe(), os.pipe()
            serving = spawn(
                serve_stdio(server, stdin_fd=server_in, stdout_fd=server_out, settings=SETTINGS), "serve stdio"
            )
            channel = PipeChannel(client_in, client_out)

            async def end() -> None:
                await channel.close()
                await within(serving)
                os.close(server_in)
                os.close(server_out)

            stack.push_async_callback(end)
            return channel

        yield dial


@asynccontextmanager
async def over_http(server: Server, folder: Path) -> AsyncIterator[Dial]:
    url: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    serving = spawn(serve_http(server, "127.0.0.1", 0, SETTINGS, url.set_result), "serve http")

    async def dial() -> Channel:
        return HttpChannel(await url)

    yield dial
    serving.cancel()
    await asyncio.wait([serving])


@asynccontextmanager
async def over_websocket(server: Server, folder: Path) -> AsyncIterator[Dial]:
    from websockets.asyncio.server import unix_serve

    path = str(Path(os.environ["WORKBENCH_RUNTIME"]) / "test.sock")
    async with unix_serve(
        lambda connection: serve_websocket(server, connection), path, max_size=SETTINGS.max_message_bytes
    ):

        async def dial() -> Channel:
            return await WebSocketChannel.connect("ws://localhost/mcp", unix_path=path)

        yield dial


TRANSPORTS = {"memory": over_memory, "stdio": over_stdio, "http": over_http, "websocket": over_websocket}


USUAL = ("memory", "stdio", "http")
"""The default transports of a test: the first has every revision."""
Way = tuple[str, Revision]
"""A transport and a revision."""


def ways(has: Callable[[Revision], bool] = lambda revision: True, transports: Sequence[str] = USUAL) -> list[Way]:
    """Return every revision over the first transport, and the newest of each era over the others.

    HTTP differs between the eras. The other transports carry the same messages in both: the newest revision is enough.

    Args:
        has: whether a revision applies.
        transports: the names of the transports.
    """
    first, *others = transports
    revisions = [revision for revision in REVISIONS.values() if has(revision)]
    newest = {revision.stateless: revision for revision in revisions}
    elsewhere = [(name, revision) for name in others for revision in newest.values()]
    return [(first, revision) for revision in revisions] + [
        (name, revision) for name, revision in elsewhere if name == "http" or revision is revisions[-1]
    ]


def over(
    has: Callable[[Revision], bool] = lambda revision: True, transports: Sequence[str] = USUAL
) -> pytest.MarkDecorator:
    """Run a test in the :func:`ways` of these arguments."""
    chosen = ways(has, transports)
    return pytest.mark.parametrize("world", chosen, indirect=True, ids=[_way_id(way) for way in chosen])


def _way_id(way: Way) -> str:
    return f"{way[1].date}-{way[0]}"


@asynccontextmanager
async def world_of(toolkit: Toolkit, way: Way, folder: Path) -> AsyncIterator[World]:
    """A server of a toolkit, on a transport and in a revision."""
    transport, revision = way
    toolkit.renew()
    server = new_server(toolkit, settings=SETTINGS)
    async with TRANSPORTS[transport](server, folder) as dial:
        world = World(toolkit, server, dial, transport, revision)
        try:
            yield world
        finally:
            await world.close()


@pytest.fixture(params=TRANSPORTS)
async def world(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[World]:
    """A server on the transport and in the revision of this run."""
    way = (request.param, LATEST) if isinstance(request.param, str) else request.param
    async with world_of(workshop(), way, tmp_path) as world:
        yield world


class PipeChannel:
    """The client's end of two pipes.

    Args:
        read_fd: where the server's messages come from.
        write_fd: where messages to the server go.
    """

    def __init__(self, read_fd: int, write_fd: int) -> None:
        self._read_fd, self._write_fd = read_fd, write_fd
        self._outlet = FdOutlet(write_fd)
        self._lines: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._framer = LineFramer()
        self._closed = False
        asyncio.get_running_loop().add_reader(read_fd, self._read)

    async def send(self, message: bytes) -> None:
        self._outlet.send(message, None)
        await self._outlet.drain()

    async def receive(self) -> bytes | None:
        return await self._lines.get()

    async def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        asyncio.get_running_loop().remove_reader(self._read_fd)
        await self._outlet.wait_until_flushed()
        self._outlet.close()
        os.close(self._write_fd)
        os.close(self._read_fd)
        self._lines.put_nowait(None)

    def _read(self) -> None:
        data = os.read(self._read_fd, 65536)
        if not data:
            asyncio.get_running_loop().remove_reader(self._read_fd)
            self._lines.put_nowait(None)
        for line in self._framer.receive_data(data):
            assert not isinstance(line, OversizedLine)
            self._lines.put_nowait(line)
