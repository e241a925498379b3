"""Serve an app object from its own file: the implementation of `app.run()`."""

import logging
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from server_core.authoring.run_options import TRANSPORTS, RunOptions, choose_options
from server_core.errors import ConfigurationError
from server_core.settings import Settings

if TYPE_CHECKING:
    from server_core.authoring.app import MCPApp

# The exit code of an app without tools, resources and prompts.
NOTHING_TO_SERVE = 1


def run_app(app: "MCPApp", run_arguments: Mapping[str, Any]) -> None:
    """Serve an app; arguments and errors are those of :meth:`MCPApp.run`, None for an argument that was omitted."""
    app_options = RunOptions(app.transport, app.host, app.port, app.reload)
    options = choose_options(run_arguments, app_options, _read_settings())
    if code := _serve_app(app, options, _main_file() if options.reload else None):
        sys.exit(code)


def _read_settings() -> Settings:
    """Return the settings of an app that is run from its own file; exit when a setting is invalid."""
    from server_core.runtime.console import MISUSED, write
    from server_core.serving.backend import app_folder

    try:
        return Settings.of_project(app_folder())
    except ConfigurationError as error:
        write(f"workbench: {error}")
        sys.exit(MISUSED)


def _serve_app(app: "MCPApp", options: RunOptions, file: Path | None) -> int:
    """Serve an app, or the file if given, until its end, and return the exit code."""
    from server_core.process.command_line import Arguments
    from server_core.process.core_run import serve
    from server_core.runtime.console import write

    logging.basicConfig(level=app.log_level, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
    if not app.declarations:
        write(
            f"workbench: {app.name} has no tools, resources or prompts; add some with @app.tool, app.add_tool(), "
            "@app.resource, app.add_resource() or @app.prompt."
        )
        return NOTHING_TO_SERVE
    is_http = TRANSPORTS[options.transport] == "http"
    arguments = Arguments(
        path=file,
        stdio=not is_http,
        http=is_http,
        host=options.host,
        port=options.port,
        reload=file is not None,
    )
    return serve(arguments, app if file is None else None)


def _main_file() -> Path | None:
    file = getattr(sys.modules.get("__main__"), "__file__", None)
    return None if file is None else Path(file).resolve()
