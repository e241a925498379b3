"""Middleware and notifications: in both directions, in order, and within limits."""

import asyncio
import json
from typing import Any

import pytest

from server_core.middleware import CallNext
from server_core.protocol.jsonrpc import Notification
from tests.conversations.conftest import World, over
from tests.conversations.middlewares import Seen, around, raising, use, with_token
from tests.conversations.test_notifications import message, raw_channel, received
from tests.waiting import until, within

pytestmark = pytest.mark.promises("middleware")


@over(lambda revision: not revision.stateless)
async def test_a_middleware_can_notify_the_client(world: World) -> None:
    async def note(context: Seen, call_next: CallNext) -> Any:
        assert context.mcp_context is not None
        await context.mcp_context.log.error("a note")
        return await call_next(context)

    notifications: list[Notification] = []
    use(world, around("on_call_tool", note))
    client = await world.open(on_notification=notifications.append)
    await within(client.call_tool("add", {"a": 1, "b": 2}).result())
    await until(lambda: any(notification.params.get("data") == "a note" for notification in notifications))


@over(lambda revision: not revision.stateless)
async def test_notifications_are_seen_in_both_directions(world: World) -> None:
    seen: list[tuple[str, str, str]] = []

    async def see(context: Seen, call_next: CallNext) -> Any:
        seen.append((context.source, context.type, context.method))
        assert context.request_id is None
        return await call_next(context)

    use(world, around("on_notification", see))
    client = await world.open(on_notification=lambda notification: None)
    await within(client.call_tool("climb", {}).result())
    await within(client.notify("notifications/roots/list_changed"))
    await until(lambda: ("client", "notification", "notifications/roots/list_changed") in seen)
    assert ("client", "notification", "notifications/initialized") in seen
    assert ("server", "notification", "notifications/message") in seen


@over(transports=("memory", "stdio"))
async def test_messages_delayed_by_a_slow_middleware_are_sent_in_order_and_before_the_response(world: World) -> None:
    gates = [asyncio.Event() for _ in range(3)]

    async def hold(context: Seen, call_next: CallNext) -> Any:
        if context.method == "notifications/progress":
            step = context.message.params["progress"]
            await gates[step - 1].wait()
            if step > 1:
                gates[step - 2].set()
        return await call_next(context)

    use(world, around("on_notification", hold))
    async with raw_channel(world) as channel:
        # The last report passes first, and each opens the gate of the previous.
        gates[2].set()
        await within(channel.send(with_token(world, 1, "climb")))
        came = [await received(channel)]
        while "id" not in came[-1]:
            came.append(await received(channel))
    steps = [message["params"]["progress"] for message in came if message.get("method") == "notifications/progress"]
    assert steps == [1, 2, 3]
    assert came[-1]["id"] == 1


@over(transports=("memory",))
async def test_a_notification_is_changed_or_dropped_and_sent_once_at_most(world: World) -> None:
    async def edit(context: Seen, call_next: CallNext) -> Any:
        if context.method != "notifications/progress":
            return await call_next(context)
        params = context.message.params
        if params.get("progress") == 1:
            return None
        changed = context.copy(message={"method": context.method, "params": {**params, "total": 30}})
        await call_next(changed)
        return await call_next(changed)

    use(world, around("on_notification", edit))
    async with raw_channel(world) as channel:
        await within(channel.send(with_token(world, 1, "climb")))
        came = [await received(channel)]
        while "id" not in came[-1]:
            came.append(await received(channel))
    reports = [message["params"] for message in came if message.get("method") == "notifications/progress"]
    assert [(report["progress"], report["total"]) for report in reports] == [(2, 30), (3, 30)]


@pytest.mark.parametrize("error", [RuntimeError("boom"), SystemExit(1)])
@over(transports=("memory",))
async def test_a_middleware_that_fails_with_a_notification_keeps_it_from_the_client_alone(
    world: World, error: BaseException
) -> None:
    records = use(world, raising("on_notification", error))
    async with raw_channel(world) as channel:
        await within(channel.send(with_token(world, 1, "climb")))
        assert (await received(channel))["id"] == 1
    failures = [event for event in records.events() if event["event"] == "middleware_failed"]
    assert {event["method"] for event in failures} >= {"notifications/progress"}


@over(lambda revision: not revision.stateless, transports=("memory",))
async def test_a_broken_middleware_does_not_keep_a_call_from_being_cancelled(world: World) -> None:
    use(world, raising("on_notification", RuntimeError("boom")))
    async with raw_channel(world) as channel:
        await within(channel.send(message(world, 1, "tools/call", name="wait", arguments={})))
        await within(world.toolkit.entered.wait())
        cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
        await within(channel.send(json.dumps(cancelled).encode()))
        await within(world.toolkit.cancelled.wait())


@over(lambda revision: not revision.stateless, transports=("memory",))
async def test_a_middleware_that_notifies_on_every_notification_does_not_recurse_without_end(world: World) -> None:
    async def echo(context: Seen, call_next: CallNext) -> Any:
        if context.source == "server":
            world.server.sessions["s1"].notify("notifications/message", {"level": "error", "data": "echo"})
        return await call_next(context)

    use(world, around("on_notification", echo))
    notifications: list[Notification] = []
    client = await world.open(on_notification=notifications.append)
    await within(client.call_tool("climb", {}).result())
    await within(client.ping())
    logs = [
        notification.params["data"] for notification in notifications if notification.method == "notifications/message"
    ]
    assert logs.count("echo") < 10


@over(lambda revision: not revision.stateless, transports=("memory",))
async def test_delayed_messages_are_bounded(world: World) -> None:
    gate = asyncio.Event()

    async def hold(context: Seen, call_next: CallNext) -> Any:
        if context.source == "server":
            await gate.wait()
        return await call_next(context)

    records = use(world, around("on_notification", hold), max_queued_messages=3)
    async with raw_channel(world):
        session = world.server.sessions["s1"]
        for number in range(10):
            session.notify("notifications/message", {"level": "error", "data": number})
        gate.set()
        dropped = [event for event in records.events() if event["event"] == "middleware_failed"]
        assert len(dropped) == 7
