"""Messages for users on stderr, escaped because terminals interpret control characters; nothing else writes there."""

import contextlib
import os

from server_core.process import standard_error
from workbench.model.short_text import escaped_lines


def write(text: str) -> None:
    _write(text)


def warn(text: str) -> None:
    _write(f"warning: {text}")


def fail(text: str) -> None:
    _write(f"error: {text}")


def ask(text: str) -> None:
    """Write a prompt for a line of text; the cursor stays after the prompt."""
    _write(text, end=" ")


def _write(text: str, end: str = "\n") -> None:
    # While tools are served in this process, sys.stderr is replaced to record their output; this bypasses it.
    data = (escaped_lines(text) + end).encode("utf-8", "backslashreplace")
    with contextlib.suppress(BrokenPipeError):  # The reader has closed it; the exit code remains.
        while data:
            data = data[os.write(standard_error.descriptor(), data) :]
