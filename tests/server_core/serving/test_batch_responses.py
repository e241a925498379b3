"""The answers to a batch go out together, whenever the last of them is there."""

import asyncio
import json
from typing import Any

import pytest

from server_core.protocol.jsonrpc import Message, Request
from server_core.records.tap import Direction, Kind
from server_core.serving.batch_responses import BatchResponses
from server_core.settings import Settings
from tests.server_core.toolkit import (
    INITIALIZED,
    RecordingOutlet,
    Records,
    Toolkit,
    call,
    initialize,
    new_server,
    notification,
)
from tests.waiting import until, within

PING = call("p", "ping")


def batch(*messages: bytes) -> bytes:
    return b"[" + b",".join(messages) + b"]"


def calling(request_id: int, name: str, **arguments: Any) -> bytes:
    return call(request_id, "tools/call", name=name, arguments=arguments)


class Client:
    """A client of 2025-03-26 by default."""

    def __init__(self, revision: str = "2025-03-26", settings: Settings | None = None, **capabilities: Any) -> None:
        self.toolkit = Toolkit()
        self.server = new_server(self.toolkit, settings=settings)
        self.records = Records(self.server.tap)
        self.outlet = RecordingOutlet()
        self.session = self.server.open_session(self.outlet, "memory")
        self.session.receive(initialize(revision, **capabilities))
        self.session.receive(INITIALIZED)
        self.outlet.sent.clear()

    @property
    def sent(self) -> list[Any]:
        return self.outlet.sent

    async def answers(self) -> list[dict[str, Any]]:
        """Wait for an array, and return it by the ids in it."""
        await until(lambda: any(isinstance(message, list) for message in self.sent))
        (array,) = [message for message in self.sent if isinstance(message, list)]
        return sorted(array, key=lambda item: str(item.get("id")))


async def test_immediate_responses_are_sent_as_a_single_array() -> None:
    client = Client()
    client.session.receive(batch(PING, call("q", "ping"), notification("notifications/nothing")))
    assert client.sent == [[{"jsonrpc": "2.0", "id": request_id, "result": {}} for request_id in ("p", "q")]]


async def test_an_array_waits_for_its_slowest_call_and_blocks_nothing_else() -> None:
    client = Client()
    client.session.receive(batch(calling(1, "add", a=1, b=2), calling(2, "wait")))
    client.session.receive(PING)
    await within(client.toolkit.entered.wait())
    assert client.sent == [{"jsonrpc": "2.0", "id": "p", "result": {}}]
    client.toolkit.gate.set()
    first, second = await client.answers()
    assert first["result"]["content"][0]["text"] == "3"
    assert second["result"]["content"][0]["text"] == "through"


async def test_errors_in_a_batch_are_answered_in_the_array() -> None:
    client = Client()
    client.session.receive(batch(b"7", PING, call(1, "no/such"), initialize(), PING))
    (array,) = client.sent
    assert [(item.get("id"), item.get("error", {}).get("code")) for item in array] == [
        (None, -32600),
        ("p", None),
        (1, -32601),
        (0, -32600),
        (None, -32600),
    ]


async def test_a_batch_of_notifications_is_answered_by_nothing() -> None:
    client = Client()
    client.session.receive(batch(notification("notifications/nothing")))
    assert client.sent == []


@pytest.mark.parametrize("data", [b"[]", b"[1,2,3,4]", b"[nonsense"])
async def test_a_batch_that_cannot_be_served_is_answered_by_a_single_error(data: bytes) -> None:
    client = Client(settings=Settings(max_batch=3))
    client.session.receive(data)
    (answer,) = client.sent
    assert answer["error"]["code"] in (-32600, -32700)
    assert "id" not in answer


@pytest.mark.parametrize("revision", ["2024-11-05", "2025-06-18", "2025-11-25"])
async def test_revisions_without_batches_refuse_an_array(revision: str) -> None:
    client = Client(revision)
    client.session.receive(batch(PING))
    (answer,) = client.sent
    assert answer["error"]["code"] == -32600


