"""A server over HTTP that requires tokens, and a client that sends them."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx

from server_core import Context, MCPApp
from server_core.resource_server import (
    InsufficientScopeError,
    ResourceServerAuth,
    ResourceServerValidator,
    enforce_scopes,
)
from server_core.settings import Settings
from server_core.transports.streamable.endpoint import StreamableHttp as application
from tests.server_core.resource_server.authority import CANONICAL, Authority
from tests.server_core.toolkit import INITIALIZED, Records, Toolkit, call, initialize, new_server
from tests.server_core.transports.http_site import ACCEPT
from tests.waiting import within

METADATA = "https://mcp.example.com/.well-known/oauth-protected-resource/mcp"


class ProtectedServer(Toolkit):
    """A server that requires tokens, with tools that return the owner of the token."""

    def __init__(self, auth: ResourceServerValidator | None) -> None:
        super().__init__()
        self.app = app = MCPApp("door", toolkit="", auth=auth)

        @app.tool
        async def whoami(context: Context) -> str:
            """Return the owner of the token."""
            owner = context.resource_owner
            return f"{context.user_id} {sorted(owner.granted_scopes) if owner else owner}"

        @app.tool
        def whoami_on_a_thread(context: Context) -> str:
            """Return the owner of the token, on a thread."""
            return f"{context.resource_owner and context.resource_owner.user_id}"

        @app.tool
        async def write(context: Context) -> str:
            """Do what takes a scope."""
            enforce_scopes(context, ["mcp", "write"])
            return "written"

        @app.tool
        async def write_late(context: Context) -> str:
            """Do what takes a scope, after a while."""
            self.entered.set()
            await self.gate.wait()
            raise InsufficientScopeError(["write"], error_description="Ask for more")

        @app.tool(requires_secrets=["TOKEN"])
        async def secret(context: Context) -> str:
            """Use a secret."""
            return "used"

        @app.tool
        async def relay(context: Context) -> str:
            """Ask the server itself."""
            result = await context.tools.call_raw("whoami", {})
            return json.dumps(result.get("structuredContent") if isinstance(result, dict) else None)


class TokenClient:
    """A client that sends requests with tokens, and the records of the server."""

    def __init__(self, client: httpx.AsyncClient, records: Records) -> None:
        self.client = client
        self.records = records

    async def send(self, data: bytes, token: str = "", **named: str) -> httpx.Response:
        """Send a message, with a token if one is given."""
        sent = {name.replace("_", "-"): value for name, value in named.items() if value}
        if token:
            sent["Authorization"] = f"Bearer {token}"
        return await within(self.client.post("/mcp", content=data, headers=sent))

    async def session(self, token: str) -> str:
        """Shake hands, and return the id of the session."""
        response = await self.send(initialize(), token)
        assert response.status_code == 200, response.text
        session: str = response.headers["mcp-session-id"]
        await self.send(INITIALIZED, token, Mcp_Session_Id=session)
        return session

    async def call(self, session: str, token: str, tool: str, id: int = 1) -> httpx.Response:
        """Call a tool."""
        return await self.send(call(id, "tools/call", name=tool, arguments={}), token, Mcp_Session_Id=session)


def auth_of(authority: Authority, url: str = CANONICAL, **options: Any) -> ResourceServerAuth:
    """Return a validator of its tokens that names the scopes to request."""
    named = {"scopes_supported": ["mcp"], "default_challenge_scopes": ["mcp", "offline_access"], **options}
    return ResourceServerAuth([authority.entry()], url, transport=authority.transport, **named)


@asynccontextmanager
async def serve(door: Toolkit, **settings: Any) -> AsyncIterator[TokenClient]:
    """Serve over HTTP, and yield a client."""
    server = new_server(door)
    inner = application(server, Settings(shutdown_grace=0.5, **settings))
    transport = httpx.ASGITransport(inner)
    async with (
        inner.lifespan(),
        httpx.AsyncClient(transport=transport, base_url="https://mcp.example.com", headers=ACCEPT) as client,
    ):
        yield TokenClient(client, Records(server.tap))


def text(response: httpx.Response) -> str:
    """The text that a tool has returned."""
    content: str = response.json()["result"]["content"][0]["text"]
    return content
