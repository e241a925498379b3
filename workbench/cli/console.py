"""The only place that writes to stderr: what a command tells the person while its data goes to stdout.

Whatever a server or a file says is escaped here: a terminal obeys what is printed to it.
"""

import contextlib
import os

from server_core.process import standard_error
from workbench.model.short_text import escaped_lines


def write(text: str) -> None:
    """Say what is going on."""
    _write(text)


def warn(text: str) -> None:
    """Say what is not as it should be, although the command goes on."""
    _write(f"warning: {text}")


def fail(text: str) -> None:
    """Say why the command ends without having done its work."""
    _write(f"error: {text}")


def ask(text: str) -> None:
    """Ask for a line of text: the cursor stays behind the question."""
    _write(text, end=" ")


def _write(text: str, end: str = "\n") -> None:
    # Past what takes the place of standard error while tools are served in this process, and records what they write.
    data = (escaped_lines(text) + end).encode("utf-8", "backslashreplace")
    with contextlib.suppress(BrokenPipeError):  # Nobody reads it; the exit code says the rest.
        while data:
            data = data[os.write(standard_error.descriptor(), data) :]
