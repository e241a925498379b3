"""What a session asks its client: ids, answers in any order, errors, and everything that ends the wait."""

import asyncio
import json
from typing import Any

import pytest

from server_core.errors import ContextError, RemoteError
from server_core.records.tap import Kind
from server_core.runtime.background import spawn
from tests.server_core.toolkit import INITIALIZED, KeptMessages, Records, Toolkit, call, initialize, new_server
from tests.waiting import until, within

ROWS = ("S22",)


class Asking:
    """A session with a client that answers when a test says so."""

    def __init__(self, *, initialized: bool = True) -> None:
        self.server = new_server(Toolkit())
        self.records = Records(self.server.tap)
        self.outlet = KeptMessages()
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
        return [one["id"] for one in self.of("roots/list")]

    def of(self, method: str) -> list[dict[str, Any]]:
        return [one for one in self.outlet.sent if one.get("method") == method]

    @property
    def cancelled(self) -> list[dict[str, Any]]:
        return [one["params"] for one in self.of("notifications/cancelled")]

    def say(self, **message: Any) -> None:
        self.session.receive(json.dumps({"jsonrpc": "2.0", **message}).encode())


async def test_answers_come_in_any_order_to_whoever_asked() -> None:
    one = Asking()
    first, second = one.ask(), one.ask()
    ids = await one.asked(2)
    assert len(set(ids)) == 2
    one.say(id=ids[1], result={"roots": ["second"]})
    one.say(id=ids[0], result={"roots": ["first"]})
    assert await within(first) == {"roots": ["first"]}
    assert await within(second) == {"roots": ["second"]}
    assert one.cancelled == []


async def test_an_answer_in_one_session_is_none_in_another() -> None:
    one, other = Asking(), Asking()
    waiting, others = one.ask(), other.ask()
    (id,), (same,) = await one.asked(1), await other.asked(1)
    assert id == same
    one.say(id=id, result={})
    await within(waiting)
    assert not others.done()
    other.session.close()
    with pytest.raises(ContextError):
        await within(others)


async def test_an_error_keeps_its_code_its_text_and_its_data() -> None:
    one = Asking()
    waiting = one.ask()
    (id,) = await one.asked(1)
    one.say(id=id, error={"code": -32601, "message": "Not here", "data": {"a": 1}})
    with pytest.raises(RemoteError) as raised:
        await within(waiting)
    assert (raised.value.code, raised.value.message, raised.value.data) == (-32601, "Not here", {"a": 1})


async def test_a_question_that_takes_too_long_is_cancelled_and_its_late_answer_ignored() -> None:
    one = Asking()
    waiting = one.ask(timeout=0.01)
    (id,) = await one.asked(1)
    with pytest.raises(ContextError, match=r"did not answer roots/list within 0\.01 s"):
        await within(waiting)
    assert one.cancelled == [{"requestId": id, "reason": "no answer within 0.01 s"}]
    one.say(id=id, result={"roots": []})
    one.say(id="nobody-asked", result={})
    one.session.receive(call(9, "ping"))
    assert one.outlet.sent[-1] == {"jsonrpc": "2.0", "id": 9, "result": {}}
    assert len(one.records.of(Kind.RESPONSE)) == 4


async def test_whoever_asks_may_be_cancelled() -> None:
    one = Asking()
    waiting = one.ask()
    (id,) = await one.asked(1)
    waiting.cancel()
    await asyncio.wait([waiting])
    assert [params["requestId"] for params in one.cancelled] == [id]


@pytest.mark.parametrize("end", ["close", "settle"])
async def test_the_end_of_a_session_cancels_every_question_and_tells_whoever_waits(end: str) -> None:
    one = Asking()
    waiting = [one.ask() for _ in range(3)]
    ids = await one.asked(3)
    if end == "close":
        one.session.close()
    else:
        await within(one.session.settle(1))
    for task in waiting:
        with pytest.raises(ContextError, match="No answer"):
            await within(task)
    assert one.cancelled == [{"requestId": id, "reason": "Session closed"} for id in ids]


async def test_a_session_that_is_closed_is_asked_nothing() -> None:
    one = Asking()
    one.session.close()
    with pytest.raises(ContextError, match="the client has gone"):
        await one.session.request("roots/list", {}, related=1, timeout=1)
    assert one.outlet.sent == []


async def test_nothing_is_asked_before_the_client_is_initialized() -> None:
    one = Asking(initialized=False)
    waiting = one.ask()
    one.session.receive(call(9, "ping"))
    assert [message["id"] for message in one.outlet.sent] == [9]
    one.session.receive(INITIALIZED)
    (id,) = await one.asked(1)
    one.say(id=id, result={"roots": []})
    assert await within(waiting) == {"roots": []}


async def test_a_client_that_never_says_that_it_is_initialized_is_not_waited_for_longer_than_for_an_answer() -> None:
    one = Asking(initialized=False)
    with pytest.raises(ContextError, match=r"was not asked: the client did not say within 0\.01 s that it is initial"):
        await within(one.ask(timeout=0.01))
    one.session.receive(INITIALIZED)
    one.session.receive(call(9, "ping"))
    assert [message["id"] for message in one.outlet.sent] == [9]


@pytest.mark.parametrize("initialized", [True, False])
async def test_nothing_is_asked_once_the_client_sends_no_more(initialized: bool) -> None:
    one = Asking(initialized=initialized)
    before = one.ask()
    await asyncio.sleep(0)
    await within(one.session.settle(1))
    for waiting in (before, one.ask()):
        with pytest.raises(ContextError, match="No answer: the session ends, and the client has not answered"):
            await within(waiting)
    assert len(one.of("roots/list")) == initialized
