"""The user's own editor, which opens a file at a line, or a text, in the place of the terminal's screen."""

import os
import shlex
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from textual.app import App, SuspendNotSupported

from server_core.errors import ConfigurationError
from workbench.tui.notice_app import withdraw

_EDITOR = "editor"  # The topic of notices about the last use of the editor.
_COLON_LINE = {"code", "codium", "cursor", "windsurf", "subl", "zed", "hx", "helix"}
_NEEDS_GOTO = {"code", "codium", "cursor", "windsurf"}
_NEEDS_WAIT = {"code", "codium", "cursor", "windsurf", "subl", "zed"}


def edit(app: App[Any], file: str, line: int) -> bool:
    """Run the user's editor in the terminal until it closes; False, with a notice, if it failed."""
    try:
        command = editor_command(file, max(1, line))
    except ConfigurationError as error:
        app.notify(str(error), title=_EDITOR, severity="error", markup=False)
        return False
    try:
        with app.suspend(), interrupts_end_the_editor():
            status = subprocess.run(command, check=False).returncode
    except SuspendNotSupported:
        app.notify("This terminal cannot run an editor.", title=_EDITOR, severity="error", markup=False)
        return False
    except OSError as error:
        app.notify(f"{command[0]} did not start: {error}. Set $EDITOR.", title=_EDITOR, severity="error", markup=False)
        return False
    if status != 0:
        app.notify(f"{command[0]} ended with status {status}.", title=_EDITOR, severity="warning", markup=False)
    else:
        withdraw(app, _EDITOR)
    return status == 0


def edit_text(app: App[Any], text: str, suffix: str) -> str:
    """Return a text as changed in the editor; `suffix` ends the file's name, from which editors derive the language."""
    if not (os.environ.get("VISUAL") or os.environ.get("EDITOR")):
        reason = "No editor is set. Set $EDITOR before you start the workbench: export EDITOR=vim"
        app.notify(reason, title=_EDITOR, severity="warning", markup=False)
        return text
    # A folder that only this user can read.
    folder = Path(tempfile.mkdtemp(prefix="workbench-"))
    file = folder / f"value{suffix}"
    file.write_bytes(text.encode(errors="replace"))
    is_done = edit(app, str(file), 1)
    edited = _read(file, text)
    if is_done and edited is not None:
        shutil.rmtree(folder, ignore_errors=True)
        return edited
    if edited == text:
        shutil.rmtree(folder, ignore_errors=True)
    else:
        app.notify(
            f"The value is unchanged. What the editor wrote is in {file}.",
            title=_EDITOR,
            severity="warning",
            markup=False,
        )
    return text


def _read(file: Path, before: str) -> str | None:
    """Return the text of a file without the line break that editors add at the end; None if it cannot be read."""
    try:
        edited = file.read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        return None
    return edited if before.endswith("\n") else edited.removesuffix("\n").removesuffix("\r")


def editor_command(file: str, line: int) -> list[str]:
    """Return the command that opens a file at a line, counted from 1: `$VISUAL`, else `$EDITOR`, else vi.

    Raises:
        ConfigurationError: when the variable is no command line.
    """
    try:
        words = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi") or ["vi"]
    except ValueError as error:
        raise ConfigurationError(f"The command of your editor cannot be read: {error}. Set $EDITOR.") from error
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
