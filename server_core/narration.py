"""What a core says to the person who started it, and the exit codes that it says it with; the one writer of stderr.

Names and texts of others are escaped here: a terminal obeys what is printed to it.
"""

import sys

DONE, MISUSED, UNREACHABLE, INTERRUPTED = 0, 2, 3, 130


def tell(text: str) -> None:
    """Say something to the person who started this process."""
    # Compiling its patterns takes a part of the time to the first answer, which needs none of this.
    from server_core.plain import escaped_lines

    print(escaped_lines(text.rstrip()), file=sys.stderr, flush=True)
