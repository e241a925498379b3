"""Sampling: the requests on the wire, their results, and clients that do not support them."""

from typing import Any

import pytest

from server_core import Context, ContextError, MCPApp
from server_core.errors import RootsNotSupportedError, SamplingNotSupportedError
from server_core.protocol.revisions import LATEST, REVISION_2025_06_18, Revision
from server_core.settings import Settings
from server_core.types import (
    ModelPreferences,
    SamplingMessage,
    TextContent,
    ToolChoice,
    ToolResultContent,
    ToolUseContent,
)
from tests.server_core.execution.app_client import Client
from tests.server_core.ports import FakePort, text_of
from tests.waiting import until

pytestmark = pytest.mark.promises("context")
ANSWER = {"role": "assistant", "content": {"type": "text", "text": "hi"}, "model": "m"}


def context_of(port: FakePort) -> Context:
    return Context(port, 1)


async def test_the_text_of_the_model_is_returned() -> None:
    answer = {"role": "assistant", "content": {"type": "text", "text": "hi"}, "model": "m", "stopReason": "endTurn"}
    port = FakePort({"sampling": {}}, answer)
    result = await context_of(port).sampling.create_message(
        "hello", system_prompt="be brief", temperature=0, model_preferences=["a", "b"]
    )
    assert (result.text, result.model, result.stop_reason, result.role) == ("hi", "m", "endTurn", "assistant")
    assert port.asked == [
        (
            "sampling/createMessage",
            {
                "messages": [{"role": "user", "content": {"type": "text", "text": "hello"}}],
                "maxTokens": 512,
                "systemPrompt": "be brief",
                "temperature": 0,
                "modelPreferences": {"hints": [{"name": "a"}, {"name": "b"}]},
            },
        )
    ]


async def test_a_conversation_may_mix_texts_and_messages_and_the_result_may_have_several_blocks() -> None:
    answer = {"role": "assistant", "content": [{"type": "text", "text": "a"}, {"type": "tool_use"}], "model": "m"}
    port = FakePort({"sampling": {"tools": {}}}, answer)
    result = await context_of(port).sampling.create_message(
        ["q", {"role": "assistant", "content": "a"}], tools=[{"name": "t"}], tool_choice={"mode": "auto"}
    )
    assert result.text == "a"
    assert len(result.content) == 2
    assert [message["role"] for message in port.asked[0][1]["messages"]] == ["user", "assistant"]


@pytest.mark.parametrize(
    ("capabilities", "options", "message"),
    [({}, {}, "sampling capability"), ({"sampling": {}}, {"tools": []}, "sampling.tools capability")],
)
async def test_nothing_is_sent_to_a_client_without_sampling(
    capabilities: dict[str, Any], options: dict[str, Any], message: str
) -> None:
    port = FakePort(capabilities)
    with pytest.raises(ContextError, match=message) as refused:
        await context_of(port).sampling.create_message("?", **options)
    assert isinstance(refused.value, ValueError)  # As in Arcade's framework.
    assert port.asked == []


def tool_use(id: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": "search", "input": {"query": "mcp"}}


async def test_a_model_calls_tools_until_it_has_an_answer() -> None:
    written = [
        {"role": "assistant", "content": [tool_use("u1")], "model": "m", "stopReason": "toolUse"},
        {"role": "assistant", "content": {"type": "text", "text": "found"}, "model": "m", "stopReason": "endTurn"},
    ]
    port = FakePort({"sampling": {"tools": {}}}, lambda method, params: written.pop(0))
    sampling = context_of(port).sampling
    tools = [{"name": "search", "description": "Search.", "inputSchema": {"type": "object"}}]
    messages: list[Any] = [SamplingMessage(role="user", content=TextContent(type="text", text="What is MCP?"))]
    while True:
        reply = await sampling.create_message(messages, tools=tools, tool_choice=ToolChoice(mode="auto"))
        if not reply.tool_uses:
            break
        (use,) = reply.tool_uses
        assert isinstance(use, ToolUseContent)
        assert (use.id, use.name, use.input) == ("u1", "search", {"query": "mcp"})
        result = ToolResultContent(tool_use_id=use.id, content=[TextContent(text="a protocol")])
        messages += [reply.message, SamplingMessage(role="user", content=[result])]
    assert (reply.text, reply.stop_reason, reply.stopReason) == ("found", "endTurn", "endTurn")
    assert port.asked[1][1]["messages"] == [
        {"role": "user", "content": {"type": "text", "text": "What is MCP?"}},
        {"role": "assistant", "content": [tool_use("u1")]},
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "toolUseId": "u1", "content": [{"type": "text", "text": "a protocol"}]}
            ],
        },
    ]
    assert port.asked[1][1]["toolChoice"] == {"mode": "auto"}


