"""What a call needs before its tool runs: metadata of the caller."""

import pytest

from server_core import Context, MCPApp
from server_core.metadata import ToolMetadataKey
from tests.server_core.execution.app_client import LEGACY, MODERN, Client

pytestmark = pytest.mark.promises("tool options")


def app_with_metadata() -> MCPApp:
    app = MCPApp("facts", toolkit="")

    @app.tool(requires_metadata=[ToolMetadataKey.COORDINATOR_URL, "team"])
    def where(context: Context) -> str:
        """Return a place."""
        return f"{context.get_metadata('Coordinator_URL')} for {context.get_metadata('team')}"

    return app


@pytest.mark.parametrize("revision", [LEGACY, MODERN])
async def test_a_tool_gets_the_metadata_that_it_declares(revision: str) -> None:
    client = Client(app_with_metadata(), revision)
    answer = await client.request(
        "tools/call", name="where", _meta={"coordinator_url": "https://c.example", "TEAM": "blue"}
    )
    assert answer["result"]["content"] == [{"type": "text", "text": "https://c.example for blue"}]


@pytest.mark.parametrize("revision", [LEGACY, MODERN])
async def test_a_tool_does_not_run_without_the_metadata_that_it_declares(revision: str) -> None:
    client = Client(app_with_metadata(), revision)
    result = (await client.request("tools/call", name="where", _meta={"coordinator_url": "https://c.example"}))[
        "result"
    ]
    assert result["isError"] is True
    assert result["_meta"]["arcade"]["errorKind"] == "TOOL_RUNTIME_CONTEXT_REQUIRED"
    text = " ".join(block["text"] for block in result["content"])
    assert "Missing metadata: team\n" in text
    assert "'where' requires this of its caller" in text
    assert '_meta of the request: {"team": "..."}' in text
    assert "c.example" not in text
