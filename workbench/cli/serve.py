"""`workbench serve`: serve tools without a terminal."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from server_core.errors import ConfigurationError
from workbench.cli.options import TARGET_HELP, InstalledOption, PackageOption, ProjectOption, UrlOption, target_of
from workbench.cli.packages import set_for_this_run
from workbench.cli.running import guarded

if TYPE_CHECKING:
    from server_core.settings import Settings
    from workbench.client.target import Target

HOST, PORT = "127.0.0.1", 8000


def command(
    context: typer.Context,
    path: Annotated[
        Path | None, typer.Argument(metavar="PATH", help="A folder or file of tools (default: here).")
    ] = None,
    stdio: Annotated[bool, typer.Option("--stdio", help="Serve one client over standard input and output.")] = False,
    http: Annotated[bool, typer.Option("--http", help="Serve clients over Streamable HTTP.")] = False,
    host: Annotated[
        str, typer.Option("--host", metavar="HOST", help="The address to listen on.", show_default=HOST)
    ] = "",
    port: Annotated[
        int | None,
        typer.Option("--port", metavar="PORT", help="The port; 0 for any.", min=0, max=65535, show_default=str(PORT)),
    ] = None,
    tool_package: PackageOption = "",
    discover_installed: InstalledOption = False,
    show_packages: Annotated[
        bool, typer.Option("--show-packages", help="Say which packages were loaded, with their tools.")
    ] = False,
    name: Annotated[
        str,
        typer.Option("--name", metavar="NAME", help="The name of a server without an app; its tools begin with it."),
    ] = "",
    version: Annotated[
        str, typer.Option("--version", metavar="VERSION", help="The version of a server without an app.")
    ] = "",
    reload: Annotated[bool, typer.Option("--reload", help="Load anew what changes on disk.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Write a line for each message on standard error.")] = False,
    otel_enable: Annotated[
        bool, typer.Option("--otel-enable", help="Send traces and counts to an OpenTelemetry collector.")
    ] = False,
    env_file: Annotated[
        Path | None, typer.Option("--env-file", metavar="FILE", help="Read this instead of the project's .env.")
    ] = None,
    cwd: Annotated[Path | None, typer.Option("--cwd", metavar="FOLDER", help="Work in this folder.")] = None,
    project: ProjectOption = None,
    url: UrlOption = "",
) -> int:
    """Serve a project to MCP clients, or stand between them and another server."""

    def serve() -> int:
        from server_core.__main__ import main

        if cwd is not None:
            os.chdir(cwd)
        if env_file is not None:
            from server_core.env_file import ENV_FILE_VARIABLE

            os.environ[ENV_FILE_VARIABLE] = str(env_file.absolute())
        set_for_this_run(
            server_name=name,
            toolkit=name,
            server_version=version,
            show_packages="true" if show_packages else "",
            debug="true" if debug else "",
        )
        target = target_of(context, project, url, path, None, tool_package, discover_installed)
        words = _how(stdio, http, host, port, _settings(target))
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


def _settings(target: "Target") -> "Settings":
    from server_core.settings import Settings

    return Settings.from_environment() if target.project is None else Settings.of_project(target.project)


def _how(stdio: bool, http: bool, host: str, port: int | None, settings: "Settings") -> list[str]:
    """The words that say how to serve: as the options say, else the settings, else the defaults."""
    from server_core.run_options import TRANSPORTS

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
