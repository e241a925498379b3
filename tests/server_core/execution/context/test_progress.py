"""Progress of a call: sent at once to a client that reads, and the newest report to a slow client."""

import asyncio
from typing import Any

import pytest

from server_core import Context
from server_core.protocol.revisions import REVISION_2024_11_05
from server_core.runtime.background import spawn
from tests.server_core.ports import Call, FakePort
from tests.waiting import until, within

pytestmark = pytest.mark.promises("context", "notifications")


def nothing() -> None: ...


class SlowPort(FakePort):
    """A client that reads nothing until the test permits it."""

    def __init__(self) -> None:
        super().__init__()
        self.is_full = True
        self.has_room = asyncio.Event()

    async def drain(self) -> None:
        await self.has_room.wait()

    def take(self) -> None:
        self.is_full = False
        self.has_room.set()


def reports(call: Call) -> list[Any]:
    return [params["progress"] for method, params in call.port.notifications if method == "notifications/progress"]


async def test_progress_is_reported_with_the_token_of_the_client() -> None:
    async def work(context: Context) -> None:
        await context.progress.report(1, 3, "first")
        await context.progress.report(1)
        await context.progress.report(0.5)
        await context.progress.report(2)

    call = Call(work)
    await call.run()
    assert [params for _, params in call.port.notifications] == [
        {"progressToken": "token", "progress": 1, "total": 3, "message": "first"},
        {"progressToken": "token", "progress": 2},
    ]


async def test_a_call_is_kept_alive_by_progress_that_hides_no_later_report() -> None:
    async def work(context: Context) -> None:
        assert context.progress.keep_alive("longer")
        for progress in (0, 1):
            await context.progress.report(progress)
        assert context.progress.keep_alive("longer")
        await context.progress.report(1)
        await context.progress.report(2)

    call = Call(work)
    await call.run()
    sent = reports(call)
    assert [round(progress) for progress in sent] == [0, 0, 1, 1, 2]
    assert sent == sorted(set(sent))
    assert call.port.notifications[0][1]["message"] == "longer"
    assert not Context(FakePort(), 1).progress.keep_alive("longer")


async def test_without_a_token_no_progress_is_sent() -> None:
    port = FakePort()
    await Context(port, 1).progress.report(1)
    assert port.notifications == []


async def test_a_revision_without_messages_in_progress_gets_none() -> None:
    call = Call(nothing, port=FakePort(revision=REVISION_2024_11_05))
    await call.context.progress.report(1, message="first")
    assert call.port.notifications[0][1] == {"progressToken": "token", "progress": 1}


@pytest.mark.parametrize(("progress", "total"), [(float("nan"), None), (1, float("inf"))])
async def test_progress_that_is_not_finite_is_refused(progress: float, total: float | None) -> None:
    with pytest.raises(ValueError, match="finite"):
        await Call(nothing).context.progress.report(progress, total)


async def test_a_tool_does_not_wait_for_a_slow_client_and_its_last_report_arrives() -> None:
    async def work(context: Context) -> str:
        for step in range(1000):
            await context.progress.report(step)
        return "done"

    call = Call(work, port=SlowPort())
    await within(call.run())
    assert reports(call) == [999]


async def test_a_client_that_reads_again_gets_the_newest_report_without_another() -> None:
    port = SlowPort()
    call = Call(nothing, port=port)
    for step in range(3):
        await call.context.progress.report(step)
    assert reports(call) == []
    port.take()
    await until(lambda: reports(call) == [2])
    await call.context.progress.report(3)
    assert reports(call) == [2, 3]


async def test_a_pending_report_is_never_sent_after_a_newer_report() -> None:
    port = SlowPort()
    call = Call(nothing, port=port)
    await call.context.progress.report(1)
    port.take()
    await call.context.progress.report(2)
    call.context.end()
    await asyncio.sleep(0)
    assert reports(call) == [2]


async def test_nothing_is_reported_after_the_call() -> None:
    port = SlowPort()
    call = Call(nothing, port=port)
    await call.context.progress.report(1)
    call.context.end()
    await call.context.progress.report(2)
    port.take()
    await asyncio.sleep(0)
    assert reports(call) == [1]


@pytest.mark.parametrize("port", [FakePort, SlowPort])
async def test_a_tool_that_reports_in_a_tight_loop_can_be_cancelled(port: type[FakePort]) -> None:
    async def work(context: Context) -> None:
        step = 0
        while True:
            await context.progress.report(step := step + 1)

    running = spawn(Call(work, port=port()).run(), "report for ever")
    await asyncio.sleep(0)
    running.cancel()
    await within(asyncio.wait([running]))
    assert running.cancelled()


async def test_a_cancelled_call_does_not_send_its_pending_report() -> None:
    entered = asyncio.Event()

    async def work(context: Context) -> None:
        await context.progress.report(1)
        entered.set()
        await asyncio.Event().wait()

    call = Call(work, port=SlowPort())
    running = spawn(call.run(), "wait for ever")
    await within(entered.wait())
    running.cancel()
    await within(asyncio.wait([running]))
    assert reports(call) == []


async def test_a_call_that_times_out_sends_its_last_report_first() -> None:
    async def work(context: Context) -> None:
        await context.progress.report(1)
        await asyncio.Event().wait()

    call = Call(work, port=SlowPort(), timeout=0.01)
    assert (await within(call.run()))["isError"]
    assert reports(call) == [1]
