"""Secrets and accounts of users, for the tools that declare them."""

import re
from typing import Any

from server_core import Context, MCPApp
from server_core.auth import GitHub
from server_core.auth.broker import open_broker
from server_core.records.tap import Tap
from server_core.secrets.secret_store import SecretStore
from server_core.secrets.vault import FileVault
from tests.server_core.execution.app_client import Client, result_of
from tests.server_core.settings.scenarios.scene import Scene, scenario


@scenario("open_secrets", "true", by_default="✗ Unsupported transport", when_set="1234")
async def open_secrets(scene: Scene) -> Any:
    app = MCPApp("shop")

    @app.tool(requires_secrets=["PIN"])
    def open_safe(context: Context) -> str:
        """Open the safe."""
        return context.get_secret("PIN")

    away: dict[str, Any] = {"secrets": {"PIN": "1234"}, "transport": "http", "peer_name": "192.0.2.7:5000"}
    result = await result_of(app, "Shop_OpenSafe", settings=scene.settings, **away)
    return result["content"][0]["text"].partition("\n")[0]


async def consent(scene: Scene) -> str:
    """Return the result for the caller of a tool that acts for a user: a URL to visit, or what is missing."""
    tap = Tap()
    secrets = SecretStore(scene.folder)
    broker = open_broker(scene.folder, secrets, scene.settings, tap, FileVault(scene.folder / "vault"))
    app = MCPApp("shop", toolkit="")

    @app.tool(requires_auth=GitHub(scopes=["repo"]))
    async def who(context: Context) -> str:
        """Return the token of the account."""
        return context.get_auth_token_or_empty()

    client = Client(app, settings=scene.settings, capabilities={})
    client.server.open_broker = lambda: broker
    try:
        return str((await client.request("tools/call", name="who"))["result"]["content"][0]["text"])
    finally:
        client.session.close()
        await broker.close()


@scenario("auth", "mock", by_default="✗ Missing client for GitHub", when_set="⚠ Authorization required")
async def auth(scene: Scene) -> Any:
    return (await consent(scene)).partition("\n")[0]


@scenario("auth_port", "18975", by_default=8975, when_set=18975)
async def auth_port(scene: Scene) -> Any:
    """Return the port that a client has to be registered with."""
    match = re.search(r"http://127\.0\.0\.1:(\d+)/callback", await consent(scene))
    return None if match is None else int(match[1])
