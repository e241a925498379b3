"""How long an answer may take."""

import asyncio

import pytest

from tests.waiting import until, within
from tests.workbench.client.scripted import ScriptedServer
from workbench.client.deadline import Deadline, Limits, TimedOut
from workbench.client.session import ClientSession

NEVER = 1000.0
AT_ONCE = 0.0


async def wait(deadline: Deadline, until_set: asyncio.Event) -> str:
    try:
        async with deadline:
            await until_set.wait()
    except TimedOut as error:
        return str(error)
    return "in time"


@pytest.mark.parametrize("limits", [Limits(), Limits(idle=NEVER, total=NEVER)])
async def test_a_response_in_time_is_returned(limits: Limits) -> None:
    done = asyncio.Event()
    done.set()
    assert await within(wait(Deadline(limits), done)) == "in time"


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (Limits(idle=AT_ONCE), "no response and no progress within 0 seconds"),
        (Limits(idle=AT_ONCE, total=NEVER), "no response and no progress within 0 seconds"),
        (Limits(idle=NEVER, total=AT_ONCE), "no response within 0 seconds"),
        (Limits(total=AT_ONCE), "no response within 0 seconds"),
    ],
)
async def test_a_timeout_names_its_limit(limits: Limits, message: str) -> None:
    assert await within(wait(Deadline(limits), asyncio.Event())) == message


async def test_progress_restarts_the_timeout_but_never_exceeds_the_maximum() -> None:
    deadline = Deadline(Limits(idle=10, total=15))
    async with deadline:
        assert deadline._timeout is not None
        first = deadline._timeout.when()
        deadline.extend()
        second = deadline._timeout.when()
        assert first is not None
        assert second is not None
        assert first < second <= (deadline._end or 0)


async def test_only_the_maximum_counts_while_the_user_is_asked() -> None:
    deadline = Deadline(Limits(idle=10, total=15))
    async with deadline:
        assert deadline._timeout is not None
        with deadline.paused(), deadline.paused():
            assert deadline._timeout.when() == deadline._end
        assert deadline._timeout.when() != deadline._end


async def test_a_call_that_times_out_is_cancelled_at_the_server() -> None:
    server = ScriptedServer()
    session = await within(ClientSession.open(server))
    call = session.call_tool("slow", {}, limits=Limits(idle=0.01))
    with pytest.raises(TimedOut, match=r"no progress within 0\.01 seconds to tools/call"):
        await within(call.result())
    request = await server.message("tools/call")
    cancelled = await server.message("notifications/cancelled")
    assert cancelled["params"]["requestId"] == request["id"]
    await within(session.close())


async def test_progress_keeps_a_call_alive() -> None:
    server = ScriptedServer()
    session = await within(ClientSession.open(server))
    call = session.call_tool("slow", {}, limits=Limits(idle=NEVER))
    deadline = call._rounds.deadline
    await until(lambda: deadline._timeout is not None)
    assert deadline._timeout is not None
    before = deadline._timeout.when()
    token = (await server.message("tools/call"))["params"]["_meta"]["progressToken"]
    server.notify("notifications/progress", progressToken=token, progress=1)
    await until(lambda: bool(call.progress))
    assert before is not None
    assert (deadline._timeout.when() or 0) > before
    await within(session.close())


async def test_a_request_of_the_server_stops_the_timeouts_of_calls() -> None:
    server = ScriptedServer()
    session = await within(ClientSession.open(server))
    call = session.call_tool("book", {}, limits=Limits(idle=0.01))
    server.ask("e1", "elicitation/create", message="?", requestedSchema={})
    await until(lambda: session.questions.waiting)
    assert call._rounds.deadline._timeout is not None
    assert call._rounds.deadline._timeout.when() is None
    session.questions.waiting[0].accept({})
    with pytest.raises(TimedOut):
        await within(call.result())
    await within(session.close())
