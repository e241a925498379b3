"""The features of each revision for a client, the same over every transport."""

import asyncio
import json
from typing import Any

import pytest

from server_core.errors import RemoteError
from server_core.protocol.jsonrpc import Notification
from server_core.protocol.revisions import LATEST, LATEST_STATELESS, Revision
from tests.conversations.conftest import World, over
from tests.waiting import until, within
from workbench.client.questions import PendingQuestions, Question
from workbench.client.session import ClientSession


def text_of(result: dict[str, Any]) -> str:
    text = result["content"][0]["text"]
    assert isinstance(text, str)
    return text


async def call(client: ClientSession, tool: str, **arguments: Any) -> dict[str, Any]:
    return await within(client.call_tool(tool, arguments).result())


def has_sessions(revision: Revision) -> bool:
    return not revision.stateless


# Lists.


@over()
async def test_lists_are_paged(world: World) -> None:
    world.set(page_size=4)
    client = await world.open()
    tools = [tool["name"] for tool in await within(client.list_tools())]
    assert tools == list(world.server.catalog.tools)
    cursors = [request.get("params", {}).get("cursor") for request in world.witness.requests("tools/list")]
    assert len(cursors) == -(-len(tools) // 4)
    assert cursors[0] is None
    assert None not in cursors[1:]


@over()
async def test_a_cursor_of_another_list_or_of_none_is_refused(world: World) -> None:
    world.set(page_size=4)
    client = await world.open()
    page = await within(client.request("tools/list"))
    for method, cursor in (("prompts/list", page["nextCursor"]), ("tools/list", "nonsense"), ("tools/list", "")):
        with pytest.raises(RemoteError) as caught:
            await within(client.request(method, {"cursor": cursor}))
        assert caught.value.code == -32602


@over()
async def test_a_client_receives_nothing_that_its_revision_does_not_have(world: World) -> None:
    client = await world.open()
    # The witness detects members that the schemas do not name; this checks the rest.
    for method in ("tools/list", "resources/list", "resources/templates/list", "prompts/list"):
        result = await within(client.request(method))
        assert ("resultType" in result) is ("ttlMs" in result) is ("cacheScope" in result) is world.revision.stateless
        assert ("_meta" in result) is world.revision.stateless
    result = await call(client, "add", a=1, b=2)
    assert ("structuredContent" in result) is world.revision.structured_content
    assert client.revision is world.revision


# Calls and their errors.


@over()
async def test_invalid_arguments_are_a_result_for_the_agent(world: World) -> None:
    client = await world.open()
    result = await call(client, "add", a="one")
    assert result["isError"] is True
    assert "b" in text_of(result)


@over()
async def test_missing_items_are_errors_with_their_codes(world: World) -> None:
    client = await world.open()

    async def code(method: str, **params: Any) -> tuple[int, Any]:
        with pytest.raises(RemoteError) as caught:
            await within(client.request(method, params))
        return caught.value.code, caught.value.data

    assert (await code("tools/call", name="nothing"))[0] == -32602
    assert (await code("prompts/get", name="nothing"))[0] == -32602
    assert (await code("no/such/method"))[0] == -32601
    expected = -32602 if world.revision.stateless else -32002
    assert await code("resources/read", uri="toolkit://nothing") == (expected, {"uri": "toolkit://nothing"})


@over()
async def test_ids_and_texts_are_returned_as_they_were_sent(world: World) -> None:
    client = await world.open()
    text = "a\x00b\r\nc\u2028d\u0085e\x7f🙂\ufeff" + "\\" * 3
    assert text_of(await call(client, "echo", text=text)) == text


# Notifications during a call.


@over()
async def test_progress_has_the_fields_of_the_revision(world: World) -> None:
    client = await world.open()
    running = client.call_tool("climb", {})
    await within(running.result())
    assert [(report.progress, report.total) for report in running.progress] == [(1, 3), (2, 3), (3, 3)]
    messages = [report.message for report in running.progress]
    assert messages == (["step 1", "step 2", "step 3"] if world.revision.progress_messages else [None] * 3)


@over()
async def test_logs_are_sent_from_the_requested_level_on(world: World) -> None:
    client = await world.open()

    async def levels() -> list[str]:
        world.witness.received.clear()
        await call(client, "climb")
        return [params["level"] for params in world.witness.params_of("notifications/message")]

    assert await levels() == ([] if world.revision.stateless else ["debug", "error"])
    await within(client.set_log_level("error"))
    assert await levels() == ["error"]
    await within(client.set_log_level("debug"))
    assert await levels() == ["debug", "error"]


# Cancelling.


@over()
async def test_a_cancelled_call_stops_its_tool_and_has_no_response(world: World) -> None:
    client = await world.open()
    running = client.call_tool("wait", {})
    await within(world.toolkit.entered.wait())
    running.cancel("enough")
    await within(world.toolkit.cancelled.wait())
    await call(client, "add", a=1, b=2)
    assert running.id not in [message.get("id") for message in world.witness.received]


@over()
async def test_a_call_on_a_thread_is_notified_that_its_client_no_longer_waits(world: World) -> None:
    client = await world.open()
    running = client.call_tool("wait_on_a_thread", {})
    await until(world.toolkit.thread_entered.is_set)
    running.cancel("enough")
    await until(world.toolkit.thread_saw_cancel.is_set)


@over(lambda revision: revision in (LATEST, LATEST_STATELESS))
async def test_a_client_that_closes_leaves_no_call_running(world: World) -> None:
    client = await world.open()
    client.call_tool("wait", {})
    await within(world.toolkit.entered.wait())
    await within(client.close())
    # A tool may have some time to end, since its client only closed its side.
    await until(
        lambda: world.toolkit.cancelled.is_set() or not any(session.busy for session in world.server.sessions.values())
    )


# Requests to the client.


def accepting(content: dict[str, Any] | None = None, action: str = "accept") -> PendingQuestions:
    def answer(question: Question) -> bool:
        return question.answer({"action": action} if content is None else {"action": action, "content": content})

    return PendingQuestions([answer])


@over(lambda revision: revision.elicitation)
async def test_a_user_fills_in_a_form(world: World) -> None:
    client = await world.open(questions=accepting({"name": "Ada"}))
    assert text_of(await call(client, "ask_name")) == "accept: Ada"


@over(lambda revision: revision.elicitation)
async def test_a_user_declines_or_cancels(world: World) -> None:
    for action in ("decline", "cancel"):
        client = await world.open(questions=accepting(action=action))
        assert text_of(await call(client, "ask_name")) == f"{action}: None"


@over(lambda revision: revision.elicitation)
async def test_a_tool_asks_again_with_the_previous_answer(world: World) -> None:
    asked: list[str] = []

    def answer(question: Question) -> bool:
        asked.append(question.params["message"])
        return question.accept({"name": ("Ada", "Lovelace")[len(asked) - 1]})

    client = await world.open(questions=PendingQuestions([answer]))
    assert text_of(await call(client, "ask_twice")) == "Ada Lovelace"
    assert asked == ["Your first name?", "And your last name, Ada?"]
    rounds = world.witness.requests("tools/call")
    assert len(rounds) == (3 if world.revision.stateless else 1)
    assert len({request["id"] for request in rounds}) == len(rounds)


@over(lambda revision: revision.url_elicitation)
async def test_a_user_is_sent_to_a_url(world: World) -> None:
    asked: list[Question] = []

    def answer(question: Question) -> bool:
        asked.append(question)
        return question.accept()

    client = await world.open(questions=PendingQuestions([answer]))
    assert text_of(await call(client, "sign_in")) == "accept"
    (question,) = asked
    assert (question.mode, question.params["url"]) == ("url", "https://example.org/sign-in")
    assert ("elicitationId" in question.params) is world.revision.elicitation_ids


@over(lambda revision: revision.elicitation and not revision.url_elicitation)
async def test_a_revision_without_url_mode_gets_no_url_elicitation(world: World) -> None:
    client = await world.open(questions=accepting())
    result = await call(client, "sign_in")
    assert result["isError"] is True
    assert not world.witness.params_of("elicitation/create")


@over()
async def test_a_client_gets_no_requests_that_it_does_not_support(world: World) -> None:
    client = await world.open(capabilities={})
    for tool, capability in (("ask_name", "elicitation"), ("ask_model", "sampling"), ("ask_roots", "roots")):
        if world.revision.stateless:
            with pytest.raises(RemoteError) as caught:
                await call(client, tool)
            assert (caught.value.code, caught.value.data) == (-32021, {"requiredCapabilities": {capability: {}}})
        else:
            result = await call(client, tool)
            assert result["isError"] is True
            assert capability in text_of(result)


@over()
async def test_a_tool_samples_a_message(world: World) -> None:
    client = await world.open(questions=PendingQuestions([lambda question: question.reply("Hi!")]))
    assert text_of(await call(client, "ask_model")) == "Hi!"


@over(lambda revision: revision.sampling_tools)
async def test_a_tool_offers_tools_to_the_model(world: World) -> None:
    def answer(question: Question) -> bool:
        assert question.params["toolChoice"] == {"mode": "auto"}
        block = {"type": "tool_use", "id": "1", "name": question.params["tools"][0]["name"], "input": {}}
        return question.answer({"role": "assistant", "content": [block], "model": "m", "stopReason": "toolUse"})

    client = await world.open(questions=PendingQuestions([answer]))
    assert json.loads(text_of(await call(client, "ask_model_with_tools"))) == ["toolUse", ["tool_use"]]


@over(lambda revision: not revision.sampling_tools)
async def test_a_revision_without_tools_for_models_is_not_sent_any(world: World) -> None:
    client = await world.open(questions=PendingQuestions([lambda question: question.reply("Hi!")]))
    assert (await call(client, "ask_model_with_tools"))["isError"] is True
    assert not world.witness.params_of("sampling/createMessage")


@over()
async def test_a_client_sends_its_roots(world: World) -> None:
    client = await world.open(roots=[{"uri": "file:///here"}, {"uri": "file:///there", "name": "There"}])
    assert text_of(await call(client, "ask_roots")) == "file:///here, file:///there"


@over(lambda revision: revision.elicitation)
async def test_a_question_ends_with_its_call(world: World) -> None:
    client = await world.open()
    running = client.call_tool("ask_name", {})
    await until(lambda: client.questions.waiting)
    running.cancel("enough")
    await until(lambda: not client.questions.waiting)
    await call(client, "add", a=1, b=2)


# Resources and prompts.


@over()
async def test_resources_are_read_and_templates_filled_in(world: World) -> None:
    client = await world.open()
    assert (await within(client.read_resource("toolkit://motto")))["contents"][0]["text"] == "Measure twice."
    assert (await within(client.read_resource("toolkit://notes/7")))["contents"][0]["text"] == "Note 7"
    assert [template["uriTemplate"] for template in await within(client.list_resource_templates())] == [
        "toolkit://notes/{number}"
    ]


@over()
async def test_a_prompt_is_made_and_its_arguments_completed(world: World) -> None:
    client = await world.open()
    prompt = await within(client.get_prompt("letter", {"tone": "kind"}))
    assert prompt["messages"][0]["content"]["text"] == "Write a kind letter."
    ref = {"type": "ref/prompt", "name": "letter"}
    completed = await within(client.complete(ref, {"name": "tone", "value": "ke"}))
    assert completed["completion"]["values"] == ["keen"]


@over(has_sessions)
async def test_a_subscriber_is_notified_of_updates_until_it_unsubscribes(world: World) -> None:
    client = await world.open()
    other = await world.open()
    notifications: list[Notification] = []
    client.on_notification = other.on_notification = notifications.append
    await within(client.subscribe("toolkit://motto"))
    world.server.resource_updated("toolkit://motto")
    world.server.resource_updated("toolkit://notes/7")
    await until(lambda: notifications)
    await within(client.unsubscribe("toolkit://motto"))
    world.server.resource_updated("toolkit://motto")
    await asyncio.gather(within(client.ping()), within(other.ping()))
    assert [(notification.method, notification.params) for notification in notifications] == [
        ("notifications/resources/updated", {"uri": "toolkit://motto"})
    ]
