"""The user's editor: which command opens a file at a line."""

import os
import shlex
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_COLON_LINE = {"code", "codium", "cursor", "windsurf", "subl", "zed", "hx", "helix"}
_NEEDS_GOTO = {"code", "codium", "cursor", "windsurf"}
_NEEDS_WAIT = {"code", "codium", "cursor", "windsurf", "subl", "zed"}


def editor_command(file: str, line: int) -> list[str]:
    """Return the command that opens a file at a line: `$VISUAL`, else `$EDITOR`, else vi.

    Args:
        file: the file.
        line: from 1.
    """
    words = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi")
    name = Path(words[0]).stem
    if name not in _COLON_LINE:
        return [*words, f"+{line}", file]
    flags = ["--wait"] if name in _NEEDS_WAIT and not {"-w", "--wait"} & set(words) else []
    flags += ["--goto"] if name in _NEEDS_GOTO else []
    return [*words, *flags, f"{file}:{line}"]


@contextmanager
def interrupts_end_the_editor() -> Iterator[None]:
    """Leave Ctrl-C to an editor that runs in the terminal, or that waits for its window, as `code --wait` does."""
    # Not SIG_IGN: the editor would inherit it.
    before = signal.signal(signal.SIGINT, lambda number, frame: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
