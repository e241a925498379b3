"""Compressed responses, which the client did not request, are refused before they use memory."""

import gzip
import tracemalloc
from collections.abc import AsyncIterator, Callable
from typing import TypeAlias

import httpx
import pytest

from server_core.errors import ConnectionFailed
from server_core.oauth.errors import AuthorizationFailed
from server_core.oauth.web import Web
from server_core.transports.http_client.http_client import HttpChannel
from server_core.transports.http_client.http_requests import MAX_REDIRECTS
from server_core.transports.http_client.http_sse_client import SseChannel
from tests.server_core.toolkit import initialize
from tests.waiting import within

URL = "https://server.example/mcp"
MEGABYTE = 1024 * 1024
BOMB = gzip.compress(gzip.compress(b"0" * 64 * MEGABYTE))
Script: TypeAlias = Callable[[httpx.Request], httpx.Response]


def bomb(status: int, kind: str, coding: str = "gzip, gzip", **headers: str) -> Script:
    """A server that answers everything with what unpacks to very much."""

    async def stream() -> AsyncIterator[bytes]:
        yield BOMB

    named = {"content-type": kind, "content-encoding": coding, **headers}
    return lambda _: httpx.Response(status, headers=named, content=stream())


async def posted(script: Script) -> None:
    channel = HttpChannel(URL, transport=httpx.MockTransport(script))
    try:
        await within(channel.send(initialize()))
    finally:
        await within(channel.close())


async def listened(script: Script) -> None:
    await within(SseChannel.connect(URL, transport=httpx.MockTransport(script)))


async def fetched(script: Script) -> None:
    async with Web(URL, httpx.MockTransport(script)) as web:
        await within(web.document("https://issuer.example/metadata", "The metadata"))


BOMBS = {
    "an answer": (posted, bomb(200, "application/json")),
    "one coding": (posted, bomb(200, "application/json", "gzip")),
    "deflate": (posted, bomb(200, "application/json", "deflate")),
    "events": (posted, bomb(200, "text/event-stream")),
    "a refusal": (posted, bomb(400, "application/json")),
    "events of the first transport": (listened, bomb(200, "text/event-stream")),
    "a document of an authorization server": (fetched, bomb(200, "application/json")),
}


@pytest.mark.parametrize("name", BOMBS)
async def test_an_answer_that_is_compressed_is_refused_unread(name: str) -> None:
    send, script = BOMBS[name]
    tracemalloc.start()
    try:
        with pytest.raises(
            (ConnectionFailed, AuthorizationFailed), match="compressed, although the request forbids it"
        ):
            await send(script)
        assert tracemalloc.get_traced_memory()[1] < 8 * MEGABYTE
    finally:
        tracemalloc.stop()


async def test_the_body_of_a_redirect_is_not_read() -> None:
    tracemalloc.start()
    try:
        with pytest.raises(ConnectionFailed, match=f"redirects more than {MAX_REDIRECTS} times"):
            await posted(bomb(307, "application/json", location=URL))
        assert tracemalloc.get_traced_memory()[1] < 8 * MEGABYTE
    finally:
        tracemalloc.stop()


async def test_no_request_asks_for_anything_compressed() -> None:
    asked: list[list[str]] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.headers.get_list("accept-encoding"))
        return httpx.Response(404)

    for headers in ({}, {"accept-encoding": "gzip"}):
        channel = HttpChannel(URL, headers, transport=httpx.MockTransport(answer))
        with pytest.raises(ConnectionFailed):
            await within(channel.send(initialize()))
        await within(channel.close())
    async with Web(URL, httpx.MockTransport(answer)) as web:
        await within(web.document("https://issuer.example/metadata", "The metadata"))
    assert asked == [["identity"]] * 3
