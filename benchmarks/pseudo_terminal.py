"""A program in a pseudo-terminal that somebody reads: what it draws is taken as fast as it comes."""

import os
import select
from collections.abc import Callable

from ptyprocess import PtyProcess

LIMIT = 120.0
"""Seconds of silence after which a program has failed."""


def start(command: list[str], environment: dict[str, str] | None = None) -> PtyProcess:
    """Start a program in a terminal of 120 columns and 40 rows."""
    variables = {**os.environ, "TERM": "xterm-256color", **(environment or {})}
    return PtyProcess.spawn(command, env=variables, dimensions=(40, 120))


def read_until(process: PtyProcess, seen_enough: Callable[[bytes], bool]) -> bytes:
    """Read what a program draws, until that is enough or the program ends.

    Args:
        process: the program.
        seen_enough: told all that was drawn so far, or its last part.

    Returns:
        The last that was drawn.

    Raises:
        RuntimeError: when it draws nothing for too long.
    """
    drawn = b""
    while not seen_enough(drawn):
        if not select.select([process.fd], [], [], LIMIT)[0]:
            raise RuntimeError(f"{process.argv} is silent; last it drew {drawn[-500:]!r}")
        try:
            data = os.read(process.fd, 65536)
        except OSError:  # Linux says EIO when the program has gone
            break
        if not data:
            break
        drawn = (drawn + data)[-200_000:]
    return drawn
