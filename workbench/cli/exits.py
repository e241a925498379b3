"""Exit codes are API: what each of them says, and which error leads to which."""

from server_core.errors import ConfigurationError, ConnectionFailed, ToolkitError, WorkbenchError

DONE = 0
FAILED = 1
"""The call failed, or the answers of a replay differ."""
USAGE = 2
"""An argument, a setting, a path, a standard stream or the tools themselves are wrong: trying again is of no use."""
UNREACHABLE = 3
"""The server could not be reached, or went away: trying again may help."""
BROKEN = 70
"""The terminal has failed by a mistake of its own: stderr names the report. 70 is EX_SOFTWARE of sysexits.h."""
INTERRUPTED = 130
"""Ctrl-C, as shells say it: 128 + SIGINT."""


def exit_code(error: WorkbenchError) -> int:
    """Return the exit code of a command that ended with this error."""
    if isinstance(error, ConnectionFailed):
        return UNREACHABLE
    return USAGE if isinstance(error, ConfigurationError | ToolkitError) else FAILED
