"""`workbench [PATH]`, `workbench demo` and `workbench attach`: open the terminal."""

from pathlib import Path
from typing import Annotated

import typer

from workbench.cli.command_run import guarded
from workbench.cli.options import (
    TARGET_HELP,
    EraOption,
    InstalledOption,
    PackageOption,
    ProjectOption,
    UrlOption,
    target_of,
)
from workbench.client.target import Era

InProcessOption = Annotated[
    bool, typer.Option("--in-process", help="Run the tools in the terminal's own process, for debuggers.")
]

FreshOption = Annotated[
    bool, typer.Option("--fresh", help="Start a core of its own, also where one runs on the folder already.")
]


def open_command(
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

    A core that a terminal has started on the project is joined, where it has the same settings.
    """

    def open_it() -> int:
        from workbench.cli.terminal import open_terminal

        target = target_of(context, project, url, path, None, tool_package, discover_installed)
        return open_terminal(target, in_process=in_process, era=era, fresh=fresh)

    return guarded(open_it)


open_command.__doc__ = f"{open_command.__doc__} {TARGET_HELP}"


def demo_command(in_process: InProcessOption = False, fresh: FreshOption = False, era: EraOption = Era.AUTO) -> int:
    """Open the terminal on the demo project."""

    def open_it() -> int:
        from workbench.cli.terminal import open_demo

        return open_demo(in_process=in_process, era=era, fresh=fresh)

    return guarded(open_it)


def attach_command(
    core_id: Annotated[
        str | None, typer.Argument(metavar="ID", help="The id of a core, or its beginning (default: the only one).")
    ] = None,
    era: EraOption = Era.AUTO,
) -> int:
    """Open the terminal on a core that runs already; `workbench ps` lists them."""

    def open_it() -> int:
        from workbench.cli.terminal import attach

        return attach(core_id, era)

    return guarded(open_it)
