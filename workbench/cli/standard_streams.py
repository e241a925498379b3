"""Checks the three standard streams, before anything else is opened.

A command may be started with a closed stream (`>&-`). The next file or socket that is opened would get its descriptor,
and a tool that prints would write into it; so a closed stream is replaced first, or the command ends.
"""

import os
import sys

_STDIN, _STDOUT, _STDERR = 0, 1, 2


def reopen_closed() -> bool:
    """Open /dev/null in place of a closed standard input or error; return whether there is a standard output."""
    if not _is_open(_STDIN):
        os.open(os.devnull, os.O_RDONLY)
        sys.stdin = open(_STDIN, encoding="utf-8", closefd=False)  # noqa: SIM115
    has_output = _is_open(_STDOUT)
    if not has_output:
        os.open(os.devnull, os.O_WRONLY)
    if not _is_open(_STDERR):
        os.open(os.devnull, os.O_WRONLY)
        sys.stderr = open(_STDERR, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    return has_output


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True
