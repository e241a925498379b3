"""The pages about middleware and telemetry are correct: their examples work as described."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from server_core.core import Core
from server_core.transports.memory import MemoryChannel
from tests.test_documents import ROOT, blocks
from tests.waiting import within
from workbench.client.session import ClientSession

pytestmark = pytest.mark.promises("middleware", "telemetry passback")

MIDDLEWARE, LIFESPAN = blocks(ROOT / "docs" / "middleware.md", "python")
(PASSBACK,) = blocks(ROOT / "docs" / "telemetry.md", "python")


@asynccontextmanager
async def client_of(source: str, folder: Path) -> AsyncIterator[ClientSession]:
    """Serve a file with this text to a client."""
    (folder / "server.py").write_text(source, encoding="utf-8")
    core = Core(project=folder, link=False, capture=False)
    await within(core.start())
    session = await within(ClientSession.open(MemoryChannel(core)))
    assert core.generation is None or core.generation.problems == ()
    try:
        yield session
    finally:
        await within(session.close())
        await within(core.stop())


async def test_middleware_refuses_and_leaves_out(tmp_path: Path) -> None:
    async with client_of(MIDDLEWARE, tmp_path) as client:
        assert [tool["name"] for tool in await within(client.list_tools())] == ["Shop_Sell"]
        first = await within(client.call_tool("Shop_Sell", {"thing": "a hat"}).result())
        assert first["content"][0]["text"] == "sold: a hat"
        second = await within(client.call_tool("Shop_Sell", {"thing": "a hat"}).result())
        assert second["isError"] is True
        assert 0 < second["_meta"]["arcade"]["retryAfterMs"] <= 60_000


async def test_a_lifespan_opens_what_tools_share(tmp_path: Path) -> None:
    async with client_of(LIFESPAN, tmp_path) as client:
        result = await within(client.call_tool("Store_Count", {"thing": "tea"}).result())
        assert result["content"][0]["text"] == "3"


async def test_spans_come_back(tmp_path: Path) -> None:
    async with client_of(PASSBACK, tmp_path) as client:
        assert "serverExecutionTelemetry" in client.capabilities
        wish = {"_meta": {"otel": {"traces": {"request": True}}}}
        call = {"name": "Kitchen_Brew", "arguments": {"minutes": 3}, **wish}
        result = await within(client.request("tools/call", call))
        (resource,) = result["_meta"]["otel"]["traces"]["resourceSpans"]
        spans = [span["name"] for span in resource["scopeSpans"][0]["spans"]]
        assert spans == ["heat the water", "wait", "tools/call Kitchen_Brew"]
