"""`workbench open`, or `workbench [PATH]`: open the terminal on a project or another server."""

from pathlib import Path
from typing import Annotated

import typer

from workbench.cli.command_run import guarded
from workbench.cli.options import (
    TARGET_HELP,
    EraOption,
    FreshOption,
    InProcessOption,
    InstalledOption,
    PackageOption,
    ProjectOption,
    UrlOption,
    target_of,
)
from workbench.client.target import Era


def command(
    context: typer.Context,
    path: Annotated[
        Path | None, typer.Argument(metavar="PATH", help="A folder or file of tools (default: here).")
    ] = None,
    project: ProjectOption = None,
    url: UrlOption = "",
    tool_package: PackageOption = "",
    discover_installed: InstalledOption = False,
    in_process: InProcessOption = False,
    fresh: FreshOption = False,
    era: EraOption = Era.AUTO,
) -> int:
    """Open the terminal on a project, or on another server; `workbench PATH` means the same.

    Joins a core that another terminal has started on the project, if its settings are the same.
    """

    def open_it() -> int:
        from workbench.cli.terminal import open_terminal

        target = target_of(context, project, url, path, None, tool_package, discover_installed)
        return open_terminal(target, in_process=in_process, era=era, fresh=fresh)

    return guarded(open_it)


command.__doc__ = f"{command.__doc__} {TARGET_HELP}"
