"""Captures of the official Python SDK's client replay without a difference."""

import os
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp import Client, StdioServerParameters
from mcp.client import ClientRequestContext

from tests.commands import DEMO, START, WORKBENCH
from workbench.client.target import Era, Target
from workbench.replay.player import replay
from workbench.replay.report import Status


async def _choose(context: ClientRequestContext, params: types.ElicitRequestParams) -> types.ElicitResult:
    return types.ElicitResult(action="accept", content={"dessert": "sorbet", "spoons": 2})


async def captured(home: Path, mode: Any) -> Path:
    """Let the SDK's client talk with the demo, and return the capture of that."""
    words = [*WORKBENCH, "serve", str(DEMO), "--stdio"]
    environment = {**os.environ, "WORKBENCH_HOME": str(home), "WORKBENCH_RUNTIME": str(home / "runtime")}
    server = StdioServerParameters(command=words[0], args=words[1:], env=environment)
    async with Client(server, mode=mode, read_timeout_seconds=START, elicitation_callback=_choose) as client:
        await client.list_tools()
        await client.call_tool("greet", {"name": "Ada"})
        await client.call_tool("choose_dessert", {})
    (capture,) = (home / "captures").iterdir()
    return capture


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_captured_conversation_is_replayed_in_its_own_era(tmp_path: Path, mode: str) -> None:
    report = await replay(await captured(tmp_path, mode), Target(project=DEMO))
    outcomes = [(outcome.method, outcome.name, outcome.status, outcome.reason) for outcome in report.outcomes]
    assert {status for _, _, status, _ in outcomes} == {Status.SAME}, outcomes
    rounds = [name for method, name, _, _ in outcomes if method == "tools/call" and name == "choose_dessert"]
    assert len(rounds) == (2 if mode == "auto" else 1)


async def test_a_captured_handshake_is_replayed_without_a_handshake(tmp_path: Path) -> None:
    report = await replay(await captured(tmp_path, "legacy"), Target(project=DEMO), Era.MODERN)
    called = {outcome.name: outcome for outcome in report.outcomes if outcome.method == "tools/call"}
    assert {name: outcome.status for name, outcome in called.items()} == dict.fromkeys(called, Status.SAME)
    assert called.keys() == {"greet", "choose_dessert"}
