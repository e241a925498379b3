"""Decide whether a terminal on a folder joins a running core or starts its own. Standard library only."""

import asyncio
import fcntl
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from server_core.link.descriptor import Descriptor, environment_digest
from server_core.runtime.paths import runtime_folder
from server_core.runtime.version import VERSION
from workbench.link.cores import list_cores

TERMINAL_PURPOSE = "link"  # The purpose of a core that was started by a terminal.

LOCK_TIMEOUT = 5.0  # Seconds to wait for another terminal that is about to start a core.
_POLL_SECONDS = 0.01
OWN_CORE = "This terminal has started another core."


@dataclass(frozen=True, slots=True)
class CoreMatch:
    """The core on a folder that a terminal joins, if any, and a message for the user."""

    core: Descriptor | None = None
    notice: str = ""


def find_joinable(project: Path) -> CoreMatch:
    """Find a running core that serves a folder or file with the settings a terminal here would use."""
    unusable: list[str] = []
    serving = [core for core in list_cores(unusable.append) if core.project == str(project.resolve())]
    options = environment_digest()
    for core in serving:
        # A core with other settings, or of another version, would behave in another way than the user expects.
        if core.purpose == TERMINAL_PURPOSE and core.version == VERSION and core.options == options:
            since = time.strftime("%H:%M", time.localtime(core.started))
            return CoreMatch(core, f"Joined the core {core.id}, since {since}. A new one: workbench --fresh")
    if serving:
        return CoreMatch(notice=_explain_new_core(serving[0]))
    return CoreMatch(notice="\n".join([*unusable, OWN_CORE] if unusable else []))


@asynccontextmanager
async def start_lock() -> AsyncIterator[None]:
    """Keep other terminals from searching for a core while this one is about to start it, with a time limit."""
    # The system releases the lock when the file is closed, and so also when this process is killed.
    lock = os.open(runtime_folder() / "opening.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        deadline = time.monotonic() + LOCK_TIMEOUT
        while not _is_locked(lock) and time.monotonic() < deadline:
            await asyncio.sleep(_POLL_SECONDS)
        yield
    finally:
        os.close(lock)


def _is_locked(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _explain_new_core(core: Descriptor) -> str:
    if core.purpose == TERMINAL_PURPOSE:
        why = f"The core {core.id} serves this folder with other settings, another Python or another version."
    else:
        why = f"The core {core.id} serves this folder to clients ({core.purpose}): workbench attach {core.id}"
    return f"{why}\n{OWN_CORE}"
