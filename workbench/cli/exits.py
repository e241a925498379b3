"""The exit codes, which are API, and the exit code of each error."""

from server_core.errors import ConfigurationError, ConnectionFailed, ToolkitError, WorkbenchError

DONE = 0
FAILED = 1
"""The call failed, or the responses of a replay differ."""
USAGE = 2
"""An argument, a setting, a path, a standard stream or a tool is invalid: trying again is of no use."""
UNREACHABLE = 3
"""The server could not be reached, or the connection was lost: trying again may help."""
BROKEN = 70
"""The terminal failed because of a bug: stderr names the report. 70 is EX_SOFTWARE of sysexits.h."""
INTERRUPTED = 130
"""Ctrl-C, as in shells: 128 + SIGINT."""


def exit_code(error: WorkbenchError) -> int:
    """Return the exit code of a command that ended with this error."""
    if isinstance(error, ConnectionFailed):
        return UNREACHABLE
    return USAGE if isinstance(error, ConfigurationError | ToolkitError) else FAILED
