"""Each example is started as its author would start it, and as a client would, over standard input and output."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from server_core.transports.child import ChildChannel
from server_core.transports.http_client.http_client import HttpChannel
from tests.commands import START, WORKBENCH, serving_http
from tests.waiting import within
from workbench.client.questions import PendingQuestions, Question
from workbench.client.session import ClientSession

pytestmark = pytest.mark.promises("app", "environment variables")

HERE = Path(__file__).parent
EXAMPLES = sorted(path for path in HERE.glob("*.py") if "MCPApp(" in path.read_text() and path != Path(__file__))


def greeted(question: Question) -> bool:
    return question.accept({"nickname": "Bo"})


@asynccontextmanager
async def started(*command: str) -> AsyncIterator[ClientSession]:
    """A client of a server that it has started."""
    async with asyncio.timeout(START):
        channel = await ChildChannel.spawn(list(command))
        session = await ClientSession.open(channel, questions=PendingQuestions([greeted]))
        try:
            yield session
        finally:
            await session.close()


async def test_there_are_examples_of_every_kind() -> None:
    assert len(EXAMPLES) >= 14


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
async def test_a_file_is_run_by_python(example: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARCADE_SERVER_TRANSPORT", "stdio")
    async with started(sys.executable, str(example)) as session:
        tools = await session.list_tools()
    assert tools
    assert all("_" in tool["name"] for tool in tools)


async def test_a_file_is_served_by_the_workbench() -> None:
    async with started(*WORKBENCH, "serve", "--stdio", str(HERE / "user_elicitation.py")) as session:
        result = await session.call_tool("UserElicitation_ElicitNickname", {}).result()
    assert result["content"] == [{"type": "text", "text": "Hello, Bo!"}]


async def test_a_file_that_chooses_http_is_served_over_http(tmp_path: Path) -> None:
    example = [sys.executable, str(HERE / "echo.py")]
    with serving_http(example, tmp_path, environment={"ARCADE_SERVER_PORT": "0"}) as url:
        session = await within(ClientSession.open(HttpChannel(url)))
        result = await within(session.call_tool("EchoServer_Echo", {"message": "hello"}).result())
        await within(session.close())
    assert result["content"] == [{"type": "text", "text": "hello"}]
