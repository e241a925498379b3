"""Records are numbered, masked and handed out without ever holding up the traffic."""

import json
import threading
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server_core.records.masking import Masker
from server_core.records.tap import Direction, Kind, Record, Tap


def nothing() -> None:
    pass


def test_records_are_numbered_from_one_without_gaps() -> None:
    tap = Tap()
    reader = tap.subscribe(None, nothing)
    for _ in range(5):
        tap.emit(Kind.STDOUT, b"x")
    assert [record.seq for record in reader.drain()] == [1, 2, 3, 4, 5]


def test_threads_that_emit_at_once_share_one_order() -> None:
    tap = Tap()
    reader = tap.subscribe(None, nothing)

    def emit_many() -> None:
        for _ in range(500):
            tap.emit(Kind.STDOUT, b"x")

    threads = [threading.Thread(target=emit_many) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [record.seq for record in reader.drain()] == list(range(1, 2001))


def test_a_slow_reader_loses_the_oldest_and_gets_their_number() -> None:
    tap = Tap()
    slow, patient = tap.subscribe(2, nothing), tap.subscribe(None, nothing)
    for _ in range(5):
        tap.emit(Kind.STDOUT, b"x")
    assert [record.seq for record in slow.drain()] == [4, 5]
    assert slow.dropped == 3
    assert len(patient.drain()) == 5
    assert patient.dropped == 0


def test_messages_for_a_slow_reader_are_limited_in_bytes_too() -> None:
    tap = Tap()
    slow = tap.subscribe(100, nothing, bytes_limit=10)
    for data in (b"12345", b"6789", b"abcd", b"x" * 50):
        tap.emit(Kind.STDOUT, data)
    assert [record.seq for record in slow.drain()] == [4]
    assert slow.dropped == 3


def test_a_reader_is_woken_once_per_filling_of_its_buffer() -> None:
    tap, woken = Tap(), []
    reader = tap.subscribe(None, lambda: woken.append(1))
    tap.emit(Kind.STDOUT, b"x")
    tap.emit(Kind.STDOUT, b"x")
    assert len(woken) == 1
    reader.drain()
    tap.emit(Kind.STDOUT, b"x")
    assert len(woken) == 2


def test_a_reader_that_left_gets_nothing_more() -> None:
    tap = Tap()
    reader = tap.subscribe(None, nothing)
    tap.unsubscribe(reader)
    tap.emit(Kind.STDOUT, b"x")
    assert reader.drain() == []


def test_a_secret_is_masked_before_the_record_is_visible() -> None:
    tap = Tap(Masker({"API_KEY": "hunter2-hunter2"}))
    reader = tap.subscribe(None, nothing)
    tap.emit(Kind.STDOUT, b'{"key":"hunter2-hunter2"}')
    assert reader.drain()[0].data == b'{"key":"<secret API_KEY>"}'


def fail(*given: object) -> None:
    raise RuntimeError("no reader with hunter2-hunter2")


def test_a_listener_for_events_gets_them_as_values_in_which_nothing_is_masked() -> None:
    tap, seen = Tap(Masker({"KEY": "hunter2-hunter2", "WORD": "true"})), []
    tap.watch_events(seen.append)
    tap.emit_event("tried", ok=True, text="hunter2-hunter2", numbers=(1, 2))
    assert seen == [{"event": "tried", "ok": True, "text": "hunter2-hunter2", "numbers": [1, 2]}]


@pytest.mark.parametrize("subscribe", [lambda tap: tap.watch_events(fail), lambda tap: tap.subscribe(None, fail)])
def test_a_reader_that_fails_is_reported_once_and_reaches_neither_the_traffic_nor_other_readers(
    subscribe: Callable[[Tap], object], caplog: pytest.LogCaptureFixture
) -> None:
    tap, seen = Tap(Masker({"KEY": "hunter2-hunter2"})), []
    before = tap.subscribe(None, nothing)
    subscribe(tap)
    after = tap.subscribe(None, nothing)
    tap.watch_events(seen.append)
    for number in range(3):
        tap.emit_event("tried", number=number)
        after.drain()
    assert [event["number"] for event in seen] == [0, 1, 2]
    events = [json.loads(record.data) for record in before.drain()]
    assert [event["event"] for event in events].count("tried") == 3
    (failure,) = [event for event in events if event["event"] == "subscriber_failed"]
    assert failure["error"] == "RuntimeError: no reader with <secret KEY>"
    assert [record.getMessage() for record in caplog.records] == [
        "A subscriber of the records failed (RuntimeError: no reader with <secret KEY>). Serving continues."
    ]


@given(
    st.builds(
        Record,
        st.integers(1),
        st.floats(0, 2e9),
        st.text(),
        st.sampled_from(Direction),
        st.sampled_from(Kind),
        st.text(),
        st.binary(),
    )
)
def test_a_record_is_read_from_its_wire_form(record: Record) -> None:
    assert Record.from_wire(record.to_wire()) == record
