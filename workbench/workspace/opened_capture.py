"""A capture that is shown in the inspector; it may be one that is still being written, or that is damaged."""

import asyncio
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from server_core.errors import ConfigurationError
from server_core.records.tap import Record
from workbench.model.history import CallRun
from workbench.model.traffic.annotations import Annotation
from workbench.model.traffic.entry import Entry
from workbench.model.traffic.timeline import Timeline
from workbench.workspace.capture_files import captured_bodies, captured_body
from workbench.workspace.message_annotations import annotations_of

_RECORDS_AT_ONCE = 500
_MAX_SECONDS = 10.0
_BODY_BUDGET = 1024 * 1024  # Bytes.
# Between two calls of a listener, which may paint.
_PAUSE_S = 0.1


class OpenedCapture:
    """The records of a capture, which :meth:`load` reads."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.name = Path(path).name  # The given name, once it was read.
        self.short_name = ""  # The given name, else when the run was started, as in the list of captures.
        self.timeline = _empty_timeline(path)
        self.last_seq = 0  # the number of the last record, once it is known
        self._is_read = False
        self._annotations: dict[int, Annotation] = {}
        self.damage = ""  # a description of the damage, once reading has detected it

    @property
    def progress(self) -> float:
        """The share of the records that were read."""
        return 1.0 if self._is_read else self.timeline.last_seq / max(1, self.last_seq)

    async def load(self, on_records: Callable[[], None]) -> None:
        """Read the records, some at a time, and call `on_records` now and then.

        Raises:
            ConfigurationError: when the file is no capture, or of a newer version.
        """
        run = await asyncio.to_thread(self._look)
        if (indexed := await asyncio.to_thread(self._load_index, run)) is not None:
            self.timeline, self._is_read = indexed, True
            self._show_annotations()
            on_records()
            return
        self._show_annotations()
        after, shown = 0, 0.0
        while records := await asyncio.to_thread(self._read, after, min(_RECORDS_AT_ONCE, self.last_seq - after)):
            self.timeline.extend(records)
            after = records[-1].seq
            if (now := time.monotonic()) >= shown + _PAUSE_S:
                on_records()
                shown = now
        self._is_read = True
        if run["ended"] and not self.damage:
            await asyncio.to_thread(self._save_index, run)
        on_records()

    async def body(self, entry: Entry) -> bytes:
        return await asyncio.to_thread(captured_body, self.path, entry.seq)

    def run_of(self, entry: Entry) -> CallRun | None:
        return None

    def original_of(self, request: Entry) -> Entry | None:
        return None

    def tool(self, name: str) -> dict[str, Any]:
        return {}

    def _look(self) -> dict[str, Any]:
        """Return what identifies the run and its records; `ended` is None if it may go on."""
        from server_core.records.capture.reader import open_capture

        with open_capture(Path(self.path), _MAX_SECONDS) as capture:
            self.last_seq = capture.last_seq
            self._read_name(capture.meta)
            self._annotations = annotations_of(capture.meta)
            return {key: capture.meta.get(key) for key in ("core", "started", "ended")} | {"last": self.last_seq}

    def _read_name(self, meta: dict[str, str]) -> None:
        started = float(meta.get("started") or 0)
        self.name = meta.get("name") or self.name
        self.short_name = meta.get("name") or time.strftime("%Y-%m-%d %H:%M", time.localtime(started))

    def _show_annotations(self) -> None:
        for seq, annotation in self._annotations.items():
            self.timeline.annotate(seq, annotation)

    def _load_index(self, run: dict[str, Any]) -> Timeline | None:
        from workbench.workspace.capture_index import MIN_RECORDS, load_index

        return load_index(Path(self.path), run, _empty_timeline(self.path)) if self.last_seq >= MIN_RECORDS else None

    def _save_index(self, run: dict[str, Any]) -> None:
        from workbench.workspace.capture_index import MIN_RECORDS, save_index

        if self.last_seq >= MIN_RECORDS and not self.timeline.has_held:
            save_index(Path(self.path), run, self.timeline)

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


def _empty_timeline(path: str) -> Timeline:
    # The file is at hand, so few bodies are kept in memory.
    timeline = Timeline(_BODY_BUDGET, captured_bodies)
    timeline.set_capture(path)
    return timeline
