"""`workbench attach`: open the terminal on a running core."""

from typing import Annotated

import typer

from workbench.cli.command_run import guarded
from workbench.cli.options import EraOption
from workbench.client.target import Era


def command(
    core_id: Annotated[
        str | None,
        typer.Argument(metavar="ID", help="The ID of a core, or its prefix (default: the only running core)."),
    ] = None,
    era: EraOption = Era.AUTO,
) -> int:
    """Open the terminal on a running core; `workbench ps` lists them."""

    def open_it() -> int:
        from workbench.cli.terminal import attach

        return attach(core_id, era)

    return guarded(open_it)
