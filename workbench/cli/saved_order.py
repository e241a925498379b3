"""Saved calls on the command line: `workbench call --saved NAME`, and `workbench list --saved`."""

import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from server_core.errors import ConfigurationError
from server_core.runtime.suggestions import closest_name
from workbench.cli import console, output
from workbench.cli.command_run import DONE
from workbench.client.target import Target
from workbench.model.describe import json_line
from workbench.model.references import Values, secret_names, uses_last_result

if TYPE_CHECKING:
    from workbench.cli.call_order import CallOrder
    from workbench.model.saved_calls import SavedCall, SavedCalls
    from workbench.workspace.saved_calls_file import SavedCallsFile


def with_saved_call(order: "CallOrder", name: str) -> "CallOrder":
    """Return an order for a saved call, which it overrides; ConfigurationError if the call or a secret is missing."""
    from workbench.workspace.resolving import read_secrets

    file = _file(order.target)
    call = _find(file, _read(file), name)
    needed: list[Any] = [{**call.arguments, **order.base}, *order.words]
    secrets = read_secrets(secret_names(needed), file.path.parent)
    last = _last_result(order.target) if uses_last_result(needed) else None
    return replace(order, kind=call.kind, tool=call.target, saved=call.arguments, values=Values(secrets, last))


def saved_calls(target: Target, names: Sequence[str]) -> "list[SavedCall]":
    """Return the saved calls with these names, or all; ConfigurationError if one is missing."""
    file = _file(target)
    saved = _read(file)
    return [_find(file, saved, name) for name in names] or list(saved.calls)


def list_saved_calls(target: Target, as_json: bool) -> int:
    file = _file(target)
    calls = _read(file).calls
    if as_json:
        output.print_json([{"name": call.name, **call.to_yaml()} for call in calls])
    elif calls:
        rows = [(call.name, call.kind.value, call.target, json_line(call.arguments, 200)) for call in calls]
        output.print_table([("NAME", "KIND", "CALLS", "ARGUMENTS"), *rows])
    else:
        console.write(f"There are no saved calls in {file.path}.")
    return DONE


def _file(target: Target) -> "SavedCallsFile":
    from workbench.workspace.project_file import folder_of_target
    from workbench.workspace.saved_calls_file import SavedCallsFile

    return SavedCallsFile(folder_of_target(target))


def _find(file: "SavedCallsFile", saved: "SavedCalls", name: str) -> "SavedCall":
    if (call := saved.find(name)) is None:
        close = closest_name(name, [call.name for call in saved.calls])
        guess = f"; did you mean {close!r}?" if close else ";"
        raise ConfigurationError(f"{file.path} has no call {name!r}{guess} `workbench list --saved` lists them")
    return call


def _read(file: "SavedCallsFile") -> "SavedCalls":
    saved = file.read()
    for problem in saved.problems:
        console.warn(f"{file.path.name}: {problem}")
    return saved


def _last_result(target: Target) -> dict[str, Any] | None:
    """Return the newest result in the captures of a project; other servers have none."""
    import math

    from server_core.records.capture.capture_listing import list_captures
    from workbench.workspace.earlier_sessions import read_runs

    if target.project is None:
        return None
    paths = [Path(capture.path) for capture in list_captures() if not capture.problem]
    runs = read_runs(paths, str(target.project.resolve()), math.inf, threading.Event())
    return next((run.result for run in reversed(runs) if run.result is not None), None)
