"""The captures on this machine: records that are no longer in memory are read from them, and captures are deleted."""

import asyncio
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from server_core.errors import ConfigurationError, WorkbenchError
from server_core.records.tap import Record
from workbench.model.history import CallRun
from workbench.model.traffic.timeline import Timeline

if TYPE_CHECKING:
    from server_core.records.capture.reader import Capture

MAX_RECORDS = 5_000
"""How many records of a call are read."""
_MAX_SECONDS = 5.0
# Records are made a moment before and after the times of a run.
_TOLERANCE_S = 1.0


def captured_timeline(run: CallRun) -> Timeline:
    """Return the records of the time of a run from its capture; empty if it cannot be read. Takes a while."""
    from server_core.records.capture.reader import open_capture

    timeline = Timeline()
    try:
        with open_capture(Path(run.capture), _MAX_SECONDS) as capture:
            timeline.extend(_records_of(capture, run))
    except (ConfigurationError, OSError, sqlite3.Error):
        return Timeline()
    return timeline


def captured_body(path: str, seq: int) -> bytes:
    """Return the bytes of a record from a capture; WorkbenchError if it cannot be read. Takes a while."""
    from server_core.records.capture.reader import open_capture

    if not path:
        raise WorkbenchError("its core has ended, and has left no capture.")
    try:
        with open_capture(Path(path), _MAX_SECONDS) as capture:
            records = capture.get([seq])
    except (OSError, sqlite3.Error) as error:
        raise WorkbenchError(f"the capture {path} cannot be read: {error}") from error
    if not records:
        raise WorkbenchError(f"the capture {path} does not have it.")
    return records[0].data


def _records_of(capture: "Capture", run: CallRun) -> Iterator[Record]:
    end = (run.started if run.ended is None else run.ended) + _TOLERANCE_S
    for record in capture.records(after=_last_before(capture, run.started - _TOLERANCE_S), limit=MAX_RECORDS):
        if record.time > end:
            return
        yield record


def _last_before(capture: "Capture", time: float) -> int:
    """Return the number of the last record before a time; 0 if there is none."""
    low, high = 0, capture.last_seq
    while low < high:
        middle = (low + high + 1) // 2
        record = next(capture.records(after=middle - 1, limit=1), None)
        if record is not None and record.time < time:
            low = middle
        else:
            high = middle - 1
    return low


async def delete_capture(path: str) -> None:
    """Delete a capture; ConfigurationError if it is in use, or no capture."""
    # Imported late: most terminals delete none.
    from server_core.records.capture.pruning import delete

    await asyncio.to_thread(delete, Path(path))
