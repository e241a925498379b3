"""Clients that send anything: a session never raises, answers each request once, and keeps no more than it has to."""

import asyncio
import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server_core.protocol.envelope import (
    CLIENT_CAPABILITIES,
    CLIENT_INFO,
    LOG_LEVEL,
    MAX_CLIENT_INFO,
    PROTOCOL_VERSION,
)
from server_core.protocol.framing import LineFramer, OversizedLine
from server_core.protocol.jsonrpc import MalformedMessage, Request, parse
from server_core.protocol.methods import METHODS, NOTIFICATIONS
from server_core.protocol.revisions import REVISIONS
from server_core.records.tap import Direction, Kind
from server_core.serving.server import Server
from server_core.settings import Settings
from tests.conversations.workshop import workshop
from tests.server_core.toolkit import INITIALIZED, RecordingOutlet, Records, call, initialize, new_server
from tests.waiting import until

# Values.

INTEGERS = st.integers() | st.sampled_from([0, -1, 2**53 + 1, -(2**63), 10**400])
TEXTS = st.text(max_size=6) | st.sampled_from(
    ["", "\0", "\r\n", "1", "add", "toolkit://motto", "é🙂", "../..", "\u2028"]
)
VALUES = st.recursive(
    st.none() | st.booleans() | INTEGERS | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
IDS = st.integers(0, 3) | st.sampled_from(["0", "1", "", "é", "a\r\nb"])
BAD_IDS = st.none() | st.booleans() | st.just(1.5) | st.lists(st.integers(), max_size=1) | st.just({"a": 1})
METHOD_NAMES = st.sampled_from([*METHODS, *NOTIFICATIONS]) | TEXTS
TOOLS = ["add", "echo", "climb", "ask_name", "ask_twice", "sign_in", "leave"]


def either(likely: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """What fits as a rule, and else anything."""
    return st.one_of(likely, likely, likely, VALUES)


META = st.fixed_dictionaries(
    {PROTOCOL_VERSION: either(st.sampled_from([*REVISIONS, "v999"])), CLIENT_CAPABILITIES: either(st.just({}))},
    optional={
        CLIENT_INFO: either(st.just({"name": "a", "version": "1"})),
        LOG_LEVEL: either(st.sampled_from(["debug", "error"])),
        "progressToken": either(IDS),
    },
)
PARAMS = st.fixed_dictionaries(
    {},
    optional={
        "name": either(st.sampled_from([*TOOLS, "letter"])),
        "arguments": either(st.fixed_dictionaries({}, optional={"a": VALUES, "b": VALUES, "text": VALUES})),
        "uri": either(st.sampled_from(["toolkit://motto", "toolkit://notes/1"])),
        "cursor": VALUES,
        "level": either(st.just("error")),
        "ref": either(st.just({"type": "ref/prompt", "name": "letter"})),
        "argument": either(st.just({"name": "tone", "value": "k"})),
        "context": VALUES,
        "protocolVersion": either(st.sampled_from([*REVISIONS])),
        "capabilities": either(st.just({})),
        "clientInfo": either(st.just({"name": "a", "version": "1"})),
        "requestId": IDS | BAD_IDS,
        "inputResponses": either(st.just({"elicitation-1": {"action": "accept", "content": {"name": "x"}}})),
        "requestState": VALUES,
        "notifications": either(st.just({"toolsListChanged": True})),
        "task": VALUES,
        "taskId": VALUES,
        "_meta": either(META),
    },
)
REQUESTS = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0"), "id": IDS, "method": METHOD_NAMES}, optional={"params": either(PARAMS)}
)
STATELESS = st.builds(
    lambda request_id, method, params, meta: {
        "jsonrpc": "2.0",
        "id": request_id,
        "method": method,
        "params": {**params, "_meta": meta},
    },
    IDS,
    METHOD_NAMES,
    PARAMS,
    META,
)
NEAR_MESSAGES = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": either(st.just("2.0")),
        "id": IDS | BAD_IDS,
        "method": either(METHOD_NAMES),
        "params": either(PARAMS),
        "result": VALUES,
        "error": either(st.just({"code": -1, "message": "no"})),
    },
)
MESSAGES = st.one_of(REQUESTS, STATELESS, NEAR_MESSAGES, st.lists(REQUESTS | NEAR_MESSAGES, max_size=3), VALUES)


