"""Watch the files that a project reads, and load a new generation when one of them is saved.

Folders are watched, not trees: those of the files that were read, and those where new files may appear. Editors save in
many ways (in place, by renaming, through a temporary file); what counts is whether the text is another than before.
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

# Milliseconds: how long the disk must be quiet before changes are acted on, and how long they may be held back.
QUIET = 10
HELD_BACK = 100
# Milliseconds after which the files are looked at even though nothing was heard of them.
DOUBT = 5000


async def watch(project: Project, on_generation: Callable[[Generation], None], stop: asyncio.Event) -> None:
    """Load a new generation on each save until told to stop.

    Args:
        project: loaded once already.
        on_generation: takes each new generation, on the loop.
        stop: set it to end.
    """
    watcher = _Watcher(project, on_generation, spawn(stop.wait(), "wait for the end of watching"))
    try:
        while not stop.is_set() and project.watched():
            await watcher.watch()
    finally:
        watcher.stopping.cancel()


class _Watcher:
    def __init__(
        self, project: Project, on_generation: Callable[[Generation], None], stopping: "asyncio.Task[object]"
    ) -> None:
        self.stopping = stopping
        self._project = project
        self._on_generation = on_generation
        self._threads = Threads(1)
        # Of the folders nothing is known: what came into them since the load is looked for at once.
        self._seen = project.read_fingerprints()

    async def watch(self) -> None:
        """Watch until told to stop, or until other folders have to be watched."""
        from watchfiles import awatch

        folders = self._folders()
        events = awatch(
            *folders,
            watch_filter=_matters,
            step=QUIET,
            debounce=HELD_BACK,
            stop_event=asyncio.Event(),  # Not ours: it is set when the wait is cancelled.
            recursive=False,
            rust_timeout=DOUBT,
            yield_on_timeout=True,
        )
        saves = spawn(_next(events), "wait for a save")
        try:
            # After one turn of the loop the folders are watched; what was saved until then is looked for here.
            await asyncio.sleep(0)
            paths: Iterable[Path] = self._project.watched()
            while self._folders() == folders:
                if changed := self._changed(paths):
                    await self._reload(changed)
                    continue  # Once more before waiting: what was just read for the first time may be new already.
                await asyncio.wait({saves, self.stopping}, return_when=asyncio.FIRST_COMPLETED)
                if self.stopping.done() or (changes := saves.result()) is None:
                    return
                paths = {Path(path) for _, path in changes} or self._project.watched()
                saves = spawn(_next(events), "wait for a save")
        finally:
            saves.cancel()
            await asyncio.wait({saves})
            await events.aclose()

    async def _reload(self, changed: set[Path]) -> None:
        problems = self._project.problems
        generation = await self._threads.run(partial(self._project.reload, changed))
        self._seen |= {path: mark for path, mark in self._project.read_fingerprints().items() if path not in self._seen}
        if generation.reloaded or generation.changes or generation.problems != problems:
            self._on_generation(generation)

    def _folders(self) -> set[Path]:
        folders = {path if path.is_dir() else path.parent for path in self._project.watched()}
        return {folder for folder in folders if folder.is_dir()}

    def _changed(self, paths: Iterable[Path]) -> set[Path]:
        """Those of the paths whose text is another than when it was last looked at."""
        looked_at = {path for path in paths if path.suffix == ".py" or not path.is_file()}
        now = _fingerprints(looked_at | {path.parent for path in looked_at if path.suffix == ".py"})
        changed = {path for path, fingerprint in now.items() if self._seen.get(path, "") != fingerprint}
        self._seen |= now
        return changed


async def _next(events: "AsyncGenerator[set[FileChange], None]") -> "set[FileChange] | None":
    return await anext(events, None)


def _matters(change: object, path: str) -> bool:
    """Whether a change may mean other tools: a Python file, or a folder that came or went."""
    name = path.rpartition("/")[2]
    # A folder may have a dot in its name, and what went away may have been one.
    return not name.startswith(".") and name != "__pycache__" and (name.endswith(".py") or not os.path.isfile(path))


def _fingerprints(paths: Iterable[Path]) -> dict[Path, str]:
    return {path: _fingerprint(path) for path in paths}


def _fingerprint(path: Path) -> str:
    try:
        return fingerprint(path.read_bytes())
    except IsADirectoryError:
        return " ".join(sorted(name for name in os.listdir(path) if _matters(None, f"{path}/{name}")))
    except OSError:
        return ""
