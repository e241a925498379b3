"""Tell of resources whose files change, from the first subscription on.

Rule 1: how the files look is noted when somebody subscribes, so nothing is missed while the watching begins.
Rule 2: folders are watched, never trees: those that the files lie in; where one is not there, the nearest above it.
"""

import asyncio
import os
from collections.abc import AsyncGenerator, Iterable, Iterator
from fnmatch import fnmatchcase
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from server_core.catalog.building.watched_files import is_pattern
from server_core.runtime.background import spawn

if TYPE_CHECKING:
    from watchfiles.main import FileChange

    from server_core.catalog.catalog import Catalog
    from server_core.catalog.definitions import Resource, ResourceTemplate
    from server_core.serving.server import Server

# Milliseconds: how long the disk must be quiet before changes are looked at, and how long they may be held back.
QUIET = 50
HELD_BACK = 200
MOST_FILES = 10_000
"""How many names in the folder of a pattern are looked at."""

Stamp: TypeAlias = tuple[int, ...] | None
"""What tells a file from what it was before; None where there is none."""


class Watched(NamedTuple):
    """Files, and what they are the contents of.

    Attributes:
        folder: where they lie.
        name: their names, perhaps with wildcards.
        offered: the resource, or the template.
    """

    folder: Path
    name: str
    offered: "Resource | ResourceTemplate"

    def holds(self, path: Path) -> bool:
        """Return whether a file is one of them."""
        return path.parent == self.folder and fnmatchcase(path.name, self.name)

    def files(self) -> list[Path]:
        """Return those that there are, and the one that is meant where there is no wildcard."""
        if not is_pattern(self.name):
            return [self.folder / self.name]
        try:
            with os.scandir(self.folder) as entries:
                names = [one.name for one in islice(entries, MOST_FILES) if fnmatchcase(one.name, self.name)]
        except OSError:
            return []
        return [self.folder / name for name in names]


class ResourceWatcher:
    """Watch the files of one server's resources, and tell when they change.

    Args:
        server: whose resources these are; it tells those who subscribed.
    """

    def __init__(self, server: "Server") -> None:
        self._server = server
        self._watched: tuple[Watched, ...] = ()
        self._stamps: dict[Path, Stamp] = {}
        self._moved = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def follow(self, catalog: "Catalog") -> None:
        """Watch the files of this catalog from now on, and no others."""
        self._watched = tuple(_watched(chain(catalog.resources.values(), catalog.templates)))
        files = self._files()
        self._stamps = {path: self._stamps[path] if path in self._stamps else _stamp(path) for path in files}
        self._moved.set()
        if self._watched and self._task is None:
            self._task = spawn(self._run(), "watch the files of resources")

    async def close(self) -> None:
        """Watch nothing any more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})

    async def _run(self) -> None:
        while True:
            self._moved.clear()
            try:
                await self._watch(self._folders())
            except Exception as error:  # Whatever the system has against it; the resources are served all the same.
                self._server.tap.lifecycle("file_watch_failed", error=str(error))
                await self._moved.wait()

    async def _watch(self, folders: set[Path]) -> None:
        """Watch until other folders have to be watched."""
        if not folders:
            await self._moved.wait()
            return
        from watchfiles import awatch

        events = awatch(
            *folders,
            watch_filter=None,
            step=QUIET,
            debounce=HELD_BACK,
            stop_event=asyncio.Event(),  # Not ours: it is set when the wait is cancelled.
            recursive=False,
            ignore_permission_denied=True,
        )
        moved = spawn(self._moved.wait(), "wait for other resources")
        changes = spawn(_next(events), "wait for a change of a file")
        try:
            # After one turn of the loop the folders are watched; what changed until then is looked for here.
            await asyncio.sleep(0)
            self._check(self._files())
            while self._folders() == folders:
                await asyncio.wait({moved, changes}, return_when=asyncio.FIRST_COMPLETED)
                if moved.done() or (found := changes.result()) is None:
                    return
                self._check(Path(path) for _, path in found)
                changes = spawn(_next(events), "wait for a change of a file")
            # In a folder that is new, everything is.
            self._check(self._files())
        finally:
            moved.cancel()
            changes.cancel()
            await asyncio.wait({moved, changes})
            await events.aclose()

    def _check(self, paths: Iterable[Path]) -> None:
        """Tell of those that look other than when they were last looked at."""
        for path in dict.fromkeys(paths):
            offered = dict.fromkeys(one.offered for one in self._watched if one.holds(path))
            if not offered or (look := _stamp(path)) == self._stamps.get(path):
                continue
            self._stamps[path] = look
            for one in offered:
                self._notify(one)

    def _notify(self, offered: "Resource | ResourceTemplate") -> None:
        # Which address of a template a file belongs to only its author knows: all that are subscribed to may be.
        uri = getattr(offered, "uri", None)
        match = getattr(offered, "match", None)
        told = [uri] if match is None else [one for one in self._server.subscribed() if match(one) is not None]
        for one in told:
            self._server.resource_updated(str(one))

    def _files(self) -> list[Path]:
        return [path for one in self._watched for path in one.files()]

    def _folders(self) -> set[Path]:
        return {_existing(one.folder) for one in self._watched}


def _watched(offered: "Iterable[Resource | ResourceTemplate]") -> Iterator[Watched]:
    for one in offered:
        for path in map(Path, one.watch):
            # What is behind a link changes elsewhere.
            for place in {path, path if is_pattern(path.name) else path.resolve()}:
                yield Watched(place.parent, place.name, one)


def _existing(folder: Path) -> Path:
    while not folder.is_dir() and folder != folder.parent:
        folder = folder.parent
    return folder


def _stamp(path: Path) -> Stamp:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


async def _next(events: "AsyncGenerator[set[FileChange], None]") -> "set[FileChange] | None":
    return await anext(events, None)
