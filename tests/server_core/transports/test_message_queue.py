"""Messages are queued in order; producers wait for room, and consumers see the end."""

import asyncio

from server_core.runtime.background import spawn
from server_core.transports.message_queue import MessageQueue
from tests.waiting import within


async def test_messages_are_consumed_in_order() -> None:
    queue = MessageQueue(100)
    for item in (b"a", b"b", b"c"):
        queue.add(item)
    assert [await within(queue.next()) for _ in range(3)] == [b"a", b"b", b"c"]


async def test_a_consumer_waits_for_the_next_message() -> None:
    queue = MessageQueue(100)
    taking = spawn(queue.next(), "take")
    await asyncio.sleep(0)
    assert not taking.done()
    queue.add(b"late")
    assert await within(taking) == b"late"


async def test_there_is_room_again_when_half_is_left() -> None:
    queue = MessageQueue(100)
    for _ in range(3):
        queue.add(b"x" * 40)
    assert queue.full
    waiting = spawn(queue.wait_for_room(), "wait for room")
    await within(queue.next())
    await asyncio.sleep(0)
    assert queue.full
    assert not waiting.done()
    await within(queue.next())
    await within(waiting)
    assert not queue.full
    assert queue.size == 40


async def test_queued_messages_are_consumed_after_the_end() -> None:
    queue = MessageQueue(100)
    queue.add(b"last")
    queue.end()
    assert await within(queue.next()) == b"last"
    assert await within(queue.next()) is None


async def test_closing_drops_waiting_messages_and_wakes_the_readers() -> None:
    queue = MessageQueue(10)
    queue.add(b"x" * 20)
    waiting = spawn(queue.wait_for_room(), "wait for room")
    await asyncio.sleep(0)
    queue.close()
    await within(waiting)
    assert await within(queue.next()) is None
    assert queue.size == 0
