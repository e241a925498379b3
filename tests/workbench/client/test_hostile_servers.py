"""Servers that send anything: the client fails in words, holds no more than it has to, and can always be closed."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server_core.errors import ConnectionFailed, WorkbenchError
from server_core.protocol.revisions import LATEST, LATEST_STATELESS, Revision
from server_core.protocol.sse import EventReader, EventTooLong
from server_core.transports.channel import Channel
from server_core.transports.http_client import get_stream
from server_core.transports.http_client.http_client import HttpChannel
from tests.waiting import until, within
from tests.workbench.client.scripted import INITIALIZED, ScriptedServer
from tests.workbench.client.test_stateless import DISCOVERED
from workbench.client import connection
from workbench.client.connection import MAX_REPLIES
from workbench.client.session import ClientSession

ANSWER = json.dumps({"jsonrpc": "2.0", "id": 1, "result": INITIALIZED}).encode()
JSON = b"Content-Type: application/json\r\n"
EVENTS = b"Content-Type: text/event-stream\r\n"
Respond = Callable[[str, bytes, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def website(respond: Respond) -> AsyncIterator[str]:
    """A server that answers each HTTP request with any bytes; gives its address."""

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            length = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
            body = await reader.readexactly(int(length[0].split(b":")[1])) if length else b""
            await respond(head.split()[0].decode(), body, writer)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # The client has had enough.
        finally:
            writer.transport.abort()

    listener = await asyncio.start_server(connected, "127.0.0.1", 0, limit=1 << 20)
    try:
        yield f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}/mcp"
    finally:
        listener.close()


def whole(body: bytes, headers: bytes = JSON, status: bytes = b"200 OK") -> bytes:
    return b"HTTP/1.1 %b\r\n%bContent-Length: %d\r\nConnection: close\r\n\r\n%b" % (status, headers, len(body), body)


def open_ended(body: bytes, headers: bytes = EVENTS) -> bytes:
    return b"HTTP/1.1 200 OK\r\n%bConnection: close\r\n\r\n%b" % (headers, body)


@pytest.fixture(autouse=True)
def no_unhandled_failures(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Reconnect streams at once, and notice what fails in the background."""
    monkeypatch.setattr(get_stream, "RETRY_MS", 1)
    monkeypatch.setattr(connection, "CLOSE_SECONDS", 0.05)
    yield
    assert [item.message for item in caplog.records if item.levelname == "ERROR"] == []


async def fails(url: str) -> str:
    """Try to begin a session, and return the words in which that fails."""
    with pytest.raises(WorkbenchError) as caught:
        await within(ClientSession.open(HttpChannel(url, limit=100_000), timeout=0.3))
    return str(caught.value)


# What HTTP may answer.


