"""`workbench serve`: serve tools without a terminal."""

from pathlib import Path
from typing import Annotated

import typer

from server_core.errors import ConfigurationError
from workbench.cli.options import TARGET_HELP, ProjectOption, UrlOption, target_of
from workbench.cli.running import guarded


def command(
    context: typer.Context,
    path: Annotated[
        Path | None, typer.Argument(metavar="PATH", help="A folder or file of tools (default: here).")
    ] = None,
    stdio: Annotated[bool, typer.Option("--stdio", help="Serve one client over standard input and output.")] = False,
    http: Annotated[bool, typer.Option("--http", help="Serve clients over Streamable HTTP.")] = False,
    host: Annotated[str, typer.Option("--host", metavar="HOST", help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", metavar="PORT", help="The port; 0 for any.", min=0, max=65535)] = 8000,
    reload: Annotated[bool, typer.Option("--reload", help="Load anew what changes on disk.")] = False,
    otel_enable: Annotated[
        bool, typer.Option("--otel-enable", help="Send traces and counts to an OpenTelemetry collector.")
    ] = False,
    project: ProjectOption = None,
    url: UrlOption = "",
) -> int:
    """Serve a project to MCP clients, or stand between them and another server."""

    def serve() -> int:
        from server_core.__main__ import main

        if stdio == http:
            raise ConfigurationError("choose how to serve: --stdio or --http")
        target = target_of(context, project, url, path)
        words = ["--http", "--host", host, "--port", str(port)] if http else ["--stdio"]
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
