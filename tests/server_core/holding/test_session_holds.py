"""Holding the messages of a session: every verb in both directions, and what the server and the client then get."""

import json
from typing import Any

import pytest

from server_core.errors import ConfigurationError
from server_core.holding.matcher import load_matcher
from server_core.link.masked_outlet import MaskedOutlet
from server_core.protocol.jsonrpc import RequestId, response
from server_core.protocol.jsonrpc import error as error_bytes
from server_core.records.tap import Direction, Kind
from tests.server_core.holding.operators import Operator
from tests.server_core.serving.session_client import Client
from tests.server_core.toolkit import call, initialize
from tests.waiting import until


class RecordingBytes:
    """An outlet that keeps what is sent, as bytes."""

    full = False

    def __init__(self) -> None:
        self.sent: list[bytes] = []

    def send(self, message: bytes, related: RequestId | None, *, is_response: bool = False) -> None:
        self.sent.append(message)

    async def drain(self) -> None:
        """Return at once."""


ADD = {"name": "add", "arguments": {"a": 1, "b": 2}}


@pytest.fixture
def operator(client: Client) -> Operator:
    return Operator(client.server.tap)


@pytest.fixture
async def client() -> Client:
    return Client().ready(elicitation={})


def events(client: Client, *names: str) -> list[dict[str, Any]]:
    """Return the events with these names, oldest first."""
    lifecycle = [json.loads(record.data) for record in client.records.of(Kind.LIFECYCLE)]
    return [event for event in lifecycle if event["event"] in names]


def sum_in(answer: dict[str, Any] | None) -> Any:
    assert answer is not None
    return answer["result"]["structuredContent"]["result"]


async def test_a_request_waits_and_is_served_when_it_is_released(client: Client, operator: Operator) -> None:
    operator.hold("method:tools/call dir:in")
    client.send(call(1, "tools/call", **ADD))
    [id] = operator.held
    assert client.outlet.sent == []
    operator.holds.release(id)
    await until(lambda: client.answer(1))
    assert sum_in(client.answer(1)) == 3
    assert [event["event"] for event in events(client, "message_held", "message_released")] == [
        "message_held",
        "message_released",
    ]


async def test_a_response_waits_and_other_messages_pass(client: Client, operator: Operator) -> None:
    operator.hold("tool:add dir:out")
    client.send(call(1, "tools/call", **ADD))
    await until(lambda: operator.held)
    assert (await client.ask("ping"))["result"] == {}
    assert client.answer(1) is None
    operator.holds.release(operator.held[0])
    assert sum_in(client.answer(1)) == 3


async def test_an_edited_request_is_served_instead_and_both_versions_are_recorded(
    client: Client, operator: Operator
) -> None:
    operator.hold("tool:add dir:in")
    client.send(call(1, "tools/call", **ADD))
    [id] = operator.held
    edited = call(1, "tools/call", name="add", arguments={"a": 20, "b": 3}).decode()
    passed = operator.holds.edit(id, edited)
    await until(lambda: client.answer(1))
    assert sum_in(client.answer(1)) == 23
    arrived, changed = (record for record in client.records.of(Kind.REQUEST) if b'"add"' in record.data)
    assert (arrived.seq, changed.seq) == (id, passed.seq)
    assert (changed.direction, changed.data.decode()) == (Direction.IN, edited)
    # A request of a client that names a call was delivered instead of that.
    assert (arrived.call, changed.call) == ("", f"1@{id}")
    [event] = events(client, "message_edited")
    assert (event["message"], event["passed"]) == (id, [passed.seq])


async def test_an_edited_response_reaches_the_client_on_one_line(client: Client, operator: Operator) -> None:
    operator.hold("tool:add dir:out")
    client.send(call(1, "tools/call", **ADD))
    await until(lambda: operator.held)
    text = json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"content": []}}, indent=2)
    record = operator.holds.edit(operator.held[0], text)
    assert client.answer(1) == {"jsonrpc": "2.0", "id": 1, "result": {"content": []}}
    assert b"\n" not in record.data


async def test_a_text_that_is_no_message_is_sent_only_on_purpose(client: Client, operator: Operator) -> None:
    operator.hold("tool:add dir:in")
    client.send(call(1, "tools/call", **ADD))
    [id] = operator.held
    with pytest.raises(ConfigurationError, match=r"not a valid message.*\(--raw\)"):
        operator.holds.edit(id, "{oops")
    with pytest.raises(ConfigurationError, match="line breaks"):
        operator.holds.edit(id, "{oops\n}", on_purpose=True)
    assert operator.held == [id]
    operator.holds.edit(id, "{oops", on_purpose=True)
    assert client.outlet.sent[-1]["error"]["code"] == -32700
    assert client.records.of(Kind.MALFORMED)[-1].data == b"{oops"


