"""The queue of questions, oldest first."""

from collections.abc import Sequence
from typing import ClassVar

from textual.strip import Strip

from workbench.client.server_requests import Question
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.paint import fit

_KINDS = {"elicitation": "form", "sampling": "model", "roots": "roots"}


class QuestionList(Lines):
    COMPONENT_CLASSES: ClassVar[set[str]] = {"questions--kind", "questions--muted"}

    DEFAULT_CSS = """
    QuestionList {
        & > .questions--kind { color: $text-warning; }
        & > .questions--muted { color: $text-muted; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._rows: list[tuple[Question, str]] = []

    @property
    def line_count(self) -> int:
        return len(self._rows)

    @property
    def question(self) -> Question | None:
        return self._rows[self.cursor][0] if self.cursor < len(self._rows) else None

    def show(self, rows: Sequence[tuple[Question, str]]) -> None:
        """Show questions, each with its asker; the cursor stays on its question."""
        before = self.question
        self._rows = list(rows)
        self.cursor = next((at for at, (question, _) in enumerate(self._rows) if question is before), self.cursor)
        self.lines_changed()

    def render_row(self, index: int, width: int, selected: bool) -> Strip:
        question, asker = self._rows[index]
        kind = "URL" if question.mode == "url" else _KINDS.get(question.kind, question.kind)
        return self.paint(
            [(f" ? {kind:<8}", "questions--kind"), (fit(asker, width - 12), "questions--muted")], selected
        )
