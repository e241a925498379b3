"""Our client and a server that was written with the official SDK: over stdio, HTTP, and through the relay."""

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp_types import ElicitRequest, ElicitRequestFormParams, ElicitResult, InputRequiredResult
from pydantic import BaseModel

from server_core.protocol.revisions import LATEST, LATEST_STATELESS, Revision
from server_core.records.tap import Kind, Tap
from server_core.serving.relay import Relay
from server_core.transports.channel import Channel
from server_core.transports.child import ChildChannel
from server_core.transports.http_client.http_client import HttpChannel
from server_core.transports.memory import MemoryChannel
from tests.conversations.asgi import running
from tests.server_core.toolkit import Records
from workbench.client.questions import PendingQuestions, Question
from workbench.client.session import ClientSession

SERVER = Path(__file__).parents[1] / "interop" / "official_server.py"


Dial = Callable[[], Awaitable[Channel]]
START = 30.0
"""Seconds in which a server process that imports the SDK has started."""


class Climber(BaseModel):
    name: str


def official() -> MCPServer:
    server = MCPServer("official")

    @server.tool()
    def echo(message: str) -> str:
        """Repeat the text."""
        return message

    @server.tool()
    async def climb(context: Context) -> str:
        """Report progress, and ask who it is."""
        await context.report_progress(1, 2)
        answer = await context.elicit("Who are you?", Climber)
        await context.report_progress(2, 2)
        return f"{answer.data.name} is on top" if answer.action == "accept" else "no name"

    @server.tool()
    async def climb_in_rounds(context: Context) -> str | InputRequiredResult:
        """Report progress, and ask who it is, without a session."""
        if context.input_responses is None:
            await context.report_progress(1, 2)
            schema = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
            asked = ElicitRequest(params=ElicitRequestFormParams(message="Who are you?", requested_schema=schema))
            return InputRequiredResult(input_requests={"who": asked}, request_state="half way up")
        assert context.request_state == "half way up"
        await context.report_progress(2, 2)
        answer = context.input_responses["who"]
        assert isinstance(answer, ElicitResult)
        return f"{(answer.content or {})['name']} is on top" if answer.action == "accept" else "no name"

    return server


@pytest.fixture(params=["stdio", "http with events", "http with json", "http without sessions"])
async def dial(request: pytest.FixtureRequest) -> AsyncIterator[Dial]:
    if request.param == "stdio":

        async def start() -> Channel:
            return await ChildChannel.spawn([sys.executable, str(SERVER)])

        yield start
        return
    application = official().streamable_http_app(
        json_response=request.param == "http with json", stateless_http=request.param == "http without sessions"
    )
    async with running(application) as url:

        async def connect() -> Channel:
            return HttpChannel(f"{url}/mcp")

        yield connect


@pytest.mark.parametrize("revision", [LATEST, LATEST_STATELESS], ids=lambda revision: revision.date)
@pytest.mark.parametrize("relayed", [False, True], ids=["directly", "relayed"])
async def test_a_foreign_server_is_called(dial: Dial, relayed: bool, revision: Revision) -> None:
    tap = Tap()
    records = Records(tap)
    relay = Relay(tap, dial)
    async with asyncio.timeout(START):
        client = await ClientSession.open(MemoryChannel(relay) if relayed else await dial(), revision=revision)
        assert client.server_info["name"] == "official"
        assert "echo" in {tool["name"] for tool in await client.list_tools()}
        result = await client.call_tool("echo", {"message": "hi"}).result()
        assert result["content"][0]["text"] == "hi"
        await client.close()
        await relay.wait_closed()
    assert len(records.of(Kind.RESPONSE)) == (3 if relayed else 0)


@pytest.mark.parametrize("revision", [LATEST, LATEST_STATELESS], ids=lambda revision: revision.date)
@pytest.mark.parametrize("relayed", [False, True], ids=["directly", "relayed"])
async def test_a_foreign_tool_reports_and_asks(relayed: bool, revision: Revision) -> None:
    def accept(question: Question) -> bool:
        return question.answer({"action": "accept", "content": {"name": "Ada"}})

    async with running(official().streamable_http_app()) as url, asyncio.timeout(START):

        async def connect() -> Channel:
            return HttpChannel(f"{url}/mcp")

        relay = Relay(Tap(), connect)
        channel = MemoryChannel(relay) if relayed else await connect()
        client = await ClientSession.open(channel, questions=PendingQuestions([accept]), revision=revision)
        call = client.call_tool("climb_in_rounds" if revision.stateless else "climb", {})
        assert (await call.result())["content"][0]["text"] == "Ada is on top"
        assert [report.progress for report in call.progress] == [1, 2]
        await client.close()
        await relay.wait_closed()
