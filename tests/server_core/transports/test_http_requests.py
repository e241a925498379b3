"""Requests over Streamable HTTP: their headers, hosts, bodies and paths."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from server_core.records.tap import Direction, Kind
from server_core.settings import Settings
from server_core.transports.streamable.endpoint import StreamableHttp
from tests.server_core.toolkit import call, initialize
from tests.server_core.transports.http_site import ACCEPT, Site, serving
from tests.waiting import within

pytestmark = pytest.mark.promises("sessions")


async def test_headers_are_checked(session: Site) -> None:
    for headers, status in (
        ({"Accept": "application/json"}, 406),
        ({"Accept": "text/event-stream"}, 406),
        ({"Accept": "text/html"}, 406),
        ({"Accept": "*/*"}, 200),
        ({"Accept": "application/*, text/*"}, 200),
        ({"Accept": "Application/JSON;q=0.9, text/event-stream; q=0.1"}, 200),
        ({"Content_Type": "text/plain"}, 415),
        ({"Content_Type": "application/json; charset=utf-8"}, 200),
        ({"MCP_Protocol_Version": "1999-01-01"}, 400),
        ({"MCP_Protocol_Version": "2025-03-26"}, 200),
        ({"MCP_Protocol_Version": "2025-06-18"}, 200),
        ({"MCP_Protocol_Version": "2025-11-25"}, 200),
        ({"Origin": "http://evil.example.com"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://localhost:3000"}, 200),
        ({"Origin": "http://[::1]:3000"}, 200),
        ({"Host": "evil.example.com"}, 403),
        ({"Host": "localhost:1"}, 200),
        ({"Host": "127.0.0.1.evil.example.com"}, 403),
        ({"Host": "[::1]:8000"}, 200),
        ({"Host": "LOCALHOST"}, 200),
        ({"Host": "127.0.0.1:8000@evil.example.com"}, 400),
        ({"Host": "user@127.0.0.1:8000"}, 400),
        ({"Host": "127.0.0.1:8000:9000"}, 400),
        ({"Host": "127.0.0.1:"}, 400),
        ({"Host": "127.0.0.1:0"}, 400),
        ({"Host": "127.0.0.1:65536"}, 400),
        ({"Host": "127.0.0.1:port"}, 400),
        ({"Host": "127.0.0.1/path"}, 400),
        ({"Host": "localhost, evil.example.com"}, 400),
        ({"Host": "[::1"}, 400),
        ({"Host": "[::1]8000"}, 400),
        ({"Host": "[127.0.0.1]"}, 400),
        ({"Host": "::1"}, 400),
        ({"Origin": "http://localhost:3000@evil.example.com"}, 403),
        ({"Origin": "http://localhost:x"}, 403),
        ({"Origin": "http://localhost/path"}, 403),
        ({"Origin": "http://localhost http://evil.example.com"}, 403),
        ({"Origin": "file://localhost"}, 403),
        ({"Origin": "localhost"}, 403),
    ):
        assert (await session.post(call(1, "ping"), **headers)).status_code == status


@pytest.mark.parametrize(("header", "value"), [("Host", "localhost"), ("Origin", "http://localhost")])
async def test_a_host_or_origin_header_occurs_only_once(site: Site, header: str, value: str) -> None:
    url = httpx.URL(site.url)
    for second in (value, value.replace("localhost", "evil.example.com")):
        host = "" if header == "Host" else "Host: localhost\r\n"
        reader, writer = await within(asyncio.open_connection(url.host, url.port))
        writer.write(f"GET / HTTP/1.1\r\n{host}{header}: {value}\r\n{header}: {second}\r\n\r\n".encode())
        assert b" 400 " in await within(reader.readline())
        writer.close()
        await writer.wait_closed()


async def test_a_request_must_name_its_host(site: Site) -> None:
    sent: list[dict[str, Any]] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> dict[str, Any]:
        raise AssertionError("its body is of no interest")

    scope = {"type": "http", "method": "GET", "path": "/", "headers": []}
    await StreamableHttp(site.server, Settings())(scope, receive, send)
    assert sent[0]["status"] == 400


async def test_a_server_on_all_interfaces_is_reached_by_ip_address_but_not_by_a_foreign_name() -> None:
    async with serving(host="0.0.0.0") as site:
        assert site.url.startswith("http://127.0.0.1:")
        assert (await site.post(initialize(), Host="192.168.1.7:8000")).status_code == 200
        assert (await site.post(initialize(), Host="evil.example.com")).status_code == 403
        assert (await site.post(initialize(), Origin="http://6.6.6.6")).status_code == 403


async def test_a_body_over_the_limit_is_refused_with_and_without_a_length() -> None:
    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(10):
            yield b" " * 100

    async with serving(Settings(max_message_bytes=500)) as site:
        assert (await site.post(b" " * 501)).status_code == 413
        response = await within(site.client.post(site.url, content=pieces(), headers=ACCEPT))
        assert response.status_code == 413


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/", 200), ("GET", "/elsewhere", 404), ("POST", "/", 404), ("PUT", "/mcp", 405), ("OPTIONS", "/mcp", 405)],
)
async def test_the_response_to_a_wrong_path_or_method_names_the_right_one(
    site: Site, method: str, path: str, status: int
) -> None:
    base = site.url.removesuffix("/mcp")
    response = await within(site.client.request(method, base + path))
    assert response.status_code == status
    assert "/mcp" in response.text or "POST" in response.text


@pytest.mark.parametrize(
    ("data", "code"),
    [(b"{", -32700), (b"\xff", -32700), (b"[]", -32600), (b'{"jsonrpc":"2.0","id":3,"method":7}', -32600)],
)
async def test_an_invalid_message_is_a_bad_request_and_is_recorded(session: Site, data: bytes, code: int) -> None:
    response = await session.post(data)
    assert response.status_code == 400
    assert response.json()["error"]["code"] == code
    assert [item.data for item in session.records.of(Kind.MALFORMED)] == [data]


async def test_an_invalid_message_without_a_session_is_recorded(site: Site) -> None:
    response = await site.post(b"{")
    assert response.status_code == 400
    assert response.json()["error"]["code"] == -32700
    assert [item.data for item in site.records.of(Kind.MALFORMED)] == [b"{"]


async def test_exchanges_without_a_message_are_recorded_without_their_headers(session: Site) -> None:
    await session.post(call(1, "ping"), Authorization="Bearer hush", Accept="text/html")
    await within(session.client.get(session.url.removesuffix("/mcp")))
    await within(session.client.delete(session.url, headers={"Mcp-Session-Id": session.session}))
    exchanges = session.records.of(Kind.HTTP)
    facts = [json.loads(item.data) for item in exchanges]
    assert [(item["method"], item["path"], item["status"]) for item in facts] == [
        ("POST", "/mcp", 406),
        ("GET", "/", 200),
        ("DELETE", "/mcp", 204),
    ]
    assert all(b"hush" not in item.data for item in session.records.all)
    assert {item.direction for item in exchanges} == {Direction.IN}
