"""The command `workbench`."""

import os
import sys
from collections.abc import Sequence

from server_core.process.open_files import ensure_file_limit
from workbench.cli import raw_arguments as command_line
from workbench.cli import standard_streams

_CLOSED = "standard output is closed; leave it open, or discard it with >/dev/null"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit code.

    Args:
        arguments: the words behind the program's name; those of this process when not given.
    """
    if problem := _CLOSED if not standard_streams.reopen_closed() else ensure_file_limit():
        from workbench.cli import console
        from workbench.cli.exits import USAGE

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


if __name__ == "__main__":
    sys.exit(main())
