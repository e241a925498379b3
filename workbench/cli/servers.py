"""`workbench servers`: the servers used before, and those in the configuration files of known clients."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench.cli import console, output
from workbench.cli.command_run import DONE, guarded
from workbench.cli.options import JsonOption

if TYPE_CHECKING:
    from workbench.model.servers.known_server import KnownServer


def command(
    path: Annotated[
        Path | None, typer.Argument(metavar="PATH", help="The folder of a project (default: here).")
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """List the servers that were opened before, and those in the files of known MCP clients, which are only read.

    The clients are Claude Code, Claude Desktop, Cursor, VS Code, Windsurf and Zed; also `mcp.json` in the folder. Of
    variables and headers only the names are shown.
    """
    return guarded(lambda: _list(path or Path.cwd(), as_json))


def _list(folder: Path, as_json: bool) -> int:
    from workbench.workspace.known_servers import known_servers

    servers = known_servers(folder)
    if as_json:
        output.print_json([_describe(server) for server in servers])
        return DONE
    usable = [server for server in servers if not server.problem]
    if usable:
        rows = [("NAME", "SOURCE", "SERVER", "FILE")]
        rows += [(server.name, server.source, server.target, server.place or "-") for server in usable]
        output.print_table(rows)
    for server in servers:
        if server.problem:
            name = f" {server.name!r}" if server.name else ""
            console.warn(f"{server.place}: {server.source}{name}: {server.problem}")
    if not servers:
        console.write("No server is known yet: open one with workbench --url URL, or workbench -- COMMAND.")
    return DONE


def _describe(server: "KnownServer") -> dict[str, Any]:
    return {
        "name": server.name,
        "source": server.source,
        "server": server.target,
        "env": sorted(server.env),
        "headers": sorted(server.headers),
        "folder": server.folder or None,
        "file": server.file or None,
        "line": server.line or None,
        "used": server.used or None,
        "problem": server.problem or None,
    }
