"""`workbench replay`: send the requests of a capture again, and show which responses differ."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.cli import console, output
from workbench.cli.capture_files import find
from workbench.cli.command_run import DONE, FAILED, guarded, run
from workbench.cli.options import TARGET_HELP, HeaderOption, JsonOption, UrlOption, target_of
from workbench.client.target import Era

if TYPE_CHECKING:
    from workbench.client.target import Target
    from workbench.replay.report import ReplayOutcome, ReplayReport


def command(
    context: typer.Context,
    capture: Annotated[
        Path, typer.Argument(metavar="CAPTURE", help="A capture file, or a name that `workbench captures` lists.")
    ],
    project: Annotated[
        Path | None,
        typer.Option(
            "--project", metavar="PATH", help="A folder or file of tools.", show_default="the project of the capture"
        ),
    ] = None,
    url: UrlOption = "",
    header: HeaderOption = None,
    era: Annotated[
        Era, typer.Option("--era", metavar="ERA", help="The era of all requests; auto: as recorded.")
    ] = Era.AUTO,
    as_json: JsonOption = False,
) -> int:
    """Send the requests of a capture again, and show which responses differ."""

    def replay() -> int:
        named = project is not None or url or header or context.obj
        target = target_of(context, project, url, headers=header) if named else None
        return run(replay_capture(find(capture), target, as_json, era))

    return guarded(replay)


command.__doc__ = f"{command.__doc__} {TARGET_HELP}"


async def replay_capture(capture: Path, target: "Target | None", as_json: bool, era: Era) -> int:
    from workbench.cli.server_session import forward_stderr
    from workbench.replay.player import replay

    report = await replay(capture, target, era, on_stderr=forward_stderr)
    for note in report.notes:
        console.warn(note)
    if as_json:
        output.print_json(report.to_json())
    else:
        _print_report(report)
    return FAILED if report.differs else DONE


def _print_report(report: "ReplayReport") -> None:
    from workbench.model.describe import plural
    from workbench.replay.report import Status

    for outcome in report.outcomes:
        if outcome.status is not Status.SAME:
            _print_outcome(outcome)
    counts = ", ".join(f"{report.count(status)} {status}" for status in Status)
    output.print_text(f"{plural(len(report.outcomes), 'request')} against {report.target}: {counts}")


def _print_outcome(outcome: "ReplayOutcome") -> None:
    first, *rest = outcome.describe()
    is_reason = bool(outcome.reason)
    output.print_text(f"{outcome.title} {outcome.status}{f': {first}' if is_reason else ''}")
    for line in rest if is_reason else (first, *rest):
        output.print_text(f"  {line}")
