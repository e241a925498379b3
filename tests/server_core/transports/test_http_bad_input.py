"""Clients that send too much, too slowly, or no HTTP at all do not affect other clients."""

import asyncio
import json
import tracemalloc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest

from server_core.records.tap import Kind
from server_core.settings import Settings
from server_core.transports.streamable import connections, endpoint, receive_limits
from tests.server_core.toolkit import call
from tests.server_core.transports.http_site import Site, serving
from tests.waiting import until, within

MEGABYTE = 1024 * 1024
LINES = b"Host: localhost\r\nAccept: */*\r\nContent-Type: application/json\r\n"


@asynccontextmanager
async def raw(site: Site, data: bytes = b"") -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """A connection on which anything can be sent."""
    url = httpx.URL(site.url)
    reader, writer = await within(asyncio.open_connection(url.host, url.port, limit=64 * MEGABYTE))
    try:
        writer.write(data)
        yield reader, writer
    finally:
        writer.transport.abort()


async def answer(site: Site, data: bytes) -> tuple[int, bytes]:
    """The status of the first response, and all that comes until the connection ends."""
    async with raw(site, data) as (reader, writer):
        writer.write_eof()
        whole = await within(reader.read())
    return int(whole.split()[1]), whole


async def status(reader: asyncio.StreamReader) -> int:
    return int((await within(reader.readline())).split()[1])


async def is_served(site: Site) -> bool:
    """Whether another client is."""
    return (await site.post(call(1, "ping"))).status_code == 200


class Looks:
    """The looks of a server at its connections; from when time flies, an hour passes from each to the next."""

    def __init__(self) -> None:
        self.count = 0
        self.time_flies = False
        self.seconds_later = 0.0
        self.looked_at: set[connections.Connection] = set()
        self._look = connections.Connection.check

    def __call__(self, connection: connections.Connection, now: float) -> None:
        self.count += 1
        self.looked_at.add(connection)
        self._look(connection, now + (self.count * 3600 if self.time_flies else self.seconds_later))

    async def several(self) -> None:
        """Wait for some looks."""
        seen = self.count
        await until(lambda: self.count > seen + 10)

    async def closed_all(self) -> None:
        """Wait until every connection that was looked at is closed."""
        await until(lambda: all(item.transport.is_closing() for item in self.looked_at))


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> Looks:
    """Those of a server that looks often."""
    looks = Looks()
    monkeypatch.setattr(connections, "CHECK_INTERVAL", 0.01)
    monkeypatch.setattr(connections.Connection, "check", lambda connection, now: looks(connection, now))
    return looks


# Too much.


@pytest.mark.parametrize("with_length", [True, False], ids=["with its length", "in chunks"])
async def test_a_body_of_a_hundred_megabytes_is_refused_before_it_is_read(with_length: bool) -> None:
    async with serving(Settings(max_message_bytes=MEGABYTE)) as site:
        await site.open()
        length = b"Content-Length: %d" % (100 * MEGABYTE) if with_length else b"Transfer-Encoding: chunked"
        head = b"POST /mcp HTTP/1.1\r\n" + LINES + length + b"\r\n\r\n"
        piece = b" " * MEGABYTE
        tracemalloc.start()
        try:
            async with raw(site, head) as (reader, writer):
                for _ in range(100):
                    writer.write(piece if with_length else b"%x\r\n%b\r\n" % (MEGABYTE, piece))
                    await within(writer.drain())
                assert await status(reader) == 413
                assert await is_served(site)
            assert tracemalloc.get_traced_memory()[1] < 20 * MEGABYTE
        finally:
            tracemalloc.stop()


