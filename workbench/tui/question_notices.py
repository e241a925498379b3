"""The notice about a question that is not in view, and the way to it from every pane."""

from typing import TYPE_CHECKING

from workbench.model.short_text import shortened
from workbench.tui.key_bindings import key_for

if TYPE_CHECKING:
    from workbench.client.questions import Question
    from workbench.tui.app import WorkbenchApp
    from workbench.workspace.workspace import Workspace

NOTICE_S = 10.0
"""How long the notice is shown: the count at the tab stays."""
QUESTION = "question"
"""The topic of the notice: it ends with the last question that it may be about."""
_MAX_TEXT = 80
_REQUESTS = {"sampling": "requests a response of a model", "roots": "requests the roots"}


class QuestionNotices:
    """Announces each new question that is not in view, in one line."""

    def __init__(self, app: "WorkbenchApp") -> None:
        self._app = app
        self._known: list[Question] = []

    def show_change(self, workspace: "Workspace") -> None:
        waiting, pane = workspace.questions.waiting, self._app.pane
        for question in waiting:
            if question not in self._known and not (pane is not None and pane.shows(question)):
                self._announce(workspace, question)
        if any(question not in waiting for question in self._known):
            self._app.withdraw(QUESTION)
        self._known = [*waiting]

    def _announce(self, workspace: "Workspace", question: "Question") -> None:
        from workbench.workspace.asking_calls import asker

        key = key_for("answer")
        if (pane := self._app.pane) is not None and any(map(pane.shows, self._known)):
            # The key goes to the request that is already in view.
            key += f", {key_for('next_request', 'requests')}"
        text = f"{asker(workspace, question)} {_request(question)} – {key} answers."
        self._app.notify(text, title=QUESTION, timeout=NOTICE_S, markup=False)


def _request(question: "Question") -> str:
    message = shortened(" ".join(str(question.params.get("message") or "").split()), _MAX_TEXT)
    if question.mode == "url":
        return f"requests a visit to a URL: {message}"
    return _REQUESTS.get(question.kind, f"asks: {message}")


async def answer_or_return(app: "WorkbenchApp") -> None:
    """Go to the question of the call in view; from a question, go back to where the user came from."""
    from workbench.tui.screens.requests_pane import RequestsPane
    from workbench.tui.screens.tools_pane import ToolsPane
    from workbench.workspace.next_question import next_question

    pane, place = app.pane, app.place
    if isinstance(pane, ToolsPane):
        pane.open_question(None, "")
        return
    question = pane.question if isinstance(pane, RequestsPane) else next_question(app.workspace)
    await app.show("tools")
    if isinstance(tools := app.pane, ToolsPane):
        tools.open_question(question, place)
