"""Listing the captures."""

import math
import re
import sqlite3
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from server_core.errors import ConfigurationError
from server_core.records.capture.capture_schema import SUFFIX, is_of_command
from server_core.records.capture.labels import Labels
from server_core.records.capture.reader import open_capture
from server_core.runtime.paths import captures_folder

SECONDS = 2.0
"""The time limit for reading one capture for the list."""
_TIME = re.compile(r"\d{8}T\d{6}Z")
# The start of the year 10,000, which `datetime` does not support.
END_OF_TIME = 253_402_300_800.0


@dataclass(frozen=True)
class CaptureInfo:
    """One capture file."""

    path: Path
    # The name of the served project or server.
    project: str
    # When the run started, in seconds since the epoch; 0 if the file cannot be read.
    started: float
    records: int
    # Its size on disk.
    bytes: int
    # When the run ended; None while it is running, and when it was killed.
    ended: float | None
    # How many records were not written because the disk was too slow.
    lost: int = 0
    # Why it cannot be read; empty if it can.
    problem: str = ""
    # The labels that its user has given it.
    name: str = ""
    pinned: bool = False
    note: str = ""
    # The version of the served project or server.
    server: str = ""
    clients: tuple[str, ...] = ()
    # The calls of tools, and the errors and failed calls among the answers; None if that is unknown.
    calls: int | None = None
    errors: int | None = None
    # The tools that were called, the most called first.
    tools: tuple[str, ...] = ()
    # Whether it is of a single run of `workbench call`, and has its original name.
    of_command: bool = False

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"path": str(self.path)}


def list_captures(project: str | None = None, counting_seconds: float = math.inf) -> list[CaptureInfo]:
    """Return the captures, newest first; if a project is given, only its captures, and none that are unreadable.

    After so many seconds, no more captures are counted; they are when the captures are listed again.
    """
    deadline = time.monotonic() + counting_seconds
    # The names have the times, so that the newest are counted first.
    paths = sorted(captures_folder().glob(f"*{SUFFIX}"), key=_time_in_name, reverse=True)
    captures = [describe_capture(path, may_count=time.monotonic() < deadline) for path in paths]
    chosen = [capture for capture in captures if project is None or capture.project == project]
    return sorted(chosen, key=lambda capture: (capture.started, capture.path), reverse=True)


def _time_in_name(path: Path) -> str:
    """Return the time in the original name of a capture; empty if it has another name."""
    match = _TIME.search(path.name)
    return "" if match is None else match[0]


def describe_capture(path: Path, *, may_count: bool = True) -> CaptureInfo:
    """Return the facts about a capture; `problem` is set if it cannot be read."""
    size = 0
    try:
        # Until the run ends, the newest records are in SQLite's log.
        size = sum(file.stat().st_size for file in (path, Path(f"{path}-wal")) if file.exists())
        with open_capture(path, SECONDS) as capture:
            meta = capture.meta
            ended = _parse_time(meta["ended"]) if "ended" in meta else None
            started, lost = _parse_time(meta["started"]), int(meta.get("lost", 0))
            info = CaptureInfo(
                path, meta["project"], started, capture.count, size, ended, lost, of_command=is_of_command(path.name)
            )
            labels, counts = Labels.of(meta), capture.counts(may_read=may_count)
            return replace(
                info,
                name=labels.name,
                pinned=labels.is_pinned,
                note=labels.note,
                server=meta.get("server", ""),
                clients=() if counts is None else counts.clients,
                calls=None if counts is None else counts.calls,
                errors=None if counts is None else counts.errors,
                tools=() if counts is None else tuple(name for name, _ in counts.tools),
            )
    except (ConfigurationError, OSError, sqlite3.Error) as error:
        return CaptureInfo(path, "", 0.0, 0, size, None, problem=str(error))
    except (KeyError, ValueError) as error:
        problem = f"{path} is not a capture (its description or start time is missing: {error})."
        return CaptureInfo(path, "", 0.0, 0, size, None, problem=problem)


def _parse_time(text: str) -> float:
    seconds = float(text)
    if not 0 <= seconds < END_OF_TIME:
        raise ValueError(f"{text!r} is not a time")
    return seconds
