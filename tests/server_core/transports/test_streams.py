"""The messages that are queued for one response, and can be requested again."""

import asyncio

import pytest

from server_core.runtime.background import spawn
from server_core.transports.streamable.event_store import GET_STREAM, MemoryEvents
from server_core.transports.streamable.response_streams import (
    HIGH_WATER,
    MAX_BYTES,
    Stream,
    StreamLog,
    StreamReader,
    parse_event_id,
)
from tests.waiting import within


def numbered(most_messages: int = 100) -> Stream:
    """A stream whose messages are kept."""
    return Stream(most_messages, log=StreamLog(MemoryEvents(most_messages), "session", GET_STREAM))


async def taken(reader: StreamReader) -> list[bytes]:
    return [message for _, message in await within(reader.next()) or []]


async def test_messages_are_read_in_order_and_end_with_the_response() -> None:
    stream = Stream(100)
    stream.send(b"a", 1)
    stream.send(b"b", 1, is_response=True)
    reader = StreamReader(stream)
    assert await taken(reader) == [b"a", b"b"]
    assert await within(reader.next()) is None


async def test_a_response_without_earlier_messages_is_the_only_message() -> None:
    alone, behind_another = Stream(100), Stream(100)
    alone.send(b"answer", 1, is_response=True)
    behind_another.send(b"progress", 1)
    assert behind_another.only_responses == []
    behind_another.send(b"answer", 1, is_response=True)
    assert alone.only_responses == [b"answer"]
    assert behind_another.only_responses == []


async def test_a_stream_of_several_requests_ends_with_their_last_answer() -> None:
    stream = Stream(100, (1, 2, 3), 3)
    stream.send(b"second", 2, is_response=True)
    stream.cancel_response()
    assert not stream.complete
    stream.send(b"first", 1, is_response=True)
    assert stream.complete


async def test_a_reader_waits_for_the_next_message() -> None:
    stream = Stream(100)
    reading = spawn(taken(StreamReader(stream)), "read")
    await asyncio.sleep(0)
    stream.send(b"a", 1)
    assert await within(reading) == [b"a"]


async def test_a_reader_that_has_waited_long_enough_gets_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server_core.transports.streamable.response_streams.KEEP_ALIVE", 0.001)
    assert await within(StreamReader(Stream(100)).next()) == []


async def test_events_are_numbered_from_when_a_client_is_to_know_them() -> None:
    stream, store = Stream(100), MemoryEvents(100)
    reader = StreamReader(stream)
    stream.send(b"a", 1)
    stream.begin_events(StreamLog(store, "session", store.begin("session", (1,))))
    stream.send(b"b", 1, is_response=True)
    batch = await within(reader.next())
    assert batch is not None
    assert [reader.event_id_at(position) for position, _ in batch] == ["1-1", "1-2"]
    replay = await store.after("session", 1, 1)
    assert replay is not None
    assert (replay.events, replay.complete) == ([(2, b"b")], True)


async def test_the_newest_reader_continues_from_its_position() -> None:
    stream = numbered()
    first = StreamReader(stream)
    for message in (b"a", b"b"):
        stream.send(message, None)
    assert await taken(first) == [b"a", b"b"]
    waiting = spawn(first.next(), "wait")
    await asyncio.sleep(0)
    second = StreamReader(stream, 1)
    assert await within(waiting) is None
    assert await taken(second) == [b"b"]
    first.stop()
    stream.send(b"c", None)
    assert await taken(second) == [b"c"]


async def test_a_message_that_is_added_while_stored_events_are_read_is_returned_once() -> None:
    class SlowEvents(MemoryEvents):
        async def after(self, session: str, stream: int, position: int):  # type: ignore[no-untyped-def]
            asking.set()
            await go_on.wait()
            return await super().after(session, stream, position)

    asking, go_on = asyncio.Event(), asyncio.Event()
    stream = Stream(100, log=StreamLog(SlowEvents(100), "session", GET_STREAM))
    stream.send(b"a", None)
    reading = spawn(taken(StreamReader(stream, 0)), "read")
    await within(asking.wait())
    stream.send(b"b", None)
    go_on.set()
    assert await within(reading) == [b"a", b"b"]


async def test_no_message_follows_the_response() -> None:
    stream = Stream(100)
    stream.send(b"answer", 1, is_response=True)
    stream.send(b"late", 1)
    assert await taken(StreamReader(stream)) == [b"answer"]


async def test_queued_messages_are_bounded_in_number_and_size() -> None:
    many, large = Stream(3), Stream(100)
    for number in range(5):
        many.send(str(number).encode(), 1)
        large.send(b"x" * (MAX_BYTES // 2), 1)
    assert await taken(StreamReader(many)) == [b"2", b"3", b"4"]
    assert sum(map(len, await taken(StreamReader(large)))) <= MAX_BYTES


async def test_a_reader_that_falls_behind_continues_with_what_is_kept() -> None:
    stream = numbered(4)
    reader = StreamReader(stream, 0)
    assert await within(reader.take()) == []
    for number in range(6):
        stream.send(str(number).encode(), None)
    assert await taken(reader) == [b"2", b"3", b"4", b"5"]


async def test_a_response_that_is_asked_to_end_leaves_the_rest_for_the_next() -> None:
    stream = numbered()
    first = StreamReader(stream)
    stream.send(b"a", None)
    stream.end_response(500)
    stream.send(b"b", None, is_response=True)
    assert await taken(first) == [b"a"]
    assert await within(first.next()) is None
    assert first.retry_ms == 500
    second = StreamReader(stream, first.position)
    assert first.retry_ms is None
    assert await taken(second) == [b"b"]
    assert await within(second.next()) is None


async def test_a_sender_waits_only_for_a_connected_reader() -> None:
    stream = numbered()
    stream.send(b"x" * (HIGH_WATER + 1), None)
    await within(stream.drain())
    reader = StreamReader(stream, 0)
    stream.send(b"x" * (HIGH_WATER + 1), None)
    draining = spawn(stream.drain(), "drain")
    await asyncio.sleep(0)
    assert not draining.done()
    await reader.next()
    await within(draining)
    stream.send(b"x" * (HIGH_WATER + 1), None)
    draining = spawn(stream.drain(), "drain")
    await asyncio.sleep(0)
    reader.stop()
    await within(draining)


async def test_a_sender_of_many_small_messages_waits_before_any_is_lost() -> None:
    stream = Stream(100)
    reader = StreamReader(stream)
    sent: list[bytes] = []

    async def send() -> None:
        for number in range(500):
            sent.append(b"%d" % number)
            stream.send(sent[-1], 1, is_response=number == 499)
            await stream.drain()

    sending = spawn(send(), "send")
    received: list[bytes] = []
    while batch := await within(reader.next()):
        received += [message for _, message in batch]
    await within(sending)
    assert received == sent


def test_only_our_own_event_ids_are_understood() -> None:
    for text, position in (
        ("3-17", (3, 17)),
        ("0-0", (0, 0)),
        ("", None),
        ("3", None),
        ("-3", None),
        ("a-b", None),
        ("1-" + "9" * 50, None),
    ):
        assert parse_event_id(text) == position
