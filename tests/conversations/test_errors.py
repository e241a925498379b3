"""Every error of the protocol, over every transport: its code, data, message, id and HTTP status."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest

from server_core.protocol.envelope import CLIENT_CAPABILITIES, LOG_LEVEL, PROTOCOL_VERSION
from server_core.protocol.headers import message_headers
from server_core.transports.http_client.http_client import HttpChannel
from tests.conversations.conftest import World
from tests.server_core.toolkit import INITIALIZED, call, initialize
from tests.waiting import within
from workbench.client.questions import PendingQuestions

ENVELOPE = {PROTOCOL_VERSION: "2026-07-28", CLIENT_CAPABILITIES: {}}
NEWEST = "2026-07-28"
SHOWS_URLS = {"elicitation": {"url": {}}}
POST = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
PYTHON = re.compile(r"Traceback|Exception|\bNone\b|\bTrue\b|<class|object at 0x|pydantic|_[a-z]+_[a-z]+\(")


@dataclass(frozen=True)
class Row:
    """A request that is refused.

    Attributes:
        name: shown in the test run.
        data: the request.
        code: of the error.
        revision: of the session in which it is sent; the newest has none.
        status: of the HTTP response, where the revision specifies it.
        id: of the response; None where it has none.
        holds: checks the data of the error.
        headers: over HTTP, instead of the right ones.
    """

    name: str
    data: bytes
    code: int
    revision: str = NEWEST
    status: int = 400
    id: int | None = 7
    holds: Callable[[Any], bool] = lambda data: data is None
    headers: dict[str, str] = field(default_factory=dict)


def stateless(method: str, meta: dict[str, Any] | None = None, **params: Any) -> bytes:
    return call(7, method, **params, _meta=ENVELOPE if meta is None else meta)


def in_session(method: str, **params: Any) -> bytes:
    return call(7, method, **params)


UNKNOWN_VERSION = {**ENVELOPE, PROTOCOL_VERSION: "v999"}

MESSAGES = [
    (b"{", -32700, None),
    (b"\xff", -32700, None),
    (b"[" * 100_000, -32700, None),
    (b'{"jsonrpc":"2.0","id":' + b"9" * 5000 + b',"method":"ping"}', -32700, None),
    (b"7", -32600, None),
    (b"[]", -32600, None),
    (b'{"jsonrpc":"1.0","id":7,"method":"ping"}', -32600, 7),
    (b'{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}', -32600, 7),
    (b'{"jsonrpc":"2.0","id":7,"method":7}', -32600, 7),
    (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, None),
    (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, None),
    (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600, None),
    (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600, None),
    (b'{"jsonrpc":"2.0","id":7}', -32600, 7),
]
# Stateless first: over HTTP the headers alone decide the response to these.
CASES = [
    Row(f"message {number}", data, code, revision, id=request_id)
    for number, (data, code, request_id) in enumerate(MESSAGES)
    for revision in (NEWEST, "2025-11-25")
]
CASES += [
    Row("method", stateless("no/such"), -32601, status=404),
    Row("method of a session", stateless("ping"), -32601, status=404),
    Row("unknown method", in_session("no/such"), -32601, "2025-06-18"),
    Row("method of no session", in_session("server/discover"), -32601, "2025-11-25"),
    Row("listening in a session", in_session("subscriptions/listen", notifications={}), -32601, "2025-11-25"),
    Row("task of a tool that has none", in_session("tools/call", name="add", task={}), -32601, "2025-11-25"),
    Row("tool", stateless("tools/call", name="nothing"), -32602),
    Row("tool in a session", in_session("tools/call", name="nothing"), -32602, "2024-11-05"),
    Row("no tool", stateless("tools/call"), -32602),
    Row("no tool in a session", in_session("tools/call", name={"a": None}), -32602, "2025-03-26"),
    Row("arguments", in_session("tools/call", name="add", arguments=[]), -32602, "2025-11-25"),
    Row("prompt", stateless("prompts/get", name="nothing"), -32602),
    Row("argument of a prompt", in_session("prompts/get", name="letter", arguments={"tone": 7}), -32602, "2025-06-18"),
    Row("cursor", stateless("tools/list", cursor="nonsense"), -32602),
    Row("cursor in a session", in_session("tools/list", cursor=7), -32602, "2025-11-25"),
    Row("level", in_session("logging/setLevel", level="loud"), -32602, "2025-11-25"),
    Row("level of an envelope", stateless("tools/list", {**ENVELOPE, LOG_LEVEL: "loud"}), -32602),
    Row("level of a wrong type", stateless("tools/list", {**ENVELOPE, LOG_LEVEL: {"a": None}}), -32602),
    Row("completion", stateless("completion/complete", ref={"type": "ref/x"}, argument={}), -32602),
    Row("task", in_session("tasks/get", taskId="nothing"), -32602, "2025-11-25"),
    Row("no capabilities", stateless("tools/list", {PROTOCOL_VERSION: NEWEST}), -32602),
    Row("version of a wrong type", stateless("tools/list", {**ENVELOPE, PROTOCOL_VERSION: 7}), -32602),
    Row("state", stateless("tools/call", name="add", arguments={}, requestState="a.b.c"), -32602),
    Row("filter", stateless("subscriptions/listen", notifications=7), -32602),
    Row(
        "resource",
        stateless("resources/read", uri="toolkit://nothing"),
        -32602,
        holds=lambda data: data == {"uri": "toolkit://nothing"},
    ),
    Row(
        "resource in a session",
        in_session("resources/read", uri="toolkit://nothing"),
        -32002,
        "2025-11-25",
        holds=lambda data: data == {"uri": "toolkit://nothing"},
    ),
    Row(
        "subscription to nothing",
        in_session("resources/subscribe", uri="toolkit://nothing"),
        -32002,
        "2024-11-05",
        holds=lambda data: data == {"uri": "toolkit://nothing"},
    ),
    # The revision leaves the status of what went wrong inside to us.
    Row("inside", stateless("prompts/get", name="broken"), -32603, status=200),
    Row("inside, in a session", in_session("prompts/get", name="broken"), -32603, "2025-06-18"),
    Row(
        "URL to visit",
        in_session("tools/call", name="visit"),
        -32042,
        "2025-11-25",
        holds=lambda data: [elicitation["mode"] for elicitation in data["elicitations"]] == ["url"],
    ),
    Row(
        "capability",
        stateless("tools/call", name="ask_model"),
        -32021,
        holds=lambda data: data == {"requiredCapabilities": {"sampling": {}}},
    ),
    Row(
        "version",
        stateless("tools/list", UNKNOWN_VERSION),
        -32022,
        holds=lambda data: data == {"supported": [NEWEST], "requested": "v999"},
    ),
    Row("no handshake", in_session("tools/list"), -32600, ""),
    Row("params of a handshake", call(7, "initialize", protocolVersion=7), -32602, ""),
    Row("a second handshake", call(7, "initialize", protocolVersion="2025-11-25"), -32600, "2025-11-25"),
]
OVER_ALL = {"message 0", "message 2", "message 6", "method", "tool in a session", "inside", "resource"}
"""The names of cases of each kind: no JSON, deep JSON, no message, no method, no tool, a failure, data of the error."""
HEADER_CASES = [
    Row("no version", stateless("tools/list"), -32020, headers={"MCP-Protocol-Version": ""}),
    Row("another version", stateless("tools/list"), -32020, headers={"MCP-Protocol-Version": "2025-11-25"}),
    Row("no method", stateless("tools/list"), -32020, headers={"Mcp-Method": ""}),
    Row("another method", stateless("tools/list"), -32020, headers={"Mcp-Method": "tools/call"}),
    Row("no name", stateless("tools/call", name="add"), -32020, headers={"Mcp-Name": ""}),
    Row("another name", stateless("tools/call", name="add"), -32020, headers={"Mcp-Name": "=?base64?YQ==?="}),
    Row("no base64", stateless("tools/call", name="add"), -32020, headers={"Mcp-Name": "=?base64?a?="}),
    Row("no envelope", in_session("tools/list"), -32602, headers={"MCP-Protocol-Version": NEWEST}),
]


def check(row: Row, answer: dict[str, Any]) -> None:
    assert answer.keys() == ({"jsonrpc", "error"} if row.id is None else {"jsonrpc", "id", "error"})
    assert answer.get("id") == row.id
    error = answer["error"]
    assert error["code"] == row.code, error
    assert row.holds(error.get("data")), error
    assert 10 < len(error["message"]) < 400
    assert error["message"][0].isupper()
    assert not PYTHON.search(error["message"]), error["message"]


async def ask(world: World, row: Row) -> tuple[int, dict[str, Any]]:
    """Send a row's message as its revision wants it, and return the HTTP status, or 0, and the answer."""
    channel = await world.dial(ours=False)
    if isinstance(channel, HttpChannel):
        await channel.close()
        return await ask_over_http(channel.url, row)
    if row.revision not in ("", NEWEST):
        await within(channel.send(initialize(row.revision, **SHOWS_URLS)))
        await within(channel.receive())
        await within(channel.send(INITIALIZED))
    await within(channel.send(row.data))
    answer = json.loads(await within(channel.receive()) or b"")
    await within(channel.close())
    return 0, answer


