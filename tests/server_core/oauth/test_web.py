"""The edge to the servers of OAuth, against servers that misbehave."""

import asyncio
import gzip
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from server_core.oauth import web as edge
from server_core.oauth.errors import AuthorizationFailed
from server_core.oauth.web import LONGEST_BODY, MAX_REDIRECTS, Web
from tests.server_core.scripted_http import Script, ScriptedTransport
from tests.waiting import within

HERE = "https://as.test/metadata"


def reply(status: int, body: bytes = b"", **headers: str) -> httpx.Response:
    """Return an answer that has not been read yet, as the network gives it."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx.Response(status, headers=named, stream=httpx.ByteStream(body))


class Endless(httpx.AsyncByteStream):
    """A body that never ends; counts the bytes that were read."""

    def __init__(self) -> None:
        self.bytes_read = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while True:
            self.bytes_read += 64 * 1024
            yield b"x" * 64 * 1024


class Silent(httpx.AsyncByteStream):
    """A body that never begins."""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        await asyncio.Event().wait()
        yield b""


async def document(script: Script, server: str = "https://mcp.test/mcp", url: str = HERE) -> Any:
    """Return the document at an address of a scripted server."""
    async with Web(server, ScriptedTransport(script)) as web:
        return await within(web.document(url, "It"))


async def test_only_json_is_a_document() -> None:
    for answer, expected in (
        (reply(200, b'{"a": 1}'), {"a": 1}),
        (reply(200, b"[]"), []),
        (reply(200, b"<html>"), None),
        (reply(200, b"\xff\xfe"), None),
        (reply(200, b"[" * 100_000), None),
        (reply(404, b'{"a": 1}'), None),
        (reply(500), None),
        (reply(204), None),
    ):
        assert await document(lambda _, answer=answer: answer) == expected


async def test_a_body_without_an_end_is_cut_off() -> None:
    body = Endless()
    with pytest.raises(AuthorizationFailed, match=f"longer than the limit of {LONGEST_BODY:,} bytes"):
        await document(lambda _: httpx.Response(200, stream=body))
    assert body.bytes_read <= 2 * LONGEST_BODY


async def test_a_silent_server_times_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edge, "REQUEST_SECONDS", 0.01)
    with pytest.raises(AuthorizationFailed, match="did not respond"):
        await document(lambda _: httpx.Response(200, stream=Silent()))


async def test_compressed_bodies_are_not_unpacked() -> None:
    bomb = gzip.compress(b"0" * 10_000_000)
    with pytest.raises(AuthorizationFailed, match="compressed"):
        await document(lambda _: reply(200, bomb, content_encoding="gzip"))


async def test_a_document_may_have_moved() -> None:
    def script(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/metadata":
            return reply(302, location="/new")
        return reply(200, b"{}")

    assert await document(script) == {}


@pytest.mark.parametrize(
    "place", ["http://as.test/x", "https://localhost/x", "https://169.254.169.254/x", "file:///etc/passwd", "https://u@x.test"]
)  # fmt: skip
async def test_a_redirect_is_checked_as_any_url(place: str) -> None:
    transport = ScriptedTransport(lambda _: reply(307, location=place))
    async with Web("https://mcp.test/mcp", transport) as web:
        with pytest.raises(AuthorizationFailed, match=r"^It "):
            await within(web.document(HERE, "It"))
    assert len(transport.requests) == 1


async def test_redirects_come_to_an_end() -> None:
    transport = ScriptedTransport(lambda _: reply(302, location=HERE))
    async with Web("https://mcp.test/mcp", transport) as web:
        with pytest.raises(AuthorizationFailed, match="redirects more than"):
            await within(web.document(HERE, "It"))
    assert len(transport.requests) == MAX_REDIRECTS + 1


async def test_a_credential_is_not_sent_elsewhere() -> None:
    transport = ScriptedTransport(lambda _: reply(307, location="https://other.test/token"))
    async with Web("https://mcp.test/mcp", transport) as web:
        with pytest.raises(AuthorizationFailed, match="redirects elsewhere"):
            await within(web.post("https://as.test/token", "It", {}, data={"code": "c"}))
    assert [request.url.host for request in transport.requests] == ["as.test"]


async def test_an_unreachable_server_is_reported_without_its_query() -> None:
    def away(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError(f"cannot reach {request.url}")

    with pytest.raises(AuthorizationFailed, match=r"https://as\.test cannot be reached") as caught:
        await document(away, url=f"{HERE}?code=secret")
    assert "secret" not in str(caught.value)
