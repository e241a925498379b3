"""Stop a core that runs, whoever has started it: ask over the link, then by signals."""

import asyncio
import os
import signal
import socket
import struct
from pathlib import Path

from server_core.errors import ConnectionFailed, RemoteError
from server_core.link.descriptor import Descriptor
from workbench.link.remote import RemoteLink

ANSWER = 2.0
"""Seconds that a core gets to take the order."""
GRACE = 12.0
"""Seconds that it gets to end then: running calls have their grace, which is 5 seconds unless the settings say else."""
SIGNAL = 3.0
"""Seconds that it gets to end after SIGTERM."""
KILLED = 10.0
"""Seconds that the system gets to clear away a process after SIGKILL."""
_LOOK = 0.02


async def stop_core(core: Descriptor) -> str:
    """Stop a core, and return once its process has ended.

    Signals go to the process that listened on the core's socket and to no other: what a killed core has left may name
    the number of a process that has nothing to do with it.

    Returns:
        What ended it: "order", "SIGTERM" or "SIGKILL".

    Raises:
        ConnectionFailed: when it goes on all the same, or cannot be told from another process.
    """
    listener = _listener(core)
    if listener is None:
        return "order"
    if listener != core.pid:
        raise ConnectionFailed(f"The process {core.pid} is not the core {core.id}; nothing was stopped.")
    if await _ordered(core) and await _ended_within(core.pid, GRACE):
        return "order"
    for number, seconds in ((signal.SIGTERM, SIGNAL), (signal.SIGKILL, KILLED)):
        try:
            os.kill(core.pid, number)
        except ProcessLookupError:
            return "order"
        except PermissionError:
            break
        if await _ended_within(core.pid, seconds):
            return number.name
    raise ConnectionFailed(f"The core {core.id} (process {core.pid}) does not end.")


async def _ordered(core: Descriptor) -> bool:
    """Ask the core to stop; False when it does not answer."""
    try:
        async with asyncio.timeout(ANSWER):
            link = await RemoteLink.connect(core)
            try:
                await link.request("core/stop")
            finally:
                await link.close()
    except (TimeoutError, RemoteError):
        return False
    except ConnectionFailed:
        return _has_ended(core.pid)
    return True


def _listener(core: Descriptor) -> int | None:
    """Return the process that listens on the core's socket, None where none does."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(core.socket)
        except BlockingIOError:
            return core.pid  # Its queue of connections is full: it is busy, and alive.
        except OSError:
            return None
        if not hasattr(socket, "SO_PEERCRED"):
            return core.pid
        credentials = probe.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        return int(struct.unpack("3i", credentials)[0])


async def _ended_within(pid: int, seconds: float) -> bool:
    try:
        async with asyncio.timeout(seconds):
            while not _has_ended(pid):
                await asyncio.sleep(_LOOK)
    except TimeoutError:
        return False
    return True


def _has_ended(pid: int) -> bool:
    """Whether a process has ended, though whoever has started it may not have taken note of that."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except ProcessLookupError:
        return True
    except OSError:
        return False  # There is no /proc here.


class JoinedCore:
    """A core that another process has started, as a workspace sees it.

    Args:
        descriptor: the core.
    """

    def __init__(self, descriptor: Descriptor) -> None:
        self._descriptor = descriptor

    def post_mortem(self) -> str:
        """Return nothing: only whoever started a process learns how it ended."""
        return ""

    async def stop(self) -> None:
        """Stop the core, by force if need be.

        Raises:
            ConnectionFailed: when it goes on all the same.
        """
        await stop_core(self._descriptor)
