"""Whether a terminal on a folder joins a core that serves it already, or has to start one. Standard library only."""

import asyncio
import fcntl
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from server_core.link.descriptor import Descriptor
from server_core.link.options import environment_digest
from server_core.runtime.paths import runtime_folder
from server_core.runtime.version import VERSION
from workbench.link.cores import list_cores

TERMINAL_CORE = "link"
"""The purpose of a core that was started by a terminal."""

PATIENCE = 5.0
"""Seconds to wait for another terminal that is about to start a core."""
_LOOK = 0.01
OWN_CORE = "This terminal has started a core of its own."


@dataclass(frozen=True, slots=True)
class FolderCores:
    """What runs on a folder.

    Attributes:
        core: the core to join; None to start another.
        notice: what the person is told about it; empty where nothing runs there.
    """

    core: Descriptor | None = None
    notice: str = ""


def find_joinable(project: Path) -> FolderCores:
    """Look for a core that serves a folder or file, as a terminal here would start it.

    Raises:
        ConfigurationError: when the runtime folder cannot be used.
    """
    unusable: list[str] = []
    there = [core for core in list_cores(unusable.append) if core.project == str(project.resolve())]
    options = environment_digest()
    for core in there:
        if core.purpose == TERMINAL_CORE and core.version == VERSION and core.options == options:
            since = time.strftime("%H:%M", time.localtime(core.started))
            return FolderCores(
                core, f"Joined the core {core.id}, which has run since {since}. For a fresh one: --fresh"
            )
    if there:
        return FolderCores(notice=_why_not(there[0]))
    return FolderCores(notice="\n".join([*unusable, OWN_CORE] if unusable else []))


@asynccontextmanager
async def start_lock() -> AsyncIterator[None]:
    """Keep other terminals from looking for a core while this one is about to start it, for a while at most.

    Raises:
        ConfigurationError: when the runtime folder cannot be used.
    """
    lock = os.open(runtime_folder() / "opening.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        deadline = time.monotonic() + PATIENCE
        while not _is_locked(lock) and time.monotonic() < deadline:
            await asyncio.sleep(_LOOK)
        yield
    finally:
        os.close(lock)


def _is_locked(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _why_not(core: Descriptor) -> str:
    if core.purpose == TERMINAL_CORE:
        why = f"The core {core.id} serves this folder with other settings, another Python or another version."
    else:
        why = f"The core {core.id} serves this folder to clients ({core.purpose}): workbench attach {core.id}"
    return f"{why}\n{OWN_CORE}"
