"""How long the core waits for a call of this terminal, and its extension by the user."""

from contextlib import suppress
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from server_core.errors import WorkbenchError
from workbench.client.server_requests import Question
from workbench.model.history import CallRun
from workbench.model.traffic.run_records import RunRecords

if TYPE_CHECKING:
    from workbench.workspace.workspace import Workspace

EXTENSION_S = 60
"""The seconds by which one key press extends the time of a call."""

_extensions: WeakKeyDictionary[Question, int] = WeakKeyDictionary()


def why_no_extension(workspace: "Workspace", run: CallRun | None) -> str | None:
    """Return why the time of a call cannot be extended; None if the core may be able to."""
    if workspace.core.is_relay:
        return "The server decides how long it waits: the protocol has no message with which a client extends that."
    if run is None:
        return "It is unknown which call asks, so its time cannot be extended."
    if run.request_id is None or not run.is_running:
        return f"{run.tool} {run.title} has ended."
    return None


async def update_deadline(workspace: "Workspace", run: CallRun) -> None:
    """Ask the core how long it waits for a call; an older core does not know."""
    with suppress(WorkbenchError):
        _store(workspace, run, await _request(workspace, run, "calls/time"))


def extension_of(question: Question) -> int:
    """Return the seconds by which the user has extended the time to answer a question."""
    return _extensions.get(question, 0)


async def extend_time(workspace: "Workspace", run: CallRun, question: Question) -> None:
    """Have the core wait :data:`EXTENSION_S` seconds longer; WorkbenchError if the call has no limit, or has ended."""
    left = await _request(workspace, run, "calls/extend", seconds=EXTENSION_S)
    _extensions[question] = extension_of(question) + EXTENSION_S
    _store(workspace, run, left)


def _store(workspace: "Workspace", run: CallRun, seconds_left: float | None) -> None:
    run.deadline = None if seconds_left is None else workspace.clock() + seconds_left


async def _request(workspace: "Workspace", run: CallRun, method: str, **more: float) -> float | None:
    records = RunRecords(workspace.timeline, run)
    records.refresh()
    if records.first is None:
        raise WorkbenchError("The request of this call is not in memory yet; try again.")
    params = {"session": records.first.session, "id": run.request_id, **more}
    left = (await workspace.link.request(method, params)).get("seconds_left")
    return float(left) if isinstance(left, int | float) else None
