"""Stateless requests: each identifies its client, and a call that needs input is answered over several of them."""

from typing import Any

import pytest

from server_core.protocol.envelope import CLIENT_CAPABILITIES, LOG_LEVEL, PROTOCOL_VERSION, SERVER_INFO
from server_core.protocol.jsonrpc import Request
from server_core.serving.request_state import CallState, RequestStates
from server_core.settings import Settings
from tests.server_core.serving.stateless_client import (
    ASKING,
    NAME_FORM,
    REVISION,
    RUNS,
    Client,
    accepted,
    asking_server,
    text,
)
from tests.server_core.toolkit import (
    INITIALIZED,
    Toolkit,
    call,
    initialize,
    new_server,
)
from tests.waiting import until


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
async def test_methods_that_the_revision_lacks_do_not_exist(asking: Client, method: str) -> None:
    assert (await asking.ask(method, uri="x", level="debug"))["error"]["code"] == -32601


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
async def test_an_envelope_that_lacks_something_is_refused(asking: Client, meta: dict[str, Any], code: int) -> None:
    error = (await asking.ask("tools/list", _meta=meta))["error"]
    assert error["code"] == code
    if code == -32022:
        assert error["data"] == {"supported": [REVISION], "requested": "v999.0.0"}


async def test_a_tool_that_needs_input_continues_when_the_client_retries(asking: Client) -> None:
    first = (await asking.call("greet"))["result"]
    assert first["resultType"] == "input_required"
    assert first["inputRequests"] == {
        "who": {
            "method": "elicitation/create",
            "params": {"mode": "form", "message": "Who are you?", "requestedSchema": NAME_FORM},
        }
    }
    second = await asking.call("greet", requestState=first["requestState"], inputResponses={"who": accepted("Ada")})
    assert text(second) == "Hello, Ada!"
    assert RUNS == ["greet"]
    assert len(asking.server.suspended_calls) == 0


async def test_a_call_whose_state_cannot_be_made_fails_and_is_not_left_open(
    asking: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> str:
        raise OSError("no state today")

    with monkeypatch.context() as patch:
        patch.setattr(RequestStates, "seal", refuse)
        answer = await asking.call("greet")
    assert answer["error"]["code"] == -32603
    assert "no state today" in str(
        [record for record in asking.records.events() if record["event"] == "request_failed"]
    )
    assert len(asking.server.suspended_calls) == 0
    assert not asking.session.busy
    assert (await asking.call("greet"))["result"]["resultType"] == "input_required"


async def test_a_tool_that_was_stopped_runs_again_with_the_responses_so_far(asking: Client) -> None:
    first = (await asking.call("twice"))["result"]
    second = (
        await asking.call("twice", requestState=first["requestState"], inputResponses={"elicitation-1": accepted("a")})
    )["result"]
    elsewhere = Client(asking_server())
    third = await elsewhere.call(
        "twice", requestState=second["requestState"], inputResponses={"elicitation-2": accepted("b")}
    )
    assert text(third) == "a and b"
    assert RUNS == ["twice", "twice"]


async def test_concurrent_input_requests_are_sent_together(asking: Client) -> None:
    first = (await asking.call("all_at_once"))["result"]
    assert set(first["inputRequests"]) == {"elicitation-1", "sampling-1", "roots-1"}
    reply = {"role": "assistant", "content": {"type": "text", "text": "hi"}, "model": "m"}
    some = {"elicitation-1": accepted("Ada"), "sampling-1": reply, "unknown": 3}
    second = (await asking.call("all_at_once", requestState=first["requestState"], inputResponses=some))["result"]
    assert set(second["inputRequests"]) == {"roots-1"}
    rest = {"roots-1": {"roots": [{"uri": "file:///"}]}}
    assert text(await asking.call("all_at_once", requestState=second["requestState"], inputResponses=rest)) == (
        "Ada, hi, 1"
    )


@pytest.mark.parametrize("response", [3, None, {}, {"action": "maybe"}, {"action": "accept", "content": {}}, {"a": 1}])
async def test_an_invalid_response_is_requested_again(asking: Client, response: Any) -> None:
    first = (await asking.call("greet"))["result"]
    again = (await asking.call("greet", requestState=first["requestState"], inputResponses={"who": response}))["result"]
    assert again["resultType"] == "input_required"
    assert again["requestState"] != first["requestState"]


async def test_a_prompt_may_request_input_and_a_completion_may_not(asking: Client) -> None:
    first = (await asking.ask("prompts/get", capabilities=ASKING, name="letter"))["result"]
    answers = {"elicitation-1": accepted("Ada")}
    second = await asking.ask(
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


async def test_a_capability_that_was_not_declared_is_an_error_of_the_request(asking: Client) -> None:
    error = (await asking.ask("tools/call", name="greet"))["error"]
    assert error["code"] == -32021
    assert error["data"] == {"requiredCapabilities": {"elicitation": {}}}


async def test_a_result_between_two_rounds_is_sent_to_the_retry(asking: Client) -> None:
    first = (await asking.call("impatient"))["result"]
    await until(lambda: not asking.session.busy)
    second = await asking.call("impatient", requestState=first["requestState"], inputResponses={})
    assert text(second) == "gave up: ClientTimeout"


def sealed(params: dict[str, Any], **settings: Any) -> str:
    states = RequestStates(Settings(**settings))
    return states.seal(Request(1, "tools/call", params), "", CallState("x", {}))
