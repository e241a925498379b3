"""Elicitation in URL mode: a URL that the user consents to, or not. It is opened only by a key of the user."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from workbench.tui.url_opening import open_url, url_text
from workbench.tui.widgets.questions.question_view import QuestionView


class UrlView(QuestionView):
    """A URL in full, with its host on a separate row.

    Source: client/elicitation, URL mode: show the full URL and its domain, and never open it without consent.
    """

    IS_WRITTEN = False
    TITLE = "A URL to open"
    BUTTONS: ClassVar[tuple[tuple[str, str], ...]] = (
        *QuestionView.BUTTONS,
        ("open_url", "Open"),
        ("copy_url", "Copy"),
    )

    DEFAULT_CSS = """
    UrlView {
        & > VerticalScroll { height: auto; max-height: 1fr; margin-top: 1; padding: 0 1; background: $boost; }
        & > VerticalScroll:focus { background: $boost; background-tint: $foreground 5%; }
        & > VerticalScroll > Static { height: auto; }
    }
    """

    @property
    def url(self) -> str:
        return str(self.question.params.get("url") or "")

    def compose_answer(self) -> ComposeResult:
        with VerticalScroll():
            yield Static(url_text(self.url), markup=False)

    def accept(self) -> bool:
        # Consent alone: visiting the URL is up to the user.
        return self.question.accept()

    def focus_answer(self) -> None:
        # Not a button: Enter must not consent by accident.
        self.screen.set_focus(self.query_one(VerticalScroll))

    def open(self) -> str:
        """Open the URL in the browser, and return a message about the result."""
        return open_url(self.url) or "Opened in the browser. Accept if you agree to what it requests."
