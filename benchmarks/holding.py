"""What a hold adds to a message that does not match its filter: a call and its response, in one session in memory."""

import asyncio
import time
from statistics import median

from benchmarks.figures import Figure, interleaved
from server_core import MCPApp
from server_core.core import Core
from server_core.holding.matcher import load_matcher
from server_core.protocol import jsonrpc
from server_core.protocol.jsonrpc import RequestId

ROUNDS = 15
CALLS = 2_000
LIMIT_US = 5.0
FILTERS = ("tool:other", "method:tools/list dir:in", "status:err", "client:other")
"""The limit is for the first two, whose facts every message has; the last needs the handshake of its session."""

HANDSHAKE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}


class NullOutlet:
    """Drops what the session sends."""

    full = False

    def send(self, message: bytes, related: RequestId | None, *, is_response: bool = False) -> None:
        """Drop the message."""

    async def drain(self) -> None:
        """Return at once."""


def run() -> list[Figure]:
    """Measure the same calls without a hold, and with filters that match none of them."""
    return asyncio.run(_measure())


async def _measure() -> list[Figure]:
    app = MCPApp("bench", "1.0", toolkit="")

    @app.tool
    async def echo(text: str) -> str:
        """Repeat it."""
        return text

    core = Core(app=app, capture=False, link=False)
    await core.start()
    await core.wait_loaded()
    session = core.server.open_session(NullOutlet(), "memory")
    session.receive(jsonrpc.request(0, "initialize", HANDSHAKE))
    session.receive(jsonrpc.notification("notifications/initialized"))
    params = {"name": "echo", "arguments": {"text": "hello"}}
    messages = [jsonrpc.request(id, "tools/call", params) for id in range(1, CALLS + 1)]
    core.holds.attach(core)

    def with_filter(text: str | None) -> float:
        """Return the microseconds of a message."""
        if text is None:
            core.holds.clear()
        else:
            core.holds.set(core, text, load_matcher(text), ())
        started = time.perf_counter()
        for message in messages:
            session.receive(message)
        # Each call is two messages: the tool does not wait, so the response is there already.
        return (time.perf_counter() - started) / (2 * CALLS) * 1e6

    without, *others = interleaved(
        ROUNDS, lambda: with_filter(None), *(lambda text=text: with_filter(text) for text in FILTERS)
    )
    await core.stop()
    figures = [Figure("a message without a hold", median(without), None, "us")]
    for text, times in zip(FILTERS, others, strict=True):
        added = median(after - before for after, before in zip(times, without, strict=True))
        limit = LIMIT_US if text in FILTERS[:2] else None
        figures.append(Figure(f"a hold that does not match, `{text}`: added to a message", added, limit, "us"))
    return figures
