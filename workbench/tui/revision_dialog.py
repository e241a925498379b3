"""Choices about the terminal's own session: its protocol revision and its log level."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from server_core.errors import WorkbenchError
from workbench.tui.header import WITHOUT_CORE

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp
    from workbench.workspace.workspace import Workspace


class RevisionDialog:
    """Asks for the protocol revision or the log level in a dialog, and applies the choice to the workspace.

    Args:
        app: shows the dialogs.
    """

    def __init__(self, app: "WorkbenchApp") -> None:
        self._app = app

    @property
    def _workspace(self) -> "Workspace":
        return self._app.workspace

    def why_not(self, action: str) -> str | None:
        """Return why an action is not available at the moment; None if it is, and for actions of others."""
        if action not in ("speak", "want_logs"):
            return None
        if self._app.state in ("connecting", "server lost", *WITHOUT_CORE) or self._workspace.session is None:
            return "This terminal has no session with the server."
        if action == "speak" and (running := self._workspace.running):
            calls = "A call runs" if running == 1 else f"{running} calls run"
            return f"{calls} in this session: wait for the result, or cancel it first."
        return None

    def ask_for_revision(self) -> None:
        """Ask for the protocol revision to switch to."""
        from workbench.tui.screens.session_dialogs import revision_screen

        if (session := self._workspace.session) is not None:
            self._app.push_screen(revision_screen(session.revision, is_relay=self._workspace.is_relay), self.switch)

    def switch(self, choice: str | None) -> None:
        """Switch to a protocol revision, or show why that is not possible now.

        Args:
            choice: the date of a revision, or "newest"; None to change nothing.
        """
        from server_core.protocol.revisions import REVISIONS

        if choice is None:
            return
        if (reason := self.why_not("speak")) is not None:
            self._app.notify(reason, severity="warning", markup=False)
            return
        self._app.run_worker(
            self._do(self._workspace.speak(REVISIONS.get(choice)), self._describe_revision), exclusive=True
        )

    def ask_for_log_level(self) -> None:
        """Ask for the log level."""
        from workbench.tui.screens.session_dialogs import log_level_screen

        self._app.push_screen(log_level_screen(self._workspace.log_level), self._want_logs)

    def _want_logs(self, level: str | None) -> None:
        if level is not None:
            done = f"Log level: {level}."
            self._app.run_worker(self._do(self._workspace.want_logs(level), lambda: done), exclusive=True)

    def _describe_revision(self) -> str:
        session = self._workspace.session
        return "" if session is None else f"Your calls now use revision {session.revision.date}."

    async def _do(self, order: Awaitable[None], done: Callable[[], str]) -> None:
        try:
            await order
        except WorkbenchError as error:
            self._app.notify(f"Nothing has changed: {error}", severity="error", markup=False)
        else:
            self._app.notify(done(), markup=False)
