"""A server whose messages a test decides, over a channel in memory."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

from server_core.errors import ConnectionFailed
from tests.waiting import within

INITIALIZED = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"tools": {}, "resources": {}, "prompts": {}},
    "serverInfo": {"name": "scripted", "version": "1"},
    "instructions": "Be kind.",
}

Reply = dict[str, Any] | Callable[[dict[str, Any]], dict[str, Any] | None]


class ScriptedServer:
    """The client's channel, and the server's side for the test.

    Args:
        replies: method -> its result, `{"error": ...}`, or what makes one from the params (None: no answer); other
            requests stay unanswered.
    """

    def __init__(self, **replies: Reply) -> None:
        self.replies: dict[str, Reply] = {"initialize": INITIALIZED}
        self.replies |= {name.replace("__", "/"): reply for name, reply in replies.items()}
        self.received: list[dict[str, Any]] = []
        self.is_closed = False
        self.broken = False
        self._outgoing: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._has_received = asyncio.Event()

    async def send(self, message: bytes) -> None:
        if self.broken:
            raise ConnectionFailed("The pipe is broken.")
        value = json.loads(message)
        self.received.append(value)
        self._has_received.set()
        if "id" in value and (reply := self.replies.get(value.get("method", ""))) is not None:
            answer = reply if isinstance(reply, dict) else reply(value.get("params", {}))
            if answer is not None:
                body = answer if answer.keys() == {"error"} else {"result": answer}
                self.write({"jsonrpc": "2.0", "id": value["id"], **body})

    async def receive(self) -> bytes | None:
        return await self._outgoing.get()

    async def close(self) -> None:
        self.is_closed = True
        self._outgoing.put_nowait(None)

    def write(self, value: dict[str, Any]) -> None:
        """Send any JSON value to the client."""
        self.write_bytes(json.dumps(value).encode())

    def write_bytes(self, data: bytes) -> None:
        """Send any bytes to the client."""
        self._outgoing.put_nowait(data)

    def ask(self, id: str | int, method: str, **params: Any) -> None:
        """Send a request to the client."""
        self.write({"jsonrpc": "2.0", "id": id, "method": method, "params": params})

    def notify(self, method: str, **params: Any) -> None:
        """Send a notification to the client."""
        self.write({"jsonrpc": "2.0", "method": method, "params": params})

    def answer(self, request: dict[str, Any], result: dict[str, Any]) -> None:
        """Answer a request that was received."""
        self.write({"jsonrpc": "2.0", "id": request["id"], "result": result})

    def hang_up(self) -> None:
        """Close the connection from the server's side."""
        self._outgoing.put_nowait(None)

    async def message(self, method: str) -> dict[str, Any]:
        """Return the newest message of this method, as soon as there is one."""
        return await self._find(lambda value: value.get("method") == method)

    async def response_to(self, id: str | int) -> dict[str, Any]:
        """Return the client's answer to a request, as soon as there is one."""
        return await self._find(lambda value: value.get("id") == id and "method" not in value)

    async def _find(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        while True:
            for value in reversed(self.received):
                if wanted(value):
                    return value
            self._has_received.clear()
            await within(self._has_received.wait())
