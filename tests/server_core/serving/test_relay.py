"""The relay: another server behind our tap."""

import asyncio
import json
import sys

import pytest

from server_core.errors import ConnectionFailed
from server_core.protocol.framing import TruncatedMessage
from server_core.records.tap import Direction, Kind, Tap
from server_core.serving.relay import Relay
from server_core.transports.channel import Channel
from server_core.transports.child import ChildChannel
from server_core.transports.memory import MemoryChannel
from tests.server_core.serving.relay_client import Client, Sharing, Upstream
from tests.server_core.toolkit import (
    INITIALIZED,
    Records,
    Toolkit,
    call,
    initialize,
    new_server,
    notification,
)
from tests.waiting import until, within
from workbench.client.session import ClientSession


async def test_a_conversation_passes_through_and_is_recorded() -> None:
    server = new_server(Toolkit())

    async def dial() -> Channel:
        return MemoryChannel(server)

    relay = Relay(Tap(), dial)
    records = Records(relay.tap)
    client = await within(ClientSession.open(MemoryChannel(relay)))
    assert client.server_info["name"] == "toolkit"
    result = await within(client.call_tool("climb", {}).result())
    assert result["content"][0]["text"] == "on top"
    assert len(records.of(Kind.REQUEST)) == len(records.of(Kind.RESPONSE)) == 2
    (session,) = relay.sessions.values()
    assert session.describe()["revision"] == "2025-11-25"
    assert session.describe()["client"]["name"] == "workbench"
    assert session.describe()["calls"] == 1
    await within(client.close())
    await until(lambda: all(item.describe()["closed"] for item in server.sessions.values()))


async def test_a_client_waits_while_the_other_server_reads_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server_core.serving.relay_connection.MAX_SENDING", 2)
    upstream = Upstream()
    listening = asyncio.Event()

    async def dial() -> Channel:
        await listening.wait()
        return upstream

    client = Client(dial)
    for request_id in (1, 2):
        assert not client.session.full
        client.session.receive(call(request_id, "ping"))
    assert client.session.full
    listening.set()
    await within(client.session.wait_for_room())
    await until(lambda: len(upstream.sent) == 2)
    client.session.close()


async def test_messages_pass_byte_for_byte() -> None:
    client = Client()
    request = b'{ "id":1, "jsonrpc":"2.0","method" : "x/unknown", "params":{"b":1,"a":[1.50]}}'
    client.session.receive(request)
    await until(lambda: client.upstream.sent)
    assert client.upstream.sent == [request]
    answer = b'{ "result":{"z":1.0},"id":1,"jsonrpc":"2.0", "extra":true}'
    client.upstream.incoming.put_nowait(answer)
    await until(lambda: client.outlet.sent)
    assert [record.data for record in client.records.of(Kind.REQUEST, Kind.RESPONSE)] == [request, answer]
    assert (client.outlet.related, client.outlet.answers) == ([1], [True])
    client.session.close()


async def test_messages_keep_their_order() -> None:
    client = Client()
    for request_id in range(100):
        client.session.receive(call(request_id, "ping"))
    await until(lambda: len(client.upstream.sent) == 100)
    assert [json.loads(message)["id"] for message in client.upstream.sent] == list(range(100))
    client.session.close()


async def test_messages_of_a_server_during_a_call_are_sent_on_its_stream() -> None:
    client = Client()
    client.session.receive(call(1, "tools/call", name="a", _meta={"progressToken": "one"}))
    client.session.receive(call(2, "tools/call", name="b", _meta={"progressToken": "two"}))
    client.upstream.emit(method="notifications/progress", params={"progressToken": "one", "progress": 1})
    client.upstream.emit(method="notifications/tools/list_changed")
    client.upstream.emit(id=1, method="roots/list")
    await until(lambda: len(client.outlet.sent) == 3)
    assert client.outlet.related == [1, None, 2]
    assert [record.call for record in client.records.all if record.direction is Direction.OUT] == ["", "", ""]
    client.session.close()


async def test_with_a_single_call_in_flight_records_name_it() -> None:
    client = Client()
    client.session.receive(call("c", "tools/call", name="a"))
    client.upstream.emit(id=1, method="roots/list")
    await until(lambda: client.outlet.sent)
    assert [record.call for record in client.records.all if record.direction is Direction.OUT] == ['"c"']
    client.session.close()


async def test_a_disconnected_client_is_recorded_and_its_request_cancelled_at_the_other_server() -> None:
    client = Sharing()
    _, second = client.ask("tools/call")
    _, second_request = await client.passed()
    second.cancel()
    await until(lambda: len(client.upstream.sent) == 3)
    assert json.loads(client.upstream.sent[2])["params"]["requestId"] == second_request["id"]
    [abandoned] = [record for record in client.records.of(Kind.LIFECYCLE) if b"call_abandoned" in record.data]
    assert abandoned.call == client.names()[1]
    client.session.close()


async def test_pending_and_later_requests_fail_when_the_server_is_lost() -> None:
    client = Client()
    client.session.receive(call(1, "tools/call", name="a"))
    client.upstream.incoming.put_nowait(None)
    await until(lambda: client.outlet.sent)
    assert client.outlet.sent[0]["id"] == 1
    assert "disconnected" in client.outlet.sent[0]["error"]["message"]
    client.session.receive(call(2, "ping"))
    assert client.outlet.sent[1]["id"] == 2
    assert not client.session.busy
    await within(client.upstream.closed.wait())
    assert "upstream_lost" in [event["event"] for event in client.records.events()]
    client.session.close()


