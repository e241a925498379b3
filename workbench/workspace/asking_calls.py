"""The calls of this terminal that wait for answers of the user, and how long they wait."""

import json
from typing import TYPE_CHECKING

from workbench.client.server_requests import Question
from workbench.model.describe import json_line
from workbench.model.history import CallRun

if TYPE_CHECKING:
    from workbench.workspace.workspace import Workspace


def asking_call(workspace: "Workspace", question: Question) -> CallRun | None:
    """Return the call during which a question was asked; None if that is unknown."""
    return workspace.history.find_request(json.loads(question.call)) if question.call else None


def asker(workspace: "Workspace", question: Question) -> str:
    """Return the label of the sender: the call if it is known, else the server."""
    run = asking_call(workspace, question)
    return question.session or "the server" if run is None else f"{run.tool} {run.title}"


def asker_with_arguments(workspace: "Workspace", question: Question) -> str:
    run = asking_call(workspace, question)
    arguments = f" {json_line(run.arguments, 200)}" if run and run.arguments else ""
    return f"{asker(workspace, question)}{arguments}"


def deadline_of(workspace: "Workspace", question: Question) -> float | None:
    """Return when the server gives up waiting, in seconds since the epoch; None if it has no known limit.

    Until the core has reported it, the limit of the tool is used. That of a tool that needs an account begins only once
    the account is authorized, which is unknown here.
    """
    run = asking_call(workspace, question)
    if run is None or run.deadline is not None:
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
