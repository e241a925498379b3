"""What a change of the workspace shows over whichever pane is in front: messages, and dialogs that open unasked."""

from functools import partial
from typing import TYPE_CHECKING

from workbench.model.short_text import escaped_lines, shortened
from workbench.tui.hold_notices import HoldNotices
from workbench.tui.key_bindings import key_for
from workbench.tui.notice_app import SERVER
from workbench.tui.question_notices import QuestionNotices
from workbench.tui.rule_notices import RuleNotices
from workbench.tui.workers import start_worker

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp
    from workbench.workspace.workspace import Workspace


CONNECTED_AGAIN = "Connected to the server again."
STDERR_HEADING = "Last lines on its stderr:"
"""The heading of the last lines, in how a server ended; see `server_core.runtime.processes`."""
_RELOAD = "reload"  # The topic of notices about reloads.
_CAPTURE = "capture"  # The topic of notices about a capture that cannot be written.


class Announcements:
    """Shows reloads, the loss of a core or a server, and the start screen in a folder without tools."""

    def __init__(self, app: "WorkbenchApp") -> None:
        self._app = app
        self._generation = 0
        # The changes of a relayed server's lists that the user was last notified of.
        self._reported_changes: object = None
        # The loss of the relayed server that the user was last notified of.
        self._reported_loss = ""
        self._has_offered_start = False
        self._capture_problem = ""
        self._questions = QuestionNotices(app)
        self._held = HoldNotices(app)
        self._rules = RuleNotices(app)

    def begin(self, workspace: "Workspace") -> None:
        workspace.rules.confirm = lambda *question: self._app.rule_dialogs.confirm(*question)
        workspace.restart_hint = f"Press {key_for('restart')} to restart it."
        self._generation = 0
        self._reported_changes = workspace.core.definitions.changes
        self._reported_loss = workspace.server_lost
        # They were about the core before this one.
        self._capture_problem = ""
        for topic in (_RELOAD, SERVER, _CAPTURE):
            self._app.withdraw(topic)

    def show_opened(self, workspace: "Workspace") -> None:
        # After a failure of the terminal, its report matters more than how the core was reached.
        if workspace.notice and not self._app.is_reopened:
            # A mistake in the configuration matters more.
            self._app.notices.add(workspace.notice, behind=True)
            self._app.notices_changed()
        if workspace.server_lost and workspace.session is None:
            self._app.core_dialogs.show_no_server(workspace.server_lost)
        self._offer_start(workspace)

    def show_change(self, workspace: "Workspace", part: str) -> None:
        if part == "catalog":
            (self._show_changed_lists if workspace.core.is_relay else self._show_reload)(workspace)
            self._offer_start(workspace)
            self._close_start(workspace)
        if part == "sessions":
            self._report_capture(workspace.core.capture_problem)
        if part == "held":
            self._held.show_change(workspace)
        if part == "rules":
            self._rules.show_change(workspace)
        if part == "questions":
            self._questions.show_change(workspace)
        if part == "link":
            if workspace.end.post_mortem is not None:
                self._app.core_dialogs.show_lost(workspace.end.post_mortem)
            self._report_server_lost(workspace)

    def _report_capture(self, problem: str) -> None:
        before, self._capture_problem = self._capture_problem, problem
        if problem and not before:
            text = f"Messages are not recorded: {escaped_lines(problem).rstrip('.')}. Everything else goes on."
            self._app.notify(text, title=_CAPTURE, severity="error", markup=False)
        elif before and not problem:
            self._app.notify("Messages are recorded again.", title=_CAPTURE, markup=False)

    def _report_server_lost(self, workspace: "Workspace") -> None:
        # While it is restarted by itself, the user already knows why.
        is_hidden = workspace.restarting and not workspace.restarts.is_trying
        lost = "" if is_hidden else workspace.server_lost
        if lost and lost != self._reported_loss and workspace.connected:
            message = f"{escaped_lines(_with_last_words(lost))}\n{self._restart_text(workspace)}"
            self._app.notify(message, title=SERVER, severity="error", markup=False)
        elif not lost and self._reported_loss:
            self._app.withdraw(SERVER)
            if not workspace.restarting:
                reason = escaped_lines(self._reported_loss).partition("\n")[0]
                self._app.notify(f"{CONNECTED_AGAIN} {reason}", title=SERVER, markup=False)
        self._reported_loss = lost

    def _restart_text(self, workspace: "Workspace") -> str:
        if workspace.restarts.seconds_left is None:
            return workspace.restart_hint
        keys = f"{key_for('restart')} restarts it now, {key_for('stop_restarts')} stops this."
        return f"It is restarted by itself: {keys}"

    def _show_reload(self, workspace: "Workspace") -> None:
        from workbench.tui.reload_texts import reload_notice

        catalog = workspace.core.catalog
        number = catalog.get("generation") or 0
        before, self._generation = self._generation, number
        # A catalog that was only fetched again, or the first catalog, is no change.
        if not before or number <= before:
            return
        if (notice := reload_notice(catalog, workspace.core.definitions.changes)) is not None:
            self._app.notify(notice[0], title=_RELOAD, severity=notice[1], markup=False)

    def _show_changed_lists(self, workspace: "Workspace") -> None:
        from workbench.tui.reload_texts import list_change_notice

        changes = workspace.core.definitions.changes
        if changes and changes is not self._reported_changes:
            self._app.notify(list_change_notice(workspace.core.catalog, changes), title=_RELOAD, markup=False)
        self._reported_changes = changes

    def _offer_start(self, workspace: "Workspace") -> None:
        # Before the first load it is unknown whether there are tools.
        if self._has_offered_start or not workspace.core.is_loaded:
            return
        has_tools = workspace.core.has_tools
        if not has_tools and len(self._app.screen_stack) > 1:
            return
        # Once there were tools, a file that is deleted must not open a dialog while the user is typing.
        self._has_offered_start = True
        if not has_tools:
            self.show_start(is_wanted=False)

    def show_start(self, *, is_wanted: bool) -> None:
        """Show the start screen, and open what the user chooses; `is_wanted` as for `ask_what_to_open`."""
        start_worker(self._app, partial(self._start, is_wanted), "start")

    async def _start(self, is_wanted: bool) -> None:
        from workbench.tui.screens.start import ask_what_to_open
        from workbench.workspace.open_request import opening_command

        if (choice := await ask_what_to_open(self._app, is_wanted=is_wanted)) is not None:
            self._app.connect(choice)
            self._app.commands.add(*opening_command(choice))

    def _close_start(self, workspace: "Workspace") -> None:
        if workspace.core.has_tools and len(self._app.screen_stack) > 1:
            from workbench.tui.screens.start import close_start_screen

            close_start_screen(self._app)


def _with_last_words(lost: str) -> str:
    """Return how a server ended, with its last line on stderr in front: a notice shows the beginning of its text."""
    first, *rest = lost.splitlines()
    if STDERR_HEADING in rest:
        # A notice is shortened at the end of a sentence.
        first = f"{first.rstrip('.')}: {shortened(rest[-1], 60).rstrip('.')}."
    return "\n".join([first, *rest])
