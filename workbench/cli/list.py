"""`workbench list`: what a server offers."""

import typer

from workbench.cli.listing import list_catalog
from workbench.cli.options import TARGET_HELP, EraOption, HeaderOption, JsonOption, ProjectOption, UrlOption, target_of
from workbench.cli.running import guarded, run
from workbench.client.target import Era


def command(
    context: typer.Context,
    project: ProjectOption = None,
    url: UrlOption = "",
    header: HeaderOption = None,
    era: EraOption = Era.AUTO,
    as_json: JsonOption = False,
) -> int:
    """List the tools, resources and prompts of a server."""
    return guarded(lambda: run(list_catalog(target_of(context, project, url, headers=header), as_json, era)))


command.__doc__ = f"{command.__doc__} {TARGET_HELP}"
