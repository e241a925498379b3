"""The requests of one session that are being worked on."""

import asyncio

from server_core.execution.running_calls import RunningCall
from server_core.serving.request_scheduler import RequestScheduler, Result
from server_core.serving.session_info import InFlight
from tests.waiting import within


def in_flight() -> InFlight:
    return InFlight(1, "tools/call", "tool", 0.0, RunningCall("s1", "1"))


async def test_a_request_that_needs_no_waiting_has_ended_when_it_was_begun() -> None:
    work, ended = RequestScheduler(10), list[Result | BaseException]()

    async def running() -> Result:
        return {"done": True}

    work.run(in_flight(), running(), ended.append)
    assert ended == [{"done": True}]
    assert not work.busy


async def test_a_request_that_is_stopped_in_its_first_step_ends_silently_at_its_first_wait() -> None:
    work, ended, request = RequestScheduler(10), list[Result | BaseException](), in_flight()
    cancelled = asyncio.Event()

    async def running() -> Result:
        work.stop(request)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.set()
            raise
        return {}

    work.run(request, running(), ended.append)
    assert not work.busy
    await within(cancelled.wait())
    assert ended == []


async def test_any_number_of_waiting_requests_starts_in_order() -> None:
    work, ended, request = RequestScheduler(1), list[Result | BaseException](), in_flight()
    continue_first = asyncio.Event()

    async def first() -> Result:
        await continue_first.wait()
        return {}

    async def quick() -> Result:
        return {}

    def begin(waiting: InFlight) -> None:
        work.run(waiting, quick(), ended.append)

    work.run(request, first(), ended.append)
    for _ in range(5000):
        waiting = in_flight()
        work.wait(waiting, lambda waiting=waiting: begin(waiting))  # type: ignore[misc]
    continue_first.set()
    await within(work.settle(5))
    assert len(ended) == 5001