async def test_a_cancelled_call_of_a_batch_is_not_waited_for() -> None:
    client = Client()
    client.session.receive(batch(PING, calling(2, "wait")))
    await within(client.toolkit.entered.wait())
    client.session.receive(notification("notifications/cancelled", requestId=2))
    assert await client.answers() == [{"jsonrpc": "2.0", "id": "p", "result": {}}]


async def test_a_batch_may_cancel_its_own_requests() -> None:
    client = Client()
    client.session.receive(batch(calling(2, "wait"), notification("notifications/cancelled", requestId=2)))
    client.session.receive(PING)
    assert client.sent == [{"jsonrpc": "2.0", "id": "p", "result": {}}]


async def test_an_id_that_is_in_flight_outside_is_refused_in_the_array_and_answered_alone() -> None:
    client = Client()
    client.session.receive(calling(2, "wait"))
    await within(client.toolkit.entered.wait())
    client.session.receive(batch(PING, calling(2, "wait")))
    assert [message["id"] for message in client.sent[0]] == ["p", 2]
    assert client.sent[0][1]["error"]["code"] == -32600
    client.toolkit.gate.set()
    await until(lambda: len(client.sent) == 2)
    assert client.sent[1]["result"]["content"][0]["text"] == "through"


async def test_notifications_and_requests_of_a_call_in_a_batch_are_sent_separately() -> None:
    client = Client(sampling={})
    client.session.receive(batch(calling(1, "climb"), calling(2, "ask_model")))
    await until(lambda: any(isinstance(message, dict) and "id" in message for message in client.sent))
    (question,) = [message for message in client.sent if isinstance(message, dict) and "id" in message]
    assert question["method"] == "sampling/createMessage"
    content = {"role": "assistant", "content": {"type": "text", "text": "hi"}, "model": "m"}
    client.session.receive(
        batch(json.dumps({"jsonrpc": "2.0", "id": question["id"], "result": content}).encode(), PING)
    )
    await until(lambda: len([message for message in client.sent if isinstance(message, list)]) == 2)
    arrays = [message for message in client.sent if isinstance(message, list)]
    assert [item["id"] for item in arrays[0]] == ["p"]
    assert {item["id"] for item in arrays[1]} == {1, 2}
    assert [message["method"] for message in client.sent if isinstance(message, dict) and "id" not in message] == [
        "notifications/message"
    ] * 2


async def test_people_see_each_message_of_a_batch() -> None:
    client = Client()
    client.records.all.clear()
    client.session.receive(batch(PING, b"7"))
    assert [
        (record.kind, record.direction) for record in client.records.of(Kind.REQUEST, Kind.MALFORMED, Kind.RESPONSE)
    ] == [
        (Kind.REQUEST, Direction.IN),
        (Kind.RESPONSE, Direction.OUT),
        (Kind.MALFORMED, Direction.IN),
    ]


async def test_the_end_of_the_session_leaves_nothing_behind() -> None:
    client = Client()
    client.session.receive(batch(PING, calling(2, "wait")))
    await within(client.toolkit.entered.wait())
    client.session.close()
    await within(client.toolkit.cancelled.wait())
    await asyncio.sleep(0)
    assert client.sent == []


def test_responses_to_other_requests_are_not_collected() -> None:
    arrays: list[bytes] = []
    responses = BatchResponses(arrays.append)
    received: list[Message] = []
    responses.receive_array(batch(call(1, "a"), call("1", "b")), 2, lambda data, message: received.append(message))
    assert received == [Request(1, "a", {}), Request("1", "b", {})]
    assert not responses.collect(b"other", 2)
    assert not responses.collect(b"no id", None)
    assert responses.collect(b'"first"', "1")
    assert responses.collect(b'"second"', 1)
    assert not responses.collect(b"again", 1)
    assert arrays == [b'["first","second"]']


def test_an_answer_belongs_to_the_batch_its_request_came_in() -> None:
    arrays: list[bytes] = []
    responses = BatchResponses(arrays.append)
    for request_id in (1, 2):
        responses.receive_array(batch(call(request_id, "a")), 1, lambda data, message: None)
    assert responses.collect(b"2", 2)
    assert responses.collect(b"1", 1)
    assert arrays == [b"[2]", b"[1]"]
