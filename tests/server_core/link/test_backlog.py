"""A viewer gets every record once and in order, wherever it is stored, and lost records are counted."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest

from server_core.link.backlog import BYTES_PER_BATCH, Backlog, stream_records
from server_core.records.tap import Kind, Record, Tap
from server_core.runtime.background import spawn
from tests.waiting import within


class Shelf:
    """An archive that holds what it is given."""

    def __init__(self, records: Sequence[Record] = ()) -> None:
        self.records = list(records)
        self.reads = 0

    async def after(self, seq: int, most: int, most_bytes: int) -> list[Record]:
        self.reads += 1
        await asyncio.sleep(0)
        return [record for record in self.records if record.seq > seq][:most]

    async def get(self, seqs: Sequence[int]) -> list[Record]:
        return [record for record in self.records if record.seq in set(seqs)]


def emit(tap: Tap, count: int, data: bytes = b"x") -> list[Record]:
    return [tap.emit(Kind.STDOUT, data) for _ in range(count)]


def seqs(records: Sequence[Record]) -> list[int]:
    return [record.seq for record in records]


@asynccontextmanager
async def following(backlog: Backlog, after: int = 0) -> AsyncIterator["Viewer"]:
    viewer = Viewer()
    task = spawn(stream_records(backlog, after, viewer.take), "viewer")
    try:
        yield viewer
    finally:
        task.cancel()


class Viewer:
    """A viewer that counts what it gets, and can stop reading for a while."""

    def __init__(self) -> None:
        self.seqs: list[int] = []
        self.batches: list[int] = []
        self.dropped = 0
        self.ready = asyncio.Event()
        self.ready.set()
        self._arrived = asyncio.Event()

    async def take(self, batch: dict[str, object]) -> None:
        records = batch["records"]
        assert isinstance(records, list)
        assert isinstance(batch["dropped"], int)
        self.batches.append(len(records))
        self.seqs += [record["seq"] for record in records]
        self.dropped = batch["dropped"]
        self._arrived.set()
        await self.ready.wait()

    async def has(self, last: int) -> None:
        while not self.seqs or self.seqs[-1] < last:
            self._arrived.clear()
            await within(self._arrived.wait())


async def test_a_late_viewer_gets_all_records_without_gap_or_duplicate() -> None:
    tap = Tap()
    backlog = Backlog(tap)
    emit(tap, 3)
    backlog.start()
    emit(tap, 3)
    async with following(backlog) as viewer:
        emit(tap, 3)
        await viewer.has(9)
        emit(tap, 3)
        await viewer.has(12)
    assert viewer.seqs == list(range(1, 13))
    assert viewer.dropped == 0


async def test_a_returning_viewer_gets_only_new_records() -> None:
    tap = Tap()
    backlog = Backlog(tap)
    backlog.start()
    emit(tap, 5)
    async with following(backlog, after=3) as viewer:
        await viewer.has(5)
    assert viewer.seqs == [4, 5]


async def test_records_no_longer_in_memory_are_read_from_the_capture_and_joined_to_the_live_ones() -> None:
    tap = Tap()
    shelf = Shelf()
    backlog = Backlog(tap, shelf, most_records=10)
    backlog.start()
    shelf.records += emit(tap, 2000)
    async with following(backlog) as viewer:
        await viewer.has(600)
        shelf.records += emit(tap, 50)
        await viewer.has(2050)
    assert viewer.seqs == list(range(1, 2051))
    assert viewer.dropped == 0
    assert max(viewer.batches) <= 512


async def test_without_a_capture_a_viewer_that_is_too_slow_sees_how_much_it_missed() -> None:
    tap = Tap()
    backlog = Backlog(tap, most_records=10)
    backlog.start()
    async with following(backlog) as viewer:
        viewer.ready.clear()
        emit(tap, 1)
        await viewer.has(1)
        emit(tap, 100)
        viewer.ready.set()
        await viewer.has(101)
    assert viewer.seqs == [1, *range(92, 102)]
    assert viewer.dropped == 90


async def test_a_hole_in_the_capture_is_counted_and_nothing_around_it_is_lost() -> None:
    tap = Tap()
    shelf = Shelf()
    backlog = Backlog(tap, shelf, most_records=5)
    backlog.start()
    records = emit(tap, 30)
    shelf.records += records[:10] + records[20:]
    async with following(backlog) as viewer:
        await viewer.has(30)
    assert viewer.seqs == [*range(1, 11), *range(21, 31)]
    assert viewer.dropped == 10


async def test_a_viewer_that_reads_nothing_delays_no_other() -> None:
    tap = Tap()
    shelf = Shelf()
    backlog = Backlog(tap, shelf, most_records=10)
    backlog.start()
    async with following(backlog) as stuck, following(backlog) as quick:
        stuck.ready.clear()
        shelf.records += emit(tap, 1)
        await stuck.has(1)
        for _ in range(5):
            shelf.records += emit(tap, 100)
            await quick.has(shelf.records[-1].seq)
        assert stuck.seqs == [1]
        stuck.ready.set()
        await stuck.has(501)
    assert stuck.seqs == quick.seqs == list(range(1, 502))


async def test_memory_is_bounded_by_bytes_too() -> None:
    tap = Tap()
    backlog = Backlog(tap, most_bytes=1000)
    backlog.start()
    emit(tap, 10, b"x" * 400)
    assert seqs(await backlog.get(range(1, 11))) == [9, 10]


async def test_a_record_larger_than_the_memory_limit_still_reaches_the_viewer() -> None:
    tap = Tap()
    backlog = Backlog(tap, most_bytes=1000)
    backlog.start()
    emit(tap, 1, b"x" * 5000)
    async with following(backlog) as viewer:
        await viewer.has(1)
    assert viewer.dropped == 0


async def test_large_records_make_small_batches() -> None:
    tap = Tap()
    backlog = Backlog(tap)
    backlog.start()
    emit(tap, 5, b"x" * (BYTES_PER_BATCH // 2))
    async with following(backlog) as viewer:
        await viewer.has(5)
    assert viewer.batches == [2, 2, 1]


@pytest.mark.parametrize("most_records", [3, 100], ids=["from the capture", "from memory"])
async def test_single_records_are_returned_by_their_numbers(most_records: int) -> None:
    tap = Tap()
    shelf = Shelf()
    backlog = Backlog(tap, shelf, most_records=most_records)
    backlog.start()
    shelf.records += emit(tap, 20)
    assert seqs(await backlog.get([19, 2, 7, 500, 7])) == [2, 7, 19]


async def test_when_the_core_ends_viewers_get_the_last_records_and_then_the_end() -> None:
    tap = Tap()
    backlog = Backlog(tap)
    backlog.start()
    viewer = Viewer()
    task = spawn(stream_records(backlog, 0, viewer.take), "viewer")
    emit(tap, 600)
    backlog.close()
    await within(task)
    assert viewer.seqs == list(range(1, 601))


async def test_records_of_other_threads_reach_the_viewer() -> None:
    tap = Tap()
    backlog = Backlog(tap)
    backlog.start()
    async with following(backlog) as viewer:
        await asyncio.to_thread(emit, tap, 3)
        await viewer.has(3)
        await asyncio.to_thread(emit, tap, 3)
        await viewer.has(6)
    assert viewer.seqs == [1, 2, 3, 4, 5, 6]
