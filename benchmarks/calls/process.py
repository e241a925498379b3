"""A server process: started on a separate processor, measured from outside, terminated."""

import os
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import IO

LIMIT = 60.0
"""The timeout of a server, in seconds."""

CLIENT_CPU, SERVER_CPU = 0, 1


class Process:
    """A server that is started for a measurement and terminated after it.

    Args:
        command: the command of the server.
        environment: variables in addition to the environment of this process.
    """

    def __init__(self, command: list[str], environment: dict[str, str] | None = None) -> None:
        self.command = command
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            env={**os.environ, **(environment or {})},
        )
        _pin(self._process.pid, SERVER_CPU)

    def __enter__(self) -> "Process":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stdin.close()
        self._process.terminate()
        try:
            self._process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self.stdout.close()

    @property
    def stdin(self) -> IO[bytes]:
        """The pipe that the server reads."""
        assert self._process.stdin is not None
        return self._process.stdin

    @property
    def stdout(self) -> IO[bytes]:
        """The pipe that the server writes."""
        assert self._process.stdout is not None
        return self._process.stdout

    @property
    def alive(self) -> bool:
        """Whether the process is running."""
        return self._process.poll() is None

    def cpu_seconds(self) -> float:
        """Return the processor time used by all threads of the process so far."""
        # The clock id of another process, as clock_getcpuclockid(3) computes it on Linux.
        return time.clock_gettime((~self._process.pid << 3) | 2)

    def resident_kb(self) -> int:
        """Return the resident memory of the process."""
        status = Path(f"/proc/{self._process.pid}/status").read_text(encoding="ascii")
        line = next(line for line in status.splitlines() if line.startswith("VmRSS:"))
        return int(line.split()[1])


def pin_client() -> None:
    """Pin this process to a processor other than the server's."""
    _pin(0, CLIENT_CPU)


def _pin(pid: int, cpu: int) -> None:
    if hasattr(os, "sched_setaffinity") and (os.cpu_count() or 1) > 1:
        os.sched_setaffinity(pid, {cpu})
