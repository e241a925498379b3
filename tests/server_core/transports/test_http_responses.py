"""Responses over Streamable HTTP: JSON, streams of events, and the stream of the server."""

import asyncio
import json

import pytest

from server_core.records.tap import Kind
from server_core.runtime.background import spawn
from tests.server_core.toolkit import call, notification
from tests.server_core.transports.http_site import ACCEPT, Site
from tests.waiting import until, within

pytestmark = pytest.mark.promises("sessions")


async def test_a_response_without_earlier_messages_is_json(session: Site) -> None:
    response = await session.post(call("a", "tools/call", name="add", arguments={"a": 1, "b": 2}))
    assert response.headers["content-type"] == "application/json"
    assert response.json()["id"] == "a"
    assert response.json()["result"]["structuredContent"] == {"result": 3}


async def test_notifications_and_answers_of_the_client_are_accepted_without_a_body(session: Site) -> None:
    for data in (
        notification("notifications/roots/list_changed"),
        notification("notifications/cancelled", requestId=[1]),
        notification("notifications/cancelled"),
        b'{"jsonrpc":"2.0","id":1,"result":{}}',
    ):
        response = await session.post(data)
        assert (response.status_code, response.content) == (202, b"")


async def test_a_message_before_the_response_makes_it_a_stream(session: Site) -> None:
    request = call(7, "tools/call", name="climb", _meta={"progressToken": 1})
    async with session.stream("POST", request) as events:
        assert events.response.headers["content-type"] == "text/event-stream"
        assert events.response.headers["x-accel-buffering"] == "no"
        messages = await events.rest()
    assert [message.get("method", "answer") for message in messages] == [
        *["notifications/progress"] * 3,
        *["notifications/message"] * 2,
        "answer",
    ]


@pytest.mark.parametrize(("revision", "primes"), [("2025-06-18", False), ("2025-11-25", True)])
async def test_only_clients_that_know_it_get_a_priming_event(site: Site, revision: str, primes: bool) -> None:
    await site.open(revision)
    response = await site.post(call(7, "tools/call", name="climb", _meta={"progressToken": 1}))
    first = response.text.split("\n\n")[0]
    assert (first.splitlines()[-1] == "data: ") is primes
    assert first.splitlines()[0].startswith("id: ") is primes


async def test_three_requests_at_once_have_a_stream_each(session: Site) -> None:
    calls = [session.post(call(id, "tools/call", name="climb", _meta={"progressToken": id})) for id in (1, 2, 3)]
    for id, response in enumerate(await within(asyncio.gather(*calls)), 1):
        messages = [json.loads(line[6:]) for line in response.text.splitlines() if line.startswith("data: {")]
        assert {
            message["params"]["progressToken"] for message in messages if "progress" in message.get("method", "")
        } == {id}
        assert messages[-1]["id"] == id


async def test_an_id_in_use_is_refused_on_its_own_response(session: Site) -> None:
    first = spawn(session.post(call(1, "tools/call", name="wait")), "first")
    await within(session.toolkit.entered.wait())
    second = await session.post(call(1, "ping"))
    assert second.json()["error"]["code"] == -32600
    session.toolkit.gate.set()
    assert (await within(first)).json()["result"]["content"][0]["text"] == "through"


async def test_requests_of_a_call_are_sent_on_its_stream(site: Site) -> None:
    await site.open(elicitation={})
    async with site.stream("POST", call(7, "tools/call", name="ask_name")) as events:
        question = await events.message()
        assert question["method"] == "elicitation/create"
        answer = {"jsonrpc": "2.0", "id": question["id"], "result": {"action": "decline"}}
        assert (await site.post(json.dumps(answer).encode())).status_code == 202
        assert (await events.message())["result"]["content"][0]["text"] == "decline: None"


async def test_a_cancelled_call_ends_its_response(session: Site) -> None:
    waiting = spawn(session.post(call(7, "tools/call", name="wait")), "wait")
    await within(session.toolkit.entered.wait())
    await session.post(notification("notifications/cancelled", requestId=7))
    response = await within(waiting)
    assert (response.status_code, response.content) == (202, b"")
    await within(session.toolkit.cancelled.wait())


async def test_a_lost_connection_cancels_nothing(session: Site) -> None:
    waiting = spawn(session.post(call(7, "tools/call", name="wait")), "wait")
    await within(session.toolkit.entered.wait())
    waiting.cancel()
    await asyncio.wait([waiting])
    assert (await session.post(call(8, "ping"))).status_code == 200
    assert not session.toolkit.cancelled.is_set()
    session.toolkit.gate.set()
    await until(lambda: [item for item in session.records.of(Kind.RESPONSE) if b"through" in item.data])


async def test_a_broken_stream_is_resumed_where_it_was(site: Site) -> None:
    await site.open(elicitation={})
    async with site.stream("POST", call(7, "tools/call", name="ask_name")) as events:
        question = await events.next()
    id = json.loads(question.data)["id"]
    answer = {"jsonrpc": "2.0", "id": id, "result": {"action": "cancel"}}
    await site.post(json.dumps(answer).encode())
    assert question.id is not None
    async with site.stream("GET", Last_Event_ID=question.id) as events:
        rest = await events.rest()
    assert [event["id"] for event in rest] == [7]
    async with site.stream("GET", Last_Event_ID=question.id) as events:
        assert await events.rest() == rest


@pytest.mark.parametrize("id", ["9-0", "nonsense", "1-2-3", "-"])
async def test_events_that_are_not_stored_cannot_be_requested(session: Site, id: str) -> None:
    headers = {**ACCEPT, "Mcp-Session-Id": session.session, "Last-Event-ID": id}
    assert (await within(session.client.get(session.url, headers=headers))).status_code == 400


async def test_messages_outside_of_calls_are_sent_on_the_get_stream(session: Site) -> None:
    await session.post(call(1, "resources/subscribe", uri="toolkit://motto"))
    session.server.resource_updated("toolkit://motto")
    async with session.stream("GET") as events:
        assert (await events.message())["params"] == {"uri": "toolkit://motto"}
        session.server.resource_updated("toolkit://motto")
        assert (await events.message())["method"] == "notifications/resources/updated"


async def test_a_second_get_stream_is_refused_while_the_first_is_open(session: Site) -> None:
    async with session.stream("GET") as events:
        assert events.response.status_code == 200
        second = await within(session.client.get(session.url, headers={**ACCEPT, "Mcp-Session-Id": session.session}))
        assert second.status_code == 409

    async def reopened() -> bool:
        async with session.stream("GET") as events:
            return events.response.status_code == 200

    async with asyncio.timeout(5):
        while not await reopened():
            pass


async def test_a_get_stream_ends_with_its_session(session: Site) -> None:
    async with session.stream("GET") as events:
        await within(session.client.delete(session.url, headers={"Mcp-Session-Id": session.session}))
        assert await events.rest() == []


async def test_get_needs_to_accept_events(session: Site) -> None:
    headers = {"Accept": "application/json", "Mcp-Session-Id": session.session}
    assert (await within(session.client.get(session.url, headers=headers))).status_code == 406
