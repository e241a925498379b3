"""How `app.run()` serves: what the settings say, else what it was told, else what the app was made with.

The settings win, as with Arcade: whoever starts a server that names its transport in its code can have it another way.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from server_core.errors import ConfigurationError

if TYPE_CHECKING:
    from server_core.settings import Settings

TransportType: TypeAlias = Literal["stdio", "http", "streamable-http", "streamable"]
"""What a transport may be called."""
TRANSPORTS: dict[str, TransportType] = {
    "stdio": "stdio",
    "http": "http",
    "streamable-http": "http",
    "streamable": "http",
}
"""What a transport may be called -> what it is."""
LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")


@dataclass(frozen=True)
class RunOptions:
    """How to serve.

    Attributes:
        transport: "stdio" or "http"; "streamable-http" and "streamable" are the same as the latter.
        host: the address to listen on for HTTP.
        port: the port to listen on for HTTP; 0 for any that is free.
        reload: load the file anew when it changes.
    """

    transport: str
    host: str
    port: int
    reload: bool


def choose(given: Mapping[str, Any], made_with: RunOptions, settings: "Settings") -> RunOptions:
    """Return how to serve.

    Args:
        given: what `run` was told, by name; None where it was told nothing.
        made_with: what the constructor of the app was told.
        settings: those that begin with `server_`.

    Raises:
        ConfigurationError: when there is no such transport.
    """
    set_to = {one.name: getattr(settings, f"server_{one.name}") for one in fields(RunOptions)}
    chosen = {name: _first(value, given.get(name), getattr(made_with, name)) for name, value in set_to.items()}
    options = RunOptions(**chosen)
    if options.transport not in TRANSPORTS:
        raise ConfigurationError(f"Invalid transport: {options.transport}. Use one of {', '.join(TRANSPORTS)}.")
    return options


def _first(*values: Any) -> Any:
    """The first that says something; an empty text says nothing."""
    return next(value for value in values if value is not None and value != "")
