"""What waits for the disk is bounded, and what is not kept is counted in its place."""

import json
from typing import Any

from server_core.records.capture.queue import LARGE, RECORD_COST, CaptureQueue
from server_core.records.tap import Kind, Record, Tap

EVERYTHING = 1 << 40


def attach_queue(tap: Tap, limit: int) -> CaptureQueue:
    queue = CaptureQueue(tap.lock, limit, lambda: None)
    tap.attach(queue)
    return queue


def event(record: Record) -> dict[str, Any]:
    assert record.kind is Kind.LIFECYCLE
    facts: dict[str, Any] = json.loads(record.data)
    return facts


def test_records_that_do_not_fit_are_counted_in_their_place() -> None:
    tap = Tap()
    queue = attach_queue(tap, 3 * RECORD_COST)
    for data in (b"one", b"two", b"lost", b"lost too"):
        tap.emit(Kind.REQUEST, data)
    *kept, note = queue.pop_batch(EVERYTHING)[0]
    tap.emit(Kind.REQUEST, b"next")
    (after,), through = queue.pop_batch(EVERYTHING)
    assert [record.data for record in kept] == [b"one", b"two"]
    assert note.seq == 3
    assert event(note) == {"event": "records_dropped", "count": 2, "bytes": 12, "last": 4}
    assert (after.seq, after.data, through) == (5, b"next", 5)
    assert queue.dropped == 2


def test_a_gap_ends_where_a_record_fits_again() -> None:
    tap = Tap()
    queue = attach_queue(tap, 8 * LARGE)
    for data in (b"x" * 5 * LARGE, b"small", b"x" * 5 * LARGE, b"small"):
        tap.emit(Kind.REQUEST, data)
    records, _ = queue.pop_batch(EVERYTHING)
    assert [record.seq for record in records] == [1, 2, 3, 4]
    assert [record.kind for record in records] == [Kind.LIFECYCLE, Kind.REQUEST] * 2


def test_output_without_end_leaves_room_for_the_conversation() -> None:
    tap = Tap()
    queue = attach_queue(tap, 100 * RECORD_COST)
    for _ in range(1000):
        tap.emit(Kind.STDOUT, b"noise")
    tap.emit(Kind.REQUEST, b"question")
    tap.emit(Kind.RESPONSE, b"answer")
    records, _ = queue.pop_batch(EVERYTHING)
    assert [record.data for record in records[-2:]] == [b"question", b"answer"]
    assert len(records) < 60


def test_it_is_read_in_parts_and_reports_up_to_where_nothing_waits() -> None:
    tap = Tap()
    queue = attach_queue(tap, EVERYTHING)
    for _ in range(5):
        tap.emit(Kind.STDOUT, b"x")
    first, through = queue.pop_batch(1)
    assert ([record.seq for record in first], through) == ([1], 1)
    rest, through = queue.pop_batch(EVERYTHING)
    assert ([record.seq for record in rest], through) == ([2, 3, 4, 5], 5)
    assert queue.is_empty


def test_a_record_larger_than_the_limit_wakes_the_reader_too() -> None:
    tap, woken = Tap(), []
    queue = CaptureQueue(tap.lock, 1000, lambda: woken.append(1))
    tap.attach(queue)
    tap.emit(Kind.REQUEST, b"x" * 5000)
    assert woken == [1]
    (note,), through = queue.pop_batch(EVERYTHING)
    assert (event(note)["bytes"], through) == (5000, 1)
