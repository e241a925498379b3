"""The time limit of a tool, and the cancellation of its call."""

import asyncio
import threading
from typing import Any

import pytest

from server_core import Context
from server_core.execution.running_calls import InFlight, running_call
from server_core.execution.time_limits import extend, limited, seconds_left
from server_core.runtime.background import spawn
from tests.server_core.execution.results import agent_text, kind_of, raiser
from tests.server_core.ports import Call
from tests.waiting import until, within

pytestmark = pytest.mark.promises("call errors", "error adapters", "debug exposure")


async def test_a_tool_that_exceeds_its_time_limit_is_cancelled() -> None:
    async def slow() -> None:
        await asyncio.Event().wait()

    call = Call(slow, timeout=0.01)
    result = await within(call.run())
    assert agent_text(result) == "Tool 'slow' did not finish within 0.01 seconds."
    assert result["_meta"]["arcade"]["statusCode"] == 504
    assert call.context.cancelled


async def test_a_thread_that_exceeds_its_time_limit_can_check_its_cancellation() -> None:
    saw = threading.Event()

    def slow(context: Context) -> None:
        while not context.cancelled:
            pass
        saw.set()

    result = await within(Call(slow, timeout=0.01).run())
    assert result["isError"]
    await until(saw.is_set)


async def test_a_tool_that_ignores_its_cancellation_is_abandoned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("server_core.execution.run.CANCEL_GRACE", 0.01)
    free, ended = asyncio.Event(), asyncio.Event()

    async def stubborn() -> None:
        while not free.is_set():
            try:
                await free.wait()
            except asyncio.CancelledError:
                continue
        ended.set()

    result = await within(Call(stubborn, timeout=0.01).run())
    assert agent_text(result) == "Tool 'stubborn' did not finish within 0.01 seconds."
    free.set()
    await within(ended.wait())


async def test_a_tool_that_exits_within_its_time_limit_becomes_a_result() -> None:
    assert kind_of(await within(Call(raiser(SystemExit(3), is_async=True), timeout=60).run())) == "TOOL_RUNTIME_FATAL"


async def test_cancelling_a_call_with_a_time_limit_cancels_its_tool() -> None:
    begun, cancelled = asyncio.Event(), asyncio.Event()

    async def slow() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    task = spawn(Call(slow, timeout=60).run(), "call")
    await within(begun.wait())
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await within(task)
    assert cancelled.is_set()


async def test_a_timeout_error_of_the_tool_is_not_its_time_limit() -> None:
    async def slow() -> None:
        raise TimeoutError

    result = await Call(slow, timeout=60).run()
    assert kind_of(result) == "NETWORK_TRANSPORT_RUNTIME_TIMEOUT"


async def test_cancelling_the_task_cancels_an_async_tool_and_is_raised_again() -> None:
    started, ended = asyncio.Event(), asyncio.Event()

    async def slow() -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    call = Call(slow)
    task = asyncio.get_running_loop().create_task(call.run())
    await within(started.wait())
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await within(task)
    assert ended.is_set()
    assert call.context.cancelled
    assert call.failures == []


async def test_cancelling_the_task_wakes_a_thread_that_waits_for_the_client() -> None:
    asked = asyncio.Event()
    woken = threading.Event()

    async def never(*_: Any) -> Any:
        asked.set()
        await asyncio.Event().wait()

    def ask(context: Context) -> None:
        try:
            context.blocking.roots.list()
        finally:
            woken.set()

    call = Call(ask)
    call.port.client.capabilities = {"roots": {}}
    call.port._answer = never
    task = asyncio.get_running_loop().create_task(call.run())
    await within(asked.wait())
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await within(task)
    await until(woken.is_set)


async def test_the_limit_of_a_call_can_be_extended_while_it_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    # The clock of the loop, which only this test moves.
    now = 1000.0
    monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: now)
    begun = asyncio.Event()

    async def work() -> float:
        try:
            async with limited(10) as limit:
                begun.set()
                await asyncio.Event().wait()
        except TimeoutError:
            return limit.seconds
        return 0

    with InFlight("s1", "7", 7):
        call = running_call("s1", 7)
        assert call is not None
        assert seconds_left(call) is None
        task = spawn(work(), "work")
        await begun.wait()
        now += 4
        assert seconds_left(call) == 6
        extend(call, 60)
        assert seconds_left(call) == 66
        now += 65
        await asyncio.sleep(0)
        assert not task.done()
        now += 2
        assert await task == 70
        assert seconds_left(call) is None
    assert running_call("s1", 7) is None


async def test_a_call_is_found_by_its_session_and_the_type_of_its_id() -> None:
    with InFlight("s1", "7", 7):
        assert running_call("s1", "7") is None
        assert running_call("s2", 7) is None


async def test_an_extended_tool_states_its_whole_time() -> None:
    async def slow() -> None:
        with pytest.raises(asyncio.CancelledError):
            await asyncio.Event().wait()

    in_flight = InFlight("s1", "1", 1)
    with in_flight:
        call = spawn(Call(slow, timeout=0.05).run(), "call")
        await until(lambda: in_flight.limits)
        extend(in_flight, 0.05)
        result = await within(call)
    assert agent_text(result) == "Tool 'slow' did not finish within 0.1 seconds."
