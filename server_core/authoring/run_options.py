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
"""The names of transports."""
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
    """How to serve an app.

    Attributes:
        transport: "stdio" or "http"; "streamable-http" and "streamable" are synonyms of "http".
        host: the address to listen on for HTTP.
        port: the port to listen on for HTTP; 0 for any free port.
        reload: reload the file when it changes.
    """

    transport: str
    host: str
    port: int
    reload: bool


def choose(given: Mapping[str, Any], made_with: RunOptions, settings: "Settings") -> RunOptions:
    """Return how to serve an app.

    Args:
        given: the arguments of `run` by name; None for those that were not given.
        made_with: the arguments of the app's constructor.
        settings: the settings; those that start with `server_` are used.

    Raises:
        ConfigurationError: when there is no such transport.
    """
    set_to = {option.name: getattr(settings, f"server_{option.name}") for option in fields(RunOptions)}
    chosen = {name: _first(value, given.get(name), getattr(made_with, name)) for name, value in set_to.items()}
    options = RunOptions(**chosen)
    if options.transport not in TRANSPORTS:
        raise ConfigurationError(f"Invalid transport: {options.transport}. Use one of {', '.join(TRANSPORTS)}.")
    return options


def _first(*values: Any) -> Any:
    """Return the first value that is neither None nor an empty string."""
    return next(value for value in values if value is not None and value != "")
