"""The file with the saved calls of a project, which is edited by hand too: it is read again when it changes.

Rule 1: a change reads the file first, and refuses to write a text in which another call would differ.
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

from server_core.errors import ConfigurationError
from server_core.runtime import private_files
from server_core.runtime.paths import current_folder
from workbench.model.saved_calls import SavedCall, SavedCalls, parse_saved_calls
from workbench.model.saved_calls_text import with_call, with_name, without_call

FILE_NAME = "workbench.yaml"
_MAX_BYTES = 1_000_000


class SavedCallsFile:
    """The saved calls in a project's folder, or in the current one for another server; errors name the file."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE_NAME
        self._stamp: object = None

    @property
    def has_changed(self) -> bool:
        """Whether the file was written, or removed, since it was last read."""
        return self._current_stamp() != self._stamp

    def read(self) -> SavedCalls:
        """Return the calls, and the mistakes in the file."""
        self._stamp = self._current_stamp()
        try:
            return parse_saved_calls(self._text())
        except ConfigurationError as error:
            return SavedCalls(problems=(str(error),))

    def save(self, call: SavedCall) -> None:
        """Add a call, or replace the one with its name."""
        self._change(
            lambda text: with_call(text, call),
            lambda calls: (
                [*(other if other.name != call.name else call for other in calls)]
                + ([] if any(other.name == call.name for other in calls) else [call])
            ),
        )

    def delete(self, name: str) -> None:
        self._change(lambda text: without_call(text, name), lambda calls: [call for call in calls if call.name != name])

    def rename(self, name: str, new: str) -> None:
        self._change(
            lambda text: with_name(text, name, new),
            lambda calls: [replace(call, name=new) if call.name == name else call for call in calls],
        )

    def _change(self, change: Callable[[str], str], expect: Callable[[list[SavedCall]], list[SavedCall]]) -> None:
        if not self.path.parent.is_dir():
            raise ConfigurationError(f"{self.path} cannot be written: there is no such folder")
        try:
            # Several projects may have links to the same file.
            with private_files.lock_folder(self.path.resolve().parent):
                self._change_locked(change, expect)
        except OSError as error:
            raise ConfigurationError(f"{self.path} cannot be written: {error}") from error

    def _change_locked(
        self, change: Callable[[str], str], expect: Callable[[list[SavedCall]], list[SavedCall]]
    ) -> None:
        text = self._text()
        try:
            new = change(text)
        except ValueError as error:
            raise ConfigurationError(f"{self.path} is not changed: {error}") from error
        before, after = parse_saved_calls(text), parse_saved_calls(new)
        if list(after.calls) != expect(list(before.calls)) or len(after.problems) > len(before.problems):
            raise ConfigurationError(f"{self.path} is not changed: its layout is not supported; edit it by hand")
        if len(new.encode("utf-8", "replace")) > _MAX_BYTES:
            raise ConfigurationError(f"{self.path} is not changed: it would have more than {_MAX_BYTES:,} bytes")
        self._write(new)

    def _text(self) -> str:
        try:
            return private_files.read(self.path, _MAX_BYTES).decode("utf-8-sig")
        except FileNotFoundError:
            return ""
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigurationError(f"{self.path} cannot be read: {error}") from error

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


class StoredCalls:
    """The saved calls as their file was last read; `on_change` is called when they were read again."""

    def __init__(self, file: SavedCallsFile, on_change: Callable[[], None]) -> None:
        self.file = file
        self.last_read = SavedCalls()
        self._on_change = on_change

    async def read(self) -> None:
        """Read the calls again, if the file has changed."""
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


def folder_of(project: str, *, is_relay: bool) -> Path:
    """Return the folder of what a core serves, as it names it: the current folder for a relayed server."""
    path = Path(project)
    if is_relay or not path.is_absolute():
        return current_folder() or Path(os.sep)
    return path if path.is_dir() else path.parent
