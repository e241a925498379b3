"""Arcade's two factory functions: a catalog as an ASGI application, and the tools of a folder served over HTTP."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from server_core.authoring.app import MCPApp

if TYPE_CHECKING:
    from server_core.authoring.tool_catalog import ToolCatalog
    from server_core.process.asgi_app import MountedApp
    from server_core.settings import MCPSettings


def app_of(catalog: "ToolCatalog", mcp_settings: "MCPSettings | None" = None, **options: Any) -> MCPApp:
    """Return an app with the current tools of a catalog, each in its own toolkit.

    Args:
        mcp_settings: the identity of the server, as far as the options do not set it.
    """
    server = mcp_settings.server if mcp_settings is not None else None
    identity = {name: getattr(server, name, None) for name in ("name", "version", "title", "instructions")}
    app = MCPApp(**{**{name: value for name, value in identity.items() if value is not None}, **options})
    for tool in catalog:
        app.tools.add(tool)
    return app


def create_arcade_mcp(
    catalog: "ToolCatalog", mcp_settings: "MCPSettings | None" = None, **options: Any
) -> "MountedApp":
    """Return the tools of a catalog as an ASGI application, whose endpoint is `/mcp`.

    Args:
        catalog: the tools.
        mcp_settings: the identity of the server, as far as the options do not set it.
        options: those of :class:`MCPApp`.
    """
    return app_of(catalog, mcp_settings, **options).http_app()


def run_arcade_mcp(host: str = "127.0.0.1", port: int = 8000, reload: bool = False) -> None:
    """Serve the tools of the working directory over HTTP until the process is stopped.

    Args:
        host: the address to listen on.
        port: the port; 0 for any free port.
        reload: reload files that change.

    Raises:
        SystemExit: with the exit code of the server, unless that is 0.
    """
    from server_core.process.command_line import Arguments
    from server_core.process.core_run import serve

    if code := serve(Arguments(path=Path.cwd(), http=True, host=host, port=port, reload=reload)):
        sys.exit(code)
