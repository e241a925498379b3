"""Tokens that the settings require, with and without arguments of an app."""

import json

import httpx
import pytest

from server_core import MCPApp
from server_core.errors import ConfigurationError
from server_core.settings import Settings
from server_core.transports.streamable.endpoint import StreamableHttp as application
from tests.server_core.resource_server.authority import CANONICAL, ISSUER, Authority
from tests.server_core.resource_server.protected_server import METADATA, ProtectedServer, auth_of, serve
from tests.server_core.toolkit import generation, initialize, new_server
from tests.server_core.transports.http_site import ACCEPT
from tests.waiting import within

pytestmark = pytest.mark.promises("resource server")

SERVERS = json.dumps([{"authorizationServerUrl": ISSUER, "issuer": ISSUER, "jwksUri": f"{ISSUER}/jwks"}])


async def test_the_settings_alone_require_tokens() -> None:
    async with serve(
        ProtectedServer(None),
        resource_server_canonical_url=CANONICAL,
        resource_server_authorization_servers=SERVERS,
        resource_server_scopes_supported="a  b",
        resource_server_default_challenge_scopes="c d",
    ) as user:
        refused = await user.send(initialize())
        assert refused.headers["www-authenticate"] == f'Bearer resource_metadata="{METADATA}", scope="c d"'
        published = (await within(user.client.get("/.well-known/oauth-protected-resource"))).json()
        assert published["scopes_supported"] == ["a", "b"]


async def test_arguments_of_an_app_override_the_settings(authority: Authority) -> None:
    async with serve(
        ProtectedServer(auth_of(authority)),
        resource_server_canonical_url="https://other.example.com/mcp",
        resource_server_authorization_servers=SERVERS,
    ) as user:
        assert (await user.send(initialize(), authority.token())).status_code == 200


def test_an_invalid_setting_is_reported_by_name_before_serving() -> None:
    for url, servers, message in (
        (CANONICAL, "", "MCP_RESOURCE_SERVER_AUTHORIZATION_SERVERS is missing"),
        ("", SERVERS, "MCP_RESOURCE_SERVER_CANONICAL_URL is missing"),
        ("http://mcp.example.com", SERVERS, "MCP_RESOURCE_SERVER_CANONICAL_URL is invalid: .*must be https"),
        (CANONICAL, "nothing", "MCP_RESOURCE_SERVER_AUTHORIZATION_SERVERS is invalid: Invalid JSON"),
        (CANONICAL, "[]", "MCP_RESOURCE_SERVER_AUTHORIZATION_SERVERS is missing"),
        (CANONICAL, "{}", "MCP_RESOURCE_SERVER_AUTHORIZATION_SERVERS is invalid"),
        (CANONICAL, '[{"issuer": "https://a"}]', "AUTHORIZATION_SERVERS is invalid: 0.authorizationServerUrl"),
        (CANONICAL, SERVERS.replace("jwksUri", "jwks"), "AUTHORIZATION_SERVERS is invalid: 0.jwks"),
        (CANONICAL, SERVERS.replace("https", "http"), "AUTHORIZATION_SERVERS is invalid: .*it must be https"),
    ):
        settings = Settings(resource_server_canonical_url=url, resource_server_authorization_servers=servers)
        with pytest.raises(ConfigurationError, match=message):
            application(new_server(ProtectedServer(None)), settings)


@pytest.mark.parametrize(("url", "servers"), [(CANONICAL, ""), ("", SERVERS)])
async def test_an_app_may_complete_partial_settings(authority: Authority, url: str, servers: str) -> None:
    half = {"resource_server_canonical_url": url, "resource_server_authorization_servers": servers}
    async with serve(ProtectedServer(auth_of(authority)), **half) as user:
        assert (await user.send(initialize(), authority.token())).status_code == 200
        assert (await user.send(initialize())).status_code == 401


async def test_partial_settings_refuse_all_requests_until_an_app_completes_them(authority: Authority) -> None:
    door = ProtectedServer(auth_of(authority))
    server = new_server(door, loaded=False)
    inner = application(server, Settings(resource_server_canonical_url=CANONICAL, shutdown_grace=0.5))
    server.swap(generation(door.catalog(), MCPApp("another")))
    transport = httpx.ASGITransport(inner)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=ACCEPT) as client:
        refused = await within(client.post("/mcp", content=initialize()))
    inner.close()
    assert refused.status_code == 503
    assert "MCP_RESOURCE_SERVER_AUTHORIZATION_SERVERS is missing" in refused.text
