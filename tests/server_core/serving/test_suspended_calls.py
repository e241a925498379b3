"""Stateless calls that are cancelled, suspended or concurrent, and their limits and messages."""

import pytest

from server_core.protocol.envelope import LOG_LEVEL
from server_core.protocol.jsonrpc import Request, parse
from server_core.records.tap import Kind
from server_core.serving import suspended_calls
from server_core.settings import Settings
from tests.server_core.serving.stateless_client import RUNS, Client, accepted, asking_server, meta, text
from tests.server_core.toolkit import (
    RecordingOutlet,
    Toolkit,
    call,
    new_server,
    notification,
)
from tests.waiting import until, within


async def test_a_cancelled_request_stops_its_tool() -> None:
    toolkit = Toolkit()
    client = Client(new_server(toolkit))
    client.session.receive(call(5, "tools/call", name="wait", _meta=meta()))
    await within(toolkit.entered.wait())
    client.session.receive(notification("notifications/cancelled", requestId=5))
    await within(toolkit.cancelled.wait())
    assert not client.answers(5)
    assert client.session.describe()["in_flight"] == []


async def test_a_call_whose_client_has_closed_its_own_connection_is_recorded_as_abandoned() -> None:
    toolkit = Toolkit()
    client = Client(new_server(toolkit))
    data = call(7, "tools/call", name="wait", _meta=meta())
    request = parse(data)
    assert isinstance(request, Request)
    ongoing = client.session.serve_stateless(data, request, RecordingOutlet())
    await within(toolkit.entered.wait())
    ongoing.cancel()
    await within(toolkit.cancelled.wait())
    ongoing.cancel()
    notifications = [event for event in client.records.events() if event["event"] == "call_abandoned"]
    assert notifications == [{"event": "call_abandoned", "id": 7, "method": "tools/call"}]


async def test_a_client_that_disconnects_stops_its_suspended_calls(asking: Client) -> None:
    await asking.call("greet")
    assert len(asking.server.suspended_calls) == 1
    asking.session.close()
    assert len(asking.server.suspended_calls) == 0


async def test_a_limited_number_of_calls_waits() -> None:
    RUNS.clear()
    client = Client(asking_server(Settings(state_key="k" * 32, max_waiting_calls=2)))
    states = [(await client.call("greet"))["result"]["requestState"] for _ in range(3)]
    assert len(client.server.suspended_calls) == 2
    # The one that had to go runs again.
    answer = await client.call("greet", requestState=states[0], inputResponses={"who": accepted("Ada")})
    assert text(answer) == "Hello, Ada!"
    assert RUNS == ["greet"] * 4


async def test_suspended_calls_do_not_count_as_running() -> None:
    client = Client(asking_server(Settings(state_key="k" * 32, max_calls=1)))
    states = [(await client.call("greet"))["result"]["requestState"] for _ in range(3)]
    answer = await client.call("greet", requestState=states[0], inputResponses={"who": accepted("Ada")})
    assert text(answer) == "Hello, Ada!"
    assert len(client.server.suspended_calls) == 2


async def test_calls_that_wait_hold_only_so_much(monkeypatch: pytest.MonkeyPatch) -> None:
    RUNS.clear()
    monkeypatch.setattr(suspended_calls, "MAX_BYTES", 5000)
    client = Client(asking_server())
    states = [(await client.call("greet", more="x" * 2000))["result"]["requestState"] for _ in range(3)]
    assert len(client.server.suspended_calls) == 2
    answer = await client.call(
        "greet", more="x" * 2000, requestState=states[0], inputResponses={"who": accepted("Ada")}
    )
    assert text(answer) == "Hello, Ada!"
    assert RUNS == ["greet"] * 4


async def test_requests_of_other_clients_may_have_the_same_id() -> None:
    toolkit = Toolkit()
    server = new_server(toolkit)
    session = server.open_session(RecordingOutlet(), "http")
    outlets = [RecordingOutlet(), RecordingOutlet()]
    data = call(1, "tools/call", name="wait", _meta=meta())
    request = parse(data)
    assert isinstance(request, Request)
    first, _second = [session.serve_stateless(data, request, outlet) for outlet in outlets]
    await within(toolkit.entered.wait())
    first.cancel()
    toolkit.gate.set()
    await until(lambda: bool(outlets[1].sent))
    assert not outlets[0].sent


async def test_an_id_in_use_on_the_same_connection_is_refused() -> None:
    toolkit = Toolkit()
    client = Client(new_server(toolkit))
    for _ in range(2):
        client.session.receive(call(5, "tools/call", name="wait", _meta=meta()))
    assert client.answers(5)[0]["error"]["code"] == -32600
    toolkit.gate.set()
    await until(lambda: len(client.answers(5)) == 2)


async def test_log_messages_and_progress_are_sent_as_each_request_wants_them() -> None:
    client = Client(new_server(Toolkit()))
    await client.ask("tools/call", name="climb")
    assert [message["method"] for message in client.outlet.sent if "method" in message] == []
    wants = {**meta(), LOG_LEVEL: "error", "progressToken": "p"}
    await client.ask("tools/call", name="climb", _meta=wants)
    notifications = [message for message in client.outlet.sent if "method" in message]
    assert [item["params"].get("progressToken", item["params"].get("level")) for item in notifications] == [
        "p",
        "p",
        "p",
        "error",
    ]


async def test_the_messages_of_a_call_are_recorded_with_it(asking: Client) -> None:
    await asking.call("greet")
    kinds = [record.kind for record in asking.records.of(Kind.REQUEST, Kind.RESPONSE)]
    assert kinds == [Kind.REQUEST, Kind.RESPONSE]
