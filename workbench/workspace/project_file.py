"""A table of `workbench.yaml`, which is edited by hand too: the file is read again when it changes.

Rule 1: a change reads the file first, and refuses to write a text in which another entry would differ.
Rule 2: a file is read and changed on a thread: reading may take long.
"""

import asyncio
import os
import shutil
import stat
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, TypeAlias, TypeVar

from server_core.errors import ConfigurationError
from server_core.runtime import private_files
from server_core.runtime.paths import current_folder
from workbench.client.target import Target
from workbench.model.personas import Personas, parse_personas
from workbench.model.yaml_entries import with_entry, with_name, without_entry

FILE_NAME = "workbench.yaml"
_MAX_BYTES = 1_000_000


class TableEntry(Protocol):
    """An entry of a table: a dataclass with a name."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def name(self) -> str: ...


E = TypeVar("E", bound=TableEntry)
Contents: TypeAlias = tuple[tuple[E, ...], tuple[str, ...]]
"""The entries of a table in their order, and the mistakes in the file."""


class TableFile(Generic[E]):
    """One table in the file of a project's folder, or of the current one for another server; errors name the file.

    Args:
        parse: returns the contents of the table in a text.
        to_yaml: returns the value of an entry, without its name.
    """

    def __init__(
        self, folder: Path, table: str, parse: Callable[[str], Contents[E]], to_yaml: Callable[[E], dict[str, Any]]
    ) -> None:
        self.path = folder / FILE_NAME
        self._table = table
        self._parse = parse
        self._to_yaml = to_yaml
        self._stamp: object = None

    @property
    def has_changed(self) -> bool:
        """Whether the file was written, or removed, since it was last read."""
        return self._current_stamp() != self._stamp

    def read_contents(self) -> Contents[E]:
        self._stamp = self._current_stamp()
        try:
            return self._parse(self._text())
        except ConfigurationError as error:
            return (), (str(error),)

    def save(self, entry: E) -> None:
        """Add an entry, or replace the one with its name."""
        self._change(
            lambda text: with_entry(text, self._table, entry.name, self._to_yaml(entry)),
            lambda entries: (
                [*(other if other.name != entry.name else entry for other in entries)]
                + ([] if any(other.name == entry.name for other in entries) else [entry])
            ),
        )

    def delete(self, name: str) -> None:
        self._change(
            lambda text: without_entry(text, self._table, name),
            lambda entries: [entry for entry in entries if entry.name != name],
        )

    def rename(self, name: str, new: str) -> None:
        self._change(
            lambda text: with_name(text, self._table, name, new),
            lambda entries: [replace(entry, name=new) if entry.name == name else entry for entry in entries],
        )

    def _change(self, change: Callable[[str], str], expect: Callable[[list[E]], list[E]]) -> None:
        if not self.path.parent.is_dir():
            raise ConfigurationError(f"{self.path} cannot be written: there is no such folder")
        try:
            # Several projects may have links to the same file.
            with private_files.lock_folder(self.path.resolve().parent):
                self._change_locked(change, expect)
        except OSError as error:
            raise ConfigurationError(f"{self.path} cannot be written: {error}") from error

    def _change_locked(self, change: Callable[[str], str], expect: Callable[[list[E]], list[E]]) -> None:
        text = self._text()
        try:
            new = change(text)
        except ValueError as error:
            raise ConfigurationError(f"{self.path} is not changed: {error}") from error
        (before, mistakes), (after, new_mistakes) = self._parse(text), self._parse(new)
        if list(after) != expect(list(before)) or len(new_mistakes) > len(mistakes):
            raise ConfigurationError(f"{self.path} is not changed: its layout is not supported; edit it by hand")
        if len(new.encode("utf-8", "replace")) > _MAX_BYTES:
            raise ConfigurationError(f"{self.path} is not changed: it would have more than {_MAX_BYTES:,} bytes")
        self._write(new)

    def _text(self) -> str:
        return _read_text(self.path)

    def _write(self, text: str) -> None:
        path = self.path.resolve()
        try:
            data = text.encode()
            # Beside it, so that the file is replaced at once; a file that is shared keeps its mode.
            descriptor, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(data)
                if path.exists():
                    shutil.copymode(path, name)
                else:
                    os.chmod(name, stat.S_IRUSR | stat.S_IWUSR | stat.S_IRGRP | stat.S_IROTH)
                os.replace(name, path)
            except BaseException:
                os.unlink(name)
                raise
        except (OSError, UnicodeEncodeError) as error:
            raise ConfigurationError(f"{self.path} cannot be written: {error}") from error

    def _current_stamp(self) -> object:
        try:
            facts = self.path.stat()
        except OSError:
            return "missing"
        return facts.st_mtime_ns, facts.st_size, facts.st_ino


R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)


class ReadableTable(Protocol[R_co]):
    """A table that is read as a value of its own."""

    @property
    def has_changed(self) -> bool: ...

    def read(self) -> R_co: ...


T = TypeVar("T", bound=ReadableTable[Any])


class StoredTable(Generic[T, R]):
    """A table as its file was last read; `on_change` is called when it was read again."""

    def __init__(self, file: T, empty: R, on_change: Callable[[], None]) -> None:
        self.file = file
        self.last_read = empty
        self._on_change = on_change

    async def read(self) -> None:
        """Read the table again, if the file has changed."""
        if self.file.has_changed:
            self.last_read = await asyncio.to_thread(self.file.read)
            self._on_change()

    async def change(self, change: Callable[[], None]) -> None:
        """Change the file, with one of its methods, and read it again.

        Raises:
            ConfigurationError: when it cannot be changed.
        """
        await asyncio.to_thread(change)
        await self.read()


def read_personas(folder: Path) -> Personas:
    """Return the known personas and those in the file of a folder, with the mistakes in it."""
    try:
        return parse_personas(_read_text(folder / FILE_NAME))
    except ConfigurationError as error:
        return Personas(problems=(str(error),))


def _read_text(path: Path) -> str:
    try:
        return private_files.read(path, _MAX_BYTES).decode("utf-8-sig")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path} cannot be read: {error}") from error


def folder_of(project: str, *, is_relay: bool) -> Path:
    """Return the folder of what a core serves, as it names it: the current folder for a relayed server."""
    path = Path(project)
    if is_relay or not path.is_absolute():
        return current_folder() or Path(os.sep)
    return path if path.is_dir() else path.parent


def folder_of_target(target: Target) -> Path:
    """Return the folder of what a command connects to."""
    project = "" if target.project is None else str(target.project.absolute())
    return folder_of(project, is_relay=target.project is None)
