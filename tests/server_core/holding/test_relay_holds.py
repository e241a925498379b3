"""Holding the messages between a client and another server, in both directions."""

import json
from typing import Any

from server_core.records.tap import Kind
from tests.server_core.holding.operators import Operator
from tests.server_core.serving.relay_client import Client, Sharing
from tests.server_core.toolkit import call
from tests.waiting import until


async def test_a_request_waits_and_is_passed_on_byte_for_byte() -> None:
    client = Client()
    operator = Operator(client.tap)
    operator.hold("method:tools/call")
    request = b'{ "id":1, "jsonrpc":"2.0","method" : "tools/call", "params":{"name":"a","n":1.50}}'
    client.session.receive(request)
    client.session.receive(call(2, "ping"))
    await until(lambda: client.upstream.sent)
    assert [json.loads(message)["method"] for message in client.upstream.sent] == ["ping"]
    operator.holds.release(operator.held[0])
    await until(lambda: len(client.upstream.sent) == 2)
    assert client.upstream.sent[1] == request


async def test_a_response_is_edited_on_its_way_to_the_client() -> None:
    client = Client()
    operator = Operator(client.tap)
    operator.hold("tool:a dir:out")
    client.session.receive(call(1, "tools/call", name="a"))
    await until(lambda: client.upstream.sent)
    client.upstream.emit(id=1, result={"content": []})
    await until(lambda: operator.held)
    assert client.session.busy
    operator.holds.edit(operator.held[0], '{"jsonrpc": "2.0", "id": 1, "result": {"edited": true}}')
    assert client.outlet.sent == [{"jsonrpc": "2.0", "id": 1, "result": {"edited": True}}]
    assert len(client.records.of(Kind.RESPONSE)) == 2
    assert not client.session.busy


async def test_a_text_that_is_no_message_reaches_the_other_server_on_purpose() -> None:
    client = Client()
    operator = Operator(client.tap)
    operator.hold("")
    client.session.receive(call(1, "ping"))
    operator.holds.edit(operator.held[0], "{oops", on_purpose=True)
    await until(lambda: client.upstream.sent)
    assert client.upstream.sent == [b"{oops"]


async def test_requests_of_both_sides_are_answered_by_hand() -> None:
    client = Client()
    operator = Operator(client.tap)
    operator.hold("kind:request")
    client.session.receive(call(1, "tools/call", name="a"))
    operator.holds.answer(operator.held[0], result={"content": []})
    assert client.outlet.sent == [{"jsonrpc": "2.0", "id": 1, "result": {"content": []}}]
    client.upstream.emit(id="q", method="roots/list")
    await until(lambda: operator.held)
    operator.holds.answer(operator.held[0], result={"roots": []})
    await until(lambda: client.upstream.sent)
    assert [json.loads(message) for message in client.upstream.sent] == [
        {"jsonrpc": "2.0", "id": "q", "result": {"roots": []}}
    ]


async def test_messages_that_wait_when_the_other_server_is_lost_fail_when_they_are_released() -> None:
    client = Client()
    operator = Operator(client.tap)
    operator.hold("")
    client.session.receive(call(1, "ping"))
    client.upstream.incoming.put_nowait(None)
    await until(lambda: client.records.events()[-1]["event"] == "upstream_lost")
    operator.holds.release(operator.held[0])
    assert operator.held == [client.records.of(Kind.ERROR)[-1].seq]
    operator.holds.release(operator.held[0])
    assert "has disconnected" in client.outlet.sent[0]["error"]["message"]


class TestClientsThatShareAConnection:
    """Requests without a session, whose ids and progress tokens are renamed on the way."""

    async def test_each_gets_its_own_id_and_token_back(self) -> None:
        client = Sharing()
        operator = Operator(client.tap)
        operator.hold("method:tools/call")
        client.ask("tools/call", progressToken="p")
        first, second = operator.held
        operator.fire()
        assert [outlet.sent[0]["params"]["progressToken"] for outlet in client.outlets] == ["p", "p"]
        operator.holds.release(second)
        operator.holds.answer(first, result={"content": ["by hand"]})
        await until(lambda: client.upstream.sent)
        [passed] = [json.loads(message) for message in client.upstream.sent]
        client.upstream.emit(id=passed["id"], result={"content": []})
        await until(lambda: operator.held)
        operator.holds.release(operator.held[0])
        results: list[Any] = [outlet.sent[-1] for outlet in client.outlets]
        assert [(result["id"], result["result"]["content"]) for result in results] == [(1, ["by hand"]), (1, [])]

    async def test_a_client_that_disconnects_takes_only_its_own_message_along(self) -> None:
        client = Sharing()
        operator = Operator(client.tap)
        operator.hold("method:tools/call")
        running = client.ask("tools/call")
        first, second = operator.held
        running[0].cancel()
        assert operator.held == [second]
        operator.holds.release(second)
        await until(lambda: client.upstream.sent)
        client.upstream.emit(id=json.loads(client.upstream.sent[0])["id"], result={})
        await until(lambda: operator.held)
        running[1].cancel()
        assert operator.held == []
        expired = [event["message"] for event in client.records.events() if event["event"] == "message_expired"]
        assert expired[0] == first
