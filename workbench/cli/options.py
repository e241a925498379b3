"""The options that several commands share."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from workbench.cli.headers import read_header
from workbench.cli.packages import choose_packages
from workbench.client.target import Era, Target

ProjectOption = Annotated[
    Path | None,
    typer.Option("--project", metavar="PATH", help="A folder or file of tools.", show_default="here"),
]
UrlOption = Annotated[str, typer.Option("--url", metavar="URL", help="The URL of a Streamable HTTP server.")]
HeaderOption = Annotated[
    list[str] | None,
    typer.Option(
        "--header",
        metavar="NAME:VALUE",
        help="A header for --url; repeat for more. NAME:@FILE reads the value from a file, for secrets.",
    ),
]
EraOption = Annotated[
    Era,
    typer.Option(
        "--era",
        metavar="ERA",
        help="legacy: with a handshake, up to 2025-11-25. modern: without, from 2026-07-28. auto: by the server.",
    ),
]
PackageOption = Annotated[
    str,
    typer.Option(
        "--tool-package",
        "--package",
        "-p",
        metavar="NAMES",
        help="Serve these installed packages instead of a folder: names with or without arcade_, separated by commas.",
    ),
]
InstalledOption = Annotated[
    bool, typer.Option("--discover-installed", "--all", help="Serve every installed toolkit instead of a folder.")
]
InProcessOption = Annotated[
    bool, typer.Option("--in-process", help="Run the tools in the terminal's process, for debuggers.")
]
FreshOption = Annotated[bool, typer.Option("--fresh", help="Start a new core, even if one serves the folder already.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]

TARGET_HELP = "For a stdio server, write `-- COMMAND ARGS...` at the end."


def target_of(
    context: typer.Context,
    project: Path | None,
    url: str,
    path: Path | None = None,
    headers: Sequence[str] | None = None,
    packages: str = "",
    installed: bool = False,
) -> Target:
    """Return the server that the options, a plain path, or the command after `--` name.

    Raises:
        ConfigurationError: when they name several servers, a header is invalid, or packages are combined with another
            server.
    """
    command: Any = context.obj
    read = tuple(read_header(item) for item in headers or ())
    return choose_packages(Target.choose(project, url, tuple(command or ()), path, read), packages, installed)
