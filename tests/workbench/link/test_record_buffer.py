"""What has come over a link waits for the terminal, within a bound."""

from server_core.records.tap import Kind, Tap
from workbench.link.link import RecordBuffer


def batch(first: int, count: int, dropped: int = 0) -> dict[str, object]:
    tap = Tap(clock=lambda: 0.0)
    records = [tap.emit(Kind.STDOUT, b"x").to_wire() | {"seq": first + number} for number in range(count)]
    return {"records": records, "dropped": dropped}


def test_records_are_returned_in_order_and_up_to_a_limit() -> None:
    arrivals = RecordBuffer()
    arrivals.add(batch(1, 3))
    arrivals.add(batch(4, 2))
    assert [record.seq for record in arrivals.drain(4)] == [1, 2, 3, 4]
    assert [record.seq for record in arrivals.drain(4)] == [5]
    assert arrivals.drain(4) == []


def test_a_terminal_that_reads_nothing_loses_the_oldest_records_and_sees_how_many() -> None:
    arrivals = RecordBuffer(limit=3)
    arrivals.add(batch(1, 5, dropped=10))
    assert arrivals.dropped == 12
    assert [record.seq for record in arrivals.drain(10)] == [3, 4, 5]


def test_large_records_that_wait_are_bounded_in_bytes() -> None:
    arrivals = RecordBuffer(bytes_limit=10)
    large = [
        Tap().emit(Kind.STDOUT, data).to_wire() | {"seq": seq} for seq, data in enumerate((b"x" * 6, b"\xff" * 6), 1)
    ]
    arrivals.add({"records": large, "dropped": 0})
    assert arrivals.dropped == 1
    assert [record.seq for record in arrivals.drain(10)] == [2]
    arrivals.add(batch(3, 10))
    assert arrivals.dropped == 1
    arrivals.add({"records": [Tap().emit(Kind.STDOUT, b"x" * 50).to_wire() | {"seq": 13}], "dropped": 0})
    assert [record.seq for record in arrivals.drain(10)] == [13]


def test_the_terminal_is_notified_of_new_records() -> None:
    arrivals = RecordBuffer()
    calls: list[int] = []
    arrivals.on_records = lambda: calls.append(1)
    arrivals.add(batch(1, 2))
    assert calls == [1]
