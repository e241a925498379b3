"""The connections of HTTP clients, as bytes."""

import asyncio
import socket
from urllib.parse import urlsplit

from server_core.protocol import jsonrpc
from server_core.transports.http_server import _listener
from tests.server_core.toolkit import initialize
from tests.server_core.transports.http_site import ACCEPT, serving
from tests.waiting import within


def test_a_response_never_waits_for_the_client_to_acknowledge_the_start_of_it() -> None:
    with _listener("127.0.0.1", 0) as listener, socket.create_connection(listener.getsockname()):
        connection, _ = listener.accept()
        with connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


async def test_requests_that_arrive_in_one_piece_are_answered_in_order() -> None:
    async with serving() as site:
        await site.open()
        count = 200
        data = b"".join(_request(site.url, site.session, id) for id in range(count))
        reader, writer = await asyncio.open_connection(urlsplit(site.url).hostname, urlsplit(site.url).port)
        writer.write(data)
        for id in range(count):
            head = await within(reader.readuntil(b"\r\n\r\n"))
            assert head.startswith(b"HTTP/1.1 200 ")
            length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
            assert jsonrpc.parse(await within(reader.readexactly(length))) == jsonrpc.Response(id, {})
        writer.close()
        await writer.wait_closed()


async def test_forwarded_headers_of_a_client_are_ignored() -> None:
    async with serving() as site:
        await site.post(initialize(), X_Forwarded_For="192.0.2.7")
        (session,) = site.server.sessions.values()
        assert session.describe()["peer"].startswith("127.0.0.1:")


def _request(url: str, session: str, id: int) -> bytes:
    body = jsonrpc.request(id, "ping")
    headers = {"Host": urlsplit(url).netloc, **ACCEPT, "Mcp-Session-Id": session, "Content-Length": str(len(body))}
    lines = [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join(["POST /mcp HTTP/1.1", *lines, "", ""]).encode() + body
