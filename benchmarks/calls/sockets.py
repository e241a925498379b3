"""Many connections to a server over HTTP, each with a single call in flight, by a client without an event loop."""

import json
import select
import socket
import time

from benchmarks.calls import messages
from benchmarks.calls.process import LIMIT, Process
from benchmarks.calls.rounds import Batch

_HEAD = (
    "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
    "Accept: application/json, text/event-stream\r\n{more}Content-Length: "
)
_STATELESS_HEADERS = f"MCP-Protocol-Version: {messages.STATELESS}\r\nMcp-Method: tools/call\r\nMcp-Name: echo\r\n"
_LAST_CHUNK = b"0\r\n\r\n"


class HttpClient:
    """Connections to a server.

    Args:
        process: the server.
        port: the port of the server.
        era: the era of the messages.
        connections: the number of connections, and so of calls in flight.
        sessions: the number of sessions that the calls are spread over; the stateless era has none.
    """

    def __init__(self, process: Process, port: int, era: str, connections: int, sessions: int = 1) -> None:
        self._process = process
        self._port = port
        self._era = era
        self._last_id = 0
        self._sockets = {
            connection.fileno(): connection for connection in (self._connect() for _ in range(connections))
        }
        self._events = select.epoll()
        for fd in self._sockets:
            self._events.register(fd, select.EPOLLIN)
        self.sessions: list[str] = []
        if era == messages.SESSIONS:
            self.open_sessions(sessions)

    def open_sessions(self, count: int) -> None:
        """Open more sessions."""
        self.sessions = self.sessions + [self._open() for _ in range(count)]

    def calls(self, count: int) -> Batch:
        """Make calls, sequentially on each connection."""
        first = self._last_id + 1
        self._last_id += count
        heads = self._heads()
        bodies = messages.calls(self._era, range(first, first + count))
        requests = iter([heads[i % len(heads)] % len(body) + body for i, body in enumerate(bodies)])
        begun: dict[int, float] = {}
        buffers = dict.fromkeys(self._sockets, b"")
        last = b""
        times: list[float] = []
        started = time.perf_counter()
        for fd, connection in self._sockets.items():
            if request := next(requests, None):
                begun[fd] = time.perf_counter()
                connection.send(request)
        while len(times) < count:
            for fd in self._readable():
                if not (part := self._sockets[fd].recv(1 << 20)):
                    raise RuntimeError(f"{self._process.command} closed a connection")
                buffers[fd] = data = buffers[fd] + part
                if (body_start := _end_of_response(data)) is None:
                    continue
                now = time.perf_counter()
                times.append(now - begun[fd])
                last, buffers[fd] = data[body_start:], b""
                if request := next(requests, None):
                    begun[fd] = time.perf_counter()
                    self._sockets[fd].send(request)
        seconds = time.perf_counter() - started
        answer = _body(last)
        messages.check(answer, json.loads(answer)["id"])
        return Batch(seconds, times)

    def close(self) -> None:
        """Close the connections."""
        self._events.close()
        for connection in self._sockets.values():
            connection.close()

    def _heads(self) -> list[bytes]:
        if self._era == messages.STATELESS:
            return [self._head(_STATELESS_HEADERS)]
        version = f"MCP-Protocol-Version: {self._era}\r\n"
        return [self._head(f"{version}Mcp-Session-Id: {session}\r\n") for session in self.sessions]

    def _head(self, more: str = "") -> bytes:
        return _HEAD.format(port=self._port, more=more).encode() + b"%d\r\n\r\n"

    def _open(self) -> str:
        head = self._exchange(messages.encode(messages.handshake()), "").decode()
        # The bare transport has no sessions.
        ids = [line.split(": ")[1] for line in head.split("\r\n") if line.lower().startswith("mcp-session-id: ")]
        session_id = ids[0] if ids else "none"
        self._exchange(messages.encode(messages.initialized()), f"Mcp-Session-Id: {session_id}\r\n")
        return session_id

    def _exchange(self, body: bytes, more: str) -> bytes:
        """Send a message on the first connection and return the head of the response."""
        fd, connection = next(iter(self._sockets.items()))
        connection.send(self._head(more) % len(body) + body)
        data = b""
        while (start := _end_of_response(data)) is None:
            if not select.select([fd], [], [], LIMIT)[0] or not (part := connection.recv(1 << 16)):
                raise RuntimeError(f"{self._process.command} does not answer: {data[:1000]!r}")
            data += part
        if not data.startswith(b"HTTP/1.1 2"):
            raise RuntimeError(f"{self._process.command} refused: {data[:1000]!r}")
        return data[:start]

    def _readable(self) -> list[int]:
        if not (events := self._events.poll(LIMIT)):
            raise RuntimeError(f"{self._process.command} stays silent")
        return [fd for fd, _ in events]

    def _connect(self) -> socket.socket:
        deadline = time.monotonic() + LIMIT
        while True:
            try:
                connection = socket.create_connection(("127.0.0.1", self._port))
            except ConnectionRefusedError:
                if time.monotonic() > deadline or not self._process.alive:
                    raise RuntimeError(f"{self._process.command} does not listen on {self._port}") from None
                time.sleep(0.02)
                continue
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return connection


def free_port() -> int:
    """Return a free port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def _end_of_response(data: bytes) -> int | None:
    """Return the offset of the body of a response, once it is complete."""
    head_end = data.find(b"\r\n\r\n")
    if head_end < 0:
        return None
    start = head_end + 4
    head = data[:head_end].lower()
    at = head.find(b"content-length:")
    if at >= 0:
        length = int(head[at + 15 :].partition(b"\r")[0])
        return start if len(data) >= start + length else None
    if b"transfer-encoding: chunked" in head:
        return start if data.endswith(_LAST_CHUNK) else None
    return start


def _body(data: bytes) -> bytes:
    """Return the JSON text of a body: the body itself or the last event of a stream."""
    return data[data.rindex(b'{"jsonrpc"') if b'{"jsonrpc"' in data else 0 :].split(b"\r\n")[0].split(b"\n")[0]
