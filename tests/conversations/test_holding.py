"""Holding messages on every transport and in every revision: each message is held once, and keep-alive progress."""

import asyncio
from collections import Counter

from server_core.holding.holds import Holds
from server_core.holding.matcher import load_matcher
from server_core.records.tap import Kind
from server_core.runtime.background import spawn
from tests.conversations.conftest import World, over
from tests.conversations.test_notifications import ALL, SINGLE_STREAM, has_batches, raw_channel, received
from tests.server_core.toolkit import Records
from tests.waiting import until, within
from workbench.client.deadline import Limits

everywhere = over(transports=ALL)
MESSAGES = (Kind.REQUEST, Kind.RESPONSE, Kind.NOTIFICATION, Kind.ERROR)


def holds_of(world: World, text: str = "", client_timeout: float = 60) -> Holds:
    """Hold the messages that match, with real timers."""
    loop = asyncio.get_running_loop()
    holds = Holds(world.server.tap, lambda seconds, callback: loop.call_later(seconds, callback).cancel)
    holds.attach(world)
    holds.set(world, text, load_matcher(text), (), client_timeout)
    return holds


async def release_all(holds: Holds) -> None:
    """Release each message as soon as it waits."""
    while True:
        for message in holds.describe()["held"]:
            holds.release(message["id"])
        await asyncio.sleep(0.001)


@everywhere
async def test_every_message_of_a_conversation_is_held_once_and_arrives(world: World) -> None:
    session = await world.open()
    holds, records = holds_of(world), Records(world.server.tap)
    releasing = spawn(release_all(holds), "release")
    progress: list[object] = []
    call = session.call_tool("climb", {}, on_progress=progress.append)
    assert (await within(call.result()))["content"][0]["text"] == "on top"
    assert len(progress) == 3
    failed = session.call_tool("add", {"a": "x"})
    assert (await within(failed.result()))["isError"] is True
    releasing.cancel()
    held = Counter(event["message"] for event in records.events() if event["event"] == "message_held")
    passed = Counter(event["message"] for event in records.events() if event["event"] == "message_released")
    assert held == passed == Counter(record.seq for record in records.of(*MESSAGES))


@over(lambda revision: revision.elicitation, ALL)
async def test_a_question_and_its_answer_are_held_on_their_way(world: World) -> None:
    session = await world.open()
    holds = holds_of(world)
    releasing = spawn(release_all(holds), "release")
    call = session.call_tool("ask_name", {})
    await until(lambda: session.questions.waiting)
    assert session.questions.waiting[0].accept({"name": "Ada"})
    assert (await within(call.result()))["content"][0]["text"] == "accept: Ada"
    releasing.cancel()


@everywhere
async def test_progress_restarts_the_timeout_of_a_client_whose_call_is_held(world: World) -> None:
    session = await world.open()
    holds = holds_of(world, "tool:echo", client_timeout=0.3)
    call = session.call_tool("echo", {"text": "hello"}, limits=Limits(idle=0.3))
    for _ in range(2):
        await until(lambda: holds.describe()["held"])
        [message] = holds.describe()["held"]
        await until(lambda: holds.describe()["held"][0]["progress_sent"] >= 4)
        holds.release(message["id"])
    assert (await within(call.result()))["content"][0]["text"] == "hello"


@over(has_batches, SINGLE_STREAM)
async def test_the_other_responses_of_a_batch_arrive_when_a_request_is_dropped(world: World) -> None:
    async with raw_channel(world) as channel:
        holds = holds_of(world, "id:1 dir:in")
        pings = ",".join(f'{{"jsonrpc":"2.0","id":{id},"method":"ping"}}' for id in (1, 2))
        await within(channel.send(f"[{pings}]".encode()))
        await until(lambda: holds.describe()["held"])
        holds.drop(holds.describe()["held"][0]["id"])
        assert await received(channel) == [{"jsonrpc": "2.0", "id": 2, "result": {}}]
