"""Connections when no descriptor is left, over HTTP and on the link."""

import asyncio
import contextlib
import logging
import os
import resource
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TypeAlias

import pytest

from server_core import MCPApp
from server_core.core import Core
from server_core.link.descriptor import socket_path
from server_core.runtime import console
from server_core.runtime.background import spawn
from server_core.transports import listener
from tests.waiting import until, within

Address: TypeAlias = tuple[str, int] | str


@asynccontextmanager
async def http() -> AsyncIterator[Address]:
    core = Core(app=MCPApp("shop"), capture=False, link=False)
    await core.start()
    serving = spawn(core.http.serve("127.0.0.1", 0), "serve")
    await within(core.wait_loaded())
    await until(lambda: core.http.url)
    assert core.http.url is not None
    yield "127.0.0.1", int(core.http.url.split(":")[2].split("/")[0])
    serving.cancel()
    await core.stop()


@asynccontextmanager
async def link() -> AsyncIterator[Address]:
    core = Core(app=MCPApp("shop"), capture=False)
    await core.start()
    await within(core.wait_loaded())
    yield str(socket_path(core.id))
    await core.stop()


class Descriptors:
    """All the descriptors that this process may have."""

    def __init__(self) -> None:
        self._before = resource.getrlimit(resource.RLIMIT_NOFILE)
        self._taken: list[int] = []

    def exhaust(self) -> None:
        """Take all that there are."""
        highest = max(map(int, os.listdir("/dev/fd")))
        resource.setrlimit(resource.RLIMIT_NOFILE, (highest + 2, self._before[1]))
        with contextlib.suppress(OSError):
            while True:
                self._taken.append(os.open(os.devnull, os.O_RDONLY))

    def restore(self) -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, self._before)
        while self._taken:
            os.close(self._taken.pop())


@pytest.fixture
def descriptors() -> Iterator[Descriptors]:
    console.write_with(None)  # As the stdio guard does, which then leaves nothing to be imported.
    descriptors = Descriptors()
    yield descriptors
    descriptors.restore()


Serving: TypeAlias = Callable[[], AbstractAsyncContextManager[Address]]


def client_of(address: Address) -> socket.socket:
    """Return a socket that is yet to be connected: that takes no further descriptor."""
    client = socket.socket(socket.AF_UNIX if isinstance(address, str) else socket.AF_INET)
    client.setblocking(False)
    return client


async def asked(client: socket.socket, address: Address) -> bytes:
    """Connect, ask for nothing that there is, and return the beginning of what comes."""
    loop = asyncio.get_running_loop()
    try:
        await loop.sock_connect(client, address)
        await loop.sock_sendall(client, b"GET /nothing HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        return await loop.sock_recv(client, 4096)
    except (ConnectionResetError, BrokenPipeError):
        return b""


async def answered_at_all(address: Address) -> None:
    """Let everything be imported that an answer takes: that needs descriptors as well."""
    before = len(os.listdir("/dev/fd"))
    with client_of(address) as client:
        assert await within(asked(client, address))
    await until(lambda: len(os.listdir("/dev/fd")) <= before)


@pytest.mark.parametrize("serving", [http, link])
async def test_connections_without_a_free_descriptor_are_refused_and_reported_once(
    serving: Serving, descriptors: Descriptors, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    async with serving() as address:
        clients = [client_of(address) for _ in range(12)]
        await answered_at_all(address)
        descriptors.exhaust()
        answers = [await within(asked(client, address)) for client in clients[:-1]]
        descriptors.restore()
        served = await within(asked(clients[-1], address))
        for client in clients:
            client.close()
    assert {answer[:12] for answer in answers} <= {b"", b"HTTP/1.1 503"}
    assert served[:9] == b"HTTP/1.1 "
    assert served[9:12] in (b"400", b"404", b"426")
    (line,) = capsys.readouterr().err.splitlines()
    assert "can be accepted: Too many open files. Raise the limit" in line
    assert caplog.records == []


@pytest.mark.parametrize("serving", [http, link])
async def test_without_the_spare_descriptor_connections_wait_until_some_are_free(
    serving: Serving,
    descriptors: Descriptors,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(listener, "_open_spare", lambda: None)
    asyncio.get_running_loop().set_exception_handler(None)  # That of asyncio itself, which logs.
    async with serving() as address:
        client = client_of(address)
        await answered_at_all(address)
        descriptors.exhaust()
        waiting = spawn(asked(client, address), "ask")
        out: list[str] = []
        await until(lambda: out.append(capsys.readouterr().err) or any(out))
        assert not waiting.done()
        descriptors.restore()
        assert (await within(waiting))[:9] == b"HTTP/1.1 "
        client.close()
    assert "".join(out).count("\n") == 1
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []
