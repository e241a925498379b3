"""A bare MCP client on a child's pipes, with minimal cost, so that the measurement is of the server."""

import json
import select
import subprocess
import time
from types import TracebackType
from typing import Any

LIMIT = 60.0
"""The timeout for a response, in seconds."""

HANDSHAKE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "benchmark", "version": "1"},
}


class ServerProcess:
    """A server that is started for a measurement and terminated after it.

    Args:
        command: the command of the server.
    """

    def __init__(self, command: list[str]) -> None:
        self.started = time.perf_counter()
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0
        )
        self._rest = b""
        self._last_id = 0

    def __enter__(self) -> "ServerProcess":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.terminate()
        self._process.wait(LIMIT)
        self._process.stdout.close()

    def send(self, message: dict[str, Any]) -> None:
        """Send a message."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def receive(self) -> dict[str, Any]:
        """Return the next message of the server.

        Raises:
            RuntimeError: if it ends or sends nothing.
        """
        assert self._process.stdout is not None
        while b"\n" not in self._rest:
            ready, _, _ = select.select([self._process.stdout], [], [], LIMIT)
            chunk = self._process.stdout.read(65536) if ready else b""
            if not chunk:
                raise RuntimeError(f"{self._process.args!r} ended or stays silent")
            self._rest += chunk
        line, _, self._rest = self._rest.partition(b"\n")
        message: dict[str, Any] = json.loads(line)
        return message

    def await_message(self, **members: Any) -> dict[str, Any]:
        """Return the next message with these members, and drop the messages before it."""
        while True:
            message = self.receive()
            if all(message.get(name) == value for name, value in members.items()):
                return message

    def request(self, method: str, params: dict[str, Any] | None = None) -> Any:
        """Send a request and return the result."""
        self._last_id += 1
        self.send({"id": self._last_id, "method": method, "params": params or {}})
        return self.await_message(id=self._last_id)["result"]

    def initialize(self) -> float:
        """Send `initialize`.

        Returns:
            Milliseconds from the start of the process to the response.
        """
        self.request("initialize", HANDSHAKE)
        return (time.perf_counter() - self.started) * 1000

    def initialized(self) -> None:
        """End the handshake."""
        self.send({"method": "notifications/initialized"})
