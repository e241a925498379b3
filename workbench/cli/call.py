"""`workbench call`: call a tool and print its result."""

from pathlib import Path
from typing import Annotated

import typer

from server_core.errors import ConfigurationError
from workbench.cli.call_arguments import parse_object
from workbench.cli.call_order import CallOrder, call_tool, read_base, read_meta
from workbench.cli.command_run import DONE, guarded, run
from workbench.cli.named_persona import find_persona
from workbench.cli.options import (
    TARGET_HELP,
    EraOption,
    HeaderOption,
    InstalledOption,
    JsonOption,
    NoRulesOption,
    PackageOption,
    ProjectOption,
    RunningCoreOption,
    TimeoutOption,
    UrlOption,
    target_of,
)
from workbench.cli.saved_order import with_saved_call
from workbench.cli.tool_help import print_tool_help
from workbench.client.target import Era


def command(
    context: typer.Context,
    tool: Annotated[
        str, typer.Argument(metavar="TOOL", help="The name of the tool, or of its function; not with --saved.")
    ] = "",
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="KEY=VALUE...", help="Arguments: key=value by the type in the schema, key:=json for any JSON."
        ),
    ] = None,
    saved: Annotated[
        str,
        typer.Option(
            "--saved",
            metavar="NAME",
            help="Make this call of workbench.yaml, of a tool, resource or prompt; KEY=VALUE and --args override it.",
        ),
    ] = "",
    args: Annotated[
        str,
        typer.Option(
            "--args",
            metavar="JSON",
            help="Arguments as a JSON object; @FILE reads a file, - stdin. KEY=VALUE overrides it.",
        ),
    ] = "",
    raw: Annotated[
        bool, typer.Option("--raw", help="Send the arguments also if the schema of the tool does not allow them.")
    ] = False,
    answer: Annotated[
        list[str] | None,
        typer.Option("--answer", metavar="JSON", help="Accept an elicitation with this content; repeat for more."),
    ] = None,
    accept: Annotated[bool, typer.Option("--accept", help="Accept elicitations with their defaults.")] = False,
    sample: Annotated[
        str | None, typer.Option("--sample", metavar="TEXT", help="Answer sampling requests with this text.")
    ] = None,
    persona: Annotated[
        str,
        typer.Option("--persona", metavar="NAME", help="Call as another client, such as cursor."),
    ] = "",
    no_rules: NoRulesOption = False,
    meta: Annotated[
        list[str] | None,
        typer.Option("--meta", metavar="KEY=VALUE", help="Set a member of _meta; repeat for more."),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(
            "--save", metavar="FILE", help="Write the image, audio, resource or text of the result to this file."
        ),
    ] = None,
    project: ProjectOption = None,
    url: UrlOption = "",
    header: HeaderOption = None,
    era: EraOption = Era.AUTO,
    tool_package: PackageOption = "",
    discover_installed: InstalledOption = False,
    core: RunningCoreOption = "",
    timeout: TimeoutOption = None,
    as_json: JsonOption = False,
    wants_help: Annotated[
        bool, typer.Option("--help", "-h", help="Show this message, or with a TOOL its parameters, and exit.")
    ] = False,
) -> int:
    """Call a tool and print its result.

    A call on a project starts a core of its own, unless --core ID names one that runs.
    """
    if wants_help and not tool:
        print(context.get_help())
        return DONE

    def call() -> int:
        target = target_of(context, project, url, None, header, tool_package, discover_installed, core)
        order = CallOrder(
            target=target,
            tool=_tool(tool, saved),
            # Without a tool, the first word is an argument.
            words=(*([tool] if saved and tool else []), *(words or ())),
            base=read_base(args),
            answers=tuple(parse_object(text, "--answer") for text in answer or ()),
            accept=accept,
            sample=sample,
            uses_rules=not no_rules,
            persona=find_persona(target, persona),
            meta=read_meta(meta or ()),
            save=save,
            raw=raw,
            as_json=as_json,
            era=era,
            timeout=timeout,
        )
        if wants_help:
            return run(print_tool_help(order))
        return run(call_tool(with_saved_call(order, saved) if saved else order))

    return guarded(call)


def _tool(tool: str, saved: str) -> str:
    if saved and tool and "=" not in tool:
        raise ConfigurationError(f"choose one: the tool {tool!r}, or --saved {saved!r}")
    if not saved and not tool:
        raise ConfigurationError("name a TOOL, or a saved call with --saved NAME; see `workbench call --help`")
    return tool


command.__doc__ = f"{command.__doc__} {TARGET_HELP}"
