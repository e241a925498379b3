"""`workbench lint`: problems of the tools for models and clients."""

from pathlib import Path
from typing import Annotated

import typer

from workbench.cli.command_run import guarded, run
from workbench.cli.linting import lint_server
from workbench.cli.options import (
    TARGET_HELP,
    EraOption,
    HeaderOption,
    InstalledOption,
    JsonOption,
    PackageOption,
    ProjectOption,
    UrlOption,
    target_of,
)
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
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 on advice as well.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Check the definitions for models and clients, and show what each costs. Exits with 1 on warnings."""

    def lint_it() -> int:
        target = target_of(context, project, url, path, header, tool_package, discover_installed)
        return run(lint_server(target, era, strict=strict, as_json=as_json))

    return guarded(lint_it)


command.__doc__ = f"{command.__doc__} {TARGET_HELP}"
