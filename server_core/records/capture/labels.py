"""The labels of a capture: a name, a pin, which keeps it when captures are pruned, and a note.

They are metadata in the capture itself, so a copy of the file has them as well. They can be changed while its core
writes the capture, and are not changed in a file that is truncated or of a newer format.
"""

import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from server_core.errors import ConfigurationError
from server_core.records.capture.capture_schema import SET_META
from server_core.records.capture.reader import check_files, is_truncated, read_meta
from server_core.runtime.sqlite_files import open_untrusted

MAX_NAME = 80
MAX_NOTE = 10_000
SECONDS = 5.0
"""The time limit for a change, also while its core writes the capture."""
_PIN = "1"


@dataclass(frozen=True)
class Labels:
    """What a user has written on a capture."""

    name: str = ""
    is_pinned: bool = False
    note: str = ""

    @classmethod
    def of(cls, meta: Mapping[str, str]) -> "Labels":
        """Return the labels in the metadata of a capture; texts that are too long are cut."""
        return cls(meta.get("name", "")[:MAX_NAME], is_pinned(meta), meta.get("note", "")[:MAX_NOTE])


def is_pinned(meta: Mapping[str, str]) -> bool:
    return meta.get("pinned") == _PIN


def change_labels(path: Path, *, name: str | None = None, pinned: bool | None = None, note: str | None = None) -> None:
    """Change the labels that are given; an empty text removes one.

    Raises:
        ConfigurationError: when the capture cannot be changed, or a text is not allowed.
    """
    values: dict[str, str] = {}
    if name is not None:
        values["name"] = check_name(name)
    if note is not None:
        values["note"] = check_note(note)
    if pinned is not None:
        values["pinned"] = _PIN if pinned else ""
    write_meta(path, values)


def write_meta(
    path: Path, values: Mapping[str, str], check: Callable[[Mapping[str, str]], None] = lambda meta: None
) -> None:
    """Write metadata that a user has changed; `check` gets what is there, and may refuse the change.

    Raises:
        ConfigurationError: when the capture cannot be changed.
    """
    check_files(path)
    if is_truncated(path):
        raise ConfigurationError(f"{path} is truncated: it can be read, but not changed.")
    try:
        with closing(open_untrusted(path, "rw", seconds=SECONDS, lock_timeout=SECONDS)) as connection:
            check(read_meta(path, connection))
            connection.execute("PRAGMA writable_schema=OFF")
            connection.executemany(SET_META, values.items())
    except (sqlite3.Error, OSError) as error:
        raise ConfigurationError(f"{path} cannot be changed: {error}.") from error


def check_name(name: str) -> str:
    """Return a name without spaces around it; ConfigurationError if it is too long or has more than one line."""
    name = name.strip()
    if len(name) > MAX_NAME:
        raise ConfigurationError(f"The name has {len(name):,} characters; at most {MAX_NAME} are possible.")
    if not name.isprintable():
        raise ConfigurationError("The name has a line break or a control character; write it without.")
    return _storable(name, "name")


def check_note(note: str) -> str:
    """Return a note without spaces around it; ConfigurationError if it is too long."""
    note = note.strip()
    if len(note) > MAX_NOTE:
        raise ConfigurationError(f"The note has {len(note):,} characters; at most {MAX_NOTE:,} are possible.")
    return _storable(note, "note")


def _storable(text: str, title: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ConfigurationError(f"The {title} is not valid Unicode text; write it again.") from error
    return text
