"""Listing the captures."""

import sqlite3
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from server_core.errors import ConfigurationError
from server_core.records.capture.capture_schema import SUFFIX
from server_core.records.capture.reader import open_capture
from server_core.runtime.paths import captures_folder

SECONDS = 2.0
"""The time limit for reading one capture for the list."""
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

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"path": str(self.path)}


def list_captures(project: str | None = None) -> list[CaptureInfo]:
    """Return the captures, newest first; if a project is given, only its captures, and none that are unreadable."""
    captures = [_info(path) for path in captures_folder().glob(f"*{SUFFIX}")]
    chosen = [capture for capture in captures if project is None or capture.project == project]
    return sorted(chosen, key=lambda capture: (capture.started, capture.path), reverse=True)


def _info(path: Path) -> CaptureInfo:
    size = 0
    try:
        # Until the run ends, the newest records are in SQLite's log.
        size = sum(file.stat().st_size for file in (path, Path(f"{path}-wal")) if file.exists())
        with open_capture(path, SECONDS) as capture:
            meta = capture.meta
            ended = _parse_time(meta["ended"]) if "ended" in meta else None
            started, lost = _parse_time(meta["started"]), int(meta.get("lost", 0))
            return CaptureInfo(path, meta["project"], started, capture.count, size, ended, lost)
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
