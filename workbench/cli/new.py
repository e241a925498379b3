"""`workbench new`: make a project from a template."""

from pathlib import Path
from typing import Annotated

import typer

from workbench.cli import console, output
from workbench.cli.command_run import DONE, guarded


def command(
    name: Annotated[
        Path, typer.Argument(metavar="NAME", help="The name of the project, or a path that ends in it.", exists=False)
    ],
    template: Annotated[
        str,
        typer.Option(
            "--template",
            metavar="NAME",
            help="The template: `demo`, a small café with every feature, or `minimal`, one tool with its test.",
        ),
    ] = "demo",
) -> int:
    """Create a project in a new folder."""

    def create() -> int:
        import scaffolds

        folder = scaffolds.create(template, name.name, name)
        output.print_text(str(folder))
        console.write(f"Created {folder}. Open it: workbench {folder}")
        console.write(f"Run its tests, with pytest installed: cd {folder} && python -m pytest")
        return DONE

    return guarded(create)
