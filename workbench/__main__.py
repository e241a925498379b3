"""The command `workbench`.

It may be started with a closed standard stream (`>&-`). The next file or socket that is opened would get the descriptor
of that stream, and a tool that prints would write into it; so a closed stream is replaced first, or the command ends.
"""

import os
import sys
from collections.abc import Sequence

from server_core.process.open_files import ensure_file_limit
from workbench.cli import raw_arguments as command_line

_STDIN, _STDOUT, _STDERR = 0, 1, 2
_CLOSED = "standard output is closed; leave it open, or discard it with >/dev/null"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line, by default that of this process, and return its exit code."""
    if problem := _CLOSED if not _reopen_closed() else ensure_file_limit():
        from workbench.cli import console
        from workbench.cli.command_run import USAGE

        console.fail(problem)
        return USAGE
    words, server_command = command_line.split(sys.argv[1:] if arguments is None else arguments)
    code = _run(words, server_command)
    if arguments is None and words[0] != "serve":
        # A server limits its own end.
        from workbench.cli.command_run import leave

        leave(code)
    return code


def _run(words: list[str], server_command: list[str]) -> int:
    # Shell completion runs the program to ask the parser what could come next.
    if "_WORKBENCH_COMPLETE" not in os.environ:
        from workbench.cli.quick import run_plain

        code = run_plain(words[0], words[1:], server_command)
        if code is not None:
            return code
    from workbench.cli.command_parser import run

    return run(words, server_command)


def _reopen_closed() -> bool:
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


if __name__ == "__main__":
    sys.exit(main())
