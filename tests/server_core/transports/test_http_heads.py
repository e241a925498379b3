"""The head of an HTTP request has one meaning for all readers: single values, one host, no trailers."""

import asyncio
import json
import sys

import pytest

from server_core.protocol.envelope import CLIENT_CAPABILITIES, PROTOCOL_VERSION
from server_core.records.tap import Kind
from server_core.transports.streamable import connections
from tests.server_core.toolkit import call, initialize
from tests.server_core.transports.http_site import Site
from tests.server_core.transports.test_http_bad_input import is_served, raw
from tests.waiting import within

REVISION = "2026-07-28"
BODY = call(
    1, "tools/call", name="add", arguments={"a": 1, "b": 2}, _meta={PROTOCOL_VERSION: REVISION, CLIENT_CAPABILITIES: {}}
)
HOST = b"Host: localhost\r\n"
ACCEPT = b"Accept: application/json, text/event-stream\r\n"
TYPE = b"Content-Type: application/json\r\n"
REPEATED = b"MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: add\r\n"
HEAD = HOST + ACCEPT + TYPE + REPEATED
LINE = b"POST /mcp HTTP/1.1\r\n"


def whole(head: bytes = HEAD, line: bytes = LINE, body: bytes = BODY) -> bytes:
    """A request whose head has the length of its body."""
    return line + head + b"Content-Length: %d\r\n\r\n" % len(body) + body


def chunked(head: bytes, trailers: bytes = b"") -> bytes:
    """A request whose body comes in two pieces."""
    pieces = b"".join(b"%x\r\n%s\r\n" % (len(item), item) for item in (BODY[:20], BODY[20:]))
    return LINE + head + b"Transfer-Encoding: chunked\r\n\r\n" + pieces + b"0\r\n" + trailers + b"\r\n"


async def send(site: Site, data: bytes, *, at_once: bool = True) -> tuple[int, bytes]:
    """Send a request, and return the status and the body of its response."""
    async with raw(site) as (reader, writer):
        for piece in [data] if at_once else [bytes([item]) for item in data]:
            writer.write(piece)
            # The server runs on the same loop, and takes each piece before the next is sent.
            await asyncio.sleep(0)
        return await response(reader)


