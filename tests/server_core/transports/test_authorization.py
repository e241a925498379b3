"""How the client's end of Streamable HTTP uses the authorization that it is given."""

from collections.abc import AsyncIterator, Callable, Mapping

import httpx
import pytest

from server_core.errors import ConnectionFailed
from server_core.oauth.authorization import MAX_CHALLENGES, AuthorizationRefusal
from server_core.protocol import jsonrpc
from server_core.transports.http_client.http_client import HttpChannel
from tests.server_core.toolkit import initialize
from tests.waiting import within

URL = "http://server.test/mcp"
AGREED = jsonrpc.response(0, {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "x"}})


class Counting:
    """An authorization whose token is the number of refusals, and that gives up after some."""

    def __init__(self, tries: int) -> None:
        self.refusals: list[AuthorizationRefusal] = []
        self._tries = tries

    async def headers(self, method: str, url: str) -> Mapping[str, str]:
        return {"Authorization": f"Bearer {len(self.refusals)}"}

    async def handle_refusal(self, refusal: AuthorizationRefusal) -> bool:
        self.refusals.append(refusal)
        return len(self.refusals) <= self._tries


class Guarded(httpx.AsyncBaseTransport):
    """A server that lets one token in."""

    def __init__(self, token: str, refusal: int = 401) -> None:
        self.seen: list[str] = []
        self._token = f"Bearer {token}"
        self._refusal = refusal

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.seen.append(request.headers["authorization"])
        if self.seen[-1] != self._token:
            return httpx.Response(self._refusal, headers={"WWW-Authenticate": 'Bearer scope="more"'})
        return httpx.Response(200, headers={"content-type": "application/json"}, content=AGREED)


Open = Callable[[Guarded, Counting], HttpChannel]


@pytest.fixture
async def channel() -> AsyncIterator[Open]:
    """Makes channels, and closes them in the end."""
    opened: list[HttpChannel] = []

    def open_channel(server: Guarded, authorization: Counting) -> HttpChannel:
        opened.append(HttpChannel(URL, transport=server, authorization=authorization))
        return opened[-1]

    yield open_channel
    for item in opened:
        await within(item.close())


@pytest.mark.parametrize("status", [401, 403])
async def test_a_refused_request_is_sent_again_with_new_headers(channel: Open, status: int) -> None:
    server, authorization = Guarded("2", status), Counting(9)
    await within(channel(server, authorization).send(initialize()))
    assert server.seen == ["Bearer 0", "Bearer 1", "Bearer 2"]
    refusal = authorization.refusals[1]
    assert (refusal.method, refusal.url, refusal.status) == ("POST", URL, status)
    assert [item.attempt for item in authorization.refusals] == [0, 1]
    assert refusal.headers["www-authenticate"] == 'Bearer scope="more"'
    assert refusal.sent_headers == {"Authorization": "Bearer 1"}
    assert "Bearer 1" not in repr(refusal)


async def test_a_refusal_is_final_without_another_token(channel: Open) -> None:
    server = Guarded("never")
    with pytest.raises(ConnectionFailed, match="401"):
        await within(channel(server, Counting(0)).send(initialize()))
    assert server.seen == ["Bearer 0"]


async def test_a_request_is_sent_again_only_a_limited_number_of_times(channel: Open) -> None:
    server = Guarded("never")
    with pytest.raises(ConnectionFailed, match="401"):
        await within(channel(server, Counting(1000)).send(initialize()))
    assert len(server.seen) == 1 + MAX_CHALLENGES


class Moved(httpx.AsyncBaseTransport):
    """A server that sends everybody elsewhere."""

    def __init__(self, place: str) -> None:
        self.seen: list[str] = []
        self._place = place

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.seen.append(str(request.url))
        if len(self.seen) == 1:
            return httpx.Response(307, headers={"location": self._place})
        return httpx.Response(200, headers={"content-type": "application/json"}, content=AGREED)


@pytest.mark.parametrize(
    "place",
    ["http://other.test/mcp", "http://server.test:81/mcp", "https://other.test/mcp", "https://server.test:81/mcp"],
)
async def test_authorization_for_a_server_is_not_sent_to_another(place: str) -> None:
    server = Moved(place)
    channel = HttpChannel(URL, {"X-Api-Key": "secret"}, transport=server)
    with pytest.raises(ConnectionFailed, match="redirects to another server"):
        await within(channel.send(initialize()))
    await within(channel.close())
    assert server.seen == [URL]


@pytest.mark.parametrize("place", ["/mcp/", "http://server.test/new", "https://server.test/mcp"])
async def test_a_server_may_move_within_its_site(place: str) -> None:
    server = Moved(place)
    channel = HttpChannel(URL, transport=server)
    await within(channel.send(initialize()))
    await within(channel.close())
    assert server.seen == [URL, str(httpx.URL(URL).join(place))]


async def test_a_redirect_from_https_to_http_is_refused() -> None:
    server = Moved("http://server.test/mcp")
    channel = HttpChannel("https://server.test/mcp", transport=server)
    with pytest.raises(ConnectionFailed, match="redirects"):
        await within(channel.send(initialize()))
    await within(channel.close())
    assert len(server.seen) == 1