async def test_json_that_is_no_message_is_sent_on_one_line_on_purpose(client: Client, operator: Operator) -> None:
    operator.hold("tool:add dir:in")
    client.send(call(1, "tools/call", **ADD))
    record = operator.holds.edit(operator.held[0], "[\n 1,\r\n 2]", on_purpose=True)
    assert record.data == b"[  1,   2]"


async def test_the_name_of_a_masked_secret_is_sent_only_on_purpose(client: Client, operator: Operator) -> None:
    operator.hold("tool:show_secret dir:out")
    client.send(call(1, "tools/call", name="show_secret"))
    await until(lambda: operator.held)
    [id] = operator.held
    masked = next(record for record in client.records.all if record.seq == id).data.decode()
    assert "<secret TOKEN>" in masked
    with pytest.raises(ConfigurationError, match="masked secret"):
        operator.holds.edit(id, masked)
    operator.holds.release(id)
    answer = client.answer(1)
    assert answer is not None
    assert answer["result"]["content"][0]["text"] == "a-secret-token"


async def test_a_dropped_request_is_never_served(client: Client, operator: Operator) -> None:
    operator.hold("tool:add")
    client.send(call(1, "tools/call", **ADD))
    operator.holds.drop(operator.held[0])
    assert (await client.ask("ping"))["result"] == {}
    assert client.answer(1) is None


async def test_a_duplicated_notification_arrives_twice(client: Client, operator: Operator) -> None:
    operator.hold("method:notifications/message")
    client.send(call(1, "tools/call", name="climb"))
    await until(lambda: len(operator.held) == 2)
    passed = operator.holds.duplicate(operator.held[-1])
    logs = [message for message in client.outlet.sent if message.get("method") == "notifications/message"]
    assert [log["params"]["data"] for log in logs] == ["a mishap", "a mishap"]
    assert events(client, "message_duplicated")[0]["passed"] == [passed[0].seq]


async def test_the_copy_of_a_request_is_refused_as_the_server_refuses_it(client: Client, operator: Operator) -> None:
    operator.hold("tool:wait dir:in")
    client.send(call(1, "tools/call", name="wait"))
    operator.holds.duplicate(operator.held[0])
    assert "already in use" in client.outlet.sent[-1]["error"]["message"]
    client.toolkit.gate.set()


async def test_a_delayed_message_is_released_when_its_time_is_over(client: Client, operator: Operator) -> None:
    operator.hold("tool:add dir:in")
    client.send(call(1, "tools/call", **ADD))
    [id] = operator.held
    operator.holds.delay(id, 60_000)
    operator.holds.delay(id, 250)
    assert operator.holds.describe()["held"][0]["state"] == "delayed"
    assert [seconds for seconds, _ in operator.timers] == [0.25]
    operator.fire()
    await until(lambda: client.answer(1))
    assert operator.held == []


async def test_a_request_is_answered_by_hand_and_the_server_never_gets_it(client: Client, operator: Operator) -> None:
    operator.hold("tool:add")
    client.send(call(1, "tools/call", **ADD))
    operator.holds.answer(operator.held[0], result={"content": [{"type": "text", "text": "by hand"}]})
    answer = client.answer(1)
    assert answer is not None
    assert answer["result"]["content"][0]["text"] == "by hand"
    client.send(call(2, "tools/call", **ADD))
    operator.holds.answer(operator.held[0], error={"code": -32000, "message": "no"})
    answer = client.answer(2)
    assert answer is not None
    assert answer["error"] == {"code": -32000, "message": "no"}
    assert operator.held == []


async def test_a_question_to_the_client_is_answered_by_hand(client: Client, operator: Operator) -> None:
    operator.hold("method:elicitation/create dir:out")
    client.send(call(1, "tools/call", name="ask_name"))
    await until(lambda: operator.held)
    operator.holds.answer(operator.held[0], result={"action": "accept", "content": {"name": "Ada"}})
    await until(lambda: client.answer(1))
    answer = client.answer(1)
    assert answer is not None
    assert answer["result"]["content"][0]["text"] == "accept: Ada"
    assert not any(message.get("method") == "elicitation/create" for message in client.outlet.sent)


