"""The metadata of a protected server: where it is served, and which hosts are accepted."""

import httpx
import pytest

from server_core import MCPApp
from server_core.resource_server import ResourceServerAuth
from server_core.settings import Settings
from server_core.transports.streamable.endpoint import StreamableHttp as application
from tests.server_core.resource_server.authority import CANONICAL, ISSUER, Authority
from tests.server_core.resource_server.protected_server import ProtectedServer, TokenClient, auth_of, serve
from tests.server_core.toolkit import generation, initialize, new_server
from tests.server_core.transports.http_site import ACCEPT
from tests.waiting import within

pytestmark = pytest.mark.promises("resource server")


@pytest.mark.parametrize("path", ["/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource"])
async def test_the_metadata_is_public_and_names_the_authorization_server(user: TokenClient, path: str) -> None:
    response = await within(user.client.get(path, headers={"Origin": "https://anybody.example.com"}))
    assert response.status_code == 200
    assert response.headers["access-control-allow-origin"] == "*"
    assert response.headers["content-type"] == "application/json"
    assert response.json() == {
        "resource": CANONICAL,
        "authorization_servers": [ISSUER],
        "bearer_methods_supported": ["header"],
        "scopes_supported": ["mcp"],
    }
    asked = await within(user.client.options(path))
    assert (asked.status_code, asked.headers["access-control-allow-headers"]) == (204, "*"), "pages send their version"
    assert (await within(user.client.post(path))).status_code == 405


async def test_the_server_is_no_authorization_server_itself(user: TokenClient) -> None:
    assert (await within(user.client.get("/.well-known/oauth-authorization-server"))).status_code == 404


async def test_the_metadata_is_served_at_any_mount_path_of_the_application(authority: Authority) -> None:
    from starlette.applications import Starlette
    from starlette.routing import Mount

    auth = ResourceServerAuth(
        [authority.entry()],
        "https://mcp.example.com/tools/mcp",
        scopes_supported=[],
        default_challenge_scopes=[],
        transport=authority.transport,
    )
    inner = application(new_server(ProtectedServer(auth)), Settings(shutdown_grace=0.5))
    outer = Starlette(routes=[Mount("/tools", inner), Mount("/.well-known", inner)], lifespan=inner.lifespan)
    transport = httpx.ASGITransport(outer)
    async with (
        inner.lifespan(),
        httpx.AsyncClient(transport=transport, base_url="https://mcp.example.com", headers=ACCEPT) as client,
    ):
        refused = await within(client.post("/tools/mcp", content=initialize()))
        address = refused.headers["www-authenticate"].split('"')[1]
        assert address == "https://mcp.example.com/.well-known/oauth-protected-resource/tools/mcp"
        assert (await within(client.get(address))).json()["resource"] == "https://mcp.example.com/tools/mcp"
        token = authority.token(aud="https://mcp.example.com/tools/mcp")
        sent = {"Authorization": f"Bearer {token}"}
        assert (await within(client.post("/tools/mcp", content=initialize(), headers=sent))).status_code == 200


async def test_the_metadata_is_served_under_a_path_with_any_characters(authority: Authority) -> None:
    url = "https://mcp.example.com/caf%C3%A9%20tools/mcp"
    auth = ResourceServerAuth([authority.entry()], url, scopes_supported=[], default_challenge_scopes=[])
    async with serve(ProtectedServer(auth)) as user:
        address = (await user.send(initialize())).headers["www-authenticate"].split('"')[1]
        assert (await within(user.client.get(address))).json()["resource"] == url


async def test_the_host_of_the_canonical_url_is_accepted_and_others_are_not(authority: Authority) -> None:
    async with serve(ProtectedServer(auth_of(authority))) as user:
        elsewhere = {"Host": "evil.example.com", "Authorization": f"Bearer {authority.token()}"}
        for path in ("/mcp", "/.well-known/oauth-protected-resource"):
            refused = await within(user.client.request("POST", path, headers=elsewhere, content=initialize()))
            assert refused.status_code == 403


async def test_the_host_of_the_canonical_url_is_accepted_only_while_tokens_are_required(authority: Authority) -> None:
    door = ProtectedServer(auth_of(authority))
    server = new_server(door)
    inner = application(server, Settings(shutdown_grace=0.5))
    transport = httpx.ASGITransport(inner)
    async with httpx.AsyncClient(transport=transport, base_url="https://mcp.example.com", headers=ACCEPT) as client:
        asked = [(await within(client.post("/mcp", content=initialize()))).status_code]
        elsewhere = auth_of(authority, url="https://other.example.com/mcp")
        for app in (MCPApp("door"), door.app, MCPApp("door", auth=elsewhere)):
            server.swap(generation(door.catalog(), app))
            asked.append((await within(client.post("/mcp", content=initialize()))).status_code)
    inner.close()
    assert asked == [401, 403, 401, 403]
