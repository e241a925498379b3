"""`workbench list`: the catalog of a server."""

from pathlib import Path
from typing import Annotated

import typer

from workbench.cli.catalog_listing import list_catalog
from workbench.cli.command_run import guarded, run
from workbench.cli.options import (
    TARGET_HELP,
    EraOption,
    HeaderOption,
    InstalledOption,
    JsonOption,
    PackageOption,
    ProjectOption,
    RunningCoreOption,
    TimeoutOption,
    UrlOption,
    target_of,
)
from workbench.cli.saved_order import list_saved_calls
from workbench.client.target import Era


def command(
    context: typer.Context,
    path: Annotated[Path | None, typer.Argument(help="A folder or file of tools.", show_default="here")] = None,
    project: ProjectOption = None,
    url: UrlOption = "",
    header: HeaderOption = None,
    era: EraOption = Era.AUTO,
    tool_package: PackageOption = "",
    discover_installed: InstalledOption = False,
    saved: Annotated[bool, typer.Option("--saved", help="List the saved calls of workbench.yaml instead.")] = False,
    core: RunningCoreOption = "",
    timeout: TimeoutOption = None,
    as_json: JsonOption = False,
) -> int:
    """List the tools, resources and prompts of a server."""

    def list_it() -> int:
        target = target_of(context, project, url, path, header, tool_package, discover_installed, core)
        if saved:
            return list_saved_calls(target, as_json)
        return run(list_catalog(target, as_json, era, timeout))

    return guarded(list_it)


command.__doc__ = f"{command.__doc__} {TARGET_HELP}"
