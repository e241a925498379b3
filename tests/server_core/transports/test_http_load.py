"""The cost of many sessions, and of many calls at once."""

import asyncio
import gc
import tracemalloc
from typing import Any

from server_core import Context, MCPApp
from server_core.settings import Settings
from server_core.transports.streamable.endpoint import StreamableHttp
from tests.server_core.toolkit import INITIALIZED, Toolkit, call, initialize, new_server

HEADERS = [(b"host", b"localhost"), (b"accept", b"*/*"), (b"content-type", b"application/json")]
MAX_BYTES = 10_000
"""How many bytes an open session may cost."""


async def post(application: StreamableHttp, body: bytes, session: bytes = b"") -> list[Any]:
    """Send one request without a network, and return what is sent back."""
    requests = [{"type": "http.request", "body": body}]
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return requests.pop() if requests else await asyncio.get_running_loop().create_future()

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [*HEADERS, (b"mcp-session-id", session)] if session else HEADERS
    await application({"type": "http", "method": "POST", "path": "/mcp", "headers": headers}, receive, send)
    return sent


async def opened(application: StreamableHttp) -> bytes:
    head, _ = await post(application, initialize())
    id: bytes = dict(head["headers"])[b"mcp-session-id"]
    await post(application, INITIALIZED, id)
    return id


async def test_a_thousand_open_sessions_cost_little_each() -> None:
    application = StreamableHttp(new_server(Toolkit()), Settings(max_sessions=2000))
    await opened(application)
    gc.collect()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for _ in range(1000):
            await opened(application)
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
        application.close()
    assert (after - before) / 1000 < MAX_BYTES


async def test_fifteen_hundred_calls_at_once_in_one_session_are_all_answered() -> None:
    toolkit = Toolkit()
    toolkit.app = MCPApp("busy", "1.0", toolkit="")
    gate = asyncio.Event()

    @toolkit.app.tool
    async def report(number: int, context: Context) -> int:
        """Report, and wait for all the others."""
        await context.progress.report(number + 1)
        await gate.wait()
        return number

    application = StreamableHttp(new_server(toolkit), Settings())
    session = await opened(application)
    requests = [
        call(id, "tools/call", name="report", arguments={"number": id}, _meta={"progressToken": id})
        for id in range(1500)
    ]
    async with asyncio.timeout(60), asyncio.TaskGroup() as group:
        posting = [group.create_task(post(application, item, session)) for item in requests]
        await asyncio.sleep(0)
        gate.set()
    for id, item in enumerate(posting):
        head, *pieces = item.result()
        assert head["status"] == 200
        events = b"".join(piece["body"] for piece in pieces)
        assert b'"progressToken":%d,' % id in events
        assert b'{"jsonrpc":"2.0","id":%d,"result":' % id in events
    application.close()