ENVELOPE = {PROTOCOL_VERSION: "2026-07-28", CLIENT_CAPABILITIES: {"elicitation": {}}}


class Client:
    """A session of a shared server, and everything that it sent."""

    def __init__(self, revision: str = "") -> None:
        self.toolkit = workshop()
        self.toolkit.renew()
        self.toolkit.gate.set()
        self.server: Server = new_server(self.toolkit, settings=Settings(state_key="k" * 32, max_batch=2))
        self.records = Records(self.server.tap)
        self.outlet = RecordingOutlet()
        self.session = self.server.open_session(self.outlet, "memory")
        if revision:
            self.session.receive(initialize(revision, elicitation={}))
            self.outlet.sent.clear()

    @property
    def answers(self) -> list[dict[str, Any]]:
        """Every answer, those in arrays as well."""
        flat = [item for sent in self.outlet.sent for item in (sent if isinstance(sent, list) else [sent])]
        return [item for item in flat if "method" not in item]

    async def settled(self) -> None:
        """Wait until everything is answered that can be without the client."""
        await self.session.settle(2)
        self.session.close()


def owed(data: bytes) -> list[Any]:
    """The ids of the requests in some bytes; None for what is answered without one."""
    message = parse(data)
    if isinstance(message, Request):
        return [message.id]
    return [message.id] if isinstance(message, MalformedMessage) else []


def key(request_id: Any) -> str:
    return f"{type(request_id).__name__} {request_id}"


# Any bytes, any values.


@given(st.lists(st.binary(max_size=40) | VALUES.map(lambda value: json.dumps(value).encode()), max_size=5))
@settings(deadline=None, max_examples=60)
def test_any_bytes_are_answered_or_recorded_and_never_raise(messages: list[bytes]) -> None:
    async def body() -> None:
        client = Client("2025-11-25")
        for data in messages:
            client.session.receive(data)
        await client.settled()
        incoming = [record for record in client.records.all if record.direction is Direction.IN][1:]
        assert [item.data for item in incoming] == messages
        malformed = [item for item in incoming if item.kind is Kind.MALFORMED]
        assert len(client.answers) >= len(malformed)

    asyncio.run(body())


@pytest.mark.parametrize("revision", ["", *(date for date, revision in REVISIONS.items() if not revision.stateless)])
@given(messages=st.lists(MESSAGES, max_size=6))
@settings(deadline=None, max_examples=40)
def test_malformed_messages_never_raise_and_each_request_is_answered_once(revision: str, messages: list[Any]) -> None:
    async def body() -> None:
        client = Client(revision)
        for message in messages:
            client.session.receive(json.dumps(message).encode())
        await client.settled()
        for answer in client.answers:
            assert answer["jsonrpc"] == "2.0"
            assert answer.get("id", "") is not None
            assert ("result" in answer) is not ("error" in answer)
            if "error" in answer:
                assert "Traceback" not in answer["error"]["message"]
                assert "unhandled" not in answer["error"]["message"]
        # An id may be used again, but there are never more answers to it than requests with it.
        asked = Counter(key(request_id) for message in messages for request_id in _ids_in(message))
        answered = Counter(key(item["id"]) for item in client.answers if "id" in item)
        assert all(count <= asked[request_id] for request_id, count in answered.items()), (asked, answered)

    asyncio.run(body())


