"""The user's own editor, which opens a file at a line in the place of the terminal's screen."""

import os
import shlex
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from textual.app import App, SuspendNotSupported

_COLON_LINE = {"code", "codium", "cursor", "windsurf", "subl", "zed", "hx", "helix"}
_NEEDS_GOTO = {"code", "codium", "cursor", "windsurf"}
_NEEDS_WAIT = {"code", "codium", "cursor", "windsurf", "subl", "zed"}


def edit(app: App[Any], file: str, line: int) -> None:
    """Run the user's editor in the terminal until it closes."""
    command = editor_command(file, max(1, line))
    try:
        with app.suspend(), interrupts_end_the_editor():
            subprocess.run(command, check=False)
    except SuspendNotSupported:
        app.notify("This terminal cannot run an editor.", severity="error", markup=False)
    except OSError as error:
        app.notify(f"{command[0]} did not start: {error}. Set $EDITOR.", severity="error", markup=False)


def editor_command(file: str, line: int) -> list[str]:
    """Return the command that opens a file at a line, counted from 1: `$VISUAL`, else `$EDITOR`, else vi."""
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
    # The terminal sends the signal to both processes. Not SIG_IGN: the editor would inherit it.
    before = signal.signal(signal.SIGINT, lambda number, frame: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
