"""`workbench hold`: messages that match a filter wait, and are released, changed, dropped or answered.

`hold FILTER` holds them as long as it runs. The verbs are commands of their own, which scripts run meanwhile.
"""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from server_core.errors import ConfigurationError
from server_core.runtime.safe_json import parse_json
from workbench.cli import console
from workbench.cli.command_run import guarded, run
from workbench.cli.options import JsonOption

if TYPE_CHECKING:
    from server_core.link.descriptor import Descriptor

DEFAULT_COMMAND = "messages"


class FilterGroup(TyperGroup):
    """A group whose first word may be a filter: `hold tool:greet` is `hold messages tool:greet`."""

    def parse_args(self, context: Any, words: list[str]) -> list[str]:
        if words and words[0] not in {*self.commands, *context.help_option_names}:
            words = [DEFAULT_COMMAND, *words]
        return super().parse_args(context, words)


group = typer.Typer(
    cls=FilterGroup,
    help="Hold messages that match a filter, and release, change, drop or answer them.",
    no_args_is_help=True,
)

IdArgument = Annotated[int, typer.Argument(metavar="ID", help="The number of a held message.")]
IdsArgument = Annotated[list[int], typer.Argument(metavar="ID...", help="The numbers of held messages.")]
CoreOption = Annotated[
    str | None,
    typer.Option(
        "--core",
        metavar="ID",
        help="The ID of a core, or its prefix.",
        show_default="the core of this folder, or the only one",
    ),
]
ProjectOption = Annotated[
    Path | None, typer.Option("--project", metavar="PATH", help="The folder or file that the core serves.")
]


@group.command(DEFAULT_COMMAND)
def messages(
    text: Annotated[str, typer.Argument(metavar="FILTER", help='A filter as in the Inspector; "" holds everything.')],
    core: CoreOption = None,
    project: ProjectOption = None,
    client_timeout: Annotated[
        float,
        typer.Option(
            "--client-timeout", metavar="SECONDS", min=0.1, help="After which time the clients are expected to give up."
        ),
    ] = 60.0,
) -> int:
    """Hold the messages that match, and print each as a line of JSON, until it is interrupted.

    The name of the command may be left out: `workbench hold 'tool:greet dir:in'`. What the other commands do with the
    messages is printed as well. At the end nothing more is held; when the last operator leaves, all messages are
    released.
    """

    async def hold() -> int:
        from workbench.cli.held_messages import checked_filter, print_held

        return await print_held(_find(core, project), checked_filter(text), client_timeout)

    return guarded(lambda: run(hold()))


@group.command("list")
def list_held(core: CoreOption = None, project: ProjectOption = None, as_json: JsonOption = False) -> int:
    """List the messages that wait."""

    async def show() -> int:
        from workbench.cli.held_messages import list_messages

        return await list_messages(_find(core, project), as_json)

    return guarded(lambda: run(show()))


@group.command("release")
def release(ids: IdsArgument, core: CoreOption = None, project: ProjectOption = None) -> int:
    """Deliver messages as they are."""
    return _act("release", ids, core, project)


@group.command("drop")
def drop(ids: IdsArgument, core: CoreOption = None, project: ProjectOption = None) -> int:
    """Deliver nothing: a client waits for its response until its timeout."""
    return _act("drop", ids, core, project)


@group.command("edit")
def edit(
    id: IdArgument,
    text: Annotated[
        str | None, typer.Argument(metavar="TEXT", help="The message to deliver.", show_default="read from stdin")
    ] = None,
    raw: Annotated[bool, typer.Option("--raw", help="Deliver it also if it is not a valid message.")] = False,
    core: CoreOption = None,
    project: ProjectOption = None,
) -> int:
    """Deliver a text instead of a message; both versions are recorded."""
    return _act("edit", [id], core, project, lambda: {"text": _text_or_stdin(text), "raw": raw})


@group.command("duplicate")
def duplicate(
    id: IdArgument,
    copies: Annotated[int, typer.Option("--copies", metavar="N", min=1, max=100, help="How many copies.")] = 1,
    core: CoreOption = None,
    project: ProjectOption = None,
) -> int:
    """Deliver a message, and copies of it."""
    return _act("duplicate", [id], core, project, lambda: {"copies": copies})


@group.command("delay")
def delay(
    id: IdArgument,
    milliseconds: Annotated[float, typer.Argument(metavar="MS", min=0, help="The time from now, in milliseconds.")],
    core: CoreOption = None,
    project: ProjectOption = None,
) -> int:
    """Deliver a message as it is after a time."""
    return _act("delay", [id], core, project, lambda: {"ms": milliseconds})


@group.command("answer")
def answer(
    id: IdArgument,
    result: Annotated[
        str | None, typer.Option("--result", metavar="JSON", help="The result, an object; - reads it from stdin.")
    ] = None,
    error: Annotated[str | None, typer.Option("--error", metavar="TEXT", help="The message of an error.")] = None,
    code: Annotated[int, typer.Option("--code", metavar="CODE", help="The code of the error.")] = -32603,
    core: CoreOption = None,
    project: ProjectOption = None,
) -> int:
    """Respond to a request, which its receiver does not get."""

    def response() -> dict[str, Any]:
        if (result is None) == (error is None):
            raise ConfigurationError("give either --result or --error")
        if error is not None:
            return {"error": {"code": code, "message": error}}
        return {"result": _json_object(sys.stdin.read() if result == "-" else result or "")}

    return _act("answer", [id], core, project, response)


@group.command("clear")
def clear(core: CoreOption = None, project: ProjectOption = None) -> int:
    """Hold nothing more, and release all messages."""

    async def end() -> int:
        from workbench.cli.held_messages import clear_hold

        return await clear_hold(_find(core, project))

    return guarded(lambda: run(end()))


def _act(verb: str, ids: list[int], core: str | None, project: Path | None, params: Any = dict) -> int:
    async def act() -> int:
        from workbench.cli.held_messages import act_on

        return await act_on(_find(core, project), verb, ids, params())

    return guarded(lambda: run(act()))


def _find(core: str | None, project: Path | None) -> "Descriptor":
    from workbench.link.cores import find_core

    if core and project:
        raise ConfigurationError("choose one core: --core ID, or --project PATH")
    return find_core(core, console.warn, project)


def _text_or_stdin(text: str | None) -> str:
    return sys.stdin.read().rstrip("\r\n") if text is None else text


def _json_object(text: str) -> dict[str, Any]:
    try:
        value = parse_json(text)
    except ValueError as error:
        raise ConfigurationError(f"--result is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise ConfigurationError("--result must be a JSON object")
    return value
