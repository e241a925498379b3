"""Watch the files that a project reads, and load a new generation when one of them is saved.

Folders are watched, not trees: those of the files that were read, and those where new files may appear. Editors save in
many ways (in place, by renaming, through a temporary file); what counts is whether the text is another than before.
"""

import asyncio
import hashlib
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from server_core.catalog.problems import Problem
from server_core.project import Generation, Project
from server_core.threads import Threads

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
    watcher = _Watcher(project)
    while not stop.is_set() and project.watched():
        await watcher.watch(on_generation, stop)


class _Watcher:
    def __init__(self, project: Project) -> None:
        self._project = project
        self._threads = Threads(1)
        self._seen = _fingerprints(project.watched())
        self._problems: tuple[Problem, ...] = ()

    async def watch(self, on_generation: Callable[[Generation], None], stop: asyncio.Event) -> None:
        """Watch until told to stop, or until other folders have to be watched."""
        from watchfiles import awatch

        folders = self._folders()
        events = awatch(
            *folders,
            watch_filter=_matters,
            step=QUIET,
            debounce=HELD_BACK,
            stop_event=stop,
            recursive=False,
            rust_timeout=DOUBT,
            yield_on_timeout=True,
        )
        async for changes in events:
            paths = {Path(path) for _, path in changes} or self._project.watched()
            if not (changed := self._changed(paths)):
                continue
            generation = await self._threads.run(partial(self._project.reload, changed))
            if self._tells_something(generation):
                on_generation(generation)
            if self._folders() != folders:
                return

    def _tells_something(self, generation: Generation) -> bool:
        before, self._problems = self._problems, generation.problems
        return bool(generation.reloaded or generation.changes) or generation.problems != before

    def _folders(self) -> set[Path]:
        folders = {path if path.is_dir() else path.parent for path in self._project.watched()}
        return {folder for folder in folders if folder.is_dir()}

    def _changed(self, paths: Iterable[Path]) -> set[Path]:
        """Those of the paths whose text is another than when it was last looked at."""
        now = _fingerprints(path for path in paths if path.suffix == ".py" or not path.is_file())
        changed = {path for path, fingerprint in now.items() if self._seen.get(path, "") != fingerprint}
        self._seen |= now
        return changed


def _matters(change: object, path: str) -> bool:
    """Whether a change may mean other tools: a Python file, or a folder that came or went."""
    name = path.rpartition("/")[2]
    return not name.startswith(".") and (name.endswith(".py") or "." not in name) and name != "__pycache__"


def _fingerprints(paths: Iterable[Path]) -> dict[Path, str]:
    return {path: _fingerprint(path) for path in paths}


def _fingerprint(path: Path) -> str:
    try:
        return hashlib.blake2b(path.read_bytes(), digest_size=16).hexdigest()
    except IsADirectoryError:
        return "folder"
    except OSError:
        return ""
