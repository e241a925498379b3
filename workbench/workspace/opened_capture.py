"""A capture that is shown in the inspector; it may be one that is still being written, or that is damaged."""

import asyncio
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

from server_core.errors import ConfigurationError
from server_core.records.tap import Record
from workbench.model.history import CallRun
from workbench.model.traffic.entry import Entry
from workbench.model.traffic.timeline import Timeline
from workbench.workspace.capture_files import captured_body

MAX_RECORDS = 100_000
"""How many records of a capture are shown: the newest."""

_RECORDS_AT_ONCE = 1_000
_MAX_SECONDS = 10.0


class OpenedCapture:
    """The newest records of a capture, which :meth:`load` reads."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.name = Path(path).name
        self.timeline = Timeline()
        self.left_out = 0  # how many older records are not shown
        self.damage = ""  # a description of the damage, once reading has detected it

    async def load(self, on_records: Callable[[], None]) -> None:
        """Read the records, some at a time, and call `on_records` after each part.

        Raises:
            ConfigurationError: when the file is no capture, or of a newer version.
        """
        last = await asyncio.to_thread(self._last_seq)
        after = self.left_out = max(0, last - MAX_RECORDS)
        while records := await asyncio.to_thread(self._read, after, min(_RECORDS_AT_ONCE, last - after)):
            self.timeline.extend(records)
            after = records[-1].seq
            on_records()

    async def body(self, entry: Entry) -> bytes:
        return await asyncio.to_thread(captured_body, self.path, entry.seq)

    def run_of(self, entry: Entry) -> CallRun | None:
        return None

    def original_of(self, request: Entry) -> Entry | None:
        return None

    def tool(self, name: str) -> dict[str, Any]:
        return {}

    def _last_seq(self) -> int:
        from server_core.records.capture.reader import open_capture

        with open_capture(Path(self.path), _MAX_SECONDS) as capture:
            return capture.last_seq

    def _read(self, after: int, limit: int) -> list[Record]:
        from server_core.records.capture.reader import open_capture

        if limit <= 0:
            return []
        try:
            with open_capture(Path(self.path), _MAX_SECONDS) as capture:
                records = list(capture.records(after=after, limit=limit))
                self.damage = capture.damage
        except (OSError, sqlite3.Error) as error:
            raise ConfigurationError(f"The capture {self.path} cannot be read: {error}") from error
        return records