async def ask_over_http(url: str, row: Row) -> tuple[int, dict[str, Any]]:
    async with httpx.AsyncClient(trust_env=False) as client:
        headers = dict(POST)
        if row.revision == NEWEST:
            headers["MCP-Protocol-Version"] = NEWEST
            try:
                message = json.loads(row.data)
                headers |= message_headers(message["method"], message["params"])
            except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
                pass  # A malformed message has no headers to derive.
        elif row.revision:
            opened = await within(client.post(url, content=initialize(row.revision, **SHOWS_URLS), headers=POST))
            headers["Mcp-Session-Id"] = opened.headers["mcp-session-id"]
            await within(client.post(url, content=INITIALIZED, headers=headers))
        headers = {name: value for name, value in (headers | row.headers).items() if value}
        response = await within(client.post(url, content=row.data, headers=headers))
        return response.status_code, response.json()


def over_transports() -> list[tuple[str, Row]]:
    """Every case over HTTP, which has statuses besides, and a few over memory and stdio.

    What needs a session and has none is refused there by HTTP itself, which need not name the id.
    """
    needs_session = [row for row in CASES if not row.revision and row.code == -32600]
    few = [row for row in CASES if row.name in OVER_ALL]
    ways = [("http", row) for row in CASES if row not in needs_session]
    return ways + [(transport, row) for transport in ("memory", "stdio") for row in (*needs_session, *few)]


@pytest.mark.parametrize(
    ("world", "row"),
    [
        pytest.param(transport, row, id=f"{transport} {row.code} {row.name} {row.revision}")
        for transport, row in over_transports()
    ],
    indirect=["world"],
)
async def test_invalid_messages_are_refused_with_an_explanation(world: World, row: Row) -> None:
    status, answer = await ask(world, row)
    check(row, answer)
    if status and row.revision == NEWEST:
        assert status == row.status


@pytest.mark.parametrize("world", ["http"], indirect=True)
@pytest.mark.parametrize("row", HEADER_CASES, ids=lambda row: row.name)
async def test_headers_that_contradict_the_message_are_refused_with_an_explanation(world: World, row: Row) -> None:
    status, answer = await ask(world, row)
    check(row, answer)
    assert status == 400


async def test_the_tool_gets_an_error_when_the_user_declines_sampling(world: World) -> None:
    client = await world.open(questions=PendingQuestions([lambda question: question.decline()]))
    result = await within(client.call_tool("ask_model", {}).result())
    assert result["isError"] is True
    assert [message["error"]["code"] for message in world.witness.sent if "error" in message] == [-1]
    assert "rejected" in result["content"][0]["text"]
