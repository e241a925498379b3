"""Stop a running core: with a request over the link first, then with signals."""

import asyncio
import os
import signal
import socket
import struct
from pathlib import Path

from server_core.errors import ConnectionFailed, RemoteError
from server_core.link.descriptor import Descriptor
from workbench.link.remote import RemoteLink

ANSWER_SECONDS = 2.0  # For the answer to the request to stop.
GRACE_SECONDS = 12.0  # To end after that: running calls have a grace period, 5 seconds unless the settings change it.
SIGTERM_SECONDS = 3.0  # To end after SIGTERM.
SIGKILL_SECONDS = 10.0  # For the system to remove a process after SIGKILL.
_POLL_SECONDS = 0.02


async def stop_core(core: Descriptor) -> str:
    """Stop a core, and return what ended it: "order", "SIGTERM" or "SIGKILL"; ConnectionFailed if it keeps running.

    Signals go only to the process that listens on the core's socket: the descriptor of a killed core may contain a
    process id that belongs to an unrelated process by now.
    """
    listener = _listener(core)
    if listener is None:
        return "order"
    if listener != core.pid:
        raise ConnectionFailed(f"The process {core.pid} is not the core {core.id}; nothing was stopped.")
    if await _request_stop(core) and await _wait_for_end(core.pid, GRACE_SECONDS):
        return "order"
    for number, seconds in ((signal.SIGTERM, SIGTERM_SECONDS), (signal.SIGKILL, SIGKILL_SECONDS)):
        try:
            os.kill(core.pid, number)
        except ProcessLookupError:
            return "order"  # It ended between the wait and the signal.
        except PermissionError:
            break
        if await _wait_for_end(core.pid, seconds):
            return number.name
    raise ConnectionFailed(f"The core {core.id} (process {core.pid}) does not end.")


async def _request_stop(core: Descriptor) -> bool:
    """Send the request to stop; False when the core does not answer."""
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            link = await RemoteLink.connect(core)
            try:
                await link.request("core/stop")
            finally:
                await link.close()
    except (TimeoutError, RemoteError):
        return False
    except ConnectionFailed:
        # It may have stopped before its response was sent.
        return _has_ended(core.pid)
    return True


def _listener(core: Descriptor) -> int | None:
    """Return the process that listens on the core's socket, None where none does."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(core.socket)
        except BlockingIOError:
            return core.pid  # Its queue of connections is full: it is busy, but alive.
        except OSError:
            return None
        if not hasattr(socket, "SO_PEERCRED"):
            return core.pid  # Only Linux names the listening process; elsewhere the descriptor is trusted.
        # struct ucred: the ids of the process, the user and the group.
        credentials = probe.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        return int(struct.unpack("3i", credentials)[0])


async def _wait_for_end(pid: int, seconds: float) -> bool:
    try:
        async with asyncio.timeout(seconds):
            while not _has_ended(pid):
                await asyncio.sleep(_POLL_SECONDS)
    except TimeoutError:
        return False
    return True


def _has_ended(pid: int) -> bool:
    """Whether a process has ended; a zombie that its parent has not waited for counts as ended."""
    try:
        os.kill(pid, 0)
        # The name of the program, in parentheses, may contain anything: the state follows the last one.
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except ProcessLookupError:
        return True
    except OSError:
        return False  # This system has no /proc.


class JoinedCore:
    """A core that another process has started; it implements `AttachedProcess` of the workspace."""

    def __init__(self, descriptor: Descriptor) -> None:
        self._descriptor = descriptor

    def post_mortem(self) -> str:
        """Return nothing: only the parent of a process learns how it ended."""
        return ""

    async def stop(self) -> None:
        await stop_core(self._descriptor)
