"""The views of the open questions, one above the other."""

from collections.abc import Collection

from textual.containers import Vertical

from workbench.client.questions import Question
from workbench.tui.widgets.questions.elicitation_question import ElicitationView
from workbench.tui.widgets.questions.question_view import QuestionView
from workbench.tui.widgets.questions.roots_question import RootsView
from workbench.tui.widgets.questions.sampling_question import SamplingView
from workbench.tui.widgets.questions.url_question import UrlView


class QuestionStack(Vertical):
    """A view for each question that has been in front; each keeps the answer entered in it."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._views: dict[Question, QuestionView] = {}
        self._question: Question | None = None
        self._shows_keys = True

    @property
    def question(self) -> Question | None:
        return self._question

    @property
    def view(self) -> QuestionView | None:
        return None if self._question is None else self._views.get(self._question)

    def show(self, question: Question | None, asker: str, folder: str) -> None:
        """Bring the view of a question to the front; `asker` is the display name of its sender."""
        self._question = question
        if question is not None and question not in self._views:
            self._views[question] = _make_view(question, asker, folder)
            self._views[question].show_keys(is_shown=self._shows_keys)
            self.mount(self._views[question])
        for other, view in self._views.items():
            view.display = other is question

    def show_keys(self, *, is_shown: bool) -> None:
        """Show the keys of the answers only where they work."""
        self._shows_keys = is_shown
        for view in self._views.values():
            view.show_keys(is_shown=is_shown)

    def refresh_answers(self) -> None:
        """Show the answers again that may have been changed in another stack."""
        for view in self._views.values():
            if view.is_mounted:
                view.refresh_answer()

    def remove_closed(self, waiting: Collection[Question]) -> list[Question]:
        closed = [question for question in self._views if question not in waiting]
        for question in closed:
            self._views.pop(question).remove()
        return closed


def _make_view(question: Question, asker: str, folder: str) -> QuestionView:
    if question.kind == "sampling":
        return SamplingView(question, asker)
    if question.kind == "roots":
        return RootsView(question, asker, folder)
    return UrlView(question, asker) if question.mode == "url" else ElicitationView(question, asker)
