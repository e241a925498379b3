"""The list of open questions: a row for each, with what it asks and its time."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.strip import Strip

from workbench.client.questions import Question
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.paint import fit, fit_right

_KINDS = {"elicitation": "form", "sampling": "model", "roots": "roots"}
_TIME_WIDTH = 10


class QuestionList(Lines):
    """Shows questions; `describe` returns the text and the time of one."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"questions--kind", "questions--muted"}

    DEFAULT_CSS = """
    QuestionList {
        & > .questions--kind { color: $text-warning; }
        & > .questions--muted { color: $text-muted; }
    }
    """

    def __init__(self, describe: Callable[[Question], tuple[str, str]]) -> None:
        super().__init__()
        self._describe = describe
        self._questions: list[Question] = []

    @property
    def line_count(self) -> int:
        return len(self._questions)

    @property
    def question(self) -> Question | None:
        return self._questions[self.cursor] if self.cursor < len(self._questions) else None

    def show(self, questions: Sequence[Question]) -> None:
        """Show questions; the cursor stays on its question."""
        before = self.question
        self._questions = list(questions)
        self.cursor = next((at for at, question in enumerate(questions) if question is before), self.cursor)
        self.lines_changed()

    def render_row(self, index: int, width: int, selected: bool) -> Strip:
        question = self._questions[index]
        kind = "URL" if question.mode == "url" else _KINDS.get(question.kind, question.kind)
        text, time = self._describe(question)
        texts = [
            (f" ? {kind:<6}", "questions--kind"),
            (fit(text, width - _TIME_WIDTH - 11), ""),
            (fit_right(time, _TIME_WIDTH) + " ", "questions--muted"),
        ]
        return self.paint(texts, selected)
