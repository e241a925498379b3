"""The answers that are being written, shared by all places that show the same question, or a later one like it."""

from collections.abc import Callable
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from workbench.client.questions import PendingQuestions, Question
from workbench.model.describe import json_text
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


MAX_UNSENT = 20
"""The number of answers to withdrawn questions that are kept; the oldest are dropped."""
# The members of the params that differ between requests for the same answer.
_NOT_COMPARED = ("elicitationId", "_meta", "task")

_drafts: WeakKeyDictionary[Question, AnswerDraft] = WeakKeyDictionary()


def draft_of(question: Question) -> AnswerDraft:
    return _drafts.setdefault(question, AnswerDraft())


_unsent: WeakKeyDictionary[PendingQuestions, dict[str, AnswerDraft]] = WeakKeyDictionary()


def keep_draft(questions: PendingQuestions, question: Question) -> bool:
    """Keep what was entered for a withdrawn question; return whether there was anything."""
    draft = _drafts.get(question)
    if draft is None or not (draft.text or (draft.form is not None and draft.form.root.children)):
        return False
    unsent = _unsent.setdefault(questions, {})
    unsent[_key(question)] = draft
    for old in list(unsent)[:-MAX_UNSENT]:
        del unsent[old]
    return True


def inherit_draft(questions: PendingQuestions, question: Question) -> None:
    """Begin the answer to a question with what was entered for a withdrawn one like it."""
    if question not in _drafts and (draft := _unsent.get(questions, {}).pop(_key(question), None)) is not None:
        _drafts[question] = draft


def _key(question: Question) -> str:
    params = {name: value for name, value in question.params.items() if name not in _NOT_COMPARED}
    return json_text([question.kind, params])
