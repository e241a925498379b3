"""Reading the capture that this core is writing, without waiting on the event loop."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from server_core.errors import ConfigurationError
from server_core.records.capture.store import CaptureStore
from server_core.records.tap import Record
from server_core.runtime.threads import Threads

if TYPE_CHECKING:
    from server_core.records.capture.reader import Capture


class LiveArchive:
    """The records of a running core that memory does not hold any more.

    Args:
        store: writes them.
    """

    def __init__(self, store: CaptureStore) -> None:
        self._store = store
        # One thread, so that readers take turns with the one connection.
        self._thread = Threads(1)

    async def after(self, seq: int, most: int, most_bytes: int) -> list[Record]:
        """Return the records that follow a number, in order, as far as the capture has them.

        Args:
            seq: begin behind the record with this number.
            most: at most so many.
            most_bytes: at most so many bytes, but one record at least.
        """
        return await self._thread.run(lambda: self._read(lambda capture: _bounded(capture, seq, most, most_bytes)))

    async def get(self, seqs: Sequence[int]) -> list[Record]:
        """Return the records with these numbers, in order, as far as the capture has them."""
        return await self._thread.run(lambda: self._read(lambda capture: capture.get(seqs)))

    def _read(self, query: "Callable[[Capture], list[Record]]") -> list[Record]:
        import sqlite3

        from server_core.records.capture.reader import open_capture

        self._store.flush()
        if self._store.path is None:
            return []
        try:
            # Opening costs a tenth of a millisecond, and a file that is not kept open can be checkpointed and moved.
            with open_capture(self._store.path) as capture:
                return query(capture)
        except (sqlite3.Error, ConfigurationError):
            # The store has told of the disk already; the viewer sees which records are missing.
            return []


def _bounded(capture: "Capture", seq: int, most: int, most_bytes: int) -> list[Record]:
    chosen: list[Record] = []
    size = 0
    for record in capture.records(after=seq, limit=most):
        size += len(record.data)
        if chosen and size > most_bytes:
            break
        chosen.append(record)
    return chosen
