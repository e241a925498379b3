"""What one `tools/call` costs, in figures that a busy machine cannot blur: function calls, objects, bytes.

Everything is counted on the thread of the event loop, in both eras of the protocol, from the bytes of a request on a
pipe or in an HTTP body to the bytes of its answer.
"""

import asyncio
import gc
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from types import FrameType
from typing import Any, TypeAlias

import pytest

from server_core import MCPApp
from server_core.protocol import jsonrpc
from server_core.protocol.revisions import LATEST, LATEST_STATELESS
from server_core.records.tap import Tap
from server_core.runtime.background import spawn
from server_core.serving.server import Server
from server_core.settings import Settings
from server_core.transports.stdio import serve_stdio
from server_core.transports.streamable.endpoint import StreamableHttp
from tests.server_core.toolkit import generation, initialize, notification, secret_values
from tests.waiting import within

SESSIONS, STATELESS = LATEST.date, LATEST_STATELESS.date
MAX_FUNCTION_CALLS = {"stdio": 110, "http": 150}
"""For one call; the official SDK needs more than a thousand on either."""
IN_FLIGHT = 50
MAX_DIFFERENCE = 2
"""How far two averages may be apart: now and then the loop has something else to do."""
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": STATELESS,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
}

MakeCalls: TypeAlias = Callable[[int], Awaitable[None]]
"""Makes so many calls and returns when all are answered."""
eras = pytest.mark.parametrize("era", [SESSIONS, STATELESS])


def server_of(count: int) -> Server:
    """A server with so many tools, whose records two readers take, as those of a core are."""
    app = MCPApp("many", "1", toolkit="")

    async def echo(text: str) -> str:
        """Repeat it."""
        return text

    for number in range(count):
        app.tool(echo, name=f"echo_{number}")
    catalog, problems = app.build()
    assert not problems
    server = Server(Tap(), Settings(), secret_values, app.identity)
    server.tap.subscribe(100, lambda: None)
    server.tap.subscribe(100, lambda: None)
    server.swap(generation(catalog, app))
    return server


def call_of(era: str, request_id: int) -> bytes:
    params: dict[str, Any] = {"name": "echo_7", "arguments": {"text": "hello"}}
    if era == STATELESS:
        params["_meta"] = ENVELOPE
    return jsonrpc.request(request_id, "tools/call", params)


@asynccontextmanager
async def on_stdio(server: Server, era: str) -> AsyncIterator[MakeCalls]:
    """Serve one client on pipes."""
    (server_in, client_out), (client_in, server_out) = os.pipe(), os.pipe()
    os.set_blocking(client_in, False)
    serving = spawn(serve_stdio(server, stdin_fd=server_in, stdout_fd=server_out, settings=server.settings), "serve")
    loop = asyncio.get_running_loop()
    answered = asyncio.Event()
    waiting = 0

    def read() -> None:
        nonlocal waiting
        lines = os.read(client_in, 1 << 20).splitlines()
        assert all(b'"result"' in line and b"isError" not in line for line in lines), lines
        waiting -= len(lines)
        if not waiting:
            answered.set()

    async def send(messages: list[bytes]) -> None:
        nonlocal waiting
        waiting = len(messages)
        answered.clear()
        os.write(client_out, b"".join(message + b"\n" for message in messages))
        await within(answered.wait())

    calls = [call_of(era, request_id) for request_id in range(IN_FLIGHT)]

    async def make_calls(count: int) -> None:
        assert count % IN_FLIGHT == 0
        for _ in range(count // IN_FLIGHT):
            await send(calls)

    loop.add_reader(client_in, read)
    try:
        if era == SESSIONS:
            await send([initialize(SESSIONS)])
            os.write(client_out, notification("notifications/initialized") + b"\n")
        yield make_calls
    finally:
        os.close(client_out)
        await within(serving)
        loop.remove_reader(client_in)
        for fd in (server_in, client_in, server_out):
            os.close(fd)


@asynccontextmanager
async def over_http(server: Server, era: str) -> AsyncIterator[MakeCalls]:
    """Be the HTTP server of the ASGI application, and its client."""
    application = StreamableHttp(server, server.settings)
    headers = [(b"host", b"127.0.0.1"), (b"content-type", b"application/json"), (b"mcp-protocol-version", era.encode())]
    headers.append((b"accept", b"application/json, text/event-stream"))
    if era == SESSIONS:
        opened = await post(application, headers, initialize(SESSIONS))
        headers.append((b"mcp-session-id", dict(opened)[b"mcp-session-id"]))
        await post(application, headers, notification("notifications/initialized"))
    else:
        headers += [(b"mcp-method", b"tools/call"), (b"mcp-name", b"echo_7")]

    call = call_of(era, 1)

    async def make_calls(count: int) -> None:
        for _ in range(count):
            await post(application, headers, call)

    try:
        yield make_calls
    finally:
        application.sessions.close_all()


async def post(
    application: StreamableHttp, headers: list[tuple[bytes, bytes]], body: bytes
) -> list[tuple[bytes, bytes]]:
    """Make one request and return the headers of its response."""
    scope = {"type": "http", "method": "POST", "path": "/mcp", "headers": headers, "query_string": b""}
    sent: list[dict[str, Any]] = []
    given = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> dict[str, Any]:
        if given:
            return given.pop()
        return await asyncio.get_running_loop().create_future()  # type: ignore[no-any-return]

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await application(scope, receive, send)  # type: ignore[arg-type]
    assert sent[0]["status"] in (200, 202)
    assert sent[0]["status"] == 202 or b'"result"' in sent[-1]["body"]
    return sent[0]["headers"]  # type: ignore[no-any-return]


TRANSPORTS = {"stdio": on_stdio, "http": over_http}
transports = pytest.mark.parametrize("transport", TRANSPORTS)


async def function_calls(make_calls: MakeCalls, count: int = 200) -> float:
    """Return how many Python functions are called for one call, on this thread."""
    counted = 0

    def count_call(frame: FrameType, event: str, argument: object) -> None:
        nonlocal counted
        if event == "call" and frame.f_code.co_filename != __file__:
            counted += 1

    await make_calls(50)
    before = sys.getprofile()
    sys.setprofile(count_call)
    try:
        await make_calls(count)
    finally:
        sys.setprofile(before)
    return counted / count


@eras
@transports
async def test_a_call_needs_few_function_calls_regardless_of_the_number_of_tools(transport: str, era: str) -> None:
    async with TRANSPORTS[transport](server_of(10), era) as make_calls:
        beside_few = await function_calls(make_calls)
    async with TRANSPORTS[transport](server_of(1000), era) as make_calls:
        beside_many = await function_calls(make_calls)
    assert beside_few <= MAX_FUNCTION_CALLS[transport]
    assert abs(beside_many - beside_few) <= MAX_DIFFERENCE


@eras
async def test_twenty_thousand_calls_leave_nothing_in_memory(era: str) -> None:
    async with on_stdio(server_of(10), era) as make_calls:
        await make_calls(2000)
        gc.collect()
        before = sys.getallocatedblocks()
        await make_calls(20_000)
        gc.collect()
        after = sys.getallocatedblocks()
    # Less than one block for twenty calls: what a cache or the loop keeps, but nothing for each call.
    assert after - before < 1000


@eras
async def test_a_call_leaves_nothing_to_the_garbage_collector(era: str) -> None:
    async with on_stdio(server_of(10), era) as make_calls:
        await make_calls(100)
        gc.collect()
        gc.disable()
        try:
            await make_calls(500)
            left = gc.collect()
        finally:
            gc.enable()
    # What the loop and the test leave does not grow with the calls.
    assert left < 100
