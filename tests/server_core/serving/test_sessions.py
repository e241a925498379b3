"""One client of the server: what is answered, what is not, and what is recorded."""

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server_core.catalog.catalog import Catalog
from server_core.errors import ContextError, RemoteError
from server_core.protocol.framing import OversizedLine
from server_core.protocol.methods import METHODS
from server_core.records.tap import Direction, Kind
from server_core.runtime.background import spawn
from server_core.settings import Settings
from tests.server_core.toolkit import (
    INITIALIZED,
    TOKEN,
    RecordingOutlet,
    Records,
    Toolkit,
    call,
    generation,
    initialize,
    new_server,
    notification,
)
from tests.waiting import until, within

AT_ONCE = Settings(list_changed_delay=0)
KEYS = st.sampled_from(
    ["name", "arguments", "_meta", "progressToken", "uri", "cursor", "ref", "type", "argument", "level"]
)


class Client:
    """A session with an outlet that keeps what it sends, and the records of both."""

    def __init__(self, *, loaded: bool = True, settings: Settings | None = None) -> None:
        self.toolkit = Toolkit()
        self.server = new_server(self.toolkit, loaded=loaded, settings=settings)
        self.records = Records(self.server.tap)
        self.outlet = RecordingOutlet()
        self.session = self.server.open_session(self.outlet, "memory")

    def ready(self, revision: str = "2025-11-25", **capabilities: Any) -> "Client":
        self.session.receive(initialize(revision, **capabilities))
        self.session.receive(INITIALIZED)
        self.outlet.sent.clear()
        self.outlet.related.clear()
        self.outlet.answers.clear()
        return self

    def send(self, data: bytes) -> None:
        self.session.receive(data)

    async def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a request and return its whole answer."""
        self.send(call("asked", method, **params))
        await until(self.answer)
        answer = self.answer()
        assert answer is not None
        return answer

    def answer(self, request_id: Any = "asked") -> dict[str, Any] | None:
        return next(
            (message for message in self.outlet.sent if message.get("id") == request_id and "method" not in message),
            None,
        )


@pytest.fixture
async def client() -> Client:
    return Client().ready()


async def test_initialize_is_answered_before_anything_is_loaded() -> None:
    client = Client(loaded=False)
    client.send(initialize())
    result = client.outlet.sent[0]["result"]
    assert result["protocolVersion"] == "2025-11-25"
    assert result["serverInfo"] == {"name": "toolkit", "version": "1.2.3", "title": "The toolkit"}
    assert result["instructions"] == "Be kind."
    assert result["capabilities"] == {
        "tools": {"listChanged": True},
        "resources": {"listChanged": True, "subscribe": True},
        "prompts": {"listChanged": True},
        "logging": {},
        "completions": {},
        "tasks": {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}},
    }


@pytest.mark.parametrize(
    ("asked", "agreed"),
    [
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2024-11-05", "2024-11-05"),
        ("2026-07-28", "2025-11-25"),
        ("soon", "2025-11-25"),
    ],
)
async def test_a_revision_is_agreed_on(asked: str, agreed: str) -> None:
    client = Client()
    client.send(initialize(asked))
    assert client.outlet.sent[0]["result"]["protocolVersion"] == agreed
    assert client.session.negotiated == agreed


@pytest.mark.parametrize("missing", ["protocolVersion", "capabilities", "clientInfo"])
async def test_a_handshake_that_lacks_something_is_refused_and_may_be_tried_again(missing: str) -> None:
    client = Client()
    params = json.loads(initialize())["params"]
    del params[missing]
    client.send(call(1, "initialize", **params))
    assert client.outlet.sent[0]["error"]["code"] == -32602
    assert missing in client.outlet.sent[0]["error"]["message"]
    client.send(initialize())
    assert "result" in client.outlet.sent[1]


async def test_a_capability_that_is_no_object_declares_nothing() -> None:
    client = Client().ready(elicitation="yes", sampling={})
    assert client.session.client.capabilities == {"sampling": {}}


async def test_nothing_but_ping_is_answered_before_the_handshake() -> None:
    client = Client()
    client.send(call(1, "tools/list"))
    client.send(call(2, "ping"))
    assert client.outlet.sent[0]["error"]["code"] == -32600
    assert client.outlet.sent[1] == {"jsonrpc": "2.0", "id": 2, "result": {}}


@pytest.mark.parametrize("method", ["tools/list", "resources/list", "resources/templates/list", "prompts/list"])
async def test_lists_wait_for_the_first_load(method: str) -> None:
    client = Client(loaded=False).ready()
    client.send(call("asked", method))
    await asyncio.sleep(0)
    assert client.answer() is None
    client.server.swap(generation(client.toolkit.catalog(), client.toolkit.app))
    await until(client.answer)
    assert "result" in client.outlet.sent[0]


async def test_lists_are_answered_at_once_when_loaded(client: Client) -> None:
    client.send(call(1, "tools/list"))
    tools = {tool["name"] for tool in client.outlet.sent[0]["result"]["tools"]}
    assert {"add", "echo", "climb"} <= tools


async def test_a_call_is_answered_with_the_tools_result(client: Client) -> None:
    answer = await client.ask("tools/call", name="add", arguments={"a": 2, "b": 3})
    assert answer["result"]["structuredContent"] == {"result": 5}


async def test_arguments_that_do_not_fit_are_a_result_with_an_error(client: Client) -> None:
    answer = await client.ask("tools/call", name="add", arguments={"a": "two"})
    assert answer["result"]["isError"] is True
    assert "b" in answer["result"]["content"][0]["text"]


async def test_invalid_params_are_refused() -> None:
    for method, params, words in (
        ("tools/call", {"name": "ad", "arguments": {}}, "did you mean 'add'"),
        ("tools/call", {}, '"name" must be a string'),
        ("tools/call", {"name": "add", "arguments": [1]}, '"arguments" must be an object'),
        ("resources/read", {"uri": 3}, '"uri" must be a string'),
        ("prompts/get", {"name": "letter"}, "tone"),
        ("prompts/get", {"name": "letter", "arguments": {"tone": 3}}, "must be a string"),
        ("prompts/get", {"name": "leter"}, "letter"),
        ("completion/complete", {"ref": {"type": "ref/tool"}, "argument": {"name": "a", "value": ""}}, "ref"),
        ("completion/complete", {"ref": {"type": "ref/prompt", "name": "letter"}}, "argument"),
        ("logging/setLevel", {"level": "loud"}, "loud"),
        ("tools/list", {"cursor": "nonsense"}, "cursor"),
        ("tools/list", {"cursor": 3}, "cursor"),
        ("tools/list", {"cursor": "cHJvbXB0cyAw"}, "cursor"),
        ("resources/subscribe", {}, "uri"),
    ):
        error = (await Client().ready().ask(method, **params))["error"]
        assert error["code"] == -32602
        assert words in error["message"]


async def test_a_resource_that_is_not_there_has_its_own_code(client: Client) -> None:
    error = (await client.ask("resources/read", uri="toolkit://nothing"))["error"]
    assert (error["code"], error["data"]) == (-32002, {"uri": "toolkit://nothing"})


async def test_an_unknown_method_does_not_exist(client: Client) -> None:
    assert (await client.ask("tools/explode"))["error"]["code"] == -32601


async def test_a_tool_that_exits_does_not_end_the_server(client: Client) -> None:
    answer = await client.ask("tools/call", name="leave")
    assert answer["result"]["isError"] is True


async def test_a_long_list_is_paginated() -> None:
    client = Client().ready()
    add = client.server.catalog.tools["add"]
    catalog = Catalog(tools={f"tool{number}": add for number in range(300)})
    client.server.swap(generation(catalog, client.toolkit.app, number=2))
    client.send(call(1, "tools/list"))
    first = client.outlet.sent[-1]["result"]
    client.send(call(2, "tools/list", cursor=first["nextCursor"]))
    rest = client.outlet.sent[-1]["result"]
    assert (len(first["tools"]), len(rest["tools"])) == (250, 50)
    assert "nextCursor" not in rest


async def test_completion_offers_matching_values(client: Client) -> None:
    answer = await client.ask(
        "completion/complete", ref={"type": "ref/prompt", "name": "letter"}, argument={"name": "tone", "value": "ke"}
    )
    assert answer["result"]["completion"]["values"] == ["keen"]


async def test_only_initialized_clients_are_notified_and_only_of_changes() -> None:
    client = Client(settings=AT_ONCE).ready()
    half_open = RecordingOutlet()
    client.server.open_session(half_open, "memory").receive(initialize())
    half_open.sent.clear()
    before = client.server.catalog
    after = Catalog(tools={"add": before.tools["add"]}, resources=before.resources, prompts=before.prompts)
    after = Catalog(after.tools, after.resources, before.templates, after.prompts)
    client.server.swap(generation(after, client.toolkit.app, number=2, before=before))
    assert [message["method"] for message in client.outlet.sent] == ["notifications/tools/list_changed"]
    assert half_open.sent == []


async def test_the_first_load_changes_no_list_that_anybody_has_seen() -> None:
    client = Client(loaded=False).ready()
    client.server.swap(generation(client.toolkit.catalog(), client.toolkit.app))
    assert client.outlet.sent == []


async def test_updates_are_sent_to_subscribers_only() -> None:
    client = Client(settings=AT_ONCE).ready()
    await client.ask("resources/subscribe", uri="toolkit://motto")
    other = RecordingOutlet()
    client.server.open_session(other, "memory")
    client.outlet.sent.clear()
    client.server.resource_updated("toolkit://motto")
    client.server.resource_updated("toolkit://other")
    assert [message["params"] for message in client.outlet.sent] == [{"uri": "toolkit://motto"}]
    assert other.sent == []
    await client.ask("resources/unsubscribe", uri="toolkit://motto")
    client.outlet.sent.clear()
    client.server.resource_updated("toolkit://motto")
    assert client.outlet.sent == []


async def test_parts_of_a_resource_are_updates_of_it() -> None:
    client = Client(settings=AT_ONCE).ready()
    await client.ask("resources/subscribe", uri="toolkit://notes/1")
    client.outlet.sent.clear()
    client.server.resource_updated("toolkit://notes/1/title")
    client.server.resource_updated("toolkit://notes/11")
    assert [message["params"] for message in client.outlet.sent] == [{"uri": "toolkit://notes/1/title"}]


@pytest.mark.parametrize("uri", ["toolkit://nothing", "toolkit://notes/", "", "toolkit://notes/1/2"])
async def test_a_subscription_to_a_missing_resource_is_refused(uri: str) -> None:
    error = (await Client().ready().ask("resources/subscribe", uri=uri))["error"]
    assert (error["code"], error["data"]) == (-32002, {"uri": uri})


@pytest.mark.parametrize("uri", ["toolkit://motto", "toolkit://notes/7"])
async def test_resources_and_uris_of_templates_can_be_subscribed_to(uri: str) -> None:
    client = Client(loaded=False).ready()
    client.send(call("asked", "resources/subscribe", uri=uri))
    assert client.answer() is None
    client.server.swap(generation(client.toolkit.catalog(), client.toolkit.app))
    await until(client.answer)
    assert client.answer() == {"jsonrpc": "2.0", "id": "asked", "result": {}}


async def test_a_disconnected_client_is_sent_nothing() -> None:
    client = Client(settings=AT_ONCE).ready()
    await client.ask("resources/subscribe", uri="toolkit://motto")
    client.session.close()
    client.outlet.sent.clear()
    client.server.resource_updated("toolkit://motto")
    assert client.outlet.sent == []


async def test_progress_is_sent_to_clients_with_a_token_on_the_calls_stream(client: Client) -> None:
    client.send(call(7, "tools/call", name="climb", arguments={}, _meta={"progressToken": "p"}))
    await until(lambda: client.answer(7))
    reports = [message["params"] for message in client.outlet.sent if message.get("method") == "notifications/progress"]
    assert [(item["progressToken"], item["progress"]) for item in reports] == [("p", 1), ("p", 2), ("p", 3)]
    assert set(client.outlet.related) == {7}
    assert client.outlet.answers == [False] * 5 + [True]


async def test_log_messages_below_the_level_are_left_out(client: Client) -> None:
    await client.ask("logging/setLevel", level="warning")
    client.send(call(7, "tools/call", name="climb"))
    await until(lambda: client.answer(7))
    logs = [
        message["params"]["level"] for message in client.outlet.sent if message.get("method") == "notifications/message"
    ]
    assert logs == ["error"]


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


async def test_a_tool_asks_the_person_on_the_stream_of_its_call() -> None:
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


async def test_a_session_that_ends_does_not_wait_for_the_person_and_reports_no_failure() -> None:
    client = Client().ready(elicitation={})
    client.send(call("c", "tools/call", name="ask_name"))
    await until(lambda: client.outlet.sent)
    await within(client.session.settle(5.0))
    answer = client.answer("c")
    assert answer is not None
    text = answer["result"]["content"][0]["text"]
    assert text.endswith("tool 'ask_name': No answer: the session ended before the client responded.")


async def test_an_answer_that_is_late_cancels_the_question() -> None:
    client = Client().ready(elicitation={})
    answer = await client.ask("tools/call", name="ask_impatiently")
    assert answer["result"]["isError"] is True
    methods = [message.get("method") for message in client.outlet.sent]
    assert methods == ["elicitation/create", "notifications/cancelled", None]
    assert client.outlet.sent[1]["params"]["requestId"] == client.outlet.sent[0]["id"]


async def test_a_refusal_of_the_client_keeps_its_code() -> None:
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


async def test_a_call_that_is_cancelled_while_it_waits_is_never_begun() -> None:
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


async def test_a_closed_session_is_deaf_and_dumb(client: Client) -> None:
    client.session.close()
    client.send(call(1, "ping"))
    client.session.notify("notifications/message", {"level": "error", "data": "x"}, related=None)
    assert client.outlet.sent == []
    with pytest.raises(ContextError):
        await client.session.request("roots/list", {}, related=1, timeout=1)


async def test_closed_sessions_are_retained_for_a_while(client: Client) -> None:
    client.session.close()
    assert "s1" in client.server.sessions
    for _ in range(60):
        client.server.open_session(RecordingOutlet(), "memory").close()
    assert "s1" not in client.server.sessions
    assert len(client.server.sessions) == 50


async def test_calls_finish_on_the_code_they_began_with(client: Client) -> None:
    client.send(call(7, "tools/call", name="wait"))
    await within(client.toolkit.entered.wait())
    client.server.swap(generation(Catalog(), client.toolkit.app, number=2, before=client.server.catalog))
    client.toolkit.gate.set()
    await until(lambda: client.answer(7))
    answer = client.answer(7)
    assert answer is not None
    assert answer["result"]["content"][0]["text"] == "through"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS | st.text(max_size=5), inner, max_size=4),
    max_leaves=8,
)


@given(st.lists(st.tuples(st.sampled_from(sorted(METHODS)), st.dictionaries(KEYS, JSON, max_size=4)), max_size=8))
@settings(deadline=None, max_examples=50)
def test_whatever_the_params_each_request_is_answered_once(requests: list[tuple[str, dict[str, Any]]]) -> None:
    async def body() -> None:
        client = Client().ready()
        client.toolkit.gate.set()
        for request_id, (method, params) in enumerate(requests):
            client.send(call(request_id, method, **params))
        await until(lambda: not client.session.busy)
        assert sorted(message["id"] for message in client.outlet.sent) == list(range(len(requests)))

    asyncio.run(body())


async def test_a_notification_that_is_wrong_or_unknown_is_recorded_and_does_nothing() -> None:
    for message in (
        notification("notifications/cancelled"),
        notification("notifications/cancelled", requestId=True),
        notification("notifications/cancelled", requestId=[1]),
        notification("notifications/cancelled", requestId="1"),
        notification("notifications/progress", progressToken="of nobody", progress="much"),
        notification("notifications/roots/list_changed", extra={}),
        notification("notifications/tasks/status"),
        notification("no/such/notification", a=1),
        notification(""),
    ):
        client = Client().ready()
        client.send(call(1, "tools/call", name="wait"))
        await within(client.toolkit.entered.wait())
        client.send(message)
        assert client.outlet.sent == []
        assert client.records.of(Kind.NOTIFICATION)[-1].data == message
        client.toolkit.gate.set()
        await until(lambda client=client: client.answer(1))


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
