"""The records of a session: messages, malformed input, its life cycle and failures."""

import json

import pytest

from server_core.protocol.framing import OversizedLine
from server_core.records.tap import Direction, Kind
from tests.server_core.serving.session_client import Client
from tests.server_core.toolkit import INITIALIZED, TOKEN, call, generation, initialize
from tests.waiting import until


@pytest.mark.parametrize("data", [b"{", b"[]", b'"x"', b'{"jsonrpc":"1.0","id":1,"method":"ping"}', b"\xff\xfe"])
async def test_a_malformed_message_is_answered_and_recorded(client: Client, data: bytes) -> None:
    client.send(data)
    assert client.outlet.sent[0]["error"]["code"] in (-32700, -32600)
    assert client.records.of(Kind.MALFORMED)[0].data == data
    assert (await client.ask("ping"))["result"] == {}


async def test_a_line_that_was_too_long_is_refused_and_its_start_recorded(client: Client) -> None:
    client.session.receive_oversized(OversizedLine(b'{"jsonrpc"', 1000))
    assert client.outlet.sent[0]["error"] == {
        "code": -32600,
        "message": "Invalid request: the message is longer than 1,000 bytes",
    }
    assert "id" not in client.outlet.sent[0]
    assert client.records.of(Kind.MALFORMED)[0].data == b'{"jsonrpc"'


async def test_every_message_is_recorded_before_it_is_acted_on() -> None:
    client = Client()
    client.send(initialize())
    client.send(INITIALIZED)
    await client.ask("tools/call", name="echo", arguments={"text": "hi"})
    kinds = [(record.kind, record.direction) for record in client.records.all if record.kind is not Kind.LIFECYCLE]
    assert kinds == [
        (Kind.REQUEST, Direction.IN),
        (Kind.RESPONSE, Direction.OUT),
        (Kind.NOTIFICATION, Direction.IN),
        (Kind.REQUEST, Direction.IN),
        (Kind.RESPONSE, Direction.OUT),
    ]
    assert {record.session for record in client.records.all} == {"s1"}


async def test_a_secret_reaches_the_client_but_no_record(client: Client) -> None:
    answer = await client.ask("tools/call", name="show_secret")
    assert TOKEN in json.dumps(answer)
    assert not any(TOKEN.encode() in record.data for record in client.records.all)


async def test_the_life_cycle_of_a_session_is_recorded(client: Client) -> None:
    client.session.close()
    client.session.close()
    events = [(event["event"], event.get("revision")) for event in client.records.events()]
    assert events == [("session_opened", None), ("session_initialized", "2025-11-25"), ("session_closed", None)]


async def test_a_failure_is_reported_to_the_author_and_not_to_the_client(client: Client) -> None:
    await client.ask("tools/call", name="leave")
    failed = next(event for event in client.records.events() if event["event"] == "tool_failed")
    assert failed["tool"] == "leave"
    assert "SystemExit" in failed["developer_message"]


async def test_a_session_describes_its_client_and_its_running_requests(client: Client) -> None:
    client.send(call(7, "tools/call", name="wait"))
    shown = client.session.describe()
    assert shown["client"] == {"name": "tester", "version": "0"}
    assert (shown["key"], shown["transport"], shown["revision"]) == ("s1", "memory", "2025-11-25")
    assert [(request["id"], request["method"], request["name"]) for request in shown["in_flight"]] == [
        (7, "tools/call", "wait")
    ]
    assert (shown["calls"], shown["closed"]) == (1, None)
    client.session.close()
    assert client.session.describe()["closed"] is not None
    assert client.session.describe()["in_flight"] == []
    await until(lambda: not client.session.busy)


async def test_the_failure_of_a_prompt_is_explained_to_the_author_and_not_to_the_client() -> None:
    client = Client().ready()

    @client.toolkit.app.prompt
    def broken() -> str:
        """Fail."""
        raise ValueError("hunter2")

    client.server.swap(generation(client.toolkit.catalog(), client.toolkit.app, number=2))
    answer = await client.ask("prompts/get", name="broken")
    assert answer["error"]["code"] == -32603
    assert "hunter2" not in json.dumps(client.outlet.sent)
    (event,) = [event for event in client.records.events() if event["event"] == "request_failed"]
    assert (event["method"], event["message"]) == ("prompts/get", "ValueError: hunter2")
    assert "in broken" in event["traceback"]
