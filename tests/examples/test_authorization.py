"""Clients without a token get the way to a token; those with a token are served as its user."""

import sys
from collections.abc import AsyncIterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from server_core.errors import ConnectionFailed, RemoteError
from server_core.transports.http_client.http_client import HttpChannel
from tests.commands import serving_http
from tests.conversations.asgi import running
from tests.examples.authorization import CANONICAL, app
from tests.server_core.resource_server.authority import Authority
from tests.waiting import within
from workbench.client.session import ClientSession
from workbench.testing import Client

pytestmark = pytest.mark.promises("app", "resource server")

SERVER = [sys.executable, str(Path(__file__).parent / "authorization.py")]


class Site:
    """The server as it was started, and the authorization server that gives tokens for it."""

    def __init__(self, url: str, authority: Authority) -> None:
        self.url = url
        self.authority = authority

    def token(self, **claims: object) -> str:
        return self.authority.token(aud="urn:example:mcp", **claims)

    async def call(self, tool: str, token: str, **arguments: str) -> str:
        """Call a tool, and return its text."""
        session = await within(ClientSession.open(HttpChannel(self.url, {"Authorization": f"Bearer {token}"})))
        try:
            result = await within(session.call_tool(tool, arguments).result())
        finally:
            await within(session.close())
        text: str = result["content"][0]["text"]
        return text


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[Site]:
    authority = Authority(algorithm="Ed25519")

    async def jwks(request: Request) -> JSONResponse:
        return JSONResponse(authority.jwks())

    async with running(Starlette(routes=[Route("/jwks", jwks)])) as issuer:
        authority.issuer = issuer
        environment = {
            "EXAMPLE_ISSUER": issuer,
            "ARCADE_SERVER_PORT": "0",
            "MY_SECRET_KEY": "open-sesame",
            "WORKBENCH_HOME": str(tmp_path / "home"),
        }
        with ExitStack() as stack:
            yield Site(stack.enter_context(serving_http(SERVER, tmp_path, environment=environment)), authority)


async def test_a_token_admits_a_client_and_identifies_its_user(site: Site) -> None:
    async with httpx.AsyncClient(trust_env=False) as client:
        refused = await within(client.post(site.url, json={}))
        assert refused.status_code == 401
        published = await within(client.get(site.url.replace("/mcp", "/.well-known/oauth-protected-resource/mcp")))
        assert published.json() == {
            "resource": CANONICAL,
            "authorization_servers": [site.authority.issuer],
            "bearer_methods_supported": ["header"],
            "scopes_supported": ["mcp", "offline_access"],
        }
    assert await site.call("Authorization_Greet", site.token(), name="Bo") == "Hello, Bo!"
    assert await site.call("Authorization_WhisperSecret", site.token()) == "It ends with same"
    assert "Missing client" in await site.call("Authorization_GetPostsInSubreddit", site.token(), subreddit="r/Python")
    admin = site.token(scope="mcp admin", sub="root")
    assert await site.call("Authorization_ForgetEverything", admin) == "root has made us forget."
    with pytest.raises((RemoteError, ConnectionFailed), match=r"403|scope"):
        await site.call("Authorization_ForgetEverything", site.token())
    with pytest.raises(ConnectionFailed, match="401"):
        await site.call("Authorization_Greet", site.token(exp=1), name="Bo")


async def test_only_http_requires_a_token(revision: str) -> None:
    async with Client(app, revision=revision, secrets={"MY_SECRET_KEY": "open-sesame"}) as client:
        assert (await client.call("Authorization_Greet", name="Bo")).text == "Hello, Bo!"
        assert (await client.call("Authorization_WhisperSecret")).text == "It ends with same"
        assert (await client.call("Authorization_ForgetEverything")).text.endswith("has made us forget.")