@given(requests=st.lists(REQUESTS | STATELESS, max_size=5))
@settings(deadline=None, max_examples=60)
def test_every_request_of_either_era_is_answered_with_its_own_id(requests: list[dict[str, Any]]) -> None:
    async def body() -> None:
        client = Client("2025-11-25")
        wanted = []
        for number, request in enumerate(requests):
            # A request that waits for its client or for a cancellation is answered when that comes.
            if request["method"] in ("subscriptions/listen", "tools/call", "tasks/result"):
                continue
            data = json.dumps({**request, "id": (number, str(number))[number % 2]}).encode()
            client.session.receive(data)
            wanted += owed(data)
        await client.settled()
        assert sorted(key(message["id"]) for message in client.answers) == sorted(map(key, wanted))

    asyncio.run(body())


@given(messages=st.lists(REQUESTS | NEAR_MESSAGES, min_size=1, max_size=4), data=st.data())
@settings(deadline=None, max_examples=30)
def test_a_stream_may_be_cut_at_every_byte(messages: list[Any], data: st.DataObject) -> None:
    stream = b"".join(json.dumps(message).encode() + b"\n" for message in messages)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=8)))

    async def answers(pieces: list[bytes]) -> list[str]:
        client, framer = Client("2025-11-25"), LineFramer(1000)
        for piece in pieces:
            for line in framer.receive_data(piece):
                if isinstance(line, OversizedLine):
                    client.session.receive_oversized(line)
                else:
                    client.session.receive(line)
        await client.settled()
        return sorted(
            json.dumps([message.get("id"), message.get("error", {}).get("code")]) for message in client.answers
        )

    parts = [stream[start:end] for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    single_bytes = [stream[at : at + 1] for at in range(len(stream))]
    whole = asyncio.run(answers([stream]))
    assert asyncio.run(answers(parts)) == asyncio.run(answers(single_bytes)) == whole


def _ids_in(message: Any) -> list[Any]:
    values = message if isinstance(message, list) else [message]
    return [item["id"] for item in values if isinstance(item, dict) and "id" in item]


# Answers and notifications that belong to nothing.


async def test_unrelated_messages_are_recorded_and_not_answered() -> None:
    for data in (
        b'{"jsonrpc":"2.0","id":77,"result":{}}',
        b'{"jsonrpc":"2.0","id":77,"error":{"code":1,"message":"no"}}',
        b'{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"no"}}',
        b'{"jsonrpc":"2.0","error":{"code":1,"message":"no"}}',
        b'{"jsonrpc":"2.0","method":"no/such/notification","params":{}}',
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{"a":1}}}',
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":true}}',
        b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":[],"progress":"x"}}',
        b'{"jsonrpc":"2.0","method":"tools/call","params":{"name":"add"}}',
    ):
        client = Client("2025-11-25")
        client.session.receive(data)
        assert client.outlet.sent == []
        assert client.records.all[-1].data == data
        client.session.receive(call(1, "ping"))
        assert client.outlet.sent == [{"jsonrpc": "2.0", "id": 1, "result": {}}]


async def test_true_is_not_the_request_1() -> None:
    client = Client("2025-11-25")
    client.toolkit.gate.clear()
    client.session.receive(call(1, "tools/call", name="wait"))
    client.session.receive(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":true}}')
    client.session.receive(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"1"}}')
    client.toolkit.gate.set()
    await until(lambda: client.answers)
    assert [message["id"] for message in client.answers] == [1]


@pytest.mark.parametrize("params", [{}, {"_meta": ENVELOPE}], ids=["in a session", "stateless"])
async def test_an_id_that_is_in_use_is_refused_and_the_first_request_is_answered(params: dict[str, Any]) -> None:
    client = Client("2025-11-25")
    client.toolkit.gate.clear()
    for _ in range(2):
        client.session.receive(call(7, "tools/call", name="wait", **params))
    await until(lambda: client.answers)
    assert [message["error"]["code"] for message in client.answers] == [-32600]
    client.toolkit.gate.set()
    await until(lambda: len(client.answers) == 2)
    assert client.answers[1]["result"]["content"][0]["text"] == "through"


