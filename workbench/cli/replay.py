"""`workbench replay`: send the requests of a capture again, and show which responses differ."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from server_core.errors import ConfigurationError
from workbench.cli import console, output
from workbench.cli.capture_files import find
from workbench.cli.command_run import DONE, FAILED, guarded, run
from workbench.cli.options import TARGET_HELP, HeaderOption, JsonOption, NoRulesOption, UrlOption, target_of
from workbench.client.target import Era

if TYPE_CHECKING:
    from workbench.client.target import Target
    from workbench.model.traffic.filter import Filter
    from workbench.replay.recording import Recording
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
    first: Annotated[
        int | None, typer.Option("--from", metavar="N", min=1, help="Skip the requests before record N.")
    ] = None,
    last: Annotated[
        int | None, typer.Option("--to", metavar="N", min=1, help="Skip the requests after record N.")
    ] = None,
    only: Annotated[
        str, typer.Option("--only", metavar="FILTER", help="Skip the requests that a filter of the Inspector hides.")
    ] = "",
    is_stepped: Annotated[
        bool, typer.Option("--step", help="Ask before each request whether to send, change or skip it.")
    ] = False,
    no_rules: NoRulesOption = False,
    as_json: JsonOption = False,
) -> int:
    """Send the requests of a capture again, and show which responses differ."""

    def replay() -> int:
        named = project is not None or url or header or context.obj
        target = target_of(context, project, url, headers=header) if named else None
        order = ReplayOrder(find(capture), target, era, first, last, only, is_stepped, as_json, not no_rules)
        return run(replay_capture(order))

    return guarded(replay)


command.__doc__ = f"{command.__doc__} {TARGET_HELP}"


@dataclass(frozen=True)
class ReplayOrder:
    """What to replay, and how; the arguments of the command."""

    capture: Path
    target: "Target | None"
    era: Era
    first: int | None
    last: int | None
    only: str
    is_stepped: bool
    as_json: bool
    uses_rules: bool = True


async def replay_capture(order: ReplayOrder) -> int:
    from workbench.cli.call_rules import CallRules
    from workbench.cli.line_prompts import Asker
    from workbench.cli.replay_steps import ReplaySteps
    from workbench.cli.server_session import forward_stderr
    from workbench.replay.player import replay

    async with Asker.at_terminal() as asker:
        if order.is_stepped and asker is None:
            raise ConfigurationError("--step asks before each request, and standard input is no terminal.")
        steps = ReplaySteps(asker) if order.is_stepped and asker is not None else None
        report = await replay(
            order.capture,
            order.target,
            order.era,
            on_stderr=forward_stderr,
            prepare=partial(_select, order),
            steer=None if steps is None else steps.steer,
            on_outcome=None if steps is None else steps.show,
            rules_of=(lambda target: lambda questions: CallRules(questions, target)) if order.uses_rules else None,
        )
    for note in report.notes:
        console.warn(note)
    if order.as_json:
        output.print_json(report.to_json())
    else:
        _print_report(report, with_outcomes=steps is None)
    return FAILED if report.differs else DONE


def _select(order: ReplayOrder, recording: "Recording") -> None:
    """Leave out the requests that the options do not name."""
    if order.first is None and order.last is None and not order.only:
        return
    from server_core.records.capture.reader import open_capture
    from workbench.replay.selection import select

    with open_capture(order.capture) as capture:
        select(recording, order.first, order.last, _filter(order.only), capture.records)


def _filter(text: str) -> "Filter | None":
    if not text.strip():
        return None
    from workbench.cli.held_messages import checked_filter
    from workbench.model.traffic.filter import parse_filter

    return parse_filter(checked_filter(text))


def _print_report(report: "ReplayReport", *, with_outcomes: bool) -> None:
    from workbench.model.describe import plural
    from workbench.replay.recording import LeftOut
    from workbench.replay.report import Status

    for outcome in report.outcomes:
        # The user knows what the options leave out.
        if with_outcomes and outcome.status is not Status.SAME and outcome.reason not in [*LeftOut]:
            print_outcome(outcome)
    counts = ", ".join(f"{report.count(status)} {status}" for status in Status)
    output.print_text(f"{plural(len(report.outcomes), 'request')} against {report.target}: {counts}")


def print_outcome(outcome: "ReplayOutcome") -> None:
    first, *rest = outcome.describe()
    is_reason = bool(outcome.reason)
    output.print_text(f"{outcome.title} {outcome.status}{f': {first}' if is_reason else ''}")
    for line in rest if is_reason else (first, *rest):
        output.print_text(f"  {line}")
