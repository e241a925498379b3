"""The runs of earlier sessions, read from the captures of the project while the terminal is already in use.

Rule 1: reading is limited in runs, records and seconds, and leaves the interpreter to the keyboard again and again.
Rule 2: a capture that cannot be read has no runs; the Sessions screen shows why.
"""

import asyncio
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from server_core.errors import ConfigurationError
from server_core.records.tap import Kind, Record
from workbench.model.history import CallRun
from workbench.model.json_members import text_in
from workbench.model.traffic.entry import parse_object

if TYPE_CHECKING:
    from server_core.records.capture.reader import Capture
    from workbench.workspace.workspace import Workspace

MAX_RUNS = 300
"""How many runs of earlier sessions the history has."""
_MAX_CAPTURES = 100
_MAX_RECORDS = 20_000  # Of one capture: the newest.
_MAX_EVENTS = 5_000
_MAX_SECONDS = 5.0
# After so many records, the thread lets others run for a moment.
_RECORDS_AT_ONCE = 50
_PAUSE_S = 0.002


async def load_earlier_runs(workspace: "Workspace") -> None:
    """Add the runs of earlier sessions to the history, once."""
    if workspace.history.has_earlier:
        return
    workspace.history.has_earlier = True
    project = str(workspace.core.info.get("project") or "")
    paths = [Path(capture["path"]) for capture in workspace.core.captures if not capture.get("problem")]
    stopped = threading.Event()
    try:
        runs = await asyncio.to_thread(read_runs, paths[:_MAX_CAPTURES], project, workspace.opened, stopped)
    finally:
        stopped.set()
    if runs:
        workspace.add_earlier_runs(runs)


def read_runs(paths: Iterable[Path], project: str, before: float, stopped: threading.Event) -> list[CallRun]:
    """Return the newest runs of a project (or server) in captures, oldest first; the captures are given newest first.

    Runs after `before`, in seconds since the epoch, are left out; `stopped` ends the reading early.
    """
    from server_core.records.capture.reader import open_capture
    from workbench.model.traffic.earlier_runs import earlier_runs

    deadline = time.monotonic() + _MAX_SECONDS
    runs: list[CallRun] = []
    for path in paths:
        if len(runs) >= MAX_RUNS or stopped.is_set() or time.monotonic() > deadline:
            break
        try:
            with open_capture(path, _MAX_SECONDS) as capture:
                if _project(capture) == project:
                    captured = earlier_runs(_records(capture, stopped), before)
                    for run in captured:
                        run.capture = str(path)
                    runs += captured
        except (ConfigurationError, OSError, sqlite3.Error):
            continue
    return sorted(runs, key=lambda run: run.started)[-MAX_RUNS:]


def _project(capture: "Capture") -> str:
    """Return what the core of a capture has served; its metadata only have the name, which need not be unique."""
    first = next(capture.records(limit=1), None)
    return "" if first is None else text_in(parse_object(first.data) or {}, "project")


def _records(capture: "Capture", stopped: threading.Event) -> Iterator[Record]:
    """Yield the records that runs are read from: the newest, and before them the events that name the sessions."""
    from workbench.model.traffic.earlier_runs import KINDS

    start = max(0, capture.last_seq - _MAX_RECORDS)
    events = capture.records(limit=_MAX_EVENTS, kinds=[Kind.LIFECYCLE]) if start else ()
    older = (record for record in events if record.seq <= start)
    for count, record in enumerate(chain(older, capture.records(after=start, kinds=KINDS))):
        if count % _RECORDS_AT_ONCE == 0 and stopped.wait(_PAUSE_S):
            return
        yield record
