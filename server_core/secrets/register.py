"""The register of stored secrets: their projects, stores and readers; names only, never a value.

Rule 1: a value belongs to the project that set it; other projects read it only when access was granted.
Rule 2: the register is a single file per user, readable only by its owner, replaced atomically under a lock.
Rule 3: it is not encrypted, so that no store is unlocked for a name that it does not hold.
"""

import json
import os
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

from server_core.errors import ConfigurationError
from server_core.runtime import paths, private_files
from server_core.runtime.safe_json import parse_json

Store: TypeAlias = Literal["keyring", "vault"]
STORES: tuple[Store, ...] = ("keyring", "vault")

FORMAT = 1
LONGEST_FILE = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class RegisterEntry:
    """A value that is stored for a project."""

    key: str
    owner: str  # The folder of the project that it belongs to.
    store: Store
    readers: tuple[str, ...] = ()  # The folders of the other projects that may read it.

    @property
    def store_key(self) -> str:
        """The key of the value in its store, where secrets of several projects may have the same name."""
        return json.dumps([self.owner, self.key])


class Register:
    """The register of this user, in `secrets` in the data folder or another folder.

    Its methods raise `ConfigurationError` where the file cannot be read or written.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._custom_folder = folder
        self._stamp: tuple[int, ...] | None = None
        self._entries: tuple[RegisterEntry, ...] = ()

    def readable(self, project: str) -> tuple[RegisterEntry, ...]:
        """Return the entries that the project in a folder may read: its own first, then in the order of the stores."""
        entries = [entry for entry in self._read() if project == entry.owner or project in entry.readers]
        return tuple(sorted(entries, key=lambda entry: (entry.owner != project, STORES.index(entry.store))))

    def owned(self, project: str, key: str) -> tuple[RegisterEntry, ...]:
        return tuple(entry for entry in self._read() if (entry.owner, entry.key) == (project, key))

    def add(self, entry: RegisterEntry) -> None:
        """Add an entry; the readers of an existing entry are retained."""

        def replace_or_append(entries: Iterable[RegisterEntry]) -> list[RegisterEntry]:
            place = (entry.store_key, entry.store)
            old = next((other for other in entries if (other.store_key, other.store) == place), None)
            remaining = [other for other in entries if other is not old]
            return [*remaining, replace(entry, readers=old.readers if old is not None else entry.readers)]

        self._change(replace_or_append)

    def remove(self, entry: RegisterEntry) -> None:
        self._change(lambda entries: [other for other in entries if other != entry])

    def set_reader(self, owner: str, key: str, reader: str, *, may_read: bool) -> int:
        """Grant or revoke the access of one project's folder to a value of another; return how many stores hold it."""
        count = 0

        def change_readers(entries: Iterable[RegisterEntry]) -> list[RegisterEntry]:
            nonlocal count
            all_entries: list[RegisterEntry] = []
            for entry in entries:
                if (entry.owner, entry.key) == (owner, key):
                    others = tuple(other for other in entry.readers if other != reader)
                    entry = replace(entry, readers=(*others, reader) if may_read else others)
                    count += 1
                all_entries.append(entry)
            return all_entries

        self._change(change_readers)
        return count

    @property
    def _path(self) -> Path:
        return (self._custom_folder or paths.data_folder() / "secrets") / "register.json"

    def _change(self, change: Callable[[tuple[RegisterEntry, ...]], list[RegisterEntry]]) -> None:
        path = self._path
        try:
            with private_files.lock_private_folder(path.parent):
                entries = change(self._read())
                document = {"format": FORMAT, "secrets": [asdict(entry) for entry in entries]}
                private_files.replace(path, json.dumps(document, indent=1).encode())
                self._stamp = None  # Two writes within the resolution of the clock may have equal stamps.
        except OSError as error:
            raise ConfigurationError(
                f"Secrets cannot be stored in {path.parent} ({error.strerror}); "
                f"{private_files.advice(error, 'set WORKBENCH_HOME to a folder of yours')}."
            ) from error

    def _read(self) -> tuple[RegisterEntry, ...]:
        path = self._path
        try:
            stat = os.stat(path)
            stamp = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
            if stamp != self._stamp:
                with path.open("rb") as file:
                    self._entries = _entries(file.read(LONGEST_FILE))
                self._stamp = stamp
        except FileNotFoundError:
            return ()
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ConfigurationError(
                f"{path}, the register of your secrets, cannot be read ({type(error).__name__}); correct it, "
                "or move it away and set the secrets again."
            ) from error
        return self._entries


def _entries(data: bytes) -> tuple[RegisterEntry, ...]:
    document: Any = parse_json(data)
    if document["format"] != FORMAT:
        raise ValueError("unknown format")
    return tuple(_entry(**entry) for entry in document["secrets"])


def _entry(key: str, owner: str, store: Store, readers: list[str]) -> RegisterEntry:
    if store not in STORES or not all(isinstance(entry, str) for entry in (key, owner, *readers)):
        raise ValueError("invalid entry")
    return RegisterEntry(key, owner, store, tuple(readers))
