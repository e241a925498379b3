"""Calls that close their connection, over every transport and in revisions with and without this feature."""

import asyncio
from typing import Any

import pytest

from server_core import Context, MCPApp
from server_core.protocol.revisions import REVISION_2025_06_18, REVISION_2025_11_25, Revision
from tests.conversations.conftest import World
from tests.server_core.toolkit import generation
from tests.waiting import within


@pytest.mark.parametrize("revision", [REVISION_2025_06_18, REVISION_2025_11_25], ids=lambda revision: revision.date)
async def test_a_call_that_closes_its_connection_is_still_answered(world: World, revision: Revision) -> None:
    app, disconnected, gate = MCPApp("slow", "1.0", toolkit=""), asyncio.Event(), asyncio.Event()

    @app.tool
    async def linger(context: Context) -> str:
        """Report progress before and after it closes the stream."""
        await context.progress.report(1, message="before")
        await context.close_stream(retry_ms=1)
        disconnected.set()
        await gate.wait()
        await context.progress.report(2, message="after")
        return "there"

    catalog, _ = app.build()
    world.server.swap(generation(catalog, app, number=2))
    session = await world.open(revision=revision)
    reports: list[Any] = []
    call = session.call_tool("linger", {}, on_progress=reports.append)
    await within(disconnected.wait())
    gate.set()
    assert (await within(call.result()))["content"][0]["text"] == "there"
    assert len(reports) == 2
