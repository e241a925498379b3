"""What a person decides about the terminal's own session: the revision that it speaks, the logs that it gets."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from server_core.errors import WorkbenchError
from workbench.tui.header import WITHOUT_CORE

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp
    from workbench.workspace.workspace import Workspace


class Speaking:
    """Asks for decisions in dialogs, and carries them out at the workspace.

    Args:
        app: shows the dialogs.
    """

    def __init__(self, app: "WorkbenchApp") -> None:
        self._app = app

    @property
    def _workspace(self) -> "Workspace":
        return self._app.workspace

    def why_not(self, action: str) -> str | None:
        """Return why a decision cannot be made at the moment; None for other actions too."""
        if action not in ("speak", "want_logs"):
            return None
        if self._app.state in ("connecting", "server lost", *WITHOUT_CORE) or self._workspace.session is None:
            return "This terminal has no session with the server."
        if action == "speak" and (running := self._workspace.running):
            calls = "A call runs" if running == 1 else f"{running} calls run"
            return f"{calls} in this session: wait for the result, or cancel it first."
        return None

    def ask_for_revision(self) -> None:
        """Ask which revision to speak."""
        from workbench.tui.screens.session_dialogs import revision_screen

        if (session := self._workspace.session) is not None:
            self._app.push_screen(revision_screen(session.revision, is_relay=self._workspace.is_relay), self.take_up)

    def take_up(self, choice: str | None) -> None:
        """Speak a revision, or say why that cannot be now.

        Args:
            choice: its date; "newest"; None to leave it.
        """
        from server_core.protocol.revisions import REVISIONS

        if choice is None:
            return
        if (reason := self.why_not("speak")) is not None:
            self._app.notify(reason, severity="warning", markup=False)
            return
        self._app.run_worker(self._do(self._workspace.speak(REVISIONS.get(choice)), self._spoken), exclusive=True)

    def ask_for_log_level(self) -> None:
        """Ask for the least severe log message."""
        from workbench.tui.screens.session_dialogs import log_level_screen

        self._app.push_screen(log_level_screen(self._workspace.log_level), self._want_logs)

    def _want_logs(self, level: str | None) -> None:
        if level is not None:
            done = f"Log messages come from {level} on."
            self._app.run_worker(self._do(self._workspace.want_logs(level), lambda: done), exclusive=True)

    def _spoken(self) -> str:
        session = self._workspace.session
        return "" if session is None else f"Your calls go out in {session.revision.date} now."

    async def _do(self, order: Awaitable[None], done: Callable[[], str]) -> None:
        try:
            await order
        except WorkbenchError as error:
            self._app.notify(f"Nothing has changed: {error}", severity="error", markup=False)
        else:
            self._app.notify(done(), markup=False)
