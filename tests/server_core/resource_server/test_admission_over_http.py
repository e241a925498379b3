"""Which requests a server over HTTP admits, and how it refuses the others."""

import asyncio
import json
from typing import Any

import httpx
import pytest

from server_core.records.tap import Kind
from server_core.runtime.background import spawn
from server_core.settings import Settings
from server_core.transports.streamable.endpoint import StreamableHttp as application
from tests.server_core.resource_server.authority import Authority
from tests.server_core.resource_server.protected_server import METADATA, ProtectedServer, TokenClient, auth_of, serve
from tests.server_core.toolkit import call, generation, initialize, new_server
from tests.server_core.transports.http_site import ACCEPT
from tests.waiting import within

pytestmark = pytest.mark.promises("resource server")


@pytest.mark.parametrize("header", ["", "Basic YTpi", "Bearer", "Bearer ", "bearer   ", "Token abc", "Bearerabc"])
async def test_a_request_without_a_token_gets_a_challenge_with_metadata_and_scopes(
    user: TokenClient, header: str
) -> None:
    response = await user.send(initialize(), Authorization=header)
    assert response.status_code == 401
    assert response.headers["www-authenticate"] == (
        f'Bearer resource_metadata="{METADATA}", scope="mcp offline_access"'
    )
    assert "Authorization: Bearer" in response.json()["error"]["message"]


@pytest.mark.parametrize(
    ("claims", "reason"),
    [
        ({"exp": 1}, "Token has expired"),
        ({"aud": "https://other.example.com"}, "The token is for another audience"),
        ({"iss": "https://evil.example.com"}, "The token is from another issuer"),
    ],
    ids=str,
)
async def test_an_invalid_token_is_refused_with_the_reason(
    user: TokenClient, authority: Authority, claims: dict[str, Any], reason: str
) -> None:
    response = await user.send(initialize(), authority.token(**claims))
    assert response.status_code == 401
    assert response.headers["www-authenticate"] == (
        f'Bearer resource_metadata="{METADATA}", error="invalid_token", error_description="{reason}", '
        'scope="mcp offline_access"'
    )


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER", "Bearer  "])
async def test_a_valid_token_is_accepted_with_any_spelling_of_its_scheme(
    user: TokenClient, authority: Authority, scheme: str
) -> None:
    response = await user.send(initialize(), Authorization=f"{scheme} {authority.token()}")
    assert response.status_code == 200


@pytest.mark.parametrize("method", ["POST", "GET", "DELETE", "PUT", "OPTIONS", "HEAD"])
async def test_every_method_requires_a_token(user: TokenClient, authority: Authority, method: str) -> None:
    session = await user.session(authority.token())
    response = await within(user.client.request(method, "/mcp", headers={"Mcp-Session-Id": session}))
    assert response.status_code == 401


async def test_a_page_that_may_send_requests_can_read_the_challenge(authority: Authority) -> None:
    async with serve(ProtectedServer(auth_of(authority)), allowed_origins="https://app.example.com") as user:
        page = {"Origin": "https://app.example.com"}
        asked = await within(user.client.options("/mcp", headers=page))
        assert asked.status_code == 204
        assert "authorization" in asked.headers["access-control-allow-headers"]
        refused = await user.send(initialize(), Origin=page["Origin"])
        assert refused.status_code == 401
        assert "www-authenticate" in refused.headers["access-control-expose-headers"]


async def test_two_tokens_are_a_bad_request(user: TokenClient, authority: Authority) -> None:
    sent = [*ACCEPT.items(), ("Authorization", f"Bearer {authority.token()}"), ("Authorization", "Bearer x")]
    response = await within(user.client.post("/mcp", content=initialize(), headers=sent))
    assert response.status_code == 400
    assert "www-authenticate" not in response.headers


async def test_a_token_in_the_url_is_ignored(user: TokenClient, authority: Authority) -> None:
    response = await within(user.client.post(f"/mcp?access_token={authority.token()}", content=initialize()))
    assert response.status_code == 401


async def test_nothing_of_a_refused_request_is_served_and_its_token_is_in_no_record(
    user: TokenClient, authority: Authority
) -> None:
    token = authority.token(exp=1)
    await user.send(call(1, "tools/call", name="whoami", arguments={}), token, Mcp_Session_Id="made up")
    assert not user.records.of(Kind.REQUEST)
    (record,) = user.records.of(Kind.HTTP)
    assert json.loads(record.data)["status"] == 401
    assert all(token.encode() not in record.data for record in user.records.all)


async def test_keys_that_cannot_be_fetched_are_a_server_error() -> None:
    authority = Authority()
    authority.is_down = True
    async with serve(ProtectedServer(auth_of(authority))) as user:
        response = await user.send(initialize(), authority.token())
        assert (response.status_code, response.headers["retry-after"]) == (503, "5")
        assert "www-authenticate" not in response.headers


async def test_a_rotated_key_is_fetched_without_a_restart() -> None:
    authority = Authority()
    async with serve(ProtectedServer(auth_of(authority))) as user:
        authority.rotate("second")
        assert (await user.send(initialize(), authority.token())).status_code == 200


async def test_no_client_is_admitted_before_the_rules_are_loaded(authority: Authority) -> None:
    door = ProtectedServer(auth_of(authority))
    server = new_server(door, loaded=False)
    inner = application(server, Settings(shutdown_grace=0.5))
    transport = httpx.ASGITransport(inner)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=ACCEPT) as client:
        early = spawn(client.post("/mcp", content=initialize()), "early")
        await asyncio.sleep(0)
        server.swap(generation(door.catalog(), door.app))
        assert (await within(early)).status_code == 401
    inner.close()
