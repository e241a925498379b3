"""An open question in one row: what is asked, by whom, and the time that is left or has passed."""

import math
from typing import TYPE_CHECKING

from workbench.client.questions import Question
from workbench.model.describe import age
from workbench.model.json_members import text_in
from workbench.model.sampling_answers import last_text
from workbench.model.short_text import shortened
from workbench.workspace.asking_calls import asker, deadline_of

if TYPE_CHECKING:
    from workbench.workspace.workspace import Workspace

_MAX_TEXT = 200


def asked_text(workspace: "Workspace", question: Question) -> str:
    """Return the beginning of what is asked, then the sender."""
    text = last_text(question.params) if question.kind == "sampling" else text_in(question.params, "message")
    sender = asker(workspace, question)
    return f"{shortened(' '.join(text.split()), _MAX_TEXT)} · {sender}" if text.strip() else sender


def time_text(workspace: "Workspace", question: Question) -> str:
    """Return the seconds that are left to answer, if they are known, else the age of the question."""
    now = workspace.clock()
    if (deadline := deadline_of(workspace, question)) is not None:
        return f"{math.ceil(max(0.0, deadline - now))} s left"
    return f"{age(now - question.asked)} old"