async def response(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    """The status and the body of the next response."""
    head = (await within(reader.readuntil(b"\r\n\r\n"))).lower()
    length = head.partition(b"content-length: ")[2].split(b"\r\n")[0]
    return int(head.split()[1]), await within(reader.readexactly(int(length)))


# Trailers.

LACKING = [
    (HOST, 400),
    (TYPE, 415),
    (b"Mcp-Method: tools/call\r\n", 400),
    (b"Mcp-Name: add\r\n", 400),
    (HEAD, 400),
]
packets = pytest.mark.parametrize("at_once", [True, False], ids=["in one packet", "byte by byte"])


@packets
async def test_a_trailer_does_not_become_a_header(site: Site, at_once: bool) -> None:
    for line, code in LACKING:
        refused = await send(site, chunked(HEAD.replace(line, b""), line), at_once=at_once)
        assert (line, refused[0]) == (line, code)
        assert refused == await send(site, chunked(HEAD.replace(line, b"")), at_once=at_once)


@packets
async def test_trailers_are_dropped(site: Site, at_once: bool) -> None:
    trailers = b"Host: elsewhere.example\r\nMcp-Name: other\r\nX-Sum: 1\r\n"
    code, body = await send(site, chunked(HEAD, trailers), at_once=at_once)
    assert (code, json.loads(body)["result"]["structuredContent"]) == (200, {"result": 3})


@pytest.mark.parametrize(
    ("start", "more"),
    [(b"0\r\nX-Long: ", b"y" * 1024), (b"0\r\n", b"X: y\r\n" * 200), (b"1;note=", b"y" * 1024)],
    ids=["a trailer", "many trailers", "the extension of a chunk"],
)
async def test_trailers_and_chunk_extensions_have_a_size_limit(site: Site, start: bytes, more: bytes) -> None:
    async with raw(site, LINE + HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + start) as (reader, writer):
        for _ in range(2 * connections.MAX_HEAD // len(more)):
            writer.write(more)
            await asyncio.sleep(0)
        with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
            await within(reader.readexactly(1))
    assert await is_served(await site.open())


# One value each.

TWICE = [
    b"Host: localhost",
    b"Origin: http://localhost",
    b"Content-Type: application/json",
    b"Content-Length: %d" % len(BODY),
    b"Authorization: Bearer a",
    b"Mcp-Session-Id: a",
    b"Last-Event-ID: 0-1",
    b"MCP-Protocol-Version: 2026-07-28",
    b"Mcp-Method: tools/call",
    b"Mcp-Name: add",
]


async def test_a_header_of_which_there_is_one_value_is_refused_twice(site: Site) -> None:
    for line in TWICE:
        name = line.split(b":")[0]
        once = b"".join(item + b"\r\n" for item in HEAD.split(b"\r\n") if item and not item.startswith(name))
        assert (line, (await send(site, whole(once + line + b"\r\n" + line + b"\r\n")))[0]) == (line, 400)


async def test_repeated_headers_are_refused_in_a_session(site: Site) -> None:
    await site.open()
    session = b"Mcp-Session-Id: " + site.session.encode()
    for method in (b"POST", b"GET", b"DELETE"):
        for line in (session, b"MCP-Protocol-Version: 2025-11-25", b"Mcp-Method: ping", b"Last-Event-ID: 0-1"):
            own = [session] if line != session else []
            head = HOST + ACCEPT + TYPE + b"".join(item + b"\r\n" for item in (*own, line, line))
            data = whole(head, method + b" /mcp HTTP/1.1\r\n", call(1, "ping"))
            assert (method, line, (await send(site, data))[0]) == (method, line, 400)
    assert await is_served(site)


async def test_a_handshake_names_one_version(site: Site) -> None:
    twice = b"MCP-Protocol-Version: 2025-11-25\r\nMCP-Protocol-Version: 2025-06-18\r\n"
    assert (await send(site, whole(HOST + ACCEPT + TYPE + twice, body=initialize())))[0] == 400
    assert not site.server.sessions


# The first line.

LINES = {
    b"POST http://localhost/mcp HTTP/1.1": 200,
    b"POST HTTP://LOCALHOST/mcp HTTP/1.1": 200,
    b"POST http://elsewhere.example/mcp HTTP/1.1": 400,
    b"POST http://localhost:1/mcp HTTP/1.1": 400,
    b"POST http://somebody@localhost/mcp HTTP/1.1": 400,
    b"POST ftp://localhost/mcp HTTP/1.1": 400,
    b"POST /mcp#part HTTP/1.1": 400,
    b"POST /mcp?query HTTP/1.1": 200,
    b"POST //localhost/mcp HTTP/1.1": 404,
    b"OPTIONS * HTTP/1.1": 404,
    b"POST /mcp HTTP/1.0": 200,
    b"POST /mcp HTTP/2.0": 505,
    b"POST /mcp": 400,
    b"CONNECT localhost:1 HTTP/1.1": 400,
    b"CONNECT /mcp HTTP/1.1": 400,
}


async def test_the_request_line_has_the_target_and_the_version(site: Site) -> None:
    assert {line: (await send(site, whole(line=line + b"\r\n")))[0] for line in LINES} == LINES


async def test_the_host_of_the_first_line_counts_no_less_than_the_header(site: Site) -> None:
    foreign = HEAD.replace(b"localhost", b"elsewhere.example")
    assert (await send(site, whole(foreign, b"POST http://localhost/mcp HTTP/1.1\r\n")))[0] == 400
    assert (await send(site, whole(foreign, b"POST http://elsewhere.example/mcp HTTP/1.1\r\n")))[0] == 403
    assert [json.loads(item.data)["status"] for item in site.records.of(Kind.HTTP)] == [400, 403]


# How the body comes.


BODIES = [
    (LINE, b"Transfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", 501),
    (b"POST /mcp HTTP/1.0\r\n", b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", 400),
    (LINE, b"Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}", 415),
    (LINE, b"Content-Encoding: identity\r\nContent-Length: %d\r\n\r\n" % len(BODY) + BODY, 200),
]


async def test_only_bodies_in_supported_encodings_are_read(site: Site) -> None:
    codes = [(await send(site, line + HEAD + data))[0] for line, data, _ in BODIES]
    assert codes == [code for _, _, code in BODIES]


@packets
async def test_a_request_that_asks_for_another_protocol_is_served_in_this_one(site: Site, at_once: bool) -> None:
    upgrade = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\n"
    code, body = await send(site, whole(HEAD + upgrade), at_once=at_once)
    assert (code, json.loads(body)["result"]["structuredContent"]) == (200, {"result": 3})


async def test_any_number_of_requests_may_ask_for_another_protocol_at_once(site: Site) -> None:
    get = b"GET / HTTP/1.1\r\n" + HOST + b"Connection: upgrade\r\nUpgrade: h2c\r\n\r\n"
    count = sys.getrecursionlimit() + 100
    async with raw(site, get * count) as (reader, _):
        assert {(await response(reader))[0] for _ in range(count)} == {200}


async def test_the_body_of_a_request_is_never_the_next_request(site: Site) -> None:
    upgrade = HEAD + b"Connection: upgrade\r\nUpgrade: websocket\r\n"
    hidden = whole()
    async with raw(site, LINE + upgrade + b"Content-Length: %d\r\n\r\n" % len(hidden)) as (reader, writer):
        await asyncio.sleep(0)
        writer.write(hidden + b"GET / HTTP/1.1\r\n" + HOST + b"\r\n")
        assert (await response(reader))[0] == 400
        assert (await response(reader))[1].startswith(b"This is an MCP server")
    assert not site.records.of(Kind.REQUEST)


# What is accepted.

ACCEPTED = {
    "application/json;q=0, text/event-stream": 406,
    "application/json, text/event-stream;q=0.000": 406,
    "application/json; q=0 , */*": 406,
    "application/*;q=0, text/event-stream, */*": 406,
    "*/*;q=0": 406,
    "application/*;q=0, application/json, text/event-stream": 200,
    "application/json;q=0.001, text/event-stream;q=1.0": 200,
    "application/json;profile=q, text/*;Q=0.5": 200,
    "*/*": 200,
}


async def test_a_media_type_with_weight_zero_is_not_accepted(site: Site) -> None:
    heads = {item: HEAD.replace(ACCEPT, b"Accept: %s\r\n" % item.encode()) for item in ACCEPTED}
    assert {item: (await send(site, whole(head)))[0] for item, head in heads.items()} == ACCEPTED


async def test_an_accept_header_may_have_several_lines(site: Site) -> None:
    lines = b"Accept: application/json\r\nAccept: text/event-stream\r\n"
    assert (await send(site, whole(HEAD.replace(ACCEPT, lines))))[0] == 200
