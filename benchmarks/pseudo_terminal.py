"""A program in a pseudo-terminal whose output is read as fast as it arrives."""

import os
import select
from collections.abc import Callable

from ptyprocess import PtyProcess

LIMIT = 120.0
"""The timeout for output of a program, in seconds."""


def start(command: list[str], environment: dict[str, str] | None = None) -> PtyProcess:
    """Start a program in a terminal of 120 columns and 40 rows."""
    # An installed program has its bytecode, also where the environment forbids to write it.
    variables = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", "TERM": "xterm-256color", **(environment or {})}
    return PtyProcess.spawn(command, env=variables, dimensions=(40, 120))


def read_until(process: PtyProcess, seen_enough: Callable[[bytes], bool]) -> bytes:
    """Read the output of a program, until it is sufficient or the program ends.

    Args:
        process: the program.
        seen_enough: returns whether the output so far, or its last part, is sufficient.

    Returns:
        The last part of the output.

    Raises:
        RuntimeError: if there is no output for too long.
    """
    drawn = b""
    while not seen_enough(drawn):
        if not select.select([process.fd], [], [], LIMIT)[0]:
            raise RuntimeError(f"{process.argv} is silent; last it drew {drawn[-500:]!r}")
        try:
            data = os.read(process.fd, 65536)
        except OSError:  # Linux raises EIO once the program has ended
            break
        if not data:
            break
        drawn = (drawn + data)[-200_000:]
    return drawn
