"""The report of a failed terminal: a file that only its owner can read, and the lines on stderr that name it."""

import os
import platform
import shlex
import sys
import time
from importlib.metadata import version
from pathlib import Path

from server_core.errors import ConfigurationError
from server_core.runtime.paths import reports_folder
from server_core.runtime.version import VERSION
from workbench.cli import console
from workbench.model.terminal_failure import TerminalFailed

_MAX_REPORTS = 20
"""The maximum number of stored reports; the oldest are deleted."""


def write_report(error: TerminalFailed) -> Path | str:
    """Write the report and return its path, or why it could not be written."""
    try:
        return _written(report_text(error))
    except (OSError, ConfigurationError) as problem:
        return f"the report could not be written: {problem}"


def reopening_notice(path: Path | str) -> str:
    """Return the message of the terminal that is opened after a failure."""
    if not isinstance(path, Path):
        return f"Reopened after a failure; {path}"
    # The line is short: the home folder is shown as in a shell.
    home = Path.home()
    shown = Path("~", path.relative_to(home)) if path.is_relative_to(home) else path
    return f"Reopened after a failure; report: {shown}"


def report(error: TerminalFailed, path: Path | str) -> None:
    """Print the failure, the path of the report, and how to continue."""
    at = f" at {error.failure.place}" if error.failure.place else ""
    console.fail(f"the terminal has failed: {error.failure.kind}{at}; this is a bug in workbench")
    if isinstance(path, Path):
        console.write(f"report, without any values: {path}")
    else:
        console.warn(path)
    if error.in_process:
        console.warn("the core ran in the same process and has ended: its sessions, running calls and history are lost")
        command = shlex.join(["workbench", *sys.argv[1:]])
        console.write(f"all messages until then are in the capture (workbench captures); start again with: {command}")
    elif error.core:
        console.write(f"the core keeps running; reconnect with: workbench attach {error.core}")


def report_text(error: TerminalFailed) -> str:
    """Return the text of the report: the failure, its place, the versions and the screen; no values."""
    properties = {
        "workbench": VERSION,
        "python": platform.python_version(),
        "textual": version("textual"),
        "rich": version("rich"),
        "system": platform.platform(),
        "terminal": f"{error.size[0]} x {error.size[1]}, TERM={os.environ.get('TERM', '')}",
        "shown": error.shown,
    }
    return "\n".join([*(f"{name}: {value}" for name, value in properties.items()), "", *error.failure.lines(), ""])


def _written(text: str) -> Path:
    folder = reports_folder()
    now = time.time()
    # With milliseconds: a terminal that is opened again may fail within the same second.
    when = f"{time.strftime('%Y%m%dT%H%M%S', time.gmtime(now))}.{int(now % 1 * 1000):03}Z"
    path = folder / f"terminal-{when}-{os.getpid()}.txt"
    with open(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
    for old in sorted(folder.glob("terminal-*.txt"))[:-_MAX_REPORTS]:
        old.unlink(missing_ok=True)
    return path
