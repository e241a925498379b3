"""Reading the capture that this core is writing, without blocking the event loop."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from server_core.errors import ConfigurationError
from server_core.records.capture.capture_store import CaptureStore
from server_core.records.tap import Record
from server_core.runtime.threads import Threads

if TYPE_CHECKING:
    from server_core.records.capture.reader import Capture


class LiveArchive:
    """The records of a running core that are no longer in memory."""

    def __init__(self, store: CaptureStore) -> None:
        self._store = store
        # A single thread, so that reads are serialised.
        self._thread = Threads(1)

    async def after(self, seq: int, limit: int, bytes_limit: int) -> list[Record]:
        """Return the records after a number, in order, as far as the capture has them; at least one, if it has any."""
        return await self._thread.run(lambda: self._read(lambda capture: _bounded(capture, seq, limit, bytes_limit)))

    async def get(self, seqs: Sequence[int]) -> list[Record]:
        return await self._thread.run(lambda: self._read(lambda capture: capture.get(seqs)))

    def _read(self, query: "Callable[[Capture], list[Record]]") -> list[Record]:
        import sqlite3

        from server_core.records.capture.reader import open_capture

        self._store.flush()
        if self._store.path is None:
            return []
        try:
            # Opening takes a tenth of a millisecond, and a file that does not stay open can be checkpointed and moved.
            with open_capture(self._store.path) as capture:
                return query(capture)
        except (sqlite3.Error, ConfigurationError):
            # The store has reported the failing disk already; the viewer shows which records are missing.
            return []


def _bounded(capture: "Capture", seq: int, limit: int, bytes_limit: int) -> list[Record]:
    records: list[Record] = []
    size = 0
    for record in capture.records(after=seq, limit=limit):
        size += len(record.data)
        if records and size > bytes_limit:
            break
        records.append(record)
    return records
