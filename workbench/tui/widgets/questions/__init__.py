"""What servers ask, one file per kind of question; `make_view` chooses."""

from workbench.client.server_requests import Question
from workbench.tui.widgets.questions.address import AddressView
from workbench.tui.widgets.questions.elicitation import ElicitationView
from workbench.tui.widgets.questions.roots import RootsView
from workbench.tui.widgets.questions.sampling import SamplingView
from workbench.tui.widgets.questions.view import QuestionView


def make_view(question: Question, asker: str, folder: str) -> QuestionView:
    """Return a new view of a question.

    Args:
        question: what is asked.
        asker: who asks, for people.
        folder: the project's folder; empty when there is none.
    """
    if question.kind == "sampling":
        return SamplingView(question, asker)
    if question.kind == "roots":
        return RootsView(question, asker, folder)
    return AddressView(question, asker) if question.mode == "url" else ElicitationView(question, asker)


__all__ = ["QuestionView", "make_view"]
