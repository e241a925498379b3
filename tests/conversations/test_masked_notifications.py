"""Logs and progress of a tool contain no secret that it was given; its result is its own responsibility."""

import pytest

from server_core import Context, MCPApp
from workbench.testing import Client

pytestmark = pytest.mark.promises("context", "secrets")

KEY = "sk-12345-abcde"

app = MCPApp("teller", toolkit="")


@app.tool(requires_secrets=["API_KEY"])
async def leak(context: Context) -> str:
    """Send the key in a log message and a progress notification."""
    key = context.get_secret("API_KEY")
    await context.log.info(f"key {key}")
    await context.log.info("facts", key=key, nested=[{"key": key}])
    await context.progress.report(1, 2, f"with {key}")
    return key


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
async def test_a_secret_is_in_no_log_message_and_no_progress(revision: str) -> None:
    async with Client(app, secrets={"API_KEY": KEY}, revision=revision) as client:
        result = await client.call("leak")
        assert [log.data for log in client.logs] == [
            "key <secret API_KEY>",
            {"msg": "facts", "extra": {"key": "<secret API_KEY>", "nested": [{"key": "<secret API_KEY>"}]}},
        ]
        assert [report.message for report in client.progress] == ["with <secret API_KEY>"]
        assert KEY in result.text
