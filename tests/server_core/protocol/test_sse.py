"""Server-sent events, without I/O."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server_core.protocol.sse import COMMENT, Event, EventReader, EventTooLong, encode_event
from tests.tables import each_row


def read(data: bytes, size: int = 1 << 20) -> list[Event]:
    reader = EventReader(1 << 20)
    return [event for at in range(0, len(data), size) for event in reader.receive_data(data[at : at + size])]


@given(st.lists(st.binary().map(lambda data: data.replace(b"\r", b"").replace(b"\n", b""))), st.integers(1, 20))
def test_encoded_data_is_read_in_pieces_of_any_size(messages: list[bytes], size: int) -> None:
    data = b"".join(encode_event(f"1-{number}", message) for number, message in enumerate(messages))
    events = read(data, size)
    assert [event.data for event in events] == [message for message in messages if message]


def test_every_end_of_line_is_known() -> None:
    for size in (
        1,
        2,
        3,
        1000,
    ):
        for end in (
            b"\n",
            b"\r\n",
            b"\r",
        ):
            data = b"id: 7\ndata: one\ndata:two\n\nevent: ping\ndata: \n\ndata: three\n\n".replace(b"\n", end)
            assert read(data, size) == [Event(b"one\ntwo", "message", "7"), Event(b"three", "message", "7")]


def test_comments_and_unknown_fields_are_skipped() -> None:
    assert read(COMMENT + b"colour: red\ndata\ndata: x\n\n") == [Event(b"\nx", "message", None)]


def test_an_event_without_data_has_its_id_and_retry_time() -> None:
    reader = EventReader(1000)
    assert reader.receive_data(encode_event("3-0", b"", retry=250)) == []
    assert (reader.last_id, reader.retry) == ("3-0", 250)


@each_row("line", [b"retry: soon", b"retry: -1", b"retry: 1.5", b"id: a\0b"])
def test_fields_that_make_no_sense_are_skipped(line: bytes) -> None:
    reader = EventReader(1000)
    reader.receive_data(line + b"\n\n")
    assert (reader.last_id, reader.retry) == (None, None)


@pytest.mark.parametrize("data", [b"data: " + b"x" * 2000, b"data: xxxxxxxxx\n" * 200])
def test_an_event_over_the_limit_is_refused(data: bytes) -> None:
    with pytest.raises(EventTooLong, match="1,000"):
        EventReader(1000).receive_data(data)


def test_a_truncated_event_is_dropped_when_the_stream_continues() -> None:
    reader = EventReader(1000)
    reader.receive_data(b"id: 1\ndata: one\n\nid: 2\ndata: tw")
    reader.reset()
    assert reader.receive_data(b"id: 2\ndata: two\n\n") == [Event(b"two", "message", "2")]