async def test_both_eras_may_use_the_same_id_at_the_same_time() -> None:
    client = Client("2025-11-25")
    client.toolkit.gate.clear()
    client.session.receive(call(7, "tools/call", name="wait"))
    client.session.receive(call(7, "tools/call", name="wait", _meta=ENVELOPE))
    client.toolkit.gate.set()
    await until(lambda: len(client.answers) == 2)
    assert sorted("resultType" in message["result"] for message in client.answers) == [False, True]


@pytest.mark.parametrize("number", ["1e400", "-1e400", "1e-400", "9" * 4000, "-0"])
async def test_any_number_of_json_may_be_a_param(number: str) -> None:
    for meta in ("", f'"_meta":{json.dumps(ENVELOPE)},'):
        client = Client("2025-11-25")
        client.session.receive(INITIALIZED)
        params = f'{{{meta}"name":"ask_twice","more":{number}}}'
        client.session.receive(f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}'.encode())
        await until(lambda sent=client.outlet.sent: sent)
        assert client.outlet.sent[0]["id"] == 1


async def test_an_id_that_has_no_utf8_form_can_be_stored() -> None:
    client = Client("2025-11-25")
    client.session.receive(
        b'{"jsonrpc":"2.0","id":"\\ud800","method":"tools/call","params":{"name":"climb","_meta":{"progressToken":1}}}'
    )
    await until(lambda: client.answers)
    calls = {record.call for record in client.records.all}
    assert '"\\ud800"' in calls
    assert all(item.encode() is not None for item in calls)


# Too much.


@pytest.mark.parametrize("member", ["clientInfo", "capabilities"])
async def test_the_length_of_the_client_info_is_limited(member: str) -> None:
    client = Client()
    handshake = {"clientInfo": {"name": "a", "version": "1"}, "capabilities": {}}
    handshake[member] = {**handshake[member], "more": "x" * MAX_CLIENT_INFO}
    client.session.receive(call(0, "initialize", protocolVersion="2025-11-25", **handshake))
    assert client.answers[0]["error"]["code"] == -32602
    assert member in client.answers[0]["error"]["message"]
    client.session.receive(initialize())
    assert client.answers[1]["result"]["protocolVersion"] == "2025-11-25"


async def test_a_long_client_info_of_a_stateless_client_is_not_stored() -> None:
    client = Client()
    long = {"more": "x" * MAX_CLIENT_INFO}
    meta = {PROTOCOL_VERSION: "2026-07-28", CLIENT_CAPABILITIES: long, CLIENT_INFO: {"name": "a", **long}}
    client.session.receive(call(1, "tools/list", _meta=meta))
    assert "result" in client.answers[0]
    facts = client.session.describe()
    assert (facts["client"], facts["capabilities"]) == (None, {})


async def test_the_length_of_a_subscribed_uri_is_limited() -> None:
    client = Client("2025-11-25")
    client.session.receive(call(1, "resources/subscribe", uri="toolkit://notes/" + "1" * 10_000))
    assert client.answers[0]["error"]["code"] == -32602


@pytest.mark.parametrize("stateless", [False, True])
async def test_json_of_any_depth_is_answered(stateless: bool) -> None:
    for depth in (
        100,
        500,
        900,
        950,
        990,
        1000,
        10_000,
        100_000,
    ):
        client = Client("" if stateless else "2025-11-25")
        meta = {PROTOCOL_VERSION: "2026-07-28", CLIENT_CAPABILITIES: {}} if stateless else {}
        nested = b"[" * depth + b"]" * depth
        start = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call"}).encode()[:-1]
        params = b'{"name":"ask_name","_meta":%b,"more":%b,"arguments":{"text":%b}}' % (
            json.dumps(meta).encode(),
            nested,
            nested,
        )
        client.session.receive(start + b',"params":' + params + b"}")
        await until(lambda client=client: client.answers)
        answer = client.answers[0]
        assert answer.get("id", 1) == 1
        assert "Traceback" not in json.dumps(answer)
