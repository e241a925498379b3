"""Serve an app object from its own file: what `app.run()` does."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from server_core.app import MCPApp

TRANSPORTS = {"stdio": "stdio", "http": "http", "streamable-http": "http"}


def serve_app(app: "MCPApp", *, transport: str, host: str, port: int, file: Path | None) -> int:
    """Serve until the client leaves or the process is stopped.

    Args:
        app: what to serve.
        transport: "stdio" or "http".
        host: the address to listen on for HTTP.
        port: the port to listen on for HTTP.
        file: the file to load anew when it changes, instead of serving the object as it is.

    Returns:
        The exit code of the server.
    """
    from server_core.arguments import Arguments
    from server_core.narration import MISUSED, tell
    from server_core.running import serve

    if transport not in TRANSPORTS:
        tell(f"workbench: there is no transport {transport!r}; use one of {', '.join(TRANSPORTS)}.")
        return MISUSED
    kind = TRANSPORTS[transport]
    chosen = Arguments(
        path=file, stdio=kind == "stdio", http=kind == "http", host=host, port=port, reload=file is not None
    )
    return serve(chosen, app if file is None else None)
