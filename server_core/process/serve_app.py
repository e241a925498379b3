"""Serve an app object from its own file: the implementation of `app.run()`."""

import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from server_core.authoring.run_options import TRANSPORTS, RunOptions
from server_core.errors import ConfigurationError
from server_core.settings import Settings

if TYPE_CHECKING:
    from server_core.authoring.app import MCPApp

NOTHING = 1
"""The exit code of an app without tools, resources and prompts."""


def settings_of_app() -> Settings:
    """Return the settings of an app that is run from its own file.

    Raises:
        SystemExit: when a setting is invalid; the error has been written.
    """
    from server_core.runtime.console import MISUSED, write
    from server_core.serving.backend import app_folder

    try:
        return Settings.of_project(app_folder())
    except ConfigurationError as error:
        write(f"workbench: {error}")
        sys.exit(MISUSED)


def serve_app(app: "MCPApp", options: RunOptions, file: Path | None) -> int:
    """Serve until the client leaves or the process is stopped.

    Args:
        app: the app to serve.
        options: the run options.
        file: the file to load, and to reload when it changes, instead of serving the object itself.

    Returns:
        The exit code of the server.
    """
    from server_core.process.command_line import Arguments
    from server_core.process.core_run import serve
    from server_core.runtime.console import write

    logging.basicConfig(level=app.log_level, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
    if not app.declarations:
        write(
            f"workbench: {app.name} has no tools, resources or prompts; add some with @app.tool, app.add_tool(), "
            "@app.resource, app.add_resource() or @app.prompt."
        )
        return NOTHING
    is_http = TRANSPORTS[options.transport] == "http"
    chosen = Arguments(
        path=file,
        stdio=not is_http,
        http=is_http,
        host=options.host,
        port=options.port,
        reload=file is not None,
    )
    return serve(chosen, app if file is None else None)