async def test_the_end_of_the_server_cancels_its_questions_and_ends_the_connection_of_the_session() -> None:
    client = Client()
    client.session.close()
    await within(client.session.wait_closed())
    channel = MemoryChannel(client.relay)
    *_, session = client.relay.sessions.values()
    await within(channel.send(call(1, "tools/call", name="a")))
    for request_id in ("asked", "answered"):
        client.upstream.emit(id=request_id, method="elicitation/create", params={})
        assert json.loads(await within(channel.receive()) or b"")["id"] == request_id
    await within(channel.send(b'{"jsonrpc":"2.0","id":"answered","result":{"action":"decline"}}'))
    client.upstream.incoming.put_nowait(None)
    cancelled, failed = [json.loads(await within(channel.receive()) or b"") for _ in range(2)]
    assert (cancelled["method"], cancelled["params"]["requestId"]) == ("notifications/cancelled", "asked")
    assert (failed["id"], failed["error"]["code"]) == (1, -32603)
    assert await within(channel.receive()) is None
    assert session.describe()["upstream_lost"] == "It has closed the connection."
    await within(channel.close())


async def test_the_exit_of_a_child_is_reported_with_its_last_lines_and_without_secrets() -> None:
    async def dial() -> Channel:
        script = "import os, sys; print('beans: s3cret-value', file=sys.stderr, flush=True); os.kill(os.getpid(), 9)"
        return await ChildChannel.spawn([sys.executable, "-c", script])

    client = Client(dial)
    client.tap.masker.set({"BEANS": "s3cret-value"})
    await until(lambda: client.session.upstream_lost)
    lines = str(client.session.describe()["upstream_lost"]).splitlines()
    assert lines[0] == "The server was killed by SIGKILL."
    assert lines[-1] == "beans: <secret BEANS>"
    assert "s3cret-value" not in json.dumps(client.records.events())
    client.session.close()
    await within(client.session.wait_closed())


async def test_a_server_that_cannot_be_reached_is_reported_with_the_reason() -> None:
    async def dial() -> Channel:
        raise ConnectionFailed("Cannot start 'nothing'.")

    client = Client(dial)
    client.session.receive(initialize())
    await until(lambda: client.outlet.sent)
    assert "Cannot start 'nothing'" in client.outlet.sent[0]["error"]["message"]
    client.session.close()


async def test_stray_output_of_a_server_is_recorded_but_not_passed_on() -> None:
    client = Client()
    client.upstream.incoming.put_nowait(b"Listening...")
    client.upstream.emit(method="notifications/tools/list_changed")
    await until(lambda: client.outlet.sent)
    assert [message.get("method") for message in client.outlet.sent] == ["notifications/tools/list_changed"]
    assert [record.data for record in client.records.of(Kind.MALFORMED)] == [b"Listening..."]
    client.session.close()


async def test_a_response_that_cannot_be_read_fails_its_request() -> None:
    client = Client()
    for request_id in (1, 2):
        client.session.receive(call(request_id, "tools/call", name="a"))
    deep = b"[" * 100_000
    client.upstream.incoming.put_nowait(b'{"jsonrpc":"2.0","id":1,"result":' + deep)
    client.upstream.incoming.put_nowait(TruncatedMessage(b'{"jsonrpc":"2.0","id":2,"result":{"content":"xx'))
    await until(lambda: len(client.outlet.sent) == 2)
    errors = {message["id"]: message["error"]["message"] for message in client.outlet.sent}
    assert "cannot be read" in errors[1]
    assert "longer than the limit" in errors[2]
    assert not client.session.busy
    client.session.close()


async def test_malformed_messages_of_the_client_are_refused_here() -> None:
    client = Client()
    client.session.receive(b"{")
    assert client.outlet.sent[0]["error"]["code"] == -32700
    client.session.close()


async def test_a_cancelled_request_is_no_longer_waited_for() -> None:
    client = Client()
    client.session.receive(call(1, "tools/call", name="a"))
    assert client.session.busy
    client.session.receive(notification("notifications/cancelled", requestId=1))
    assert not client.session.busy
    await within(client.session.settle(5))
    await until(lambda: len(client.upstream.sent) == 2)
    client.session.close()


async def test_settling_waits_for_answers() -> None:
    client = Client()
    client.session.receive(call(1, "ping"))
    client.upstream.emit(id=1, result={})
    await within(client.session.settle(5))
    assert client.outlet.sent[0]["id"] == 1
    client.session.close()


async def test_closing_ends_the_connection_to_the_server() -> None:
    client = Client()
    client.session.receive(INITIALIZED)
    await until(lambda: client.upstream.sent)
    client.session.close()
    client.session.close()
    await within(client.upstream.closed.wait())
    assert client.session.describe()["closed"]


async def test_stderr_of_the_server_is_recorded() -> None:
    async def dial() -> Channel:
        return await ChildChannel.spawn([sys.executable, "-c", "import sys; print('oh no', file=sys.stderr)"])

    client = Client(dial)
    await until(lambda: client.records.of(Kind.STDERR))
    (complaint,) = client.records.of(Kind.STDERR)
    assert (complaint.data, complaint.session) == (b"oh no", "s1")
    client.session.close()
    await within(client.session.wait_closed())
    await within(client.relay.wait_closed())
