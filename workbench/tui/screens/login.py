"""The dialog for a login at a service: the URL to visit and the code to enter, until the login is complete."""

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
from workbench.tui.url_opening import COPY_KEY, OPEN_KEY, open_url, url_text
from workbench.workspace.logins import Login

_WAITING = "Waiting for your consent …"


class LoginScreen(Dialog[str | None]):
    """Waits for a login at a service; returns "" once the user has agreed, else the reason; Esc returns None."""

    AUTO_FOCUS = "VerticalScroll"
    BINDINGS: ClassVar[list[BindingType]] = [(OPEN_KEY, "open"), (COPY_KEY, "copy")]

    def __init__(self, service: str, login: Login) -> None:
        super().__init__()
        self._service = service
        self._login = login

    def compose(self) -> ComposeResult:
        with Vertical(classes="box") as box:
            box.border_title = Content(f"Log in at {shortened(self._service, 40)}")
            box.border_subtitle = f"{OPEN_KEY} to open · {COPY_KEY} to copy · esc to leave"
            with VerticalScroll(classes="text"):
                yield Static(self._text())
            yield Static(_WAITING, classes="note", markup=False)

    def on_mount(self) -> None:
        self._wait()

    @work
    async def _wait(self) -> None:
        self.dismiss(await self._login.outcome)

    def action_open(self) -> None:
        self._show(open_url(self._login.url) or "Opened in the browser.")

    def action_copy(self) -> None:
        self.app.copy_to_clipboard(self._login.url)
        self._show("The URL is in the clipboard.")

    def _show(self, message: str) -> None:
        """Show a message in the dialog: the line of notices is behind it."""
        self.query_one(".note", Static).update(Content(f"{message}\n{_WAITING}"))

    def _text(self) -> Content:
        if not self._login.code:
            return url_text(self._login.url)
        return Content.assemble(url_text(self._login.url), "\n", ("code     ", MUTED), (escaped(self._login.code), KEY))
