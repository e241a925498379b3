"""Tools that may, must and must not be tasks, for clients with tasks of the core and of the extension."""

from typing import Any

import pytest

from tests.examples.conftest import SESSIONS, STATELESS
from tests.examples.task_augmentation import app
from workbench.testing import Client, RequestFailed


def call(tool: str, **arguments: str) -> dict[str, Any]:
    """The params of a call that is to be a task."""
    return {"name": f"TaskAugmentation_{tool}", "arguments": arguments, "task": {}}


async def test_clients_get_the_task_support_of_each_tool() -> None:
    async with Client(app, revision=SESSIONS) as client:
        tools = await client.list_tools()
    assert [(item["title"], item.get("execution")) for item in tools] == [
        ("GenerateReport", {"taskSupport": "optional"}),
        ("DeepResearch", {"taskSupport": "required"}),
        ("QuickLookup", None),  # Which is the same as "forbidden".
    ]


async def test_a_report_is_awaited_or_fetched_later(revision: str) -> None:
    async with Client(app, revision=revision) as client:
        waited = await client.call("TaskAugmentation_GenerateReport", topic="tea")
        fetched = await client.request("tools/call", call("GenerateReport", topic="tea"))
    assert waited.structured == {"topic": "tea", "sections": ["Read", "Compare", "Write"]}
    assert fetched["structuredContent"] == waited.structured


async def test_a_client_that_waits_for_a_report_gets_its_progress() -> None:
    async with Client(app, revision=SESSIONS) as client:
        report = await client.call("TaskAugmentation_GenerateReport", topic="tea")
        client.assert_logged("A report about tea begins.")
    assert [item.message for item in report.progress] == ["Read", "Compare", "Write"]


@pytest.mark.parametrize(
    ("preference", "outcome"),
    [
        ({"preference": "known"}, {"question": "Why?", "status": "done", "preference": "known"}),
        (None, {"question": "Why?", "status": "decline"}),
    ],
)
async def test_a_task_asks_while_it_runs(
    preference: dict[str, str] | None, outcome: dict[str, str], revision: str
) -> None:
    async with Client(app, revision=revision) as client:
        client.answers.elicit(lambda asked: preference)
        result = await client.request("tools/call", call("DeepResearch", question="Why?"))
        (asked,) = client.answers.asked
    assert result["structuredContent"] == outcome
    assert [item["const"] for item in asked.schema["properties"]["preference"]["oneOf"]] == ["new", "known"]


async def test_a_tool_that_must_be_a_task_is_refused_to_a_client_without_tasks() -> None:
    async with Client(app, revision=STATELESS, capabilities={"elicitation": {}}) as client:
        with pytest.raises(RequestFailed, match="modelcontextprotocol/tasks"):
            await client.call("TaskAugmentation_DeepResearch", question="Why?")


async def test_a_tool_that_cannot_be_a_task_is_only_called(revision: str) -> None:
    async with Client(app, revision=revision) as client:
        assert (await client.call("TaskAugmentation_QuickLookup", key="greeting")).text == "hello"
        if revision == SESSIONS:
            with pytest.raises(RequestFailed, match="cannot run as a task") as refused:
                await client.request("tools/call", call("QuickLookup", key="greeting"))
            assert refused.value.code == -32601
