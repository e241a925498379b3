"""The options that several commands share."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from server_core.errors import ConfigurationError
from workbench.cli.package_options import choose_packages
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
NoRulesOption = Annotated[
    bool, typer.Option("--no-rules", help="Do not answer requests of tools by the rules in workbench.yaml.")
]
FreshOption = Annotated[bool, typer.Option("--fresh", help="Start a new core, even if one serves the folder already.")]
TimeoutOption = Annotated[
    float | None,
    typer.Option(
        "--timeout",
        metavar="SECONDS",
        min=0.001,
        help="The limit for each response, the handshake's too; progress extends it, up to ten times.",
        show_default="60 for the handshake",
    ),
]
RunningCoreOption = Annotated[
    str,
    typer.Option(
        "--core",
        metavar="ID",
        help="A core that runs already, by its ID or prefix: its terminals show the messages (see `workbench ps`).",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]

MAX_HEADER_VALUE = 16 * 1024

# RFC 9110 sections 5.1 and 5.5.
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE = re.compile(r"[\x21-\x7E](?:[\t\x20-\x7E]*[\x21-\x7E])?")

TARGET_HELP = "For a stdio server, write `-- COMMAND ARGS...` at the end."


def target_of(
    context: typer.Context,
    project: Path | None,
    url: str,
    path: Path | None = None,
    headers: Sequence[str] | None = None,
    packages: str = "",
    installed: bool = False,
    core: str = "",
) -> Target:
    """Return the server that the options, a plain path, or the command after `--` name."""
    command: Any = context.obj
    if core:
        if project or url or path or headers or packages or installed or command:
            raise ConfigurationError("choose one server: --core names a core, which has its server already")
        return Target(core=core)
    read = tuple(read_header(item) for item in headers or ())
    return choose_packages(Target.choose(project, url, tuple(command or ()), path, read), packages, installed)


def read_header(text: str) -> tuple[str, str]:
    """Return the name and the value of a header `NAME:VALUE`, or `NAME:@FILE`; no error contains the value."""
    name, colon, value = text.partition(":")
    if not colon or not _HEADER_NAME.fullmatch(name):
        raise ConfigurationError("--header must be NAME:VALUE, such as Authorization:@token.txt")
    value = value.strip()
    if value.startswith("@"):
        value = _read_value(Path(value[1:]).expanduser(), name)
    if len(value) > MAX_HEADER_VALUE or not _HEADER_VALUE.fullmatch(value):
        raise ConfigurationError(f"--header {name}: the value must be one line of printable ASCII")
    return name, value


def _read_value(path: Path, name: str) -> str:
    try:
        return path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"--header {name}: {path} cannot be read: {error}") from None
