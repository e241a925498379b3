"""The messages that wait for one response, and can be asked for again."""

import asyncio

import pytest

from server_core.background import spawn
from server_core.settings import Settings
from server_core.transports.streamable.sessions import KEPT_STREAMS, HttpSession
from server_core.transports.streamable.streams import HIGH_WATER, MOST_BYTES, Stream, StreamReader, parse_event_id
from tests.waiting import within


async def taken(reader: StreamReader) -> list[bytes]:
    return [message for _, message in await within(reader.next()) or []]


async def test_messages_come_in_order_with_their_ids() -> None:
    stream = Stream(3, 100)
    stream.put(b"a")
    stream.put(b"b", last=True)
    reader = StreamReader(stream, 0)
    assert await within(reader.next()) == [("3-1", b"a"), ("3-2", b"b")]
    assert await within(reader.next()) is None


async def test_a_reader_waits_for_what_comes() -> None:
    stream = Stream(1, 100)
    reading = spawn(taken(StreamReader(stream, 0)), "read")
    await asyncio.sleep(0)
    stream.put(b"a")
    assert await within(reading) == [b"a"]


async def test_a_reader_that_has_waited_long_enough_gets_nothing() -> None:
    assert await within(StreamReader(Stream(1, 100), 0).next(patience=0.001)) == []


async def test_the_newest_reader_takes_over_from_where_it_says() -> None:
    stream = Stream(1, 100)
    for message in (b"a", b"b"):
        stream.put(message)
    first = StreamReader(stream, 0)
    assert await taken(first) == [b"a", b"b"]
    waiting = spawn(first.next(), "wait")
    await asyncio.sleep(0)
    second = StreamReader(stream, 1)
    assert await within(waiting) is None
    assert await taken(second) == [b"b"]
    first.stop()
    stream.put(b"c")
    assert await taken(second) == [b"c"]


async def test_nothing_follows_the_last_message() -> None:
    stream = Stream(1, 100)
    stream.put(b"answer", last=True)
    stream.put(b"late")
    assert await taken(StreamReader(stream, 0)) == [b"answer"]


async def test_what_is_kept_is_bounded_in_number_and_size() -> None:
    many, large = Stream(1, 3), Stream(2, 100)
    for number in range(5):
        many.put(str(number).encode())
        large.put(b"x" * (MOST_BYTES // 2))
    assert [message for _, message in many.after(0)] == [b"2", b"3", b"4"]
    assert large.size <= MOST_BYTES
    large.put(b"x" * (2 * MOST_BYTES), last=True)
    assert len(large.after(0)) == 1


async def test_a_sender_is_held_up_only_by_a_reader_that_is_there() -> None:
    stream = Stream(1, 100)
    stream.put(b"x" * (HIGH_WATER + 1))
    await within(stream.drain())
    reader = StreamReader(stream, 0)
    stream.put(b"x")
    draining = spawn(stream.drain(), "drain")
    await asyncio.sleep(0)
    assert not draining.done()
    await reader.next()
    await within(draining)
    stream.put(b"x" * (HIGH_WATER + 1))
    draining = spawn(stream.drain(), "drain")
    await asyncio.sleep(0)
    reader.stop()
    await within(draining)


async def test_finished_streams_are_kept_for_a_while_and_no_longer() -> None:
    session = HttpSession("id", Settings())
    for number in range(1, KEPT_STREAMS + 4):
        stream = Stream(number, 100)
        stream.put(b"x", last=True)
        session.keep(stream)
    assert session.find_stream(3) is None
    assert session.find_stream(4) is not None
    large = Stream(100, 100)
    large.put(b"x" * (2 * MOST_BYTES), last=True)
    session.keep(large)
    assert session.find_stream(KEPT_STREAMS + 3) is None
    assert session.find_stream(100) is large


@pytest.mark.parametrize(
    ("text", "position"),
    [("3-17", (3, 17)), ("0-0", (0, 0)), ("", None), ("3", None), ("-3", None), ("a-b", None), ("1-" + "9" * 50, None)],
)
def test_only_our_own_event_ids_are_understood(text: str, position: tuple[int, int] | None) -> None:
    assert parse_event_id(text) == position