async def test_the_answer_of_the_client_waits_as_well(client: Client, operator: Operator) -> None:
    operator.hold("method:elicitation/create kind:response")
    client.send(call(1, "tools/call", name="ask_name"))
    await until(lambda: client.outlet.sent)
    asked = client.outlet.sent[-1]["id"]
    client.send(response(asked, {"action": "accept", "content": {"name": "Ada"}}))
    [id] = operator.held
    operator.holds.edit(id, error_bytes(asked, -1, "the user has left").decode())
    await until(lambda: client.answer(1))
    answer = client.answer(1)
    assert answer is not None
    assert answer["result"]["isError"] is True


async def test_only_requests_can_be_answered(client: Client, operator: Operator) -> None:
    operator.hold("tool:add dir:out")
    client.send(call(1, "tools/call", **ADD))
    await until(lambda: operator.held)
    with pytest.raises(ConfigurationError, match="only requests can be answered"):
        operator.holds.answer(operator.held[0], result={})


async def test_the_second_verb_on_a_message_gets_an_error_that_names_the_first(
    client: Client, operator: Operator
) -> None:
    operator.hold("tool:add dir:in")
    client.send(call(1, "tools/call", **ADD))
    [id] = operator.held
    operator.holds.drop(id)
    operator.now += 3
    with pytest.raises(ConfigurationError, match=rf"Message {id} no longer waits: it was dropped 3\.0 s ago\."):
        operator.holds.release(id)
    with pytest.raises(ConfigurationError, match="No message with the number 999 is held"):
        operator.holds.release(999)


async def test_the_messages_of_a_filter_are_released_in_order_when_its_operator_leaves(
    client: Client, operator: Operator
) -> None:
    operator.holds.attach(object())
    operator.hold("tool:add")
    client.send(call(1, "tools/call", **ADD))
    client.send(call(2, "tools/call", **ADD))
    operator.holds.detach(operator)
    assert (operator.held, operator.holds.filter) == ([], None)
    await until(lambda: client.answer(1) and client.answer(2))
    assert [message["id"] for message in client.outlet.sent] == [1, 2]
    assert client.server.tap.interceptor is None


async def test_a_message_goes_on_waiting_when_another_operator_sets_a_filter_and_leaves(
    client: Client, operator: Operator
) -> None:
    operator.hold("tool:add")
    client.send(call(1, "tools/call", **ADD))
    other = object()
    operator.holds.attach(other)
    operator.holds.set(other, "tool:wait", load_matcher("tool:wait"), [], name="a script")
    hold = operator.holds.describe()
    assert (hold["held_by"], [message["held_by"] for message in hold["held"]]) == ("a script", ["the test"])
    operator.holds.detach(other)
    assert (len(operator.held), operator.holds.describe()["held_by"]) == (1, "")
    operator.holds.attach(other)
    operator.holds.detach(operator)
    await until(lambda: client.answer(1))


async def test_all_messages_are_released_when_the_last_operator_leaves(client: Client, operator: Operator) -> None:
    operator.holds.attach(other := object())
    operator.holds.set(other, "tool:add", load_matcher("tool:add"), [])
    client.send(call(1, "tools/call", **ADD))
    operator.holds.detach(operator)
    assert len(operator.held) == 1
    operator.holds.detach(other)
    await until(lambda: client.answer(1))
    assert client.server.tap.interceptor is None


async def test_a_delivery_that_fails_does_not_leave_the_others_waiting(
    client: Client, operator: Operator, monkeypatch: pytest.MonkeyPatch
) -> None:
    operator.hold("method:notifications/message")
    client.send(call(1, "tools/call", name="climb"))
    await until(lambda: len(operator.held) == 2)

    def fail_once(*_: Any, **__: Any) -> None:
        monkeypatch.undo()
        raise OSError("broken")

    monkeypatch.setattr(client.outlet, "send", fail_once)
    with pytest.raises(OSError, match="broken"):
        operator.holds.detach(operator)
    assert operator.held == []
    logs = [message for message in client.outlet.sent if message.get("method") == "notifications/message"]
    assert [log["params"]["data"] for log in logs] == ["a mishap"]


async def test_messages_of_a_closed_session_expire(client: Client, operator: Operator) -> None:
    operator.hold("tool:add")
    client.send(call(1, "tools/call", **ADD))
    [id] = operator.held
    client.session.close()
    assert operator.held == []
    assert events(client, "message_expired")[0]["reason"] == "the session is closed"
    with pytest.raises(ConfigurationError, match="it was expired"):
        operator.holds.release(id)


async def test_messages_are_released_before_the_session_waits_for_its_calls_to_end(
    client: Client, operator: Operator
) -> None:
    operator.hold("tool:add")
    client.send(call(1, "tools/call", **ADD))
    assert client.session.busy
    operator.holds.set(operator, "", lambda *_: False, [])
    await client.session.settle(1)
    assert sum_in(client.answer(1)) == 3


