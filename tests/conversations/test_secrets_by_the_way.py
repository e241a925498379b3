"""What a tool tells by the way holds no secret that it was given; what it returns is its own matter."""

import pytest

from server_core import Context, MCPApp
from workbench.testing import Client

ROWS = ("S11", "S13")

KEY = "sk-12345-abcde"

app = MCPApp("teller", toolkit="")


@app.tool(requires_secrets=["API_KEY"])
async def tell(context: Context) -> str:
    """Tell the key to everybody."""
    key = context.get_secret("API_KEY")
    await context.log.info(f"key {key}")
    await context.log.info("facts", key=key, nested=[{"key": key}])
    await context.progress.report(1, 2, f"with {key}")
    return key


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
async def test_a_secret_is_in_no_log_message_and_no_progress(revision: str) -> None:
    async with Client(app, secrets={"API_KEY": KEY}, revision=revision) as client:
        result = await client.call("tell")
        assert [one.data for one in client.logs] == [
            "key <secret API_KEY>",
            {"msg": "facts", "extra": {"key": "<secret API_KEY>", "nested": [{"key": "<secret API_KEY>"}]}},
        ]
        assert [one.message for one in client.progress] == ["with <secret API_KEY>"]
        assert KEY in result.text
