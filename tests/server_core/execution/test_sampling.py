"""Sampling: what a model is asked over the wire, what it writes, and what a client lacks."""

from typing import Any

import pytest

from server_core import Context, ContextError
from tests.server_core.ports import FakePort

ROWS = ("S11",)


def context_of(port: FakePort) -> Context:
    return Context(port, 1)


async def test_the_model_is_asked_and_its_text_comes_back() -> None:
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


async def test_a_conversation_mixes_texts_and_messages_and_the_answer_may_have_many_blocks() -> None:
    answer = {"role": "assistant", "content": [{"type": "text", "text": "a"}, {"type": "tool_use"}], "model": "m"}
    port = FakePort({"sampling": {"tools": {}}}, answer)
    result = await context_of(port).sampling.create_message(
        ["q", {"role": "assistant", "content": "a"}], tools=[{"name": "t"}], tool_choice={"mode": "auto"}
    )
    assert result.text == "a"
    assert len(result.content) == 2
    assert [one["role"] for one in port.asked[0][1]["messages"]] == ["user", "assistant"]


@pytest.mark.parametrize(
    ("capabilities", "options", "message"),
    [({}, {}, "sampling capability"), ({"sampling": {}}, {"tools": []}, "sampling.tools capability")],
)
async def test_a_client_without_a_model_is_not_asked(
    capabilities: dict[str, Any], options: dict[str, Any], message: str
) -> None:
    port = FakePort(capabilities)
    with pytest.raises(ContextError, match=message):
        await context_of(port).sampling.create_message("?", **options)
    assert port.asked == []
