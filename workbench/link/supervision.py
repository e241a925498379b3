"""A core as a child process. :func:`start_core` returns at once, and imports nothing that would delay the terminal."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections import deque
from pathlib import Path
from typing import IO

from server_core.errors import ConfigurationError, ConnectionFailed
from server_core.link.descriptor import Descriptor, descriptor_path
from server_core.runtime.processes import describe_exit, describe_stderr
from server_core.runtime.upstream_options import UpstreamOptions

# Seconds until a new core has to accept terminals.
START_SECONDS = 30.0
# Seconds that a core has to end when asked, before signals are sent.
GRACE_SECONDS = 3.0
MAX_LAST_LINES = 40
_CONFIGURATION = 2


def start_core(
    project: Path | None = None,
    *,
    upstream: list[str] | str | None = None,
    upstream_options: UpstreamOptions | None = None,
    reload: bool = True,
) -> "CoreProcess":
    """Start a core as a child process and return at once; `upstream` is the URL or command of a server to relay."""
    return CoreProcess([*(["--reload"] if reload else []), *_target_arguments(project, upstream)], upstream_options)


class CoreProcess:
    """A core that this process has started; it keeps running when this process ends."""

    def __init__(self, arguments: list[str], upstream_options: UpstreamOptions | None = None) -> None:
        self.id = os.urandom(4).hex()
        self._last_lines: deque[str] = deque(maxlen=MAX_LAST_LINES)
        self._process = subprocess.Popen(
            # With -P the current folder is not on `sys.path`: its `email.py` would replace the standard library's.
            [sys.executable, "-P", "-m", "server_core", "--core-id", self.id, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=None if upstream_options is None else upstream_options.to_environment(),
            # Ctrl+C in the terminal, and the end of the terminal, must not reach the core.
            start_new_session=True,
        )
        assert self._process.stderr is not None
        # A thread, since the core may write before this process has an event loop.
        self._listener = threading.Thread(
            target=_listen, args=(self._process.stderr, self._last_lines), name="core stderr", daemon=True
        )
        self._listener.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    @property
    def exit_code(self) -> int | None:
        """The exit code, or minus the number of the signal that killed the process; None while it runs."""
        return self._process.poll()

    async def descriptor(self) -> Descriptor:
        """Wait until terminals can attach, and return the core's descriptor.

        ConfigurationError with the core's own message if it refused to start; ConnectionFailed if it ended, or took
        too long.
        """
        path = descriptor_path(self.id)
        try:
            async with asyncio.timeout(START_SECONDS):
                while not path.exists():
                    if not self.running:
                        raise self._refusal()
                    await asyncio.sleep(0.01)
        except TimeoutError:
            raise ConnectionFailed(
                f"The core {self.id} is starting, and did not open its link within {START_SECONDS:.0f} seconds. "
                "It may need more time."
            ) from None
        return Descriptor.read(path)

    def post_mortem(self) -> str:
        """Return how it ended and its last lines on stderr; empty while it runs. After a break it gets a moment."""
        try:
            code = self._process.wait(0.5)
        except subprocess.TimeoutExpired:
            return ""
        self._listener.join(0.5)
        how = f"The core {self.id} (process {self.pid}) {describe_exit(code)}."
        return "\n".join([how, *describe_stderr(list(self._last_lines))])

    async def stop(self) -> None:
        from workbench.link.core_stop import stop_core

        # The link may be missing or closed; the process is our child, so signals end it in any case.
        with contextlib.suppress(OSError, ConfigurationError, ConnectionFailed):
            await stop_core(Descriptor.read(descriptor_path(self.id)))
        # Popen checks that the child is not reaped yet, so the signal cannot hit another process.
        for number in (signal.SIGTERM, signal.SIGKILL):
            if not self.running:
                break
            self._process.send_signal(number)
            await self._wait_for_end(GRACE_SECONDS)
        self._listener.join(0.5)

    async def _wait_for_end(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                while self.running:
                    await asyncio.sleep(0.01)
        except TimeoutError:
            pass  # The caller uses a stronger signal next.

    def _refusal(self) -> ConfigurationError | ConnectionFailed:
        self._listener.join(0.5)
        if self.exit_code == _CONFIGURATION:
            return ConfigurationError("\n".join(self._last_lines).removeprefix("workbench: "))
        return ConnectionFailed(self.post_mortem())


def _target_arguments(project: Path | None, upstream: list[str] | str | None) -> list[str]:
    if isinstance(upstream, str):
        return ["--upstream", upstream]
    if upstream:
        return ["--", *upstream]
    return [str(project or Path())]


def _listen(stderr: IO[bytes], last_lines: "deque[str]") -> None:
    """Store the last lines of stderr, and read the pipe so that it never fills up, which would block the core."""
    with stderr:
        for line in stderr:
            last_lines.append(line.decode(errors="replace").rstrip())
