"""Elicitation in form mode: a form made from the requested schema, with its defaults filled in."""

from typing import Any

from textual.app import ComposeResult

from workbench.client.questions import Question
from workbench.model.describe import plural
from workbench.model.forms.form import Form
from workbench.model.forms.shape import ABSENT
from workbench.tui.key_bindings import key_for
from workbench.tui.widgets.form.editor import FormEditor
from workbench.tui.widgets.questions.question_view import QuestionView
from workbench.workspace.answer_drafts import draft_of
from workbench.workspace.value_files import read_value


class ElicitationView(QuestionView):
    """A form to fill in; a value that does not match the schema cannot be sent. Source: client/elicitation."""

    TITLE = "A form to fill in"

    def __init__(self, question: Question, asker: str) -> None:
        super().__init__(question, asker)
        self._form = draft_of(question).form_from(lambda: prefilled(question.params.get("requestedSchema")))

    @property
    def editor(self) -> FormEditor:
        return self.query_one(FormEditor)

    def compose_answer(self) -> ComposeResult:
        yield FormEditor()

    def show_question(self) -> None:
        self.editor.view.empty_text = f"Nothing to fill in: {key_for('accept', 'requests')} accepts."
        self.editor.show(self._form)

    def refresh_answer(self) -> None:
        self.editor.show_values()

    def accept(self) -> bool:
        if not self.editor.close_list():
            return False
        if (error := self.editor.settle()) is not None:
            self.show_problem(f"The JSON cannot be read: {error}")
            return False
        value = self._form.value_with_files(read_value) if self._form.has_files else self._form.value()
        problems = self._form.problems()
        if problems:
            self.show_problem(f"{plural(len(problems), 'problem')} to fix first; see the fields.")
            self.editor.focus_problem()
            return False
        return self.question.accept(value)

    def draft(self) -> dict[str, Any] | None:
        if self.editor.settle() is not None or self._form.problems():
            return None
        value = self._form.value()
        return {"action": "accept", "content": value} if isinstance(value, dict) else None

    def focus_answer(self) -> None:
        # A form without fields has only the buttons.
        if self._form.root.children:
            self.editor.focus_first()
        else:
            super().focus_answer()


def prefilled(schema: Any) -> Form:
    """Return a form with all defaults filled in, as clients should. Source: client/elicitation."""
    form = Form(schema if isinstance(schema, dict) else {"type": "object"})
    for field in form.root.children:
        if field.default is not ABSENT:
            form.set_value(field.path, field.default)
    return form
