"""Elicitation in URL mode: an address that a person consents to, or not. Nothing opens it but the person's own key."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from workbench.tui.urls import address_text, opened
from workbench.tui.widgets.questions.view import QuestionView


class AddressView(QuestionView):
    """An address in full, with its host on a row of its own.

    Source: client/elicitation, URL mode: show the full address and its domain, and never open it without consent.
    """

    IS_WRITTEN = False
    TITLE = "An address to visit"
    BUTTONS: ClassVar[tuple[tuple[str, str], ...]] = (
        *QuestionView.BUTTONS,
        ("open_url", "Open o"),
        ("copy_url", "Copy y"),
    )

    DEFAULT_CSS = """
    AddressView {
        & > VerticalScroll { height: auto; max-height: 1fr; margin-top: 1; padding: 0 1; background: $boost; }
        & > VerticalScroll:focus { background: $boost; background-tint: $foreground 5%; }
        & > VerticalScroll > Static { height: auto; }
    }
    """

    @property
    def url(self) -> str:
        """The address."""
        return str(self.question.params.get("url") or "")

    def compose_answer(self) -> ComposeResult:
        """Make the address with what there is to know about it."""
        with VerticalScroll():
            yield Static(address_text(self.url), markup=False)

    def accept(self) -> bool:
        """Consent; it is the person who visits the address."""
        return self.question.accept()

    def focus_answer(self) -> None:
        """Go to the address, and to no button: Enter must not consent by accident."""
        self.query_one(VerticalScroll).focus()

    def open_url(self) -> str:
        """Open the address in the browser, and return what was done, or why not."""
        return opened(self.url) or "Opened in the browser. Accept once you agree to what it asks for."