async def test_bodies_have_a_total_limit_and_small_ones_are_always_accepted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counted = receive_limits.BodyBudget(3 * MEGABYTE)
    monkeypatch.setattr(endpoint, "BodyBudget", lambda: counted)
    async with serving() as site:
        await site.open()
        head = b"POST /mcp HTTP/1.1\r\n" + LINES + b"Content-Length: %d\r\n\r\n" % (8 * MEGABYTE)
        async with raw(site, head + b" " * (2 * MEGABYTE)):
            await until(lambda: counted.left < 1.5 * MEGABYTE)
            async with raw(site, head + b" " * (2 * MEGABYTE)) as (reader, _):
                assert await status(reader) == 503
                assert await is_served(site)
        await until(lambda: counted.left == 3 * MEGABYTE)
        for _ in range(3):
            large = call(1, "tools/call", name="echo", arguments={"text": "x" * (2 * MEGABYTE)})
            assert (await site.post(large)).status_code == 200


async def test_the_rest_of_a_refused_body_has_a_time_limit(looks: Looks) -> None:
    async with serving(Settings(max_message_bytes=100)) as site:
        head = b"POST /mcp HTTP/1.1\r\n" + LINES + b"Transfer-Encoding: chunked\r\n\r\n"
        async with raw(site, head + b"c8\r\n" + b" " * 200 + b"\r\n") as (reader, _):
            assert await status(reader) == 413
            looks.time_flies = True
            await within(reader.read())
            assert reader.at_eof()


async def test_a_head_without_end_is_refused() -> None:
    async with serving() as site:
        line = b"X-Filler: " + b"x" * 8000 + b"\r\n"
        async with raw(site, b"POST /mcp HTTP/1.1\r\n" + LINES + line * 9) as (reader, _):
            assert await status(reader) == 431
            await within(reader.read())


async def test_a_long_host_is_refused_and_not_stored() -> None:
    async with serving() as site:
        code, _ = await answer(site, b"GET / HTTP/1.1\r\nHost: " + b"x" * 5000 + b"\r\n\r\n")
        assert code == 400


@pytest.mark.parametrize("data", [b"[" * 100_000, b'{"a":' * 100_000, b'{"jsonrpc":"2.0","params":' + b"[" * 100_000])
async def test_json_of_any_depth_is_refused(data: bytes) -> None:
    async with serving() as site:
        await site.open()
        response = await site.post(data)
        assert (response.status_code, response.json()["error"]["code"]) == (400, -32700)
        assert await is_served(site)


# Too slowly.


async def test_a_body_that_does_not_arrive_ends_with_a_timeout() -> None:
    async with serving(Settings(body_timeout=0.05)) as site:
        await site.open()
        head = b"POST /mcp HTTP/1.1\r\n" + LINES + b"Content-Length: 50\r\n\r\n"
        for sent in (b"", b"{"):
            async with raw(site, head + sent) as (reader, _):
                assert await is_served(site)
                assert await status(reader) == 408


