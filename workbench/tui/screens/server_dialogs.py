"""What a user does with the server itself: ping it, and edit the folders that it may ask for (roots)."""

from time import perf_counter
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from workbench.model.describe import duration, plural
from workbench.tui.key_bindings import dialog_bindings, key_for
from workbench.tui.screens.dialogs import Dialog
from workbench.tui.widgets.questions.roots_question import read_roots
from workbench.tui.widgets.steady import TextArea

if TYPE_CHECKING:
    from workbench.tui.pane import Pane

Roots = list[dict[str, Any]]

_PING = "ping"  # The topic of the notice about the answer.


class ServerActions:
    """Pings the server of a pane's workspace, and changes its roots."""

    def __init__(self, pane: "Pane") -> None:
        self._pane = pane
        self.seconds: float | None = None
        """The time until the answer to the last ping."""

    def why_not(self, action: str) -> str | None:
        if action in ("ping", "edit_roots") and self._pane.workspace.session is None:
            return "This terminal has no session with the server."
        return None

    async def ping(self) -> None:
        """Send a ping, and show the time until its answer."""
        if (session := self._pane.workspace.session) is None:
            return
        started = perf_counter()
        if await self._pane.attempt(session.ping()):
            self.seconds = perf_counter() - started
            method = "server/discover" if session.revision.stateless else "ping"
            text = f"The server answered {method} after {duration(self.seconds)}."
            self._pane.notify(text, title=_PING, markup=False)

    async def edit_roots(self) -> None:
        """Ask for the roots, and send `notifications/roots/list_changed` if they have changed."""
        workspace = self._pane.workspace
        roots = await self._pane.app.push_screen_wait(RootsScreen(workspace.roots))
        if roots is None or roots == workspace.roots or not await self._pane.attempt(workspace.set_roots(roots)):
            return
        self._pane.notify(f"The server gets {plural(len(roots), 'root')} from now on.", title="roots", markup=False)


class RootsScreen(Dialog[Roots | None]):
    """Asks for the roots, a folder a line, and returns them; Esc returns None."""

    AUTO_FOCUS = "TextArea"
    BINDINGS: ClassVar[list[BindingType]] = [*dialog_bindings("accept", "requests", "accept")]

    DEFAULT_CSS = """
    RootsScreen TextArea { height: auto; min-height: 4; max-height: 50vh; border: none; padding: 0 1; }
    """

    def __init__(self, roots: Roots) -> None:
        super().__init__()
        self._roots = roots

    def compose(self) -> ComposeResult:
        with Vertical(classes="box") as box:
            box.border_title = "Roots"
            box.border_subtitle = f"{key_for('accept', 'requests')} to accept · esc to leave"
            yield Static(
                "The folders that you share with servers, which ask for them with roots/list.\n"
                "One folder per line, as a path or a file:// URI; it may be empty.",
                classes="text",
                markup=False,
            )
            rows = "\n".join(str(root.get("uri", "")) for root in self._roots)
            yield TextArea(rows, compact=True, highlight_cursor_line=False)
            yield Static(classes="problem", markup=False)

    def action_accept(self) -> None:
        try:
            self.dismiss(read_roots(self.query_one(TextArea).text))
        except ValueError as problem:
            self.query_one(".problem", Static).update(Content(str(problem)))

    @on(TextArea.Changed)
    def _typed(self) -> None:
        self.query_one(".problem", Static).update("")
