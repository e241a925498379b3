"""`workbench captures`: the captures that are stored on this machine."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.cli import console, output
from workbench.cli.command_run import DONE, guarded
from workbench.cli.options import JsonOption

if TYPE_CHECKING:
    from server_core.records.capture.capture_listing import CaptureInfo
    from server_core.settings import Settings


def command(
    as_json: JsonOption = False,
    prune: Annotated[
        bool, typer.Option("--prune", help="Delete the oldest captures that are over the limits now.")
    ] = False,
    delete: Annotated[
        list[Path] | None, typer.Option("--delete", metavar="CAPTURE", help="Delete this capture; repeat for more.")
    ] = None,
) -> int:
    """List the captures for `workbench replay`, newest first."""
    if delete:
        return guarded(lambda: delete_all(delete))
    return guarded(prune_all if prune else lambda: list_all(as_json))


def list_all(as_json: bool) -> int:
    from server_core.records.capture.capture_listing import list_captures
    from workbench.model.describe import size

    captures = list_captures()
    if as_json:
        output.print_json([capture.to_json() for capture in captures])
    elif captures:
        rows = [("STARTED", "PROJECT", "RECORDS", "SIZE", "PATH")]
        rows += [
            (
                output.timestamp(capture.started),
                capture.project or "?",
                _records(capture),
                size(capture.bytes),
                str(capture.path),
            )
            for capture in captures
        ]
        output.print_table(rows)
        for problem in filter(None, (capture.problem for capture in captures)):
            console.warn(problem)
        count, limits = len(captures), _limits(_settings())
        console.write(f"{_captures(count)}, {size(sum(capture.bytes for capture in captures))}; {limits}.")
    else:
        console.write("There are no captures yet. Every run of `workbench` and `workbench serve` makes one.")
    return DONE


def prune_all() -> int:
    """Delete the captures beyond the limits."""
    from server_core.records.capture.pruning import prune
    from workbench.model.describe import size

    settings = _settings()
    pruned = prune(settings.max_captures, settings.max_captures_bytes)
    if pruned.problem:
        console.warn(pruned.problem)
    console.write(f"Deleted {_captures(len(pruned.paths))}, {size(pruned.bytes)}; {_limits(settings)}.")
    return DONE


def delete_all(captures: list[Path]) -> int:
    from server_core.records.capture.pruning import delete

    for capture in captures:
        path = find(capture)
        delete(path)
        console.write(f"Deleted {path}.")
    return DONE


def find(capture: Path) -> Path:
    """Return the path of a capture, which may be given by its name only."""
    from server_core.runtime.paths import captures_folder

    stored = captures_folder() / capture.name
    return stored if not capture.exists() and stored.exists() else capture


def _settings() -> "Settings":
    from server_core.settings import Settings

    return Settings.of_project(Path.cwd())


def _limits(settings: "Settings") -> str:
    from workbench.model.describe import size

    most, most_bytes = _captures(settings.max_captures), size(settings.max_captures_bytes)
    return f"the oldest are deleted above {most} or {most_bytes}"


def _captures(count: int) -> str:
    from workbench.model.describe import plural

    return plural(count, "capture")


def _records(capture: "CaptureInfo") -> str:
    return f"{capture.records:,}" + (f" ({capture.lost:,} lost)" if capture.lost else "")
