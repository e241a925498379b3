"""Roots: the folders that the server may use, one per row."""

from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlsplit

from textual.app import ComposeResult

from workbench.client.questions import Question
from workbench.tui.widgets.questions.question_view import WrittenQuestionView
from workbench.tui.widgets.steady import TextArea
from workbench.workspace.answer_drafts import draft_of
from workbench.workspace.value_files import typed_path


class RootsView(WrittenQuestionView):
    """A list of folders to edit. Source: client/roots: a root is a `file://` URI."""

    TITLE = "Roots: folders to work in"
    BUTTONS: ClassVar[tuple[tuple[str, str], ...]] = (("accept", "Answer"), ("decline", "Refuse"))

    DEFAULT_CSS = """
    RootsView {
        & > TextArea {
            height: auto;
            min-height: 6;
            max-height: 60%;
            margin-top: 1;
            padding: 0 1;
            border: none;
            scrollbar-size-vertical: 1;
        }
        &.-low > TextArea { height: 1fr; min-height: 2; max-height: 6; margin-top: 0; }
    }
    """

    def __init__(self, question: Question, asker: str, folder: str) -> None:
        super().__init__(question, asker)
        self._folder = folder

    def message(self) -> str:
        # The request of the server has no message.
        return "One folder per line, as a path or a file:// URI; it may be empty."

    def compose_answer(self) -> ComposeResult:
        # The roots of the session, or the project's folder.
        suggested = (self.question.suggestion or {}).get("roots") or []
        rows = [str(root.get("uri", "")) for root in suggested] or ([self._folder] if self._folder else [])
        draft = draft_of(self.question).text
        yield TextArea("\n".join(rows) if draft is None else draft, compact=True, highlight_cursor_line=False)

    def accept(self) -> bool:
        try:
            roots = read_roots(self.query_one(TextArea).text)
        except ValueError as problem:
            self.show_problem(str(problem))
            self.focus_answer()
            return False
        return self.question.answer({"roots": roots})


def read_roots(text: str) -> list[dict[str, Any]]:
    """Return the roots that a text lists; ValueError names a row that is no absolute path or `file://` URI."""
    roots = []
    for number, row in enumerate(text.splitlines(), start=1):
        if not (row := row.strip()):
            continue
        if row.startswith("file://"):
            uri, name = row, Path(urlsplit(row).path).name
        else:
            path = typed_path(row)
            if not path.is_absolute():
                raise ValueError(f"Line {number} is neither an absolute path nor a file:// URI: {row}")
            uri, name = path.as_uri(), path.name
        roots.append({"uri": uri, "name": name} if name else {"uri": uri})
    return roots
