"""The calls of this terminal that wait for answers of the user, how long they wait, and the extension of that time."""

import json
import math
import time
from contextlib import suppress
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from server_core.errors import WorkbenchError
from workbench.client.call_elsewhere import CallElsewhere
from workbench.client.questions import Question
from workbench.model.describe import json_line
from workbench.model.history import CallRun
from workbench.model.short_text import escaped, shortened
from workbench.model.traffic.entry import Entry
from workbench.model.traffic.run_records import RunRecords

if TYPE_CHECKING:
    from workbench.workspace.workspace import Workspace

EXTENSION_S = 60
"""The seconds by which one key press extends the time of a call."""
_extensions: WeakKeyDictionary[Question, int] = WeakKeyDictionary()


def asking_call(workspace: "Workspace", question: Question) -> CallRun | None:
    """Return the call during which a question was asked; None if that is unknown."""
    return workspace.history.find_request(json.loads(question.call)) if question.call else None


def timed_call(workspace: "Workspace", question: Question) -> CallRun | CallElsewhere | None:
    """Return the call whose time limit is that of a question, also if it is one of another terminal."""
    return question.elsewhere or asking_call(workspace, question)


def asker(workspace: "Workspace", question: Question) -> str:
    """Return the label of the sender: the call if it is known, else the server."""
    run = asking_call(workspace, question)
    return question.session or "the server" if run is None else f"{run.tool} {run.title}"


def asker_with_arguments(workspace: "Workspace", question: Question) -> str:
    run = asking_call(workspace, question)
    arguments = f" {json_line(run.arguments, 200)}" if run and run.arguments else ""
    return f"{asker(workspace, question)}{arguments}"


def unanswered_texts(workspace: "Workspace") -> list[str]:
    """Return the questions that ended without an answer, newest first, with when and why."""
    texts = []
    for question in reversed(workspace.questions.withdrawn):
        clock = time.strftime("%H:%M:%S", time.localtime(question.ended))
        reason = "the time to answer was over" if question.expired else "the server no longer waits"
        if question.is_answered_elsewhere or question.elsewhere is not None:
            reason = question.reason
        message = shortened(" ".join(str(question.params.get("message") or question.kind).split()), 60)
        texts.append(f"{clock} {escaped(asker(workspace, question))}: {message} – {reason}")
    return texts


def deadline_of(workspace: "Workspace", question: Question) -> float | None:
    """Return when the server gives up waiting, in seconds since the epoch; None if it has no known limit.

    Until the core has reported it, the limit of the tool is used. That of a tool that needs an account begins only once
    the account is authorized, which is unknown here.
    """
    run = timed_call(workspace, question)
    if not isinstance(run, CallRun) or run.deadline is not None:
        return None if run is None else run.deadline
    for definition in workspace.core.catalog.get("tools") or []:
        if definition.get("name") == run.tool and not definition.get("account"):
            timeout = definition.get("timeout")
            return run.started + timeout if isinstance(timeout, int | float) else None
    return None


def seconds_left(workspace: "Workspace") -> float | None:
    """Return the seconds until the first of the deadlines of all open questions; None if there is none."""
    deadlines = [deadline_of(workspace, question) for question in workspace.questions.waiting]
    known = [deadline for deadline in deadlines if deadline is not None]
    return max(0.0, min(known) - workspace.clock()) if known else None


_OF_SERVER = "The server decides how long it waits: the protocol has no message with which a client extends that."


def why_no_extension(workspace: "Workspace", run: CallRun | CallElsewhere | None) -> str | None:
    """Return why the time of a call cannot be extended; None if the core may be able to."""
    if workspace.core.is_relay:
        return _OF_SERVER
    if run is None or run.request_id == "":
        return "It is unknown which call asks, so its time cannot be extended."
    if isinstance(run, CallRun) and (run.request_id is None or not run.is_running):
        return f"{run.tool} {run.title} has ended."
    return None


async def update_deadline(workspace: "Workspace", run: CallRun | CallElsewhere) -> None:
    """Ask the core how long it waits for a call; an older core does not know."""
    with suppress(WorkbenchError):
        _store(workspace, run, await _request(workspace, run, "calls/time"))


def extension_of(question: Question) -> int:
    """Return the seconds by which the user has extended the time to answer a question."""
    return _extensions.get(question, 0)


async def extend_time(workspace: "Workspace", run: CallRun | CallElsewhere, question: Question) -> None:
    """Have the core wait :data:`EXTENSION_S` seconds longer; WorkbenchError if the call has no limit, or has ended."""
    left = await _request(workspace, run, "calls/extend", seconds=EXTENSION_S)
    _extensions[question] = extension_of(question) + EXTENSION_S
    _store(workspace, run, left)


def why_no_extension_of(workspace: "Workspace", request: Entry | None) -> str | None:
    """Return the same as `why_no_extension` for a recorded request, which any client may have sent."""
    if workspace.core.is_relay:
        return _OF_SERVER
    if request is None or request.method != "tools/call":
        return "This message belongs to no call of a tool."
    return None


async def extend_call(workspace: "Workspace", request: Entry) -> str:
    """Have the core wait longer for a call of any client, and return the effect; WorkbenchError if it has ended."""
    params = {"session": request.session, "id": json.loads(request.id), "seconds": EXTENSION_S, "progress": True}
    answer = await workspace.link.request("calls/extend", params)
    left, name = answer.get("seconds_left"), shortened(request.name)
    limit = f"{math.ceil(left)} s left" if isinstance(left, int | float) else "no time limit at the moment"
    if answer.get("progress") is True:
        return f"{name} has {limit}. Its client was sent progress, and most clients then wait longer too."
    return f"{name} has {limit}. Its client wants no progress now, so its own timeout stays."


def _store(workspace: "Workspace", run: CallRun | CallElsewhere, seconds_left: float | None) -> None:
    run.deadline = None if seconds_left is None else workspace.clock() + seconds_left


async def _request(workspace: "Workspace", run: CallRun | CallElsewhere, method: str, **more: float) -> float | None:
    params = {"session": _session(workspace, run), "id": run.request_id, **more}
    left = (await workspace.link.request(method, params)).get("seconds_left")
    return float(left) if isinstance(left, int | float) else None


def _session(workspace: "Workspace", run: CallRun | CallElsewhere) -> str:
    """Return the key of the session of a call."""
    if isinstance(run, CallElsewhere):
        return run.session
    records = RunRecords(workspace.timeline, run)
    records.refresh()
    if records.first is None:
        raise WorkbenchError("The request of this call is not in memory yet; try again.")
    return records.first.session
