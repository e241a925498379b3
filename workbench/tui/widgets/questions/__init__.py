"""The questions of servers, a file per kind of question; `make_view` selects the view."""

from workbench.client.server_requests import Question
from workbench.tui.widgets.questions.elicitation_question import ElicitationView
from workbench.tui.widgets.questions.question_view import QuestionView
from workbench.tui.widgets.questions.roots_question import RootsView
from workbench.tui.widgets.questions.sampling_question import SamplingView
from workbench.tui.widgets.questions.url_question import UrlView


def make_view(question: Question, asker: str, folder: str) -> QuestionView:
    """Return a new view for a question.

    Args:
        question: the question.
        asker: the display name of the sender.
        folder: the project's folder; empty if there is none.
    """
    if question.kind == "sampling":
        return SamplingView(question, asker)
    if question.kind == "roots":
        return RootsView(question, asker, folder)
    return UrlView(question, asker) if question.mode == "url" else ElicitationView(question, asker)


__all__ = ["QuestionView", "make_view"]
