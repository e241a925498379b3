"""`workbench new`: make a project from a template."""

from pathlib import Path
from typing import Annotated

import typer

from workbench.cli import console, output
from workbench.cli.command_run import guarded
from workbench.cli.exits import DONE


def command(
    name: Annotated[
        Path, typer.Argument(metavar="NAME", help="The name of the project, or a path that ends in it.", exists=False)
    ],
    template: Annotated[
        str,
        typer.Option(
            "--template",
            metavar="NAME",
            help="What to begin with: `demo`, a small café that shows everything, or `minimal`, one tool and its test.",
        ),
    ] = "demo",
) -> int:
    """Make a new project in a folder of its name."""

    def create() -> int:
        import scaffolds

        folder = scaffolds.create(template, name.name, name)
        output.print_text(str(folder))
        console.write(f"Made {folder}. Open it: workbench {folder}")
        console.write(f"Its tests, with pytest installed: cd {folder} && python -m pytest")
        return DONE

    return guarded(create)
