"""The official Python SDK's client against `workbench serve`: every conversation runs over stdio and over HTTP.

`auto` first asks in the newest way and falls back, `legacy` shakes hands at once; both must work.
"""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import mcp_types as types
import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client import ClientRequestContext

from tests.commands import DEMO, START, WORKBENCH, serving_http

Connect = Callable[..., Client]


@pytest.fixture(scope="module")
def served_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a `workbench serve --http` of the demo, for all tests of this file."""
    folder = tmp_path_factory.mktemp("served")
    runtime = tempfile.mkdtemp(prefix="wb-")
    environment = {"WORKBENCH_HOME": str(folder / "home"), "WORKBENCH_RUNTIME": runtime}
    command = [*WORKBENCH, "serve", str(DEMO), "--http", "--port", "0"]
    with serving_http(command, folder, environment=environment) as url:
        yield url
    shutil.rmtree(runtime, ignore_errors=True)


@pytest.fixture(params=["stdio", "http"])
def connect(request: pytest.FixtureRequest) -> Connect:
    """Opens a client on a `workbench serve` of the demo, over the transport of this run."""
    server: StdioServerParameters | str
    if request.param == "stdio":
        words = [*WORKBENCH, "serve", str(DEMO), "--stdio"]
        # Without this, the SDK hands on little more than the PATH.
        server = StdioServerParameters(command=words[0], args=words[1:], env={**os.environ})
    else:
        server = request.getfixturevalue("served_url")

    def connected(**options: Any) -> Client:
        return Client(server, **{"mode": "legacy", "read_timeout_seconds": START, **options})

    return connected


def text_of(result: types.CallToolResult) -> str:
    block = result.content[0]
    assert isinstance(block, types.TextContent)
    return block.text


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_handshake_has_the_servers_name_and_instructions(connect: Connect, mode: str) -> None:
    async with connect(mode=mode) as client:
        assert client.server_info is not None
        assert client.server_info.name == "workbench_demo"
        assert "café" in (client.instructions or "")


async def test_everything_on_offer_is_listed(connect: Connect) -> None:
    async with connect() as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert {"greet", "add", "count_words", "brew", "book_table", "choose_dessert", "order_beans"} <= tools.keys()
        assert tools["greet"].input_schema["required"] == ["name"]
        assert tools["count_words"].output_schema is not None
        assert [str(item.uri) for item in (await client.list_resources()).resources] == ["demo://menu"]
        templates = (await client.list_resource_templates()).resource_templates
        assert [item.uri_template for item in templates] == ["demo://dishes/{dish}"]
        assert [item.name for item in (await client.list_prompts()).prompts] == ["invitation"]


async def test_tools_answer_with_text_and_structure(connect: Connect) -> None:
    async with connect() as client:
        assert text_of(await client.call_tool("greet", {"name": "Ada"})) == "Hello, Ada!"
        assert (await client.call_tool("add", {"a": 2, "b": 3})).structured_content == {"result": 5}
        counted = await client.call_tool("count_words", {"text": "tea for two, tea"})
        assert counted.structured_content is not None
        assert counted.structured_content["words"] == 4


async def test_resources_and_prompts_are_read(connect: Connect) -> None:
    async with connect() as client:
        menu = (await client.read_resource("demo://menu")).contents[0]
        assert isinstance(menu, types.TextResourceContents)
        assert "quiche" in menu.text
        dish = (await client.read_resource("demo://dishes/soup")).contents[0]
        assert isinstance(dish, types.TextResourceContents)
        assert "4.5" in dish.text
        prompt = await client.get_prompt("invitation", {"guest": "Ada", "occasion": "wedding"})
        assert "wedding" in str(prompt.messages[0].content)
        completed = await client.complete(types.PromptReference(name="invitation"), {"name": "occasion", "value": "re"})
        assert completed.completion.values == ["retirement", "reunion"]


async def test_progress_reaches_the_client_in_order(connect: Connect) -> None:
    seen: list[tuple[float, float | None]] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        seen.append((progress, total))

    async with connect() as client:
        arguments = {"cups": 3, "seconds_per_cup": 0}
        result = await client.call_tool("brew", arguments, progress_callback=on_progress)
        assert text_of(result) == "3 cups are ready."
    assert seen == [(1, 3), (2, 3), (3, 3)]


async def test_a_question_to_the_user_is_answered(connect: Connect) -> None:
    asked: list[types.ElicitRequestParams] = []

    async def answer(context: ClientRequestContext, params: types.ElicitRequestParams) -> types.ElicitResult:
        asked.append(params)
        return types.ElicitResult(action="accept", content={"dessert": "sorbet", "spoons": 2})

    async with connect(elicitation_callback=answer) as client:
        assert text_of(await client.call_tool("choose_dessert", {})) == "One sorbet with 2 spoon(s)."
    assert [params.message for params in asked] == ["Which dessert may we bring?"]


async def test_a_question_to_the_model_is_answered(connect: Connect) -> None:
    async def think(
        context: ClientRequestContext, params: types.CreateMessageRequestParams
    ) -> types.CreateMessageResult:
        content = types.TextContent(type="text", text="Green Cloud")
        return types.CreateMessageResult(role="assistant", content=content, model="fake")

    async with connect(sampling_callback=think) as client:
        result = await client.call_tool("name_dish", {"ingredients": ["spinach"]})
        assert text_of(result) == "On the menu today: Green Cloud"


async def test_a_client_that_cannot_be_asked_gets_an_error_it_understands(connect: Connect) -> None:
    async with connect() as client:
        result = await client.call_tool("choose_dessert", {})
        assert result.is_error
        assert "elicitation" in text_of(result)


async def test_output_of_a_tool_is_not_sent_on_the_wire(connect: Connect) -> None:
    async with connect() as client:
        result = await client.call_tool("print_receipt", {"items": ["soup", "coffee"], "price": 6.9})
        assert text_of(result) == "Printed 2 lines."
        assert text_of(await client.call_tool("greet", {"name": "Ada"})) == "Hello, Ada!"


async def test_a_failing_tool_explains_to_the_agent_what_to_do(connect: Connect) -> None:
    async with connect() as client:
        result = await client.call_tool("order_dish", {"dish": "cheesecake"})
        assert result.is_error
        assert "Offer one of these instead: soup, quiche." in text_of(result)
        assert "stock" not in text_of(result)


async def test_arguments_that_do_not_fit_are_an_error_that_names_the_field(connect: Connect) -> None:
    async with connect() as client:
        result = await client.call_tool("add", {"a": "two", "b": 3})
        assert result.is_error
        assert "a" in text_of(result)


async def test_an_unknown_tool_is_a_protocol_error(connect: Connect) -> None:
    async with connect() as client:
        with pytest.raises(MCPError) as raised:
            await client.call_tool("greeet", {"name": "Ada"})
        assert raised.value.error.code == types.INVALID_PARAMS
        assert "greet" in raised.value.error.message
