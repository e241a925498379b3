"""`workbench watch`: run saved calls again at each save, and show what has changed in their results."""

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from server_core.errors import ConfigurationError, ConnectionFailed
from workbench.cli import console, output
from workbench.cli.command_run import DONE, FAILED, guarded, run
from workbench.cli.options import EraOption, JsonOption, ProjectOption, target_of
from workbench.client.target import Era
from workbench.model.catalog import OfferKind
from workbench.model.describe import plural, short_duration
from workbench.model.short_text import escaped, shortened

if TYPE_CHECKING:
    from workbench.client.target import Target
    from workbench.model.watched_result import WatchedResult
    from workbench.workspace.unattended import UnattendedWorkspace
    from workbench.workspace.watched_calls import WatchedCalls
    from workbench.workspace.workspace import Workspace

MAX_CHANGES = 10
"""How many differences of a result are printed; `--json` has all that were compared."""
_TIMEOUT_S = 30.0
_WIDTH = 160  # Characters of an error.


def command(
    context: typer.Context,
    names: Annotated[list[str] | None, typer.Argument(metavar="NAME...", help="Saved calls (default: all).")] = None,
    project: ProjectOption = None,
    once: Annotated[bool, typer.Option("--once", help="Run the calls once: 1 if one of them fails.")] = False,
    timeout: Annotated[float, typer.Option("--timeout", metavar="SECONDS", help="For each call.")] = _TIMEOUT_S,
    era: EraOption = Era.AUTO,
    as_json: JsonOption = False,
) -> int:
    """Run the saved calls of workbench.yaml at each save, and show what differs from their first results.

    Joins the core that a terminal has started on the project, where the calls appear as well, or starts one. Requests
    of a tool for input are answered by the rules of workbench.yaml, or declined. A tool that may destroy data is only
    called for a NAME. Ctrl+C ends it.
    """

    def watch() -> int:
        target = target_of(context, project, "", None, None, "", False)
        return run(_watch(target, names or [], once=once, timeout=timeout, era=era, as_json=as_json))

    return guarded(watch)


async def _watch(target: "Target", names: list[str], *, once: bool, timeout: float, era: Era, as_json: bool) -> int:
    from workbench.cli.saved_order import saved_calls
    from workbench.cli.workspaces import StartedCore
    from workbench.workspace.unattended import UnattendedWorkspace
    from workbench.workspace.watched_calls import WatchedCalls

    calls = [call for call in saved_calls(target, names) if call.kind is OfferKind.TOOL]
    if not calls:
        raise ConfigurationError("There is no saved call of a tool to watch; ^s saves the call in a form.")
    core = StartedCore(target, era)
    workspace = await core()
    try:
        watched = WatchedCalls(workspace, timeout)
        for call in calls:
            # A user who names a call agrees to it, also if its tool may destroy data.
            watched.add(call, may_destroy=bool(names))
        console.write(f"watching {plural(len(calls), 'call')}; Ctrl+C ends it")
        try:
            return await _rounds(UnattendedWorkspace(workspace), workspace, watched, once=once, as_json=as_json)
        finally:
            await watched.close()
    finally:
        await workspace.close()
        if core.process is not None:
            await core.process.stop()


async def _rounds(
    unattended: "UnattendedWorkspace", workspace: "Workspace", watched: "WatchedCalls", *, once: bool, as_json: bool
) -> int:
    is_connected = await unattended.until(lambda: workspace.core.is_loaded and workspace.session is not None)
    while is_connected:
        for problem in workspace.core.problems:
            console.warn(escaped(str(problem.get("message", ""))))
        results = await watched.run()
        if watched.is_stale:
            console.warn("the reload failed: the calls are not run")
            results = []
        for result in results:
            if as_json:
                output.print_line(json.dumps(_as_json(result), ensure_ascii=False))
            else:
                _print(result)
        if once:
            return FAILED if any(result.is_red for result in results) else DONE
        is_connected = await unattended.until(lambda: watched.is_due)
    raise ConnectionFailed("The core has ended.")


def _print(result: "WatchedResult") -> None:
    facts = [short_duration(result.seconds), f"schema {result.schema}" if result.schema else ""]
    if result.problem:
        facts.append(shortened(result.problem, _WIDTH))
    elif result.changes:
        facts.append(plural(len(result.changes), "difference"))
    if result.asked:
        facts.append(f"declined: {shortened(result.asked[0], _WIDTH)}")
    facts += result.ruled[:1]
    sign = "✗" if result.is_red else "✓" if result.is_green else "·"
    output.print_line(f"{sign} {result.call.name}  {'  '.join(filter(None, facts))}")
    for change in result.changes[:MAX_CHANGES]:
        values = " → ".join(filter(None, (change.before, change.after)))
        output.print_line(f"    {change.kind} {change.path}: {values}")
    if len(result.changes) > MAX_CHANGES:
        output.print_line(f"    and {plural(len(result.changes) - MAX_CHANGES, 'more')}")


def _as_json(result: "WatchedResult") -> dict[str, Any]:
    changes = [
        {"kind": change.kind.value, "path": change.path, "before": change.before, "after": change.after}
        for change in result.changes
    ]
    return {
        "name": result.call.name,
        "ok": result.is_green,
        "ms": None if result.seconds is None else round(result.seconds * 1000, 1),
        "changes": changes,
        "schema": result.schema,
        "asked": list(result.asked),
        "rules": list(result.ruled),
        "error": result.problem,
    }