async def test_a_thousand_idle_connections_are_closed_without_affecting_others(looks: Looks) -> None:
    async with serving() as site:
        await site.open()
        url = httpx.URL(site.url)
        opened = [await within(asyncio.open_connection(url.host, url.port)) for _ in range(1000)]
        try:
            for number, (_, writer) in enumerate(opened):
                writer.write((b"", b"POST", b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")[number % 3])
            assert await is_served(site)
            looks.time_flies = True
            ends = await asyncio.wait_for(asyncio.gather(*(reader.read() for reader, _ in opened)), 20)
            assert set(ends) == {b""}
        finally:
            for _, writer in opened:
                writer.transport.abort()


async def test_a_connection_between_two_requests_may_be_silent(looks: Looks) -> None:
    async with serving() as site:
        get = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
        async with raw(site, get) as (reader, writer):
            first = await within(reader.readuntil(b"there.\n"))
            looks.seconds_later = 60
            await looks.several()
            looks.seconds_later = 0
            writer.write(get)
            assert await within(reader.readuntil(b"there.\n")) == first


async def test_an_idle_connection_is_closed(looks: Looks) -> None:
    async with serving() as site, raw(site, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n") as (reader, _):
        await within(reader.readuntil(b"there.\n"))
        looks.seconds_later = 80
        assert await within(reader.read()) == b""


async def test_with_too_many_connections_those_without_a_request_are_closed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(connections, "_most_connections", lambda: 5)
    async with serving() as site:
        await site.open()
        async with raw(site) as (oldest, _), raw(site), raw(site), raw(site), raw(site), raw(site):
            assert await within(oldest.read()) == b""
            assert await is_served(site)


async def test_a_client_that_does_not_read_its_response_is_disconnected(looks: Looks) -> None:
    async with serving() as site:
        await site.open()
        body = call(1, "tools/call", name="echo", arguments={"text": "x" * (8 * MEGABYTE)})
        session = f"Mcp-Session-Id: {site.session}\r\n".encode()
        head = b"POST /mcp HTTP/1.1\r\n" + LINES + session + b"Content-Length: %d\r\n\r\n" % len(body)
        async with raw(site, head + body) as (reader, writer):
            writer.transport.pause_reading()
            await until(lambda: site.server.sessions["s1"].describe()["calls"] == 1)
            assert await is_served(site)
            await until(lambda: [item for item in site.records.of(Kind.RESPONSE) if len(item.data) > MEGABYTE])
            looks.time_flies = True
            await looks.closed_all()
            writer.transport.resume_reading()
            with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
                await within(reader.readexactly(16 * MEGABYTE))


# No HTTP.


async def test_data_that_is_not_http_is_a_bad_request() -> None:
    for data in (
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"POST /mcp\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\n" + LINES + b"Content-Length: -1\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\n" + LINES + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n{}",
        b"POST /mcp HTTP/1.1\r\n" + LINES + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\n" + LINES + b"Transfer-Encoding: chunked\r\n\r\nno length\r\n",
        b"POST /mcp HTTP/1.1\r\n" + LINES + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}junk\r\n",
        b"POST /mcp HTTP/1.1\r\n" + LINES + b"X-\0: y\r\n\r\n",
    ):
        async with serving() as site:
            await site.open()
            code, whole = await answer(site, data)
            assert code == 400
            assert whole.count(b"HTTP/1.1 ") == 1
            assert await is_served(site)


async def test_a_body_that_breaks_off_is_no_message() -> None:
    async with serving() as site:
        await site.open()
        head = b"POST /mcp HTTP/1.1\r\n" + LINES + b"Content-Length: 50\r\n\r\n{"
        async with raw(site, head):
            pass
        await until(lambda: [record for record in site.records.all if b"closed before" in record.data])
        assert await is_served(site)


async def test_requests_that_come_before_the_answer_to_the_first_are_answered_in_turn() -> None:
    async with serving() as site:
        get = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
        async with raw(site, get * 50) as (reader, _):
            for _ in range(50):
                assert await status(reader) == 200
                await within(reader.readuntil(b"there.\n"))


async def test_a_head_is_answered_with_a_head() -> None:
    async with serving() as site:
        response = await within(site.client.head(site.url.removesuffix("/mcp")))
        assert (response.status_code, response.content) == (200, b"")


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (b"x" * MEGABYTE, {}),
        (b"x" * MEGABYTE, {"mcp_protocol_version": "2026-07-28"}),
        (call(1, "ping", pad="x" * MEGABYTE), {"mcp_protocol_version": "2099-01-01"}),
    ],
    ids=["no session", "no session, stateless", "stateless, unknown revision"],
)
async def test_of_a_long_body_that_was_refused_only_the_start_and_the_length_are_recorded(
    body: bytes, headers: dict[str, str]
) -> None:
    async with serving() as site:
        response = await site.post(body, **headers)
        assert response.status_code == 400
        assert all(len(record.data) < 16 * 1024 for record in site.records.all)
        (exchange,) = [json.loads(record.data) for record in site.records.of(Kind.HTTP)]
    assert (exchange["status"], exchange["bytes"]) == (400, len(body))
    assert body.decode().startswith(exchange["start"])
    assert len(exchange["start"]) > 1000


async def test_a_short_body_that_was_refused_is_recorded_as_it_came() -> None:
    async with serving() as site:
        assert (await site.post(b"{no json")).status_code == 400
        (malformed,) = site.records.of(Kind.MALFORMED)
    assert malformed.data == b"{no json"
