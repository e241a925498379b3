"""A single client and a server, the same over every transport."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from server_core.catalog.catalog import Catalog
from server_core.errors import RemoteError
from server_core.protocol.jsonrpc import Notification
from server_core.protocol.revisions import REVISION_2025_06_18, REVISION_2025_11_25, Revision
from tests.conversations.conftest import World
from tests.server_core.toolkit import generation
from tests.waiting import until, within
from workbench.client.questions import PendingQuestions, Question
from workbench.client.session import ClientSession


@pytest.fixture
async def client(world: World) -> AsyncIterator[ClientSession]:
    session = await within(ClientSession.open(await world.dial()))
    yield session
    await within(session.close())


def text_of(result: dict[str, Any]) -> str:
    text = result["content"][0]["text"]
    assert isinstance(text, str)
    return text


@pytest.mark.parametrize("revision", [REVISION_2025_06_18, REVISION_2025_11_25], ids=lambda revision: revision.date)
async def test_both_sides_agree_on_a_revision(world: World, revision: Revision) -> None:
    session = await within(ClientSession.open(await world.dial(), revision=revision))
    assert session.revision is revision
    assert session.server_info["name"] == "toolkit"
    await within(session.ping())
    await within(session.close())


async def test_everything_is_listed_and_read(client: ClientSession) -> None:
    assert {"add", "climb"} <= {tool["name"] for tool in await within(client.list_tools())}
    assert [resource["uri"] for resource in await within(client.list_resources())] == ["toolkit://motto"]
    assert [template["uriTemplate"] for template in await within(client.list_resource_templates())] == [
        "toolkit://notes/{number}"
    ]
    assert "letter" in [prompt["name"] for prompt in await within(client.list_prompts())]
    assert (await within(client.read_resource("toolkit://notes/7")))["contents"][0]["text"] == "Note 7"
    prompt = await within(client.get_prompt("letter", {"tone": "kind"}))
    assert prompt["messages"][0]["content"]["text"] == "Write a kind letter."


async def test_tools_are_called(client: ClientSession) -> None:
    result = await within(client.call_tool("add", {"a": 2, "b": 3}).result())
    assert result["structuredContent"] == {"result": 5}


async def test_many_calls_at_once_are_all_answered(world: World) -> None:
    world.server.settings = replace(world.server.settings, max_calls=10)
    client = await within(ClientSession.open(await world.dial()))
    # Over HTTP there is no stream to stop reading: excess requests are refused.
    some = 20 if world.transport == "http" else 300
    calls = [client.call_tool("add", {"a": number, "b": 1}) for number in range(some)]
    results = await within(asyncio.gather(*(call.result() for call in calls)))
    assert [result["structuredContent"]["result"] for result in results] == list(range(1, some + 1))
    await within(client.close())


async def test_large_texts_are_transferred_whole(client: ClientSession) -> None:
    text = "grün 🙂 " * 200_000
    assert text_of(await within(client.call_tool("echo", {"text": text}).result())) == text


async def test_many_calls_run_at_the_same_time(client: ClientSession) -> None:
    calls = [client.call_tool("echo", {"text": str(number)}) for number in range(100)]
    results = await within(asyncio.gather(*(call.result() for call in calls)))
    assert [text_of(result) for result in results] == [str(number) for number in range(100)]


async def test_a_fast_call_overtakes_a_slow_call(world: World, client: ClientSession) -> None:
    slow = client.call_tool("wait", {})
    await within(world.toolkit.entered.wait())
    assert text_of(await within(client.call_tool("echo", {"text": "first"}).result())) == "first"
    world.toolkit.gate.set()
    assert text_of(await within(slow.result())) == "through"


async def test_progress_and_logs_come_before_the_answer(client: ClientSession) -> None:
    notifications: list[Notification] = []
    client.on_notification = notifications.append
    call = client.call_tool("climb", {})
    await within(call.result())
    assert [report.progress for report in call.progress] == [1, 2, 3]
    assert [
        notification.params["level"] for notification in notifications if notification.method == "notifications/message"
    ] == ["debug", "error"]


async def test_a_cancelled_call_ends_and_the_session_continues(world: World, client: ClientSession) -> None:
    call = client.call_tool("wait", {})
    await within(world.toolkit.entered.wait())
    call.cancel("enough")
    await within(world.toolkit.cancelled.wait())
    await within(client.ping())


async def test_a_tool_asks_the_user_the_model_and_the_client(world: World) -> None:
    def answer(question: Question) -> bool:
        if question.kind == "elicitation":
            return question.answer({"action": "accept", "content": {"name": "Ada"}})
        return question.answer({"role": "assistant", "content": {"type": "text", "text": "hi"}, "model": "m"})

    session = await within(
        ClientSession.open(await world.dial(), questions=PendingQuestions([answer]), roots=[{"uri": "file:///home"}])
    )
    assert text_of(await within(session.call_tool("ask_name", {}).result())) == "accept: Ada"
    assert text_of(await within(session.call_tool("ask_model", {}).result())) == "hi"
    assert text_of(await within(session.call_tool("ask_roots", {}).result())) == "file:///home"
    await within(session.close())


async def test_a_request_is_withdrawn_with_the_call_that_sent_it(client: ClientSession) -> None:
    call = client.call_tool("ask_name", {})
    await until(lambda: client.questions.waiting)
    call.cancel("enough")
    await until(lambda: not client.questions.waiting)


async def test_errors_have_their_codes(client: ClientSession) -> None:
    with pytest.raises(RemoteError) as caught:
        await within(client.call_tool("ad", {}).result())
    assert caught.value.code == -32602
    with pytest.raises(RemoteError) as caught:
        await within(client.request("no/such/method"))
    assert caught.value.code == -32601


async def test_clients_are_notified_of_a_change_of_the_catalog(world: World, client: ClientSession) -> None:
    notifications: list[str] = []
    client.on_notification = lambda notification: notifications.append(notification.method)
    before = world.server.catalog
    world.server.swap(generation(Catalog(), world.toolkit.app, number=2, before=before))
    await until(lambda: len(notifications) == 3)
    assert sorted(notifications) == [f"notifications/{kind}/list_changed" for kind in ("prompts", "resources", "tools")]
    assert await within(client.list_tools()) == []


async def test_a_session_gets_no_notification_of_another(world: World, client: ClientSession) -> None:
    other = await within(ClientSession.open(await world.dial()))
    await within(other.set_log_level("emergency"))
    notifications: list[Notification] = []
    client.on_notification = other.on_notification = notifications.append
    await within(client.call_tool("climb", {}).result())
    assert [
        notification.params["level"] for notification in notifications if notification.method == "notifications/message"
    ] == ["debug", "error"]
    await within(other.close())


async def test_a_session_ends_with_its_client(world: World, client: ClientSession) -> None:
    await within(client.close())
    await until(lambda: all(session.describe()["closed"] for session in world.server.sessions.values()))
