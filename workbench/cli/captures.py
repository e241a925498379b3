"""`workbench captures`: the captures that are kept on this machine."""

from workbench.cli import narration, output
from workbench.cli.exits import DONE
from workbench.cli.options import JsonOption
from workbench.cli.running import guarded


def command(as_json: JsonOption = False) -> int:
    """List the captures, newest first: what `workbench replay` can play."""
    return guarded(lambda: list_all(as_json))


def list_all(as_json: bool) -> int:
    """Print the captures that are kept and return the exit code."""
    from server_core.capture.listing import list_captures
    from workbench.model.describe import size

    captures = list_captures()
    if as_json:
        output.print_json([capture.to_json() for capture in captures])
    elif captures:
        rows = [("STARTED", "PROJECT", "RECORDS", "SIZE", "PATH")]
        rows += [
            (output.moment(one.started), one.project or "?", f"{one.records:,}", size(one.bytes), str(one.path))
            for one in captures
        ]
        output.print_table(rows)
    else:
        narration.tell("There are no captures yet. Every run of `workbench` and `workbench serve` makes one.")
    return DONE
