"""The options of `workbench serve` that override settings for a single run; `workbench settings` shows the result."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from server_core.errors import ConfigurationError

HOST, PORT = "127.0.0.1", 8000

Stdio = Annotated[bool, typer.Option("--stdio", help="Serve one client over standard input and output.")]
Http = Annotated[bool, typer.Option("--http", help="Serve clients over Streamable HTTP.")]
Host = Annotated[str, typer.Option("--host", metavar="HOST", help="The address to listen on.", show_default=HOST)]
Port = Annotated[
    int | None,
    typer.Option(
        "--port", metavar="PORT", help="The port; 0 for any free port.", min=0, max=65535, show_default=str(PORT)
    ),
]
ShowPackages = Annotated[bool, typer.Option("--show-packages", help="List the loaded packages with their tools.")]
Name = Annotated[
    str,
    typer.Option("--name", metavar="NAME", help="The name of a server without an app; the prefix of its tools."),
]
Version = Annotated[str, typer.Option("--version", metavar="VERSION", help="The version of a server without an app.")]
Reload = Annotated[bool, typer.Option("--reload", help="Reload files when they change.")]
Debug = Annotated[bool, typer.Option("--debug", help="Write a line for each message to standard error.")]
Otel = Annotated[bool, typer.Option("--otel-enable", help="Send traces and metrics to an OpenTelemetry collector.")]
EnvFile = Annotated[
    Path | None, typer.Option("--env-file", metavar="FILE", help="Read this file instead of the project's .env.")
]

_TRANSPORTS = ("--stdio", "--http")
_SETTINGS: Mapping[str, tuple[str, ...]] = {
    "--name": ("server_name", "toolkit"),
    "--version": ("server_version",),
    "--host": ("server_host",),
    "--port": ("server_port",),
    "--reload": ("server_reload",),
    **dict.fromkeys(_TRANSPORTS, ("server_transport",)),
}
"""Flag -> the settings that it overrides, where their names differ from the flag's."""


def settings_of_flags(**options: str | int | bool | None) -> dict[str, tuple[str, str]]:
    """Return the settings that options, by name with `_` for `-`, override: name -> the flag, and its text."""
    settings: dict[str, tuple[str, str]] = {}
    for name, value in options.items():
        if value is None or value is False or value == "":
            continue
        flag = f"--{name.replace('_', '-')}"
        text = name if flag in _TRANSPORTS else "true" if value is True else str(value)
        for setting in _SETTINGS.get(flag, (name,)):
            settings[setting] = (flag, text)
    return settings


def read_env_file(file: Path | None) -> None:
    """Use this file instead of the project's `.env`, until this process ends."""
    if file is None:
        return
    if not file.is_file():
        raise ConfigurationError(f"there is no file {file}, which --env-file names")
    import os

    from server_core.runtime.env_file import ENV_FILE_VARIABLE

    os.environ[ENV_FILE_VARIABLE] = str(file.absolute())
