"""A core as a child process: start it, find it, see how it ended.

Standard library only, and :func:`start_core` returns at once: the child starts while the terminal still imports.
"""

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
from server_core.runtime.process_groups import describe_exit, describe_stderr

# How long a core may take until terminals can attach, in seconds.
START = 30.0
# How long a core that was asked to end gets before it is made to.
GRACE = 3.0
LAST_WORDS = 40
_CONFIGURATION = 2


def start_core(
    project: Path | None = None, *, upstream: list[str] | str | None = None, reload: bool = True
) -> "CoreProcess":
    """Start a core as a child process and return at once.

    Args:
        project: a folder or file of tools to serve.
        upstream: the URL, or the command, of another server to relay instead.
        reload: load anew what changes on disk.
    """
    return CoreProcess([*(["--reload"] if reload else []), *_what(project, upstream)])


class CoreProcess:
    """A core that this process has started; it goes on when this process ends.

    Args:
        arguments: of `python -m server_core`, without the id.
    """

    def __init__(self, arguments: list[str]) -> None:
        self.id = os.urandom(4).hex()
        self._last_lines: deque[str] = deque(maxlen=LAST_WORDS)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "server_core", "--core-id", self.id, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            # Ctrl+C in the terminal, and its end, are not meant for the core.
            start_new_session=True,
        )
        assert self._process.stderr is not None
        self._listener = threading.Thread(
            target=_listen, args=(self._process.stderr, self._last_lines), name="core stderr", daemon=True
        )
        self._listener.start()

    @property
    def pid(self) -> int:
        """The process of the core."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether the process has not ended yet."""
        return self._process.poll() is None

    @property
    def exit_code(self) -> int | None:
        """How the process ended, minus the number of the signal that killed it; None while it runs."""
        return self._process.poll()

    async def descriptor(self) -> Descriptor:
        """Wait until terminals can attach, and return what they need for that.

        Raises:
            ConfigurationError: when the core refused to start; the message is its own.
            ConnectionFailed: when it ended before, or took too long.
        """
        path = descriptor_path(self.id)
        try:
            async with asyncio.timeout(START):
                while not path.exists():
                    if not self.running:
                        raise self._refusal()
                    await asyncio.sleep(0.01)
        except TimeoutError:
            raise ConnectionFailed(f"The core {self.id} did not open its link within {START:.0f} seconds.") from None
        return Descriptor.read(path)

    def post_mortem(self) -> str:
        """Return how the process ended: its exit code or signal, and the last lines that it wrote to stderr.

        A process whose connection has just broken is given a moment to end; the text is empty while it runs.
        """
        try:
            code = self._process.wait(0.5)
        except subprocess.TimeoutExpired:
            return ""
        self._listener.join(0.5)
        how = f"The core {self.id} (process {self.pid}) {describe_exit(code)}."
        return "\n".join([how, *describe_stderr(list(self._last_lines))])

    async def stop(self) -> None:
        """End the core: ask it over a link, then by signals."""
        from workbench.link.core_stop import stop_core

        # It may have no link yet, or no more; the process is ours, and ends by signals either way.
        with contextlib.suppress(OSError, ConfigurationError, ConnectionFailed):
            await stop_core(Descriptor.read(descriptor_path(self.id)))
        for number in (signal.SIGTERM, signal.SIGKILL):
            if not self.running:
                break
            self._process.send_signal(number)
            await self._ended_within(GRACE)
        self._listener.join(0.5)

    async def _ended_within(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                while self.running:
                    await asyncio.sleep(0.01)
        except TimeoutError:
            pass  # The caller goes on to a stronger means.

    def _refusal(self) -> ConfigurationError | ConnectionFailed:
        self._listener.join(0.5)
        if self.exit_code == _CONFIGURATION:
            return ConfigurationError("\n".join(self._last_lines).removeprefix("workbench: "))
        return ConnectionFailed(self.post_mortem())


def _what(project: Path | None, upstream: list[str] | str | None) -> list[str]:
    if isinstance(upstream, str):
        return ["--upstream", upstream]
    if upstream:
        return ["--", *upstream]
    return [str(project or Path())]


def _listen(stderr: IO[bytes], last_words: "deque[str]") -> None:
    """Keep the last lines, and keep the pipe from filling up, which would stop the core."""
    with stderr:
        for line in stderr:
            last_words.append(line.decode(errors="replace").rstrip())
