"""`workbench demo`: open the terminal on the demo project."""

from workbench.cli.command_run import guarded
from workbench.cli.options import EraOption, FreshOption, InProcessOption
from workbench.client.target import Era


def command(in_process: InProcessOption = False, fresh: FreshOption = False, era: EraOption = Era.AUTO) -> int:
    """Open the terminal on the demo project."""

    def open_it() -> int:
        from workbench.cli.terminal import open_demo

        return open_demo(in_process=in_process, era=era, fresh=fresh)

    return guarded(open_it)
