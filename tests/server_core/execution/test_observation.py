"""The running time of tools, which is recorded while calls are observed."""

import asyncio
from typing import Any

import pytest

from server_core import Context, MCPApp
from server_core.execution.observation import observe_calls
from tests.server_core.execution.app_client import LEGACY, MODERN, Client

app = MCPApp("shop", toolkit="")


@app.tool
async def greet() -> str:
    """Greet."""
    return "Hello"


@app.tool
async def fail() -> str:
    """Fail."""
    raise ValueError("no tea")


@app.tool
async def ask(context: Context) -> str:
    """Ask twice at the same time."""
    await asyncio.gather(context.ui.elicit("a?", {"type": "object"}), context.ui.elicit("b?", {"type": "object"}))
    return "asked"


@app.tool
async def outer(context: Context) -> str:
    """Call another tool."""
    await context.tools.call_raw("greet", {})
    return "called"


def answer(method: str, params: dict[str, Any]) -> dict[str, Any]:
    return {"action": "accept", "content": {}}


async def times(tool: str, revision: str = MODERN) -> list[dict[str, Any]]:
    client = Client(app, revision, answer=answer)
    await client.request("tools/call", name=tool)
    return [event for event in client.records.events() if event["event"] == "tool_ended"]


@pytest.mark.parametrize("revision", [LEGACY, MODERN])
@pytest.mark.parametrize("tool", ["greet", "fail", "outer"])
async def test_the_running_time_of_a_tool_is_recorded_once(tool: str, revision: str) -> None:
    with observe_calls():
        [event] = await times(tool, revision)
    assert (event["tool"], event["id"], event["waited_ms"]) == (tool, 1, 0)
    assert event["ran_ms"] > 0


@pytest.mark.parametrize("revision", [LEGACY, MODERN])
async def test_the_time_that_a_tool_waits_for_its_client_is_apart(revision: str) -> None:
    with observe_calls():
        [event] = await times("ask", revision)
    assert event["waited_ms"] > 0


async def test_no_time_is_recorded_without_an_observer() -> None:
    assert await times("greet") == []
