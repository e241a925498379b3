"""A client of a relay, and the server behind it, which is the test."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

from server_core.protocol.envelope import CLIENT_CAPABILITIES, PROTOCOL_VERSION
from server_core.protocol.jsonrpc import Request, parse
from server_core.records.tap import Kind, Tap
from server_core.serving.relay import Relay
from server_core.transports.channel import Channel
from server_core.transports.source import RunningRequest
from tests.server_core.toolkit import (
    RecordingOutlet,
    Records,
    call,
)
from tests.waiting import until


class Upstream:
    """A channel whose other end is the test."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.incoming: asyncio.Queue[bytes | None] = asyncio.Queue()
        self.closed = asyncio.Event()

    async def send(self, message: bytes) -> None:
        self.sent.append(message)

    async def receive(self) -> bytes | None:
        return await self.incoming.get()

    async def close(self) -> None:
        self.closed.set()

    def emit(self, **message: Any) -> None:
        self.incoming.put_nowait(json.dumps({"jsonrpc": "2.0", **message}).encode())


class Client:
    """A client of a relay, with the other server in the test's hands."""

    def __init__(self, dial: Callable[[], Awaitable[Channel]] | None = None) -> None:
        self.upstream = Upstream()
        self.tap = Tap()
        self.records = Records(self.tap)
        self.relay = Relay(self.tap, dial or self._dial)
        self.outlet = RecordingOutlet()
        self.session = self.relay.open_session(self.outlet, "memory")

    async def _dial(self) -> Channel:
        return self.upstream


class Sharing(Client):
    """Two clients without a session that share the connection, and are alike in everything."""

    def __init__(self) -> None:
        super().__init__()
        self.outlets = [RecordingOutlet(), RecordingOutlet()]

    def ask(self, method: str, **meta: Any) -> list[RunningRequest]:
        """Let both send one request, and return what stops them."""
        data = call(1, method, name="a", _meta={PROTOCOL_VERSION: "2026-07-28", CLIENT_CAPABILITIES: {}, **meta})
        request = parse(data)
        assert isinstance(request, Request)
        return [self.session.serve_stateless(data, request, outlet) for outlet in self.outlets]

    async def passed(self) -> list[dict[str, Any]]:
        """What the other server got from both."""
        await until(lambda: len(self.upstream.sent) == 2)
        return [json.loads(message) for message in self.upstream.sent]

    def names(self) -> list[str]:
        """The requests as records name them."""
        return [f"1@{record.seq}" for record in self.records.of(Kind.REQUEST)]
