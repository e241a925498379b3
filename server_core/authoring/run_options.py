"""The options of `app.run()`: from the settings, else from its arguments, else from the constructor of the app.

The settings take precedence, as in Arcade, so that a server can be started with options other than those in its code.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from server_core.errors import ConfigurationError

if TYPE_CHECKING:
    from server_core.settings import Settings

TransportType: TypeAlias = Literal["stdio", "http", "streamable-http", "streamable"]
TRANSPORTS: dict[str, TransportType] = {
    "stdio": "stdio",
    "http": "http",
    "streamable-http": "http",
    "streamable": "http",
}
"""The name of a transport -> its canonical name."""
LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")


@dataclass(frozen=True)
class RunOptions:
    """How to serve an app."""

    transport: str  # a key of TRANSPORTS
    host: str
    port: int  # 0 for any free port
    reload: bool  # whether the file is reloaded when it changes


def choose_options(run_arguments: Mapping[str, Any], app_options: RunOptions, settings: "Settings") -> RunOptions:
    """Return how to serve an app.

    Args:
        run_arguments: the arguments of `run` by name; None for those that were omitted.

    Raises:
        ConfigurationError: when there is no such transport.
    """
    from_settings = {option.name: getattr(settings, f"server_{option.name}") for option in fields(RunOptions)}
    chosen = {
        name: _first_given(value, run_arguments.get(name), getattr(app_options, name))
        for name, value in from_settings.items()
    }
    options = RunOptions(**chosen)
    if options.transport not in TRANSPORTS:
        raise ConfigurationError(f"Invalid transport: {options.transport}. Use one of {', '.join(TRANSPORTS)}.")
    return options


def _first_given(*values: Any) -> Any:
    """Return the first value that is neither None nor empty."""
    return next(value for value in values if value is not None and value != "")
