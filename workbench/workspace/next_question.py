"""Which of several open questions a user is most likely to answer next: the one that was last announced."""

from typing import TYPE_CHECKING

from workbench.client.questions import Question
from workbench.workspace.asking_calls import deadline_of

if TYPE_CHECKING:
    from workbench.workspace.workspace import Workspace

LAST_S = 10
"""So many seconds before its tool is given up, an open question is announced once more."""


def next_question(workspace: "Workspace") -> Question | None:
    """Return the question whose time is almost over, else the newest; None if there is none."""
    waiting = workspace.questions.waiting
    deadlines = [(deadline, question) for question in waiting if (deadline := deadline_of(workspace, question))]
    if deadlines:
        deadline, question = min(deadlines, key=lambda row: row[0])
        if deadline - workspace.clock() <= LAST_S:
            return question
    return waiting[-1] if waiting else None
