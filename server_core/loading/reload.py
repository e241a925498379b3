"""Watch the files of a project, and load a new generation when any of them is saved.

Folders are watched without their subfolders: those of the files that were read, and those where new files may appear.
Editors save in many ways (in place, by renaming, with a temporary file); only a different text counts as a change.
"""

import asyncio
import os
from collections.abc import AsyncGenerator, Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from server_core.loading.modules import fingerprint
from server_core.loading.project import Generation, Project
from server_core.runtime.background import spawn
from server_core.runtime.threads import Threads

if TYPE_CHECKING:
    from watchfiles.main import FileChange

# Milliseconds: how long there must be no events before changes are handled, and for how long this may delay them.
STEP_MS = 10
DEBOUNCE_MS = 100
# Milliseconds after which the files are checked even without an event.
RECHECK_MS = 5000


async def watch(project: Project, on_generation: Callable[[Generation], None], stop: asyncio.Event) -> None:
    """Load a new generation on each save until `stop` is set; `on_generation` is called on the event loop."""
    watcher = _Watcher(project, on_generation, spawn(stop.wait(), "wait for the end of watching"))
    try:
        while not stop.is_set() and project.source.files.watched:
            await watcher.watch()
    finally:
        watcher.stopping.cancel()


class _Watcher:
    """Watches until the set of folders changes: watchfiles cannot add a folder to a running watch."""

    def __init__(
        self, project: Project, on_generation: Callable[[Generation], None], stopping: "asyncio.Task[object]"
    ) -> None:
        self.stopping = stopping
        self._project = project
        self._on_generation = on_generation
        self._threads = Threads(1)  # Imports of authors' files must not block the event loop.
        # There are no fingerprints of folders, so files that were created since the load are detected at once.
        self._known_fingerprints = dict(project.source.files.fingerprints)

    async def watch(self) -> None:
        from watchfiles import awatch

        folders = self._folders()
        events = awatch(
            *folders,
            watch_filter=_may_affect_tools,
            step=STEP_MS,
            debounce=DEBOUNCE_MS,
            stop_event=asyncio.Event(),  # Not `stop`: watchfiles sets it when the wait is cancelled.
            recursive=False,
            rust_timeout=RECHECK_MS,
            yield_on_timeout=True,
        )
        saves = spawn(_next_changes(events), "wait for a save")
        try:
            # The folders are watched after one iteration of the event loop; earlier saves are detected here.
            await asyncio.sleep(0)
            paths: Iterable[Path] = self._project.source.files.watched
            while self._folders() == folders:
                if changed := self._changed(paths):
                    await self._reload(changed)
                    continue  # Check again before waiting: files read for the first time may have changed since.
                await asyncio.wait({saves, self.stopping}, return_when=asyncio.FIRST_COMPLETED)
                if self.stopping.done() or (changes := saves.result()) is None:
                    return
                paths = {Path(path) for _, path in changes} or self._project.source.files.watched
                saves = spawn(_next_changes(events), "wait for a save")
        finally:
            # The generator cannot be closed while it is running.
            saves.cancel()
            await asyncio.wait({saves})
            await events.aclose()

    async def _reload(self, changed: set[Path]) -> None:
        problems = self._project.problems
        generation = await self._threads.run(partial(self._project.reload, changed))
        self._known_fingerprints |= {
            path: mark
            for path, mark in self._project.source.files.fingerprints.items()
            if path not in self._known_fingerprints
        }
        if generation.reloaded or generation.changes or generation.problems != problems:
            self._on_generation(generation)

    def _folders(self) -> set[Path]:
        folders = {path if path.is_dir() else path.parent for path in self._project.source.files.watched}
        return {folder for folder in folders if folder.is_dir()}

    def _changed(self, paths: Iterable[Path]) -> set[Path]:
        """Return the paths whose text has changed since the last check."""
        checked = {path for path in paths if path.suffix == ".py" or not path.is_file()}
        current = _fingerprints(checked | {path.parent for path in checked if path.suffix == ".py"})
        changed = {path for path, mark in current.items() if self._known_fingerprints.get(path, "") != mark}
        self._known_fingerprints |= current
        return changed


async def _next_changes(events: "AsyncGenerator[set[FileChange], None]") -> "set[FileChange] | None":
    return await anext(events, None)


def _may_affect_tools(change: object, path: str) -> bool:
    """Return whether a change may affect the tools: that of a Python file, or a folder that was created or deleted."""
    name = path.rpartition("/")[2]
    # Other names may be folders: those may contain a dot, and for a deleted path it is unknown.
    return not name.startswith(".") and name != "__pycache__" and (name.endswith(".py") or not os.path.isfile(path))


def _fingerprints(paths: Iterable[Path]) -> dict[Path, str]:
    return {path: _fingerprint(path) for path in paths}


def _fingerprint(path: Path) -> str:
    try:
        return fingerprint(path.read_bytes())
    except IsADirectoryError:
        return " ".join(sorted(name for name in os.listdir(path) if _may_affect_tools(None, f"{path}/{name}")))
    except OSError:
        return ""
