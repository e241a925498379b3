"""Stateless requests: each identifies its client, and a call that needs input is answered over several of them."""

import asyncio
from typing import Any

import pytest

from server_core import Context, MCPApp
from server_core.protocol.envelope import CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL, PROTOCOL_VERSION, SERVER_INFO
from server_core.protocol.jsonrpc import Request, parse
from server_core.records.tap import Kind, Tap
from server_core.serving import suspended_calls
from server_core.serving.request_state import CallState, RequestStates
from server_core.serving.server import Server
from server_core.settings import Settings
from tests.server_core.toolkit import (
    INITIALIZED,
    RecordingOutlet,
    Records,
    Toolkit,
    call,
    generation,
    initialize,
    new_server,
    notification,
    secret_values,
)
from tests.waiting import until, within

REVISION = "2026-07-28"
ASKING = {"elicitation": {}, "sampling": {}, "roots": {}}
NAME_FORM = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
RUNS: list[str] = []


def meta(**capabilities: Any) -> dict[str, Any]:
    return {
        PROTOCOL_VERSION: REVISION,
        CLIENT_CAPABILITIES: capabilities,
        CLIENT_INFO: {"name": "tester", "version": "0"},
    }


def asking_app() -> MCPApp:
    app = MCPApp("asking", "1.0", toolkit="")

    @app.tool
    async def greet(context: Context) -> str:
        """Ask for a name."""
        RUNS.append("greet")
        answer = await context.ui.elicit("Who are you?", NAME_FORM, key="who")
        return f"Hello, {(answer.content or {}).get('name')}!"

    @app.tool
    async def twice(context: Context) -> str:
        """Ask one thing after another, without names for them."""
        RUNS.append("twice")
        first = await context.ui.elicit("First?", NAME_FORM)
        second = await context.ui.elicit("Second?", NAME_FORM)
        return f"{(first.content or {})['name']} and {(second.content or {})['name']}"

    @app.tool
    async def all_at_once(context: Context) -> str:
        """Ask three things at the same time."""
        answer, message, roots = await asyncio.gather(
            context.ui.elicit("Who?", NAME_FORM),
            context.sampling.create_message("Say hi"),
            context.roots.list(),
        )
        return f"{(answer.content or {})['name']}, {message.text}, {len(roots)}"

    @app.tool
    async def impatient(context: Context) -> str:
        """Do not wait for long."""
        try:
            await context.ui.elicit("Quick!", NAME_FORM, timeout=0.01)
        except Exception as error:
            return f"gave up: {type(error).__name__}"
        return "in time"

    @app.prompt
    async def letter(context: Context) -> str:
        """Ask before it writes."""
        answer = await context.ui.elicit("To whom?", NAME_FORM)
        return f"Dear {(answer.content or {})['name']}"

    return app


