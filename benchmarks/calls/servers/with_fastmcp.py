"""The server of fastmcp: on stdio, or over HTTP with a port, and `--json` for answers that are no event streams."""

import sys

import uvicorn
from fastmcp import FastMCP

server: FastMCP[None] = FastMCP("fastmcp")


@server.tool
async def echo(text: str) -> str:
    """Repeat the text."""
    return text


if len(sys.argv) == 1:
    server.run("stdio", show_banner=False, log_level="ERROR")
else:
    app = server.http_app(json_response="--json" in sys.argv)
    uvicorn.run(
        app,
        host="127.0.0.1",
        port=int(sys.argv[1]),
        log_level="error",
        access_log=False,
        # Connections have to outlive the rounds of others.
        timeout_keep_alive=600,
    )
