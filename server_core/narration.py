"""What a core says to the person who started it, and the exit codes that it says it with; the one writer of stderr."""

import sys

DONE, MISUSED, UNREACHABLE, INTERRUPTED = 0, 2, 3, 130


def tell(text: str) -> None:
    """Say something to the person who started this process."""
    print(text.rstrip(), file=sys.stderr, flush=True)
