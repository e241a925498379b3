"""Marks and comments on messages, which are stored in the capture that has the messages."""

import asyncio
import json
import sqlite3
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from server_core.errors import ConfigurationError
from workbench.model.traffic.annotations import Annotation
from workbench.model.traffic.entry import Entry
from workbench.model.traffic.timeline import Timeline

if TYPE_CHECKING:
    from workbench.workspace.workspace import Workspace

_MAX_SECONDS = 5.0


async def annotate(timeline: Timeline, entry: Entry, annotation: Annotation) -> None:
    """Set what the user has added to a message, in the timeline and in its capture.

    Raises:
        ConfigurationError: when it cannot be stored; then it is there until the terminal ends.
    """
    timeline.annotate(entry.seq, annotation)
    core = timeline.core_of(entry)
    if not core.capture:
        text = "These messages are in no capture: the mark or comment is there until the terminal ends."
        raise ConfigurationError(text)
    await asyncio.to_thread(_store, Path(core.capture), entry.seq - core.offset, annotation)


async def load_annotations(workspace: "Workspace") -> None:
    """Show what was added to the messages of a core before this terminal was attached to it."""
    timeline, path = workspace.timeline, workspace.core.capture
    if not path:
        return
    core = timeline.newest_core
    for seq, annotation in (await asyncio.to_thread(_read, Path(path))).items():
        timeline.annotate(core.offset + seq, annotation)


def annotations_of(meta: Mapping[str, str]) -> dict[int, Annotation]:
    """Return the annotations in the metadata of a capture, by the numbers of the records; invalid ones are left out."""
    from server_core.records.capture.annotations import annotations_in

    annotations: dict[int, Annotation] = {}
    for seq, text in annotations_in(meta).items():
        with suppress(ValueError, RecursionError):
            if annotation := Annotation.from_json(json.loads(text)):
                annotations[seq] = annotation
    return annotations


def _read(path: Path) -> dict[int, Annotation]:
    from server_core.records.capture.reader import open_capture

    try:
        with open_capture(path, _MAX_SECONDS) as capture:
            return annotations_of(capture.meta)
    except (ConfigurationError, OSError, sqlite3.Error):
        return {}  # The Sessions screen shows why it cannot be read.


def _store(path: Path, seq: int, annotation: Annotation) -> None:
    from server_core.records.capture.annotations import set_annotation

    set_annotation(path, seq, json.dumps(annotation.to_json()) if annotation else "")
