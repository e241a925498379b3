"""The tokens that the server requires over HTTP, and the metadata for clients without one."""

import json
import re
from typing import Any

from server_core.errors import ConfigurationError
from server_core.transports.streamable.endpoint import StreamableHttp
from tests.server_core.settings.scenarios.scene import Scene, scenario
from tests.server_core.toolkit import Toolkit, initialize, new_server
from tests.server_core.transports.http_site import serving
from tests.waiting import within

RESOURCE = "https://mcp.example.com/mcp"
AUTHORITY = {
    "authorization_server_url": "https://as.example.com",
    "issuer": "https://as.example.com",
    "jwks_uri": "https://as.example.com/jwks",
}
SERVERS = json.dumps([AUTHORITY])


async def challenge_of(scene: Scene) -> dict[str, Any]:
    """Return the challenge for a client without a token, and the metadata; or why the server cannot start."""
    try:
        StreamableHttp(new_server(Toolkit(), settings=scene.settings), scene.settings).close()
    except ConfigurationError as error:
        return {"error": str(error).partition(";")[0]}
    async with serving(scene.settings) as site:
        refused = await site.post(initialize())
        url = site.url.replace("/mcp", "/.well-known/oauth-protected-resource/mcp")
        metadata = await within(site.client.get(url))
    challenge = refused.headers.get("www-authenticate", "")
    return {"status": refused.status_code, "challenge": challenge, **metadata.json()}


@scenario(
    "resource_server_canonical_url",
    RESOURCE,
    by_default="MCP_RESOURCE_SERVER_CANONICAL_URL is missing",
    when_set=(401, RESOURCE),
    resource_server_authorization_servers=SERVERS,
)
async def canonical_url(scene: Scene) -> Any:
    challenge = await challenge_of(scene)
    return challenge["error"] if "error" in challenge else (challenge["status"], challenge["resource"])


@scenario(
    "resource_server_authorization_servers",
    SERVERS,
    by_default="MCP_RESOURCE_SERVER_AUTHORIZATION_SERVERS is missing",
    when_set=(401, ["https://as.example.com"]),
    resource_server_canonical_url=RESOURCE,
)
async def authorization_servers(scene: Scene) -> Any:
    challenge = await challenge_of(scene)
    return challenge["error"] if "error" in challenge else (challenge["status"], challenge["authorization_servers"])


@scenario(
    "resource_server_scopes_supported",
    "read  write",
    by_default=None,
    when_set=["read", "write"],
    resource_server_canonical_url=RESOURCE,
    resource_server_authorization_servers=SERVERS,
)
async def scopes_supported(scene: Scene) -> Any:
    return (await challenge_of(scene)).get("scopes_supported")


@scenario(
    "resource_server_default_challenge_scopes",
    "read",
    by_default=None,
    when_set="read",
    resource_server_canonical_url=RESOURCE,
    resource_server_authorization_servers=SERVERS,
)
async def default_challenge_scopes(scene: Scene) -> Any:
    match = re.search(r'scope="([^"]*)"', (await challenge_of(scene))["challenge"])
    return None if match is None else match[1]