@pytest.mark.parametrize(
    "response",
    [
        whole(b"x" * 200_000),
        whole(b"[" * 50_000),
        whole(b""),
        whole(b"\xff\xfe\x00"),
        whole(b'{"jsonrpc":"2.0","id":2,"result":{}}'),
        whole(b'{"jsonrpc":"2.0","id":"1","result":{}}'),
        whole(b'{"jsonrpc":"2.0","id":true,"result":{}}'),
        whole(b'{"jsonrpc":"2.0","id":1,"result":[]}'),
        whole(ANSWER.replace(b"2025-11-25", b"1999-01-01")),
        whole(ANSWER, b"Content-Type: text/html\r\n"),
        whole(ANSWER, b""),
        whole(ANSWER)[:-10],
        whole(ANSWER, JSON + b"Content-Encoding: gzip\r\n"),
        open_ended(b"data: " + b"x" * 200_000),
        open_ended(b"data:\n" * 200_000),
        open_ended(b"data: x\n" * 200_000 + b"\n"),
        open_ended(b"event: " + b"x" * 200_000),
        open_ended(b"data: " + ANSWER),
        open_ended(b"id: 1\n\n: junk\n\xff\xfe\0\r\r\r\ndata: {}\n\n" * 10),
        open_ended("id: é\ndata:\n\n".encode()),
        open_ended(b"id: \x01\ndata:\n\n"),
        open_ended(b"id: " + b"9" * 90_000 + b"\ndata:\n\n"),
        open_ended(b"id: 1\nretry: " + b"9" * 5000 + b"\ndata:\n\n"),
        whole(b"", status=b"204 No Content"),
        whole(b"", b"Location: /mcp\r\n", b"307 Temporary Redirect"),
        whole(b"", b"Location: http://[\r\n", b"307 Temporary Redirect"),
        whole(b"", b"Location: http://example.org/mcp\r\n", b"307 Temporary Redirect"),
        whole(b"", b"Location: file:///etc/passwd\r\n", b"302 Found"),
        whole(b"x" * 200_000, status=b"500 Internal Server Error"),
        whole(b'{"jsonrpc":"2.0","error":{"code":"x","message":[]}}', status=b"400 Bad Request"),
        b"HTTP/1.1 200 OK\r\n" + b"X-A: " + b"y" * 200_000,
        b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
        b"HTTP/9.9 banana\r\n\r\n",
        b"\x00\x01\x02",
        b"",
    ],
    ids=lambda data: str(data[:70]),
)
async def test_an_invalid_response_is_explained(response: bytes) -> None:
    async def respond(method: str, body: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(response)

    async with website(respond) as url:
        words = await fails(url)
        assert 20 < len(words) < 1000
        assert "Traceback" not in words


@pytest.mark.parametrize("id", ["é".encode(), b"\xff", b"a b", b"x" * 50_000, b"\x01"])
async def test_a_session_may_have_any_id(id: bytes) -> None:
    async def respond(method: str, body: bytes, writer: asyncio.StreamWriter) -> None:
        first = b'"initialize"' in body
        writer.write(whole(ANSWER, JSON + b"Mcp-Session-Id: " + id + b"\r\n") if first else whole(b"{}"))

    async with website(respond) as url:
        try:
            session = await within(ClientSession.open(HttpChannel(url)))
        except ConnectionFailed:
            return
        with pytest.raises(WorkbenchError):
            await within(session.ping())
        await within(session.close())


async def test_a_stream_that_never_ends_can_be_left() -> None:
    async def respond(method: str, body: bytes, writer: asyncio.StreamWriter) -> None:
        if b'"tools/call"' not in body:
            writer.write(whole(ANSWER))
            return
        writer.write(open_ended(b""))
        while True:
            writer.write(b": nothing\n\ndata: {}\n\ndata: junk\n\n" * 100)
            await writer.drain()

    async with website(respond) as url:
        session = await within(ClientSession.open(HttpChannel(url)))
        running = session.call_tool("endless", {})
        await until(lambda: session.message_failures > 1000)
        running.cancel("enough")
        await within(session.close())


# Messages of a server on every transport.


async def opened(server: Channel, revision: Revision = LATEST, **options: Any) -> ClientSession:
    return await within(ClientSession.open(server, revision=revision, **options))


@pytest.mark.parametrize(
    "tools",
    [
        None,
        {},
        "x",
        [1],
        [None],
        [{"name": []}],
        [{"name": {}}],
        [{}],
        [{"name": 1}, {"name": 1}],
        [{"inputSchema": 7}],
    ],
)
@pytest.mark.parametrize("stateless", [False, True])
async def test_lists_may_be_of_any_quality(tools: Any, stateless: bool) -> None:
    server = ScriptedServer(**{"server/discover": DISCOVERED, "tools/list": {"tools": tools}})
    session = await opened(server, LATEST_STATELESS if stateless else LATEST)
    with contextlib.suppress(WorkbenchError):
        assert isinstance(await within(session.list_tools()), list)
    await within(session.close())


async def test_a_list_whose_pages_do_not_end_is_abandoned() -> None:
    server = ScriptedServer(**{"tools/list": {"tools": [], "nextCursor": "more"}})
    session = await opened(server)
    with pytest.raises(WorkbenchError, match="does not end"):
        await within(session.list_tools())
    await within(session.close())


@pytest.mark.parametrize(
    "result",
    [
        {"resultType": "input_required", "requestState": "again"},
        {"resultType": "input_required", "inputRequests": {}},
        {"resultType": "input_required"},
        {"resultType": "input_required", "requestState": 7},
        {"resultType": "input_required", "inputRequests": []},
        {"resultType": "input_required", "inputRequests": {"a": None}},
        {"resultType": "input_required", "inputRequests": {"a": {"method": "roots/list", "params": []}}},
        {"resultType": "input_required", "inputRequests": {"a": {"method": {"a": 1}}}},
        {"resultType": "input_required", "inputRequests": {"a": {"method": "ping"}}},
        {"resultType": ["complete"]},
        {"resultType": None},
        {"resultType": "task"},
        {"resultType": "task", "taskId": "1", "status": ["working"]},
        {"resultType": "task", "taskId": {}, "status": "working"},
        {"resultType": "task", "taskId": "1", "status": "failed", "error": {"code": [], "message": {}}},
        {"resultType": "task", "taskId": "1", "status": "completed", "result": "x"},
        {"resultType": "task", "taskId": "1", "status": "input_required", "inputRequests": {"a": 1}},
    ],
    ids=str,
)
async def test_a_call_may_be_answered_by_anything(result: dict[str, Any]) -> None:
    server = ScriptedServer(
        **{"server/discover": DISCOVERED, "tools/call": result, "tasks/cancel": {}, "tasks/get": {}}
    )
    session = await opened(server, LATEST_STATELESS)
    with pytest.raises(WorkbenchError):
        await within(session.call_tool("a", {}).result())
    await within(session.close())


@pytest.mark.parametrize("key", ["", "\0", "\ud800", "__proto__", "a" * 100_000, "constructor"])
async def test_a_question_may_have_any_name(key: str) -> None:
    rounds: list[dict[str, Any]] = []

    def answer(params: dict[str, Any]) -> dict[str, Any]:
        rounds.append(params)
        asked = {"resultType": "input_required", "inputRequests": {key: {"method": "roots/list"}}, "requestState": "s"}
        return {"content": []} if len(rounds) == 2 else asked

    session = await opened(ScriptedServer(**{"server/discover": DISCOVERED, "tools/call": answer}), LATEST_STATELESS)
    await within(session.call_tool("a", {}).result())
    assert len(rounds[1]["inputResponses"]) == 1
    await within(session.close())


async def test_too_many_concurrent_requests_of_a_server_are_refused() -> None:
    asked = {str(number): {"method": "elicitation/create", "params": {}} for number in range(2_000)}
    answer = {"resultType": "input_required", "inputRequests": asked}
    session = await opened(ScriptedServer(**{"server/discover": DISCOVERED, "tools/call": answer}), LATEST_STATELESS)
    with pytest.raises(WorkbenchError):
        await within(session.call_tool("a", {}).result())
    assert session.questions.waiting == []
    await within(session.close())


@pytest.mark.parametrize(
    "data", [b'{"jsonrpc":"2.0","id":%d,"method":"ping"}', b'{"jsonrpc":"2.0","id":%d,"method":7}']
)
async def test_a_server_that_sends_requests_and_reads_nothing_is_not_read_any_further(data: bytes) -> None:
    class Deaf(ScriptedServer):
        """A server that reads nothing behind the handshake."""

        asked = 0
        greeted = False

        async def send(self, message: bytes) -> None:
            await super().send(message)
            if "method" not in self.received[-1]:
                await asyncio.Event().wait()

        async def receive(self) -> bytes | None:
            if not self.greeted:
                self.greeted = True
                return await super().receive()
            self.asked += 1
            await asyncio.sleep(0)
            return data % self.asked

    server = Deaf()
    session = await opened(server)
    for _ in range(10_000):
        await asyncio.sleep(0)
    assert server.asked == MAX_REPLIES
    await within(session.close())


async def test_an_answer_counts_once_and_only_for_its_own_id() -> None:
    server = ScriptedServer()
    session = await opened(server)
    running = session.call_tool("a", {})
    await until(lambda: server.received[-1].get("method") == "tools/call")
    id = server.received[-1]["id"]
    for wrong in (str(id), float(id), id + 1, None, True, [id]):
        server.write({"jsonrpc": "2.0", "id": wrong, "result": {"content": ["wrong"]}})
    server.write({"jsonrpc": "2.0", "id": id, "result": {"content": ["right"]}})
    server.write({"jsonrpc": "2.0", "id": id, "result": {"content": ["again"]}})
    assert await within(running.result()) == {"content": ["right"]}
    await within(session.close())


@given(messages=st.lists(st.binary(max_size=60), max_size=6))
@settings(deadline=None, max_examples=40)
def test_any_bytes_of_a_server_are_noise_and_no_end(messages: list[bytes]) -> None:
    async def body() -> None:
        server = ScriptedServer(ping={})
        session = await opened(server)
        for data in messages:
            server.write_bytes(data)
        await within(session.ping())
        await within(session.close())

    asyncio.run(body())


@given(
    stream=st.lists(
        st.sampled_from(
            [b"data", b"id", b"retry", b"event", b":", b" ", b"\n", b"\r", b"\r\n", b"\n\n", b"7", b"\xff", b"\0"]
        ),
        max_size=30,
    ).map(b"".join),
    cuts=st.lists(st.integers(0, 100), max_size=5),
)
def test_events_may_be_cut_at_every_byte(stream: bytes, cuts: list[int]) -> None:
    def read(pieces: list[bytes]) -> list[tuple[bytes, str, str | None]]:
        reader = EventReader(1000)
        return [(item.data, item.kind, item.id) for piece in pieces for item in reader.receive_data(piece)]

    places = sorted(min(cut, len(stream)) for cut in cuts)
    parts = [stream[start:end] for start, end in zip([0, *places], [*places, len(stream)], strict=True)]
    assert read(parts) == read([stream]) == read([stream[at : at + 1] for at in range(len(stream))])


def test_lines_without_data_count_as_well() -> None:
    with pytest.raises(EventTooLong):
        EventReader(1000).receive_data(b"data:\n" * 10_000)
