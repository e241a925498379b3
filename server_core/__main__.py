"""`python -m server_core`: a core in its own process.

Only what the first response on stdio needs is imported here; the rest is imported with
:mod:`server_core.process.core_run`.
"""

import gc
import sys

# There is hardly any garbage during imports, and collecting it would delay the first response.
gc.disable()

from server_core.errors import ConfigurationError  # noqa: E402
from server_core.process.command_line import USAGE, parse  # noqa: E402
from server_core.process.open_files import ensure_file_limit  # noqa: E402
from server_core.runtime.console import DONE, MISUSED, write  # noqa: E402


def main(argv: list[str]) -> int:
    """Run a core until a terminal, its client or a signal stops it, and return the exit code.

    0: done; 2: wrong usage or configuration; 3: no connection to a server or collector; 130: interrupted.
    """
    try:
        arguments = parse(argv)
    except ConfigurationError as error:
        write(f"workbench: {error}")
        return MISUSED
    if arguments.help:
        write(USAGE)
        return DONE
    if problem := ensure_file_limit():
        write(f"workbench: {problem}")
        return MISUSED
    early = None
    if arguments.stdio and arguments.path is not None and not arguments.otel:
        from server_core.process.early_handshake import answer_early

        early = answer_early(arguments.path)
    from server_core.process.core_run import serve

    # What is imported lives as long as the process, so later collections need not examine it.
    gc.freeze()
    gc.enable()
    return serve(arguments, early=early, ends_process=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
