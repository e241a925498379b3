"""What a session asks its client: ids, answers in any order, errors, and everything that ends the wait."""

import asyncio
import json
from typing import Any

import pytest

from server_core.errors import ContextError, RemoteError
from server_core.records.tap import Kind
from server_core.runtime.background import spawn
from tests.server_core.toolkit import INITIALIZED, RecordingOutlet, Records, Toolkit, call, initialize, new_server
from tests.waiting import until, within

pytestmark = pytest.mark.promises("requests")


class Asking:
    """A session with a client that answers when a test lets it."""

    def __init__(self, *, initialized: bool = True) -> None:
        self.server = new_server(Toolkit())
        self.records = Records(self.server.tap)
        self.outlet = RecordingOutlet()
        self.session = self.server.open_session(self.outlet, "memory")
        self.session.receive(initialize(roots={}, elicitation={}))
        if initialized:
            self.session.receive(INITIALIZED)
        self.outlet.sent.clear()

    def ask(self, timeout: float = 5) -> "asyncio.Task[dict[str, Any]]":
        return spawn(self.session.request("roots/list", {}, related=1, timeout=timeout), "ask")

    async def asked(self, count: int) -> list[Any]:
        """The ids of the questions, once there are so many."""
        await until(lambda: len(self.of("roots/list")) == count)
        return [item["id"] for item in self.of("roots/list")]

    def of(self, method: str) -> list[dict[str, Any]]:
        return [message for message in self.outlet.sent if message.get("method") == method]

    @property
    def cancelled(self) -> list[dict[str, Any]]:
        return [item["params"] for item in self.of("notifications/cancelled")]

    def send(self, **message: Any) -> None:
        self.session.receive(json.dumps({"jsonrpc": "2.0", **message}).encode())


async def test_responses_in_any_order_reach_their_requests() -> None:
    client = Asking()
    first, second = client.ask(), client.ask()
    ids = await client.asked(2)
    assert len(set(ids)) == 2
    client.send(id=ids[1], result={"roots": ["second"]})
    client.send(id=ids[0], result={"roots": ["first"]})
    assert await within(first) == {"roots": ["first"]}
    assert await within(second) == {"roots": ["second"]}
    assert client.cancelled == []


async def test_a_response_in_another_session_is_ignored() -> None:
    client, other = Asking(), Asking()
    waiting, others = client.ask(), other.ask()
    (request_id,), (same,) = await client.asked(1), await other.asked(1)
    assert request_id == same
    client.send(id=request_id, result={})
    await within(waiting)
    assert not others.done()
    other.session.close()
    with pytest.raises(ContextError):
        await within(others)


async def test_an_error_keeps_its_code_its_text_and_its_data() -> None:
    client = Asking()
    waiting = client.ask()
    (request_id,) = await client.asked(1)
    client.send(id=request_id, error={"code": -32601, "message": "Not here", "data": {"a": 1}})
    with pytest.raises(RemoteError) as raised:
        await within(waiting)
    assert (raised.value.code, raised.value.message, raised.value.data) == (-32601, "Not here", {"a": 1})


async def test_a_request_that_times_out_is_cancelled_and_its_late_response_ignored() -> None:
    client = Asking()
    waiting = client.ask(timeout=0.01)
    (request_id,) = await client.asked(1)
    with pytest.raises(ContextError, match=r"did not answer roots/list within 0\.01 s"):
        await within(waiting)
    assert client.cancelled == [{"requestId": request_id, "reason": "no answer within 0.01 s"}]
    client.send(id=request_id, result={"roots": []})
    client.send(id="not-requested", result={})
    client.session.receive(call(9, "ping"))
    assert client.outlet.sent[-1] == {"jsonrpc": "2.0", "id": 9, "result": {}}
    assert len(client.records.of(Kind.RESPONSE)) == 4


async def test_a_waiting_request_may_be_cancelled() -> None:
    client = Asking()
    waiting = client.ask()
    (request_id,) = await client.asked(1)
    waiting.cancel()
    await asyncio.wait([waiting])
    assert [params["requestId"] for params in client.cancelled] == [request_id]


@pytest.mark.parametrize("end", ["close", "settle"])
async def test_the_end_of_a_session_cancels_every_request_and_fails_the_waiting_calls(end: str) -> None:
    client = Asking()
    waiting = [client.ask() for _ in range(3)]
    ids = await client.asked(3)
    if end == "close":
        client.session.close()
    else:
        await within(client.session.settle(1))
    for task in waiting:
        with pytest.raises(ContextError, match="No answer"):
            await within(task)
    assert client.cancelled == [{"requestId": request_id, "reason": "Session closed"} for request_id in ids]


async def test_no_request_is_sent_in_a_closed_session() -> None:
    client = Asking()
    client.session.close()
    with pytest.raises(ContextError, match="the client has disconnected"):
        await client.session.request("roots/list", {}, related=1, timeout=1)
    assert client.outlet.sent == []


async def test_no_request_is_sent_before_the_client_is_initialized() -> None:
    client = Asking(initialized=False)
    waiting = client.ask()
    client.session.receive(call(9, "ping"))
    assert [message["id"] for message in client.outlet.sent] == [9]
    client.session.receive(INITIALIZED)
    (request_id,) = await client.asked(1)
    client.send(id=request_id, result={"roots": []})
    assert await within(waiting) == {"roots": []}


async def test_the_wait_for_an_uninitialized_client_has_the_timeout_of_the_request() -> None:
    client = Asking(initialized=False)
    with pytest.raises(ContextError, match=r"was not sent: the client was not initialized within 0\.01 s"):
        await within(client.ask(timeout=0.01))
    client.session.receive(INITIALIZED)
    client.session.receive(call(9, "ping"))
    assert [message["id"] for message in client.outlet.sent] == [9]


@pytest.mark.parametrize("initialized", [True, False])
async def test_no_request_is_sent_after_the_client_has_closed_its_side(initialized: bool) -> None:
    client = Asking(initialized=initialized)
    before = client.ask()
    await asyncio.sleep(0)
    await within(client.session.settle(1))
    for waiting in (before, client.ask()):
        with pytest.raises(ContextError, match="No answer: the session ended before the client responded"):
            await within(waiting)
    assert len(client.of("roots/list")) == initialized