class Client:
    """A client without a session, over a connection that keeps what is sent to it."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.outlet = RecordingOutlet()
        self.records = Records(server.tap)
        self.session = server.open_session(self.outlet, "memory")
        self._count = 0

    async def ask(self, method: str, *, capabilities: dict[str, Any] | None = None, **params: Any) -> dict[str, Any]:
        """Send a request and return its whole answer."""
        self._count += 1
        request_id = f"r{self._count}"
        self.session.receive(call(request_id, method, **{"_meta": meta(**(capabilities or {})), **params}))
        await until(lambda: bool(self.answers(request_id)))
        return self.answers(request_id)[0]

    async def call(self, name: str, **params: Any) -> dict[str, Any]:
        """Call a tool with all that a client can be asked."""
        return await self.ask("tools/call", capabilities=ASKING, name=name, **params)

    def answers(self, request_id: Any) -> list[dict[str, Any]]:
        return [message for message in self.outlet.sent if message.get("id") == request_id]


def asking_server(settings: Settings | None = None) -> Server:
    app = asking_app()
    server = Server(Tap(), settings or Settings(state_key="k" * 32), secret_values, app.identity)
    catalog, problems = app.build()
    assert not problems
    server.swap(generation(catalog, app))
    return server


@pytest.fixture
def client() -> Client:
    RUNS.clear()
    return Client(asking_server())


def accepted(name: str) -> dict[str, Any]:
    return {"action": "accept", "content": {"name": name}}


def text(answer: dict[str, Any]) -> str:
    return str(answer["result"]["content"][0]["text"])


async def test_a_server_describes_itself_without_a_session() -> None:
    client = Client(new_server(Toolkit()))
    result = (await client.ask("server/discover"))["result"]
    assert result["resultType"] == "complete"
    assert result["supportedVersions"] == [REVISION]
    assert result["capabilities"]["tools"] == {"listChanged": True}
    assert result["_meta"][SERVER_INFO]["name"] == "toolkit"
    assert (result["ttlMs"], result["cacheScope"]) == (0, "private")


async def test_both_eras_are_served_on_one_connection() -> None:
    client = Client(new_server(Toolkit()))
    stateless = await client.ask("tools/call", name="add", arguments={"a": 1, "b": 2})
    assert stateless["result"]["resultType"] == "complete"
    client.session.receive(initialize())
    client.session.receive(INITIALIZED)
    client.session.receive(call(1, "tools/call", name="add", arguments={"a": 1, "b": 2}))
    await until(lambda: bool(client.answers(1)))
    assert "resultType" not in client.answers(1)[0]["result"]
    assert client.session.negotiated == "2025-11-25"


@pytest.mark.parametrize("method", ["initialized", "ping", "logging/setLevel", "resources/subscribe", "unknown/method"])
async def test_methods_that_the_revision_lacks_do_not_exist(client: Client, method: str) -> None:
    assert (await client.ask(method, uri="x", level="debug"))["error"]["code"] == -32601


@pytest.mark.parametrize(
    ("meta", "code"),
    [
        ({PROTOCOL_VERSION: REVISION}, -32602),
        ({PROTOCOL_VERSION: 7, CLIENT_CAPABILITIES: {}}, -32602),
        ({PROTOCOL_VERSION: REVISION, CLIENT_CAPABILITIES: []}, -32602),
        ({PROTOCOL_VERSION: REVISION, CLIENT_CAPABILITIES: {}, LOG_LEVEL: "loud"}, -32602),
        ({PROTOCOL_VERSION: "v999.0.0", CLIENT_CAPABILITIES: {}}, -32022),
    ],
)
async def test_an_envelope_that_lacks_something_is_refused(client: Client, meta: dict[str, Any], code: int) -> None:
    error = (await client.ask("tools/list", _meta=meta))["error"]
    assert error["code"] == code
    if code == -32022:
        assert error["data"] == {"supported": [REVISION], "requested": "v999.0.0"}


async def test_a_tool_that_needs_input_continues_when_the_client_retries(client: Client) -> None:
    first = (await client.call("greet"))["result"]
    assert first["resultType"] == "input_required"
    assert first["inputRequests"] == {
        "who": {
            "method": "elicitation/create",
            "params": {"mode": "form", "message": "Who are you?", "requestedSchema": NAME_FORM},
        }
    }
    second = await client.call("greet", requestState=first["requestState"], inputResponses={"who": accepted("Ada")})
    assert text(second) == "Hello, Ada!"
    assert RUNS == ["greet"]
    assert len(client.server.suspended_calls) == 0


async def test_a_call_whose_state_cannot_be_made_fails_and_is_not_left_open(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> str:
        raise OSError("no state today")

    with monkeypatch.context() as patch:
        patch.setattr(RequestStates, "seal", refuse)
        answer = await client.call("greet")
    assert answer["error"]["code"] == -32603
    assert "no state today" in str(
        [record for record in client.records.events() if record["event"] == "request_failed"]
    )
    assert len(client.server.suspended_calls) == 0
    assert not client.session.busy
    assert (await client.call("greet"))["result"]["resultType"] == "input_required"


async def test_a_tool_that_was_stopped_runs_again_with_the_responses_so_far(client: Client) -> None:
    first = (await client.call("twice"))["result"]
    second = (
        await client.call("twice", requestState=first["requestState"], inputResponses={"elicitation-1": accepted("a")})
    )["result"]
    elsewhere = Client(asking_server())
    third = await elsewhere.call(
        "twice", requestState=second["requestState"], inputResponses={"elicitation-2": accepted("b")}
    )
    assert text(third) == "a and b"
    assert RUNS == ["twice", "twice"]


async def test_concurrent_input_requests_are_sent_together(client: Client) -> None:
    first = (await client.call("all_at_once"))["result"]
    assert set(first["inputRequests"]) == {"elicitation-1", "sampling-1", "roots-1"}
    reply = {"role": "assistant", "content": {"type": "text", "text": "hi"}, "model": "m"}
    some = {"elicitation-1": accepted("Ada"), "sampling-1": reply, "unknown": 3}
    second = (await client.call("all_at_once", requestState=first["requestState"], inputResponses=some))["result"]
    assert set(second["inputRequests"]) == {"roots-1"}
    rest = {"roots-1": {"roots": [{"uri": "file:///"}]}}
    assert text(await client.call("all_at_once", requestState=second["requestState"], inputResponses=rest)) == (
        "Ada, hi, 1"
    )


@pytest.mark.parametrize("response", [3, None, {}, {"action": "maybe"}, {"action": "accept", "content": {}}, {"a": 1}])
async def test_an_invalid_response_is_requested_again(client: Client, response: Any) -> None:
    first = (await client.call("greet"))["result"]
    again = (await client.call("greet", requestState=first["requestState"], inputResponses={"who": response}))["result"]
    assert again["resultType"] == "input_required"
    assert again["requestState"] != first["requestState"]


async def test_a_prompt_may_request_input_and_a_completion_may_not(client: Client) -> None:
    first = (await client.ask("prompts/get", capabilities=ASKING, name="letter"))["result"]
    answers = {"elicitation-1": accepted("Ada")}
    second = await client.ask(
        "prompts/get",
        capabilities=ASKING,
        name="letter",
        requestState=first["requestState"],
        inputResponses=answers,
    )
    assert second["result"]["messages"][0]["content"]["text"] == "Dear Ada"


@pytest.mark.parametrize(
    "change", ["tampered", "other arguments", "other tool", "other key", "expired", "other client", "no string"]
)
async def test_a_state_that_is_not_for_this_request_is_an_error(change: str) -> None:
    server = asking_server()
    client = Client(server)
    state = (await client.call("greet"))["result"]["requestState"]
    params: dict[str, Any] = {"name": "greet", "requestState": state, "inputResponses": {"who": accepted("Eve")}}
    if change == "tampered":
        params["requestState"] += "-TAMPERED"
    elif change == "other arguments":
        params["arguments"] = {"x": 1}
    elif change == "other tool":
        params["name"] = "twice"
    elif change == "no string":
        params["requestState"] = 3
    elif change == "other client":
        client.session = server.open_session(client.outlet, "memory", principal="another user")
    elif change == "other key":
        params["requestState"] = sealed(params, state_key="o" * 32)
    elif change == "expired":
        params["requestState"] = sealed(params, state_key="k" * 32, input_seconds=-1)
    error = (await client.ask("tools/call", capabilities=ASKING, **params))["error"]
    assert error["code"] == -32602
    assert "requestState" in error["message"]


async def test_a_capability_that_was_not_declared_is_an_error_of_the_request(client: Client) -> None:
    error = (await client.ask("tools/call", name="greet"))["error"]
    assert error["code"] == -32021
    assert error["data"] == {"requiredCapabilities": {"elicitation": {}}}


async def test_a_result_between_two_rounds_is_sent_to_the_retry(client: Client) -> None:
    first = (await client.call("impatient"))["result"]
    await until(lambda: not client.session.busy)
    second = await client.call("impatient", requestState=first["requestState"], inputResponses={})
    assert text(second) == "gave up: ContextError"


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


async def test_a_client_that_disconnects_stops_its_suspended_calls(client: Client) -> None:
    await client.call("greet")
    assert len(client.server.suspended_calls) == 1
    client.session.close()
    assert len(client.server.suspended_calls) == 0


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


async def test_the_messages_of_a_call_are_recorded_with_it(client: Client) -> None:
    await client.call("greet")
    kinds = [record.kind for record in client.records.of(Kind.REQUEST, Kind.RESPONSE)]
    assert kinds == [Kind.REQUEST, Kind.RESPONSE]


def sealed(params: dict[str, Any], **settings: Any) -> str:
    states = RequestStates(Settings(**settings))
    return states.seal(Request(1, "tools/call", params), "", CallState("x", {}))
