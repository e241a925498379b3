"""Watch the files of resources, from the first subscription on.

Rule 1: the state of the files is noted at the first subscription, so no change is missed until watching has begun.
Rule 2: only the folders of the files are watched, not recursively; for a missing folder, its nearest existing parent.
"""

import asyncio
import os
from collections.abc import AsyncGenerator, Iterable, Iterator
from fnmatch import fnmatchcase
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from server_core.catalog.building.resource_building import is_pattern
from server_core.runtime.background import spawn

if TYPE_CHECKING:
    from watchfiles.main import FileChange

    from server_core.catalog.catalog import Catalog
    from server_core.catalog.definitions import ResourceDefinition, ResourceTemplateDefinition
    from server_core.serving.server import Server

# Milliseconds: how long the disk must be quiet before changes are read, and the maximum delay of a change.
QUIET = 50
MAX_DELAY = 200
MAX_FILES = 10_000
"""How many names in the folder of a pattern are checked."""

Stamp: TypeAlias = tuple[int, ...] | None
"""Modification time, size and inode of a file; None for a missing file."""


class WatchedFiles(NamedTuple):
    """Files in one folder, and the resource or template that they are the contents of."""

    folder: Path
    name: str  # It may have wildcards.
    offered: "ResourceDefinition | ResourceTemplateDefinition"

    def matches(self, path: Path) -> bool:
        """Return whether this is the path of such a file."""
        return path.parent == self.folder and fnmatchcase(path.name, self.name)

    def files(self) -> list[Path]:
        """Return the existing files that match; without a wildcard, the named file, even if it is missing."""
        if not is_pattern(self.name):
            return [self.folder / self.name]
        try:
            with os.scandir(self.folder) as entries:
                names = [entry.name for entry in islice(entries, MAX_FILES) if fnmatchcase(entry.name, self.name)]
        except OSError:
            return []
        return [self.folder / name for name in names]


class ResourceWatcher:
    """Watch the files of one server's resources, and report their changes to it."""

    def __init__(self, server: "Server") -> None:
        self._server = server
        self._watched: tuple[WatchedFiles, ...] = ()
        self._stamps: dict[Path, Stamp] = {}
        self._resources_changed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def follow(self, catalog: "Catalog") -> None:
        """Watch the files of this catalog from now on, and no others."""
        self._watched = tuple(_watched_files(chain(catalog.resources.values(), catalog.templates)))
        files = self._files()
        self._stamps = {path: self._stamps[path] if path in self._stamps else _stamp(path) for path in files}
        self._resources_changed.set()
        if self._watched and self._task is None:
            self._task = spawn(self._run(), "watch the files of resources")

    async def close(self) -> None:
        """Stop watching."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})

    async def _run(self) -> None:
        while True:
            self._resources_changed.clear()
            try:
                await self._watch(self._folders())
            except Exception as error:  # The system cannot watch; the resources are served nevertheless.
                self._server.tap.emit_event("file_watch_failed", error=str(error))
                await self._resources_changed.wait()

    async def _watch(self, folders: set[Path]) -> None:
        """Watch these folders until other folders have to be watched."""
        if not folders:
            await self._resources_changed.wait()
            return
        from watchfiles import awatch

        events = awatch(
            *folders,
            watch_filter=None,
            step=QUIET,
            debounce=MAX_DELAY,
            stop_event=asyncio.Event(),  # Not ours: it is set when the wait is cancelled.
            recursive=False,
            ignore_permission_denied=True,
        )
        moved = spawn(self._resources_changed.wait(), "wait for other resources")
        changes = spawn(_next(events), "wait for a change of a file")
        try:
            # After one turn of the loop the folders are watched; earlier changes are checked for here.
            await asyncio.sleep(0)
            self._check(self._files())
            while self._folders() == folders:
                await asyncio.wait({moved, changes}, return_when=asyncio.FIRST_COMPLETED)
                if moved.done() or (batch := changes.result()) is None:
                    return
                self._check(Path(path) for _, path in batch)
                changes = spawn(_next(events), "wait for a change of a file")
            # In a new folder, every file is new.
            self._check(self._files())
        finally:
            moved.cancel()
            changes.cancel()
            await asyncio.wait({moved, changes})
            await events.aclose()

    def _check(self, paths: Iterable[Path]) -> None:
        """Report the files whose stamp has changed."""
        for path in dict.fromkeys(paths):
            resources = dict.fromkeys(watched.offered for watched in self._watched if watched.matches(path))
            if not resources or (stamp := _stamp(path)) == self._stamps.get(path):
                continue
            self._stamps[path] = stamp
            for resource in resources:
                self._notify(resource)

    def _notify(self, offered: "ResourceDefinition | ResourceTemplateDefinition") -> None:
        # Only the author knows which URI of a template a file belongs to, so all subscribed URIs are reported.
        uri = getattr(offered, "uri", None)
        match = getattr(offered, "match", None)
        uris = [uri] if match is None else [uri for uri in self._server.subscribed() if match(uri) is not None]
        for updated in uris:
            self._server.resource_updated(str(updated))

    def _files(self) -> list[Path]:
        return [path for watched in self._watched for path in watched.files()]

    def _folders(self) -> set[Path]:
        return {_nearest_folder(watched.folder) for watched in self._watched}


def _watched_files(offered: "Iterable[ResourceDefinition | ResourceTemplateDefinition]") -> Iterator[WatchedFiles]:
    for resource in offered:
        for path in map(Path, resource.watch):
            # The target of a link changes in another folder.
            for target in {path, path if is_pattern(path.name) else path.resolve()}:
                yield WatchedFiles(target.parent, target.name, resource)


def _nearest_folder(folder: Path) -> Path:
    while not folder.is_dir() and folder != folder.parent:
        folder = folder.parent
    return folder


def _stamp(path: Path) -> Stamp:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


async def _next(events: "AsyncGenerator[set[FileChange], None]") -> "set[FileChange] | None":
    return await anext(events, None)
