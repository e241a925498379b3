"""The requests of one session that are being worked on."""

import asyncio

from server_core.execution.running_calls import InFlight
from server_core.serving.request_scheduler import RequestScheduler, Result
from tests.waiting import within


def in_flight() -> InFlight:
    return InFlight("s1", "1", 1, "tools/call", "tool")


async def test_a_request_that_needs_no_waiting_ends_as_soon_as_it_starts() -> None:
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


async def test_a_request_is_in_flight_from_when_it_is_queued_until_it_has_ended() -> None:
    scheduler, ended = RequestScheduler(1), list[Result | BaseException]()
    continue_first, seen = asyncio.Event(), list[list[str]]()
    first, second = InFlight("s1", "1"), InFlight("s1", "2")

    async def work() -> Result:
        seen.append([request.call for request in scheduler.requests])
        await continue_first.wait()
        return {}

    scheduler.run(first, work(), ended.append)
    scheduler.wait(second, lambda: scheduler.run(second, work(), ended.append))
    assert [request.call for request in scheduler.requests] == ["1", "2"]
    assert (scheduler.find("2"), scheduler.has_room) == (second, False)
    continue_first.set()
    await within(scheduler.settle(5))
    assert (seen, list(scheduler.requests), len(ended)) == ([["1"], ["2"]], [], 2)


async def test_a_paused_request_makes_room_for_a_queued_one_and_stays_in_flight() -> None:
    scheduler, ended = RequestScheduler(1), list[Result | BaseException]()
    answer, begun = asyncio.Event(), asyncio.Event()
    first, second = InFlight("s1", "1"), InFlight("s1", "2")

    async def asking() -> Result:
        await answer.wait()
        return {}

    async def quick() -> Result:
        begun.set()
        return {}

    scheduler.run(first, asking(), ended.append)
    scheduler.wait(second, lambda: scheduler.run(second, quick(), ended.append))
    scheduler.pause(first)
    assert (begun.is_set(), list(scheduler.requests)) == (True, [first])
    scheduler.resume(first)
    assert not scheduler.has_room
    answer.set()
    await within(scheduler.settle(5))
    assert scheduler.has_room


async def test_a_stopped_request_is_no_longer_in_flight_whether_it_runs_or_waits() -> None:
    scheduler, ended = RequestScheduler(1), list[Result | BaseException]()
    first, second = InFlight("s1", "1"), InFlight("s1", "2")

    async def waiting() -> Result:
        await asyncio.Event().wait()
        return {}

    scheduler.run(first, waiting(), ended.append)
    scheduler.wait(second, lambda: ended.append({}))
    (task,) = scheduler.tasks
    scheduler.stop(second)
    scheduler.stop(first)
    assert list(scheduler.requests) == []
    await within(asyncio.wait([task]))
    assert ended == []
