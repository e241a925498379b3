"""`workbench captures`: the captures that are stored on this machine."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from server_core.errors import ConfigurationError
from workbench.cli import console, output
from workbench.cli.capture_files import find, readable
from workbench.cli.command_run import DONE, FAILED, guarded
from workbench.cli.options import JsonOption

if TYPE_CHECKING:
    from server_core.records.capture.capture_listing import CaptureInfo
    from server_core.settings import Settings
    from workbench.model.capture_groups import CaptureGroup

group = typer.Typer(
    help="List, name, pin, search and delete the captures on this machine.", invoke_without_command=True
)

CaptureArgument = Annotated[
    Path, typer.Argument(metavar="CAPTURE", help="A capture file, its file name, or the name that you gave it.")
]
CapturesArgument = Annotated[
    list[Path], typer.Argument(metavar="CAPTURE...", help="Capture files, their file names, or names that you gave.")
]
ServerNameOption = Annotated[
    str | None, typer.Option("--of", metavar="SERVER", help="Only captures of the server with this name.")
]
EveryOption = Annotated[
    bool, typer.Option("--all", help="Show each capture of `workbench call`; else those of a day are one row.")
]


@group.callback()
def callback(context: typer.Context, every: EveryOption = False, as_json: JsonOption = False) -> None:
    """List, name, pin, search and delete the captures on this machine; without a command, they are listed."""
    if context.invoked_subcommand is None:
        raise typer.Exit(guarded(lambda: list_all(as_json, every=every)))


@group.command("list")
def list_command(every: EveryOption = False, as_json: JsonOption = False, server: ServerNameOption = None) -> int:
    """List the captures, newest first."""
    return guarded(lambda: list_all(as_json, server, every=every))


@group.command("show")
def show(capture: CaptureArgument, as_json: JsonOption = False) -> int:
    """Show what is known about a capture, and its note."""

    def describe() -> int:
        info = readable(capture)
        if as_json:
            output.print_json(info.to_json())
        else:
            output.print_text("\n".join(_facts(info)))
        return DONE

    return guarded(describe)


@group.command("rename")
def rename(
    capture: CaptureArgument,
    name: Annotated[str, typer.Argument(metavar="NAME", help='The name of the capture; "" removes it.')],
) -> int:
    """Give a capture a name, which is stored in it."""

    def change() -> int:
        from server_core.records.capture.labels import change_labels, check_name

        path = find(capture)
        change_labels(path, name=name)
        console.write(f"{path.name} is named {check_name(name)}." if name.strip() else f"{path.name} has no name.")
        return DONE

    return guarded(change)


@group.command("pin")
def pin(captures: CapturesArgument) -> int:
    """Pin captures: they are not deleted when they are old."""
    return guarded(lambda: _pin(captures, is_pinned=True))


@group.command("unpin")
def unpin(captures: CapturesArgument) -> int:
    """Remove the pin of captures."""
    return guarded(lambda: _pin(captures, is_pinned=False))


@group.command("note")
def note(
    capture: CaptureArgument,
    text: Annotated[
        str | None, typer.Argument(metavar="TEXT", help='The note; "" removes it. Without it, the note is printed.')
    ] = None,
) -> int:
    """Write a note on a capture, which is stored in it, or print it."""

    def change() -> int:
        from server_core.records.capture.labels import change_labels

        if text is None:
            info = readable(capture)
            output.print_text(info.note)
            return DONE if info.note else FAILED
        path = find(capture)
        change_labels(path, note=text)
        console.write(f"The note of {path.name} is {'stored' if text.strip() else 'removed'}.")
        return DONE

    return guarded(change)


@group.command("delete")
def delete(
    captures: CapturesArgument,
    is_forced: Annotated[bool, typer.Option("--force", help="Delete pinned captures as well.")] = False,
) -> int:
    """Delete captures."""

    def delete_all() -> int:
        from server_core.records.capture.capture_listing import describe_capture
        from server_core.records.capture.pruning import delete

        paths = [find(capture) for capture in captures]
        for path in paths:
            if not is_forced and path.exists() and describe_capture(path).pinned:
                raise ConfigurationError(f"{path} is pinned: unpin it first, or delete it with --force.")
        for path in paths:
            delete(path)
            console.write(f"Deleted {path}.")
        return DONE

    return guarded(delete_all)


@group.command("search")
def search(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The text; the case of ASCII letters does not matter.")],
    server: ServerNameOption = None,
    limit: Annotated[int, typer.Option("--limit", metavar="COUNT", min=1, help="The most matches to show.")] = 100,
    as_json: JsonOption = False,
) -> int:
    """Search for a text in the messages of all captures."""

    def search_captures() -> int:
        from workbench.cli.capture_search import search_all

        return search_all(text, server, limit, as_json)

    return guarded(search_captures)


@group.command("compare")
def compare(
    first: Annotated[Path, typer.Argument(metavar="FIRST", help="A capture, as for the other commands.")],
    second: Annotated[Path, typer.Argument(metavar="SECOND", help="The capture to compare it with.")],
    has_all: Annotated[
        bool, typer.Option("--all", help="Compare also what clients request by themselves, such as tools/list.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Compare two captures call by call: which calls are only in one, and which answers differ.

    Calls match by tool, arguments and order. Times, and ids that are new each time, are ignored. Exits with 1 if
    anything differs.
    """

    def compare_both() -> int:
        from workbench.cli.capture_comparison import compare_captures

        return compare_captures(find(first), find(second), has_all=has_all, as_json=as_json)

    return guarded(compare_both)


