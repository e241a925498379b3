"""The captures on this machine: read for records that are no longer in memory, searched, labelled and deleted."""

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from server_core.errors import ConfigurationError, WorkbenchError
from server_core.records.tap import Record
from workbench.model.history import CallRun
from workbench.model.traffic.timeline import Timeline

if TYPE_CHECKING:
    from server_core.records.capture.reader import Capture
    from server_core.records.capture.search import CaptureMatch

MAX_MATCHES = 500
"""How many messages a search returns."""
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


def captured_bodies(path: str, seqs: range, limit: int) -> dict[int, bytes]:
    """Return the bodies of records from a capture by number, up to a number of bytes; empty if it cannot be read."""
    from server_core.records.capture.reader import open_capture

    bodies: dict[int, bytes] = {}
    try:
        with open_capture(Path(path), _MAX_SECONDS) as capture:
            for seq, body in capture.bodies(seqs.start, seqs.stop - 1):
                bodies[seq] = body
                limit -= len(body)
                if limit <= 0:
                    break
    except (ConfigurationError, OSError, sqlite3.Error):
        pass
    return bodies


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
    from workbench.workspace.capture_index import remove_index

    await asyncio.to_thread(delete, Path(path))
    remove_index(Path(path))


async def change_capture(
    path: str, *, name: str | None = None, pinned: bool | None = None, note: str | None = None
) -> None:
    """Change the labels of a capture that are given; ConfigurationError if it cannot be changed."""
    from server_core.records.capture.labels import change_labels

    await asyncio.to_thread(change_labels, Path(path), name=name, pinned=pinned, note=note)


def name_problem(name: str) -> str | None:
    """Return why a capture cannot have this name; None if it can."""
    from server_core.records.capture.labels import check_name

    return _problem(check_name, name)


def note_problem(note: str) -> str | None:
    """Return why a capture cannot have this note; None if it can."""
    from server_core.records.capture.labels import check_note

    return _problem(check_note, note)


def _problem(check: Callable[[str], object], text: str) -> str | None:
    try:
        check(text)
    except ConfigurationError as error:
        return str(error)
    return None


class CaptureSearch:
    """A search in captures, which are read one after the other on a thread."""

    def __init__(self, paths: Sequence[str]) -> None:
        self.text = ""
        self.matches: list[CaptureMatch] = []
        self.problems: list[str] = []
        """Why captures were not searched, or in part."""
        self.is_running = False
        self._paths = paths

    async def run(self, text: str, on_change: Callable[[], None]) -> None:
        """Search for a text; a cancelled search ends after the capture that it reads."""
        self.text, self.matches, self.problems, self.is_running = text, [], [], True
        stopped = threading.Event()
        try:
            for path in self._paths:
                left = MAX_MATCHES - len(self.matches)
                if left <= 0:
                    break
                matches, problem = await asyncio.to_thread(_search, path, text, left, stopped)
                self.matches += matches
                self.problems += [problem] if problem else []
                on_change()
        finally:
            stopped.set()
            self.is_running = False


def _search(path: str, text: str, limit: int, stopped: threading.Event) -> "tuple[list[CaptureMatch], str]":
    from server_core.records.capture.search import search_capture

    matches: list[CaptureMatch] = []
    try:
        for match in search_capture(Path(path), text, limit):
            matches.append(match)
            if stopped.is_set():
                break
    except (ConfigurationError, OSError) as error:
        return matches, str(error)
    return matches, ""
