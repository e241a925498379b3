"""One client of the server: its handshake, the responses to its requests, and the end of its session."""

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server_core.catalog.catalog import Catalog
from server_core.errors import ContextError
from server_core.protocol.methods import METHODS
from tests.server_core.serving.session_client import Client
from tests.server_core.toolkit import RecordingOutlet, call, generation, initialize
from tests.waiting import until, within

KEYS = st.sampled_from(
    ["name", "arguments", "_meta", "progressToken", "uri", "cursor", "ref", "type", "argument", "level"]
)


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
async def test_a_revision_is_negotiated(asked: str, agreed: str) -> None:
    client = Client()
    client.send(initialize(asked))
    assert client.outlet.sent[0]["result"]["protocolVersion"] == agreed
    assert client.session.negotiated == agreed


@pytest.mark.parametrize("missing", ["protocolVersion", "capabilities", "clientInfo"])
async def test_an_incomplete_handshake_is_refused_and_may_be_repeated(missing: str) -> None:
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


async def test_a_missing_resource_has_its_own_code(client: Client) -> None:
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


async def test_a_closed_session_ignores_messages_and_sends_none(client: Client) -> None:
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
def test_each_request_is_answered_once_with_any_params(requests: list[tuple[str, dict[str, Any]]]) -> None:
    async def body() -> None:
        client = Client().ready()
        client.toolkit.gate.set()
        for request_id, (method, params) in enumerate(requests):
            client.send(call(request_id, method, **params))
        await until(lambda: not client.session.busy)
        assert sorted(message["id"] for message in client.outlet.sent) == list(range(len(requests)))

    asyncio.run(body())
