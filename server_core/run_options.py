"""How `app.run()` serves: what it was told, else what the environment says, else what the app was made with.

The environment has `ARCADE_SERVER_TRANSPORT`, `ARCADE_SERVER_HOST`, `ARCADE_SERVER_PORT` and `ARCADE_SERVER_RELOAD`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from server_core.errors import ConfigurationError

TRANSPORTS = {"stdio": "stdio", "http": "http", "streamable-http": "http", "streamable": "http"}
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


def choose(given: Mapping[str, Any], made_with: RunOptions, environment: Mapping[str, str]) -> RunOptions:
    """Return how to serve.

    Args:
        given: what `run` was told, by name; None where it was told nothing.
        made_with: what the constructor of the app was told.
        environment: the variables of this process.

    Raises:
        ConfigurationError: when there is no such transport, or a variable makes no sense.
    """
    told = {one.name: given.get(one.name) for one in fields(RunOptions)}
    for name, read in _READERS.items():
        variable = f"ARCADE_SERVER_{name.upper()}"
        if told[name] is None and (text := environment.get(variable, "").strip()):
            told[name] = read(variable, text)
    options = RunOptions(**{name: getattr(made_with, name) if value is None else value for name, value in told.items()})
    if options.transport not in TRANSPORTS:
        raise ConfigurationError(f"Invalid transport: {options.transport}. Use one of {', '.join(TRANSPORTS)}.")
    return options


def _text(variable: str, text: str) -> str:
    return text


def _port(variable: str, text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise ConfigurationError(f"{variable} is {text!r}, but must be a number up to 65535; correct or unset it.")
    return int(text)


def _switch(variable: str, text: str) -> bool:
    if text not in ("0", "1"):
        raise ConfigurationError(f"{variable} is {text!r}, but must be 0 or 1; correct or unset it.")
    return text == "1"


_READERS: dict[str, Callable[[str, str], Any]] = {
    "transport": _text,
    "host": _text,
    "port": _port,
    "reload": _switch,
}
