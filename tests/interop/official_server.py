"""A server that someone else wrote: the official Python SDK's, over stdio or over HTTP (`--http PORT`)."""

import sys

from mcp.server import MCPServer

server = MCPServer("official")


@server.tool()
def echo(message: str) -> str:
    """Repeat the text."""
    return message


@server.tool()
def divide(a: float, b: float) -> float:
    """Divide a number by another."""
    return a / b


if __name__ == "__main__":
    if "--http" in sys.argv:
        server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[-1]))
    else:
        server.run("stdio")
