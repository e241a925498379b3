"""The relay with several clients on a single connection, and with batches."""

import json
from typing import Any

from server_core.protocol.envelope import LOG_LEVEL, SUBSCRIPTION_ID
from server_core.records.tap import Direction, Kind
from tests.server_core.serving.relay_client import Client, Sharing
from tests.server_core.toolkit import (
    INITIALIZED,
    call,
    initialize,
    notification,
)
from tests.waiting import until


async def test_progress_on_a_shared_connection_reaches_the_client_of_the_request() -> None:
    client = Sharing()
    client.ask("tools/call", progressToken="p")
    first_request, second_request = await client.passed()
    for request in (second_request, first_request):
        token = request["params"]["_meta"]["progressToken"]
        client.upstream.emit(method="notifications/progress", params={"progressToken": token, "progress": 1})
        client.upstream.emit(id=request["id"], result={"resultType": "complete", "content": [request["id"]]})
    await until(lambda: all(len(outlet.sent) == 2 for outlet in client.outlets))
    for request, outlet in zip((first_request, second_request), client.outlets, strict=True):
        report, answer = outlet.sent
        assert report["params"] == {"progressToken": "p", "progress": 1}
        assert (answer["id"], answer["result"]["content"]) == (1, [request["id"]])
    first, second = client.names()
    assert [record.call for record in client.records.all if record.direction is Direction.OUT] == [second] * 2 + [
        first
    ] * 2
    client.session.close()


async def test_subscriptions_on_a_shared_connection_name_the_requests_of_their_clients() -> None:
    client = Sharing()
    client.ask("subscriptions/listen")
    first_request, second_request = await client.passed()
    changed = "notifications/tools/list_changed"
    client.upstream.emit(method=changed, params={"_meta": {SUBSCRIPTION_ID: second_request["id"]}})
    client.upstream.emit(
        id=first_request["id"], result={"resultType": "complete", "_meta": {SUBSCRIPTION_ID: first_request["id"]}}
    )
    client.upstream.emit(method="notifications/cancelled", params={"requestId": first_request["id"]})
    await until(lambda: len(client.records.of(Kind.NOTIFICATION)) == 2)
    ended, change = (outlet.sent for outlet in client.outlets)
    assert [message["result"]["_meta"] for message in ended] == [{SUBSCRIPTION_ID: 1}]
    assert change == [{"jsonrpc": "2.0", "method": changed, "params": {"_meta": {SUBSCRIPTION_ID: 1}}}]
    client.session.close()


async def test_log_messages_are_sent_to_the_only_client_that_wants_some_else_to_none() -> None:
    client = Sharing()
    log = {"method": "notifications/message", "params": {"level": "info", "data": "whose?"}}
    first, _ = client.ask("tools/call", **{LOG_LEVEL: "info"})
    await client.passed()
    client.upstream.emit(**log)
    client.upstream.emit(id="q", method="roots/list")
    await until(lambda: client.records.of(Kind.NOTIFICATION))
    first.cancel()
    client.upstream.emit(**log)
    await until(lambda: client.outlets[1].sent)
    assert [len(outlet.sent) for outlet in (*client.outlets, client.outlet)] == [0, 1, 2]
    assert [record.call for record in client.records.of(Kind.NOTIFICATION)] == ["", client.names()[1]]
    client.session.close()


async def agreed(revision: str) -> Client:
    """Return a client that has shaken hands with the other server."""
    client = Client()
    client.session.receive(initialize(revision))
    await until(lambda: client.upstream.sent)
    client.upstream.emit(id=0, result={"protocolVersion": revision, "capabilities": {}, "serverInfo": {}})
    await until(lambda: client.outlet.sent)
    client.upstream.sent.clear()
    client.outlet.sent.clear()
    return client


async def test_the_messages_of_a_batch_are_passed_singly_and_answered_together() -> None:
    client = await agreed("2025-03-26")
    pings = [call(1, "ping"), call("1", "ping")]
    client.session.receive(b"[%b,7,%b,%b]" % (pings[0], pings[1], INITIALIZED))
    await until(lambda: len(client.upstream.sent) == 3)
    assert [json.loads(message).get("id") for message in client.upstream.sent] == [1, "1", None]
    client.upstream.emit(id="1", result={})
    client.upstream.emit(id=9, result={"to": "an unknown request"})
    await until(lambda: client.outlet.sent)
    assert [message["id"] for message in client.outlet.sent] == [9]
    client.upstream.emit(id=1, result={})
    await until(lambda: len(client.outlet.sent) == 2)
    answers: Any = client.outlet.sent[1]
    assert [message.get("id") for message in answers] == [None, "1", 1]
    assert not client.session.busy
    client.session.close()


async def test_a_cancelled_request_of_a_batch_is_not_waited_for() -> None:
    client = await agreed("2025-03-26")
    client.session.receive(b"[%b,%b]" % (call(1, "ping"), call(2, "ping")))
    client.session.receive(notification("notifications/cancelled", requestId=2))
    await until(lambda: len(client.upstream.sent) == 3)
    client.upstream.emit(id=1, result={})
    await until(lambda: client.outlet.sent)
    answers: Any = client.outlet.sent[0]
    assert [message["id"] for message in answers] == [1]
    client.session.close()


async def test_a_batch_of_the_other_server_is_split() -> None:
    client = await agreed("2025-03-26")
    client.session.receive(call(1, "ping"))
    client.upstream.incoming.put_nowait(
        b"[%b,%b]"
        % (b'{"jsonrpc":"2.0","id":1,"result":{}}', notification("notifications/message", level="info", data=1))
    )
    await until(lambda: len(client.outlet.sent) == 2)
    assert [message.get("id") for message in client.outlet.sent] == [1, None]
    assert not client.session.busy
    client.session.close()


async def test_a_batch_is_refused_by_the_relay_where_the_revision_has_none() -> None:
    client = await agreed("2025-06-18")
    client.session.receive(b"[%b]" % call(1, "ping"))
    assert client.outlet.sent[0]["error"]["code"] == -32600
    assert client.upstream.sent == []
    client.session.close()