async def test_a_cancelled_request_is_marked_and_still_waits(client: Client, operator: Operator) -> None:
    operator.hold("tool:add")
    client.send(call(1, "tools/call", **ADD))
    # Also once its filter has gone.
    operator.holds.attach(other := object())
    operator.holds.set(other, "", load_matcher(""), [])
    operator.holds.detach(other)
    client.send(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}')
    assert operator.holds.describe()["filter"] is None
    assert operator.holds.describe()["held"][0]["cancelled"] is True
    assert len(events(client, "held_message_cancelled")) == 1


async def test_beyond_the_limits_messages_pass_and_an_event_states_it_once(
    client: Client, operator: Operator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server_core.holding.holds.MAX_HELD", 1)
    operator.hold("tool:add dir:in")
    for id in (1, 2, 3):
        client.send(call(id, "tools/call", **ADD))
    await until(lambda: client.answer(2) and client.answer(3))
    assert len(operator.held) == 1
    assert len(events(client, "hold_limit_reached")) == 1


async def test_a_message_beyond_the_limit_of_bytes_passes(
    client: Client, operator: Operator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server_core.holding.holds.MAX_HELD_BYTES", 500)
    operator.hold("tool:echo dir:in")
    client.send(call(1, "tools/call", name="echo", arguments={"text": "x" * 1000}))
    await until(lambda: client.answer(1))
    assert operator.held == []


async def test_a_client_with_a_progress_token_is_sent_progress_that_increases(
    client: Client, operator: Operator
) -> None:
    operator.hold("tool:climb", client_timeout=30)
    client.send(call(1, "tools/call", name="climb", _meta={"progressToken": "t"}))
    [message] = operator.holds.describe()["held"]
    assert [seconds for seconds, _ in operator.timers] == [10]
    operator.now = message["since"] + 12
    assert operator.holds.describe()["held"][0]["seconds_left"] == 18
    operator.fire()
    assert operator.holds.describe()["held"][0]["seconds_left"] == 30
    operator.fire()
    operator.holds.release(operator.held[0])
    await until(lambda: any(message["kind"] == "response" for message in operator.holds.describe()["held"]))
    for id in operator.held[:-1]:
        operator.holds.release(id)
    operator.fire()
    sent = [message["params"] for message in client.outlet.sent if message.get("method") == "notifications/progress"]
    # The progress of the tool exceeds that of the hold before it, and that of the hold after it is a whole number.
    assert [message["progress"] for message in sent] == [0, 0.0001, 1, 2, 3, 4]
    assert [message["progress"] for message in sent if message.get("message") == "kept alive"] == [0, 0.0001, 4]


async def test_the_response_to_an_earlier_request_matches_by_its_tool(client: Client, operator: Operator) -> None:
    client.send(call(1, "tools/call", name="wait"))
    operator.hold("tool:wait", records=client.records.all)
    client.toolkit.gate.set()
    await until(lambda: operator.held)
    assert operator.holds.describe()["held"][0]["name"] == "wait"


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("status:tool", ["response"]),
        ("kind:response status:ok", []),
        ("client:tester dir:in", ["request"]),
        ("era:legacy rev:2025-11-25 kind:request", ["request"]),
        ("$.params.arguments.a == 1", ["request"]),
        ("a /arg(ument)s/", ["request"]),
        ("!kind:request tool:add", ["response"]),
    ],
)
async def test_filters_mean_the_same_as_in_the_inspector(text: str, kinds: list[str]) -> None:
    client = Client().ready()
    operator = Operator(client.server.tap)
    operator.hold(text, records=client.records.all)
    # Without an argument that it needs, which is an error of the tool.
    client.send(call(1, "tools/call", name="add", arguments={"a": 1}))
    await until(lambda: operator.held or client.answer(1))
    assert [message["kind"] for message in operator.holds.describe()["held"]] == kinds


def test_an_invalid_filter_is_refused_with_the_reason() -> None:
    with pytest.raises(ConfigurationError, match="The filter is invalid: this bracket is not closed"):
        load_matcher("(tool:add")


async def test_any_text_reaches_a_terminal_on_purpose_with_its_secrets_masked(client: Client) -> None:
    outlet = RecordingBytes()
    session = client.server.open_session(MaskedOutlet(outlet, client.server.tap.masker), "link", peer_name="workbench")
    operator = Operator(client.server.tap)
    operator.hold("method:initialize dir:out")
    session.receive(initialize())
    operator.holds.edit(operator.held[0], "{oops a-secret-token", on_purpose=True)
    assert outlet.sent == [b"{oops <secret TOKEN>"]