@group.command("prune")
def prune() -> int:
    """Delete the oldest captures beyond the limits now."""
    return guarded(prune_all)


def list_all(as_json: bool, server: str | None = None, *, every: bool = False) -> int:
    from server_core.records.capture.capture_listing import list_captures
    from workbench.model.describe import size

    captures = list_captures(server)
    if as_json:
        output.print_json([capture.to_json() for capture in captures])
    elif captures:
        rows = [("STARTED", "NAME", "SERVER", "CLIENT", "CALLS", "ERRORS", "SIZE", "FILE")]
        output.print_table(rows + ([_row(capture) for capture in captures] if every else _grouped_rows(captures)))
        for problem in filter(None, (capture.problem for capture in captures)):
            console.warn(problem)
        count, limits = len(captures), _limits(_settings())
        console.write(f"{_captures(count)}, {size(sum(capture.bytes for capture in captures))}; {limits}.")
    else:
        console.write("There are no captures yet. Every run of `workbench` and `workbench serve` makes one.")
    return DONE


def prune_all() -> int:
    """Delete the captures beyond the limits."""
    from server_core.records.capture.pruning import prune_to_limits
    from workbench.model.describe import size

    settings = _settings()
    pruned = prune_to_limits(settings.capture_limits)
    if pruned.problem:
        console.warn(pruned.problem)
    console.write(f"Deleted {_captures(len(pruned.paths))}, {size(pruned.bytes)}; {_limits(settings)}.")
    return DONE


def _pin(captures: list[Path], *, is_pinned: bool) -> int:
    from server_core.records.capture.labels import change_labels

    for capture in captures:
        path = find(capture)
        change_labels(path, pinned=is_pinned)
        console.write(f"{path.name} is {'pinned' if is_pinned else 'no longer pinned'}.")
    return DONE


def _grouped_rows(captures: "list[CaptureInfo]") -> list[tuple[str, ...]]:
    """Return a row for each capture, and one for those of single calls of a day."""
    from workbench.model.capture_groups import CaptureGroup, grouped

    by_path = {str(capture.path): capture for capture in captures}
    rows = grouped([capture.to_json() for capture in captures])
    return [_group_row(row) if isinstance(row, CaptureGroup) else _row(by_path[row["path"]]) for row in rows]


def _group_row(group: "CaptureGroup") -> tuple[str, ...]:
    from workbench.model.describe import size

    newest = group.captures[0]
    return (
        output.timestamp(newest["started"]),
        f"{len(group.captures)} runs of `workbench call` (--all)",
        f"{newest['project']} {newest['server']}".strip(),
        ", ".join(newest["clients"]),
        _count(group.sum_of("calls")),
        _count(group.sum_of("errors")),
        size(sum(capture["bytes"] for capture in group.captures)),
        "",
    )


def _row(capture: "CaptureInfo") -> tuple[str, ...]:
    from workbench.model.describe import size

    if capture.problem:
        return "?", "cannot be read", "", "", "", "", size(capture.bytes), capture.path.name
    name = " ".join(filter(None, (capture.name, "(pinned)" if capture.pinned else "")))
    return (
        output.timestamp(capture.started),
        name,
        f"{capture.project} {capture.server}".strip(),
        ", ".join(capture.clients),
        _count(capture.calls),
        _count(capture.errors),
        size(capture.bytes),
        capture.path.name,
    )


def _facts(capture: "CaptureInfo") -> list[str]:
    """Return the facts about a capture, a line each."""
    from workbench.model.describe import size

    ended = "not ended, or killed" if capture.ended is None else output.timestamp(capture.ended)
    lost = f" ({capture.lost:,} lost)" if capture.lost else ""
    facts = [
        ("name", capture.name),
        ("pinned", "yes" if capture.pinned else "no"),
        ("file", str(capture.path)),
        ("server", f"{capture.project} {capture.server}".strip()),
        ("clients", ", ".join(capture.clients)),
        ("started", output.timestamp(capture.started)),
        ("ended", ended),
        ("records", f"{capture.records:,}{lost}"),
        ("calls", _count(capture.calls)),
        ("errors", _count(capture.errors)),
        ("tools", ", ".join(capture.tools)),
        ("size", size(capture.bytes)),
        ("note", capture.note.replace("\n", "\n         ")),
    ]
    return [f"{title:<8} {value}" for title, value in facts if value]


def _count(count: int | None) -> str:
    return "?" if count is None else f"{count:,}"


def _settings() -> "Settings":
    from server_core.settings import Settings

    return Settings.of_project(Path.cwd())


def _limits(settings: "Settings") -> str:
    from server_core.runtime.capture_limits import limits_with_config
    from workbench.model.describe import size

    limits = limits_with_config(settings.capture_limits)
    after = f", and after {limits.days:g} days" if limits.days else ""
    return f"the oldest are deleted above {_captures(limits.number)} or {size(limits.bytes)}{after}"


def _captures(count: int) -> str:
    from workbench.model.describe import plural

    return plural(count, "capture")
