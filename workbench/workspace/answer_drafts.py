"""The answers that are being written: shared by all places that show the same question."""

from collections.abc import Callable
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from workbench.client.server_requests import Question
from workbench.model.forms.form import Form


@dataclass
class AnswerDraft:
    """An answer that is not sent yet."""

    form: Form | None = None  # None until it is first shown
    text: str | None = None  # None until something is written

    def form_from(self, make: Callable[[], Form]) -> Form:
        """Return the form of the answer, which is made once."""
        if self.form is None:
            self.form = make()
        return self.form


_drafts: WeakKeyDictionary[Question, AnswerDraft] = WeakKeyDictionary()


def draft_of(question: Question) -> AnswerDraft:
    return _drafts.setdefault(question, AnswerDraft())
