"""The dialog of a login at a service: where to go and what to type in there, until the person has been there."""

from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from workbench.model.short_text import escaped, shortened
from workbench.tui.colours import KEY, MUTED
from workbench.tui.screens.dialogs import Dialog
from workbench.tui.urls import address_text, opened
from workbench.workspace.logins import Login


class LoginScreen(Dialog[str | None]):
    """Waits for a person at a service; returns why it came to nothing, or "" once they agreed; Esc returns None.

    Args:
        service: what people call it; foreign text is safe.
        login: where to go.
    """

    AUTO_FOCUS = "VerticalScroll"
    BINDINGS: ClassVar[list[BindingType]] = [("o", "open"), ("y", "copy")]

    def __init__(self, service: str, login: Login) -> None:
        super().__init__()
        self._service = service
        self._login = login

    def compose(self) -> ComposeResult:
        """Make the box."""
        with Vertical(classes="box") as box:
            box.border_title = Content(f"Log in at {shortened(self._service, 40)}")
            box.border_subtitle = "o to open · y to copy · esc to leave"
            with VerticalScroll(classes="text"):
                yield Static(self._text())
            yield Static("Waiting for you to agree there …", classes="note", markup=False)

    def on_mount(self) -> None:
        """Wait."""
        self._wait()

    @work
    async def _wait(self) -> None:
        self.dismiss(await self._login.outcome)

    def action_open(self) -> None:
        """Open the address in the browser."""
        self.notify(opened(self._login.url) or "Opened in the browser.", markup=False)

    def action_copy(self) -> None:
        """Copy the address."""
        self.app.copy_to_clipboard(self._login.url)
        self.notify("The address is in the clipboard.", markup=False)

    def _text(self) -> Content:
        if not self._login.code:
            return address_text(self._login.url)
        return Content.assemble(
            address_text(self._login.url), "\n", ("code     ", MUTED), (escaped(self._login.code), KEY)
        )