async def test_the_result_is_also_a_list_of_blocks() -> None:
    answer = {"role": "assistant", "content": [{"type": "text", "text": "a"}, tool_use("u1")], "model": "m"}
    reply = await context_of(FakePort({"sampling": {}}, answer)).sampling.create_message("?")
    assert isinstance(reply, list)
    assert [block.type for block in reply] == ["text", "tool_use"]
    assert reply == reply.content


RESULT = {"type": "tool_result", "toolUseId": "u1", "content": []}


@pytest.mark.parametrize(
    ("messages", "problem"),
    [
        ([{"role": "assistant", "content": [tool_use("u1")]}], "no tool_result for the tool_use 'u1'"),
        ([{"role": "user", "content": [RESULT]}], "check 'u1'"),
        ([{"role": "assistant", "content": [tool_use("u1")]}, "and now?"], "check 'u1'"),
        (
            [{"role": "assistant", "content": [tool_use("u1"), tool_use("u2")]}, {"role": "user", "content": [RESULT]}],
            "check 'u2'",
        ),
        (
            [
                {"role": "assistant", "content": [tool_use("u1")]},
                {"role": "user", "content": [RESULT, {"type": "text", "text": "there"}]},
            ],
            "must contain nothing else",
        ),
    ],
)
async def test_tool_results_without_a_tool_call_are_refused_before_anything_is_sent(
    messages: list[Any], problem: str
) -> None:
    port = FakePort({"sampling": {"tools": {}}})
    with pytest.raises(ValueError, match=problem):
        await context_of(port).sampling.create_message(messages)
    assert port.asked == []


async def test_the_arguments_have_the_order_of_arcade() -> None:
    port = FakePort({"sampling": {"context": {}}}, ANSWER)
    await context_of(port).sampling.create_message("?", "be brief", "thisServer", 0.5, None, ModelPreferences(hints=[]))
    assert port.asked[0][1] == {
        "messages": [{"role": "user", "content": {"type": "text", "text": "?"}}],
        "maxTokens": 512,
        "systemPrompt": "be brief",
        "temperature": 0.5,
        "includeContext": "thisServer",
        "modelPreferences": {"hints": []},
    }


@pytest.mark.parametrize(
    ("revision", "declared", "left_out"),
    [
        (LATEST, {}, {"thisServer", "allServers"}),
        (LATEST, {"context": {}}, set()),
        (REVISION_2025_06_18, {}, set()),
    ],
)
async def test_context_is_requested_only_from_a_client_that_declares_it(
    revision: Revision, declared: Any, left_out: set[str]
) -> None:
    for asked in (
        "thisServer",
        "allServers",
        "none",
    ):
        port = FakePort({"sampling": declared}, ANSWER, revision=revision)
        await context_of(port).sampling.create_message("?", include_context=asked)
        assert port.asked[0][1].get("includeContext") == (None if asked in left_out else asked)


@pytest.mark.parametrize("preferences", [5, [5], ["a", None]])
async def test_invalid_preferences_are_refused_before_anything_is_sent(preferences: Any) -> None:
    port = FakePort({"sampling": {}}, ANSWER)
    with pytest.raises(ValueError, match="model_preferences"):
        await context_of(port).sampling.create_message("?", model_preferences=preferences)
    assert port.asked == []


async def test_a_missing_model_raises_its_own_error_at_once() -> None:
    app = MCPApp("asks", toolkit="")

    @app.tool
    async def ask(context: Context) -> str:
        """Ask."""
        with pytest.raises(SamplingNotSupportedError):
            await context.sampling.create_message("?")
        with pytest.raises(RootsNotSupportedError):
            await context.resources.list_roots()
        return "no"

    client = Client(app, capabilities={})
    assert text_of((await client.request("tools/call", name="ask"))["result"]) == "no"
    assert client.asked == []


async def test_a_request_without_a_response_times_out_as_configured_and_is_cancelled() -> None:
    app = MCPApp("asks", toolkit="")

    @app.tool
    async def ask(context: Context) -> None:
        """Ask."""
        await context.sampling.create_message("?")

    client = Client(app, settings=Settings(request_timeout=0.01))
    client.begin("tools/call", {"name": "ask"})
    await until(lambda: "result" in client.outlet.sent[-1])
    result = client.outlet.sent[-1]["result"]
    assert "did not answer sampling/createMessage within 0.01 s" in text_of(result)
    # A faster answer helps.
    facts = result["_meta"]["arcade"]
    assert (facts["canRetry"], facts["additionalPromptContent"]) == (True, "Answer within 0.01 s.")
    asked = next(message for message in client.outlet.sent if message.get("method") == "sampling/createMessage")
    assert client.notifications == [
        ("notifications/cancelled", {"requestId": asked["id"], "reason": "no answer within 0.01 s"})
    ]
