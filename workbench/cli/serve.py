"""`workbench serve`: serve tools without a terminal."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from server_core.errors import ConfigurationError
from workbench.cli import serving_options
from workbench.cli.command_run import guarded
from workbench.cli.options import TARGET_HELP, InstalledOption, PackageOption, ProjectOption, UrlOption, target_of
from workbench.cli.package_options import set_for_this_run
from workbench.cli.serving_options import HOST, PORT, read_env_file, settings_of_flags

if TYPE_CHECKING:
    from server_core.settings import Settings
    from server_core.settings.sources import Flags
    from workbench.client.target import Target


def command(
    context: typer.Context,
    path: Annotated[
        Path | None, typer.Argument(metavar="PATH", help="A folder or file of tools (default: here).")
    ] = None,
    stdio: serving_options.Stdio = False,
    http: serving_options.Http = False,
    host: serving_options.Host = "",
    port: serving_options.Port = None,
    tool_package: PackageOption = "",
    discover_installed: InstalledOption = False,
    show_packages: serving_options.ShowPackages = False,
    name: serving_options.Name = "",
    version: serving_options.Version = "",
    reload: serving_options.Reload = False,
    debug: serving_options.Debug = False,
    otel_enable: serving_options.Otel = False,
    env_file: serving_options.EnvFile = None,
    cwd: Annotated[Path | None, typer.Option("--cwd", metavar="FOLDER", help="The working directory.")] = None,
    project: ProjectOption = None,
    url: UrlOption = "",
) -> int:
    """Serve a project to MCP clients, or relay another server."""

    def serve() -> int:
        from server_core.__main__ import main

        if cwd is not None:
            os.chdir(cwd)
        read_env_file(env_file)
        given = settings_of_flags(name=name, version=version, show_packages=show_packages, debug=debug)
        set_for_this_run(**{setting: text for setting, (_, text) in given.items()})
        target = target_of(context, project, url, path, None, tool_package, discover_installed)
        words = _transport_arguments(stdio, http, host, port, _settings(target, given))
        words += ["--reload"] if reload else []
        words += ["--otel-enable"] if otel_enable else []
        if target.url:
            words += ["--upstream", target.url]
        elif target.command:
            words += ["--", *target.command]
        else:
            words.insert(0, str(target.project))
        return main(words)

    return guarded(serve)


command.__doc__ = f"{command.__doc__} {TARGET_HELP}"


def _settings(target: "Target", given: "Flags") -> "Settings":
    from server_core.settings.sources import read_settings

    return read_settings(target.project, flags=given).settings


def _transport_arguments(stdio: bool, http: bool, host: str, port: int | None, settings: "Settings") -> list[str]:
    """Return the transport arguments: from the options, else the settings, else the defaults."""
    from server_core.authoring.run_options import TRANSPORTS

    if stdio == http:
        transport = "" if stdio else TRANSPORTS.get(settings.server_transport, "")
    else:
        transport = "stdio" if stdio else "http"
    if not transport:
        raise ConfigurationError("choose how to serve: --stdio or --http")
    if transport == "stdio":
        return ["--stdio"]
    set_port = PORT if settings.server_port is None else settings.server_port
    return ["--http", "--host", host or settings.server_host or HOST, "--port", str(set_port if port is None else port)]
