"""The client's model is lent a helper, and the tool runs it when the model wants to use it."""

from typing import Any

import pytest

from tests.examples.sampling_with_tools import app
from workbench.testing import Client, ToolFailed

pytestmark = pytest.mark.promises("context")


def wants(helper: str, **input: str) -> dict[str, Any]:
    """The message of a model that wants to use a helper."""
    use = {"type": "tool_use", "id": "use-1", "name": helper, "input": input}
    return {"role": "assistant", "content": [use], "model": "scripted", "stopReason": "toolUse"}


async def test_the_model_looks_words_up_until_it_has_an_answer(revision: str) -> None:
    async with Client(app, revision=revision) as client:
        client.answers.sample(wants("search_docs", query="What is a task?"))
        client.answers.sample("A call that goes on.")
        result = await client.call("SamplingWithTools_ResearchWithLookup", question="What is a task?")
        first, second = client.answers.asked
    assert result.text == "A call that goes on."
    assert first.params["toolChoice"] == {"mode": "auto"}
    assert [item["name"] for item in first.params["tools"]] == ["search_docs"]
    assert [item["role"] for item in second.params["messages"]] == ["user", "assistant", "user"]
    (block,) = second.params["messages"][-1]["content"]
    assert (block["type"], block["toolUseId"]) == ("tool_result", "use-1")
    assert block["content"][0]["text"].startswith("A task is a call")


async def test_a_model_that_never_stops_looking_words_up_is_stopped(revision: str) -> None:
    async with Client(app, revision=revision) as client:
        client.answers.sample(wants("search_docs", query="?"), always=True)
        result = await client.call("SamplingWithTools_ResearchWithLookup", question="?")
        assert len(client.answers.asked) == 4
    assert result.text == "The model has not come to an answer."


async def test_the_model_has_to_use_the_helper(revision: str) -> None:
    async with Client(app, revision=revision) as client:
        client.answers.sample(wants("extract_entities", text="Ada, ada@example.com"))
        result = await client.call("SamplingWithTools_ForcedExtraction", text="Ada is ada@example.com")
        assert client.answers.asked[0].params["toolChoice"] == {"mode": "required"}
        assert result.structured == {"emails": ["ada@example.com"], "names": ["Ada"]}

        client.answers.sample("I would rather not.")
        with pytest.raises(ToolFailed) as failed:
            await client.call("SamplingWithTools_ForcedExtraction", text="Ada")
    assert "has not" not in failed.value.result.text
    assert "has not" in failed.value.result.developer_message


async def test_the_model_sees_the_helper_and_may_not_use_it(revision: str) -> None:
    async with Client(app, revision=revision) as client:
        client.answers.sample("Short.")
        assert (await client.call("SamplingWithTools_SummarizeWithNone", text="Long.")).text == "Short."
        assert client.answers.asked[0].params["toolChoice"] == {"mode": "none"}


async def test_a_client_whose_model_uses_no_tools_gets_an_error(revision: str) -> None:
    async with Client(app, revision=revision, capabilities={"sampling": {}}) as client:
        with pytest.raises(Exception, match="tools"):
            await client.call("SamplingWithTools_SummarizeWithNone", text="Long.")
