"""Calls of a client with a session: cancellation, requests of tools to the client, and limits."""

import asyncio
import json

import pytest

from server_core.errors import ContextError, RemoteError
from server_core.records.tap import Direction, Kind
from server_core.runtime.background import spawn
from server_core.settings import Settings
from tests.server_core.serving.session_client import Client
from tests.server_core.toolkit import call, notification
from tests.waiting import until, within


async def test_a_cancelled_call_is_ended_and_not_answered(client: Client) -> None:
    client.send(call(7, "tools/call", name="wait"))
    await within(client.toolkit.entered.wait())
    client.send(notification("notifications/cancelled", requestId=7, reason="enough"))
    await within(client.toolkit.cancelled.wait())
    client.send(call(8, "ping"))
    await until(lambda: client.answer(8))
    assert client.answer(7) is None
    assert client.session.describe()["in_flight"] == []


async def test_a_call_that_is_cancelled_as_soon_as_it_came_is_ended_where_it_first_waits(client: Client) -> None:
    client.send(call(7, "tools/call", name="wait"))
    client.send(notification("notifications/cancelled", requestId=7))
    assert not client.session.busy
    await within(client.toolkit.cancelled.wait())
    assert client.answer(7) is None


async def test_an_immediate_call_is_answered_before_the_next_message_is_read(client: Client) -> None:
    client.send(call(7, "tools/call", name="climb"))
    assert client.answer(7) is not None
    assert not client.session.busy


async def test_a_tool_on_a_thread_learns_that_it_was_cancelled(client: Client) -> None:
    client.send(call(7, "tools/call", name="wait_on_a_thread"))
    await until(client.toolkit.thread_entered.is_set)
    client.send(notification("notifications/cancelled", requestId=7))
    await until(client.toolkit.thread_saw_cancel.is_set)


async def test_an_id_may_be_used_again_once_it_was_cancelled(client: Client) -> None:
    client.send(call(7, "tools/call", name="wait"))
    await within(client.toolkit.entered.wait())
    client.send(notification("notifications/cancelled", requestId=7))
    client.send(call(7, "tools/call", name="echo", arguments={"text": "again"}))
    await until(lambda: client.answer(7))
    assert client.outlet.sent[-1]["result"]["content"][0]["text"] == "again"
    await until(lambda: not client.session.busy)


async def test_a_tool_asks_the_user_on_the_stream_of_its_call() -> None:
    client = Client().ready(elicitation={})
    client.send(call("c", "tools/call", name="ask_name"))
    await until(lambda: client.outlet.sent)
    question = client.outlet.sent[0]
    assert question["method"] == "elicitation/create"
    assert client.outlet.related[0] == "c"
    reply = {"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": {"name": "Ada"}}}
    client.send(json.dumps(reply).encode())
    await until(lambda: client.answer("c"))
    assert client.outlet.sent[-1]["result"]["content"][0]["text"] == "accept: Ada"
    asked, replied = (record for record in client.records.all if record.call == '"c"')
    assert (asked.kind, asked.direction) == (Kind.REQUEST, Direction.OUT)
    assert (replied.kind, replied.direction) == (Kind.RESPONSE, Direction.IN)


async def test_a_session_that_ends_does_not_wait_for_the_user_and_reports_no_failure() -> None:
    client = Client().ready(elicitation={})
    client.send(call("c", "tools/call", name="ask_name"))
    await until(lambda: client.outlet.sent)
    await within(client.session.settle(5.0))
    answer = client.answer("c")
    assert answer is not None
    text = answer["result"]["content"][0]["text"]
    assert text.endswith("tool 'ask_name': No answer: the session ended before the client responded.")


async def test_a_late_response_cancels_the_request() -> None:
    client = Client().ready(elicitation={})
    answer = await client.ask("tools/call", name="ask_impatiently")
    assert answer["result"]["isError"] is True
    methods = [message.get("method") for message in client.outlet.sent]
    assert methods == ["elicitation/create", "notifications/cancelled", None]
    assert client.outlet.sent[1]["params"]["requestId"] == client.outlet.sent[0]["id"]


async def test_an_error_of_the_client_keeps_its_code() -> None:
    client = Client().ready()
    asking = spawn(client.session.request("roots/list", {}, related=1, timeout=5), "ask")
    await until(lambda: client.outlet.sent)
    request_id = client.outlet.sent[0]["id"]
    client.send(json.dumps({"jsonrpc": "2.0", "id": request_id, "error": {"code": -1, "message": "no"}}).encode())
    with pytest.raises(RemoteError) as caught:
        await within(asking)
    assert (caught.value.code, caught.value.message) == (-1, "no")


async def test_a_request_to_a_client_that_disconnects_fails() -> None:
    client = Client().ready()
    asking = spawn(client.session.request("roots/list", {}, related=1, timeout=5), "ask")
    await until(lambda: client.outlet.sent)
    client.session.close()
    with pytest.raises(ContextError, match="disconnected"):
        await within(asking)


async def test_calls_beyond_the_bound_wait_for_others_to_end() -> None:
    client = Client(settings=Settings(max_calls=2)).ready()
    for request_id in (1, 2, 3):
        client.send(call(request_id, "tools/call", name="wait"))
    assert [request["id"] for request in client.session.describe()["in_flight"]] == [1, 2, 3]
    assert not client.session.full
    client.send(call(4, "tools/call", name="add", arguments={"a": 1, "b": 2}))
    assert client.session.full
    client.toolkit.gate.set()
    await within(client.session.wait_for_room())
    await until(lambda: all(client.answer(request_id) for request_id in (1, 2, 3, 4)))
    await until(lambda: not client.session.busy)


async def test_a_ping_waits_for_no_call() -> None:
    client = Client(settings=Settings(max_calls=1)).ready()
    client.send(call(1, "tools/call", name="wait"))
    client.send(call(2, "ping"))
    assert client.answer(2) is not None


async def test_a_call_that_is_cancelled_while_it_waits_is_never_started() -> None:
    client = Client(settings=Settings(max_calls=1)).ready()
    client.send(call(1, "tools/call", name="wait"))
    client.send(call(2, "tools/call", name="wait_on_a_thread"))
    assert client.session.full
    client.send(notification("notifications/cancelled", requestId=2))
    assert not client.session.full
    client.send(notification("notifications/cancelled", requestId=1))
    await until(lambda: not client.session.busy)
    assert not client.toolkit.thread_entered.is_set()
    assert client.answer(1) is client.answer(2) is None


async def test_a_cancelled_call_makes_room_for_a_waiting_call() -> None:
    client = Client(settings=Settings(max_calls=1)).ready()
    client.send(call(1, "tools/call", name="wait"))
    client.send(call(2, "tools/call", name="add", arguments={"a": 1, "b": 2}))
    client.send(notification("notifications/cancelled", requestId=1))
    await until(lambda: client.answer(2))


async def test_calls_that_wait_are_answered_before_the_session_settles() -> None:
    client = Client(settings=Settings(max_calls=1)).ready()
    for request_id in (1, 2):
        client.send(call(request_id, "tools/call", name="wait"))
    client.toolkit.gate.set()
    await within(client.session.settle(5))
    assert client.answer(1)
    assert client.answer(2)


async def test_a_wait_for_room_ends_with_the_session() -> None:
    client = Client(settings=Settings(max_calls=1)).ready()
    for request_id in (1, 2):
        client.send(call(request_id, "tools/call", name="wait"))
    waiting = spawn(client.session.wait_for_room(), "wait for room")
    await asyncio.sleep(0)
    assert not waiting.done()
    client.session.close()
    await within(waiting)
