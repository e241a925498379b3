"""What a user does with runs in the tools pane: start, show, cancel and repeat them."""

from collections.abc import Callable
from typing import Any

from workbench.model.catalog import Offer, OfferKind
from workbench.model.describe import duration
from workbench.model.forms.field_search import path_name
from workbench.model.forms.secret_members import left_out, without_secrets
from workbench.model.history import CallRun
from workbench.model.json_members import object_in
from workbench.model.messages.call_texts import argument_words
from workbench.model.references import has_references
from workbench.model.short_text import shortened
from workbench.model.traffic.entry import Entry
from workbench.tui.actions import find_action
from workbench.tui.key_bindings import key_for
from workbench.tui.pane import Pane
from workbench.tui.screens.dialogs import Choice, ChoiceScreen
from workbench.tui.widgets.outcome import Outcome
from workbench.workspace.runs import Runs

LONG_S = 10.0
"""A call that has run longer than so many seconds is cancelled only after a question."""
_CHECK_S = 0.25
_CANCEL = Choice(
    "cancel", "x", "Cancel it", "the server gets a request to stop", find_action("cancel_run", "tools").keys
)
_CONTINUE = Choice("continue", "c", "Let it run", "same as esc")


class RunActions:
    """The actions of a pane on its runs.

    Args:
        come_before: goes to the question that is answered before its offer is called once more by an action, and
            returns whether there is one; every way to start a call asks it.
        on_started: is called when a run has started and is shown.
    """

    def __init__(
        self,
        pane: Pane,
        runs: Runs,
        outcome: Outcome,
        come_before: Callable[[tuple[str, str], str], bool],
        on_started: Callable[[], None],
    ) -> None:
        self._pane = pane
        self._runs = runs
        self._outcome = outcome
        self._come_before = come_before
        self._on_started = on_started
        # The call about which the user was last asked whether to cancel it.
        self._questioned: CallRun | None = None

    def why_not(self, action: str, offer: Offer | None) -> str | None:
        """Return why an action on runs is not available for an offer; None if it is, and for other actions."""
        if action == "run" and offer is None:
            return "Choose a tool, a resource or a prompt first."
        if action == "run_as_task":
            return self._why_no_task(offer)
        if action in ("run_again", "edit_run") and self._outcome.history_run is None:
            return "There are no calls yet."
        if action == "toggle_history" and not len(self._pane.workspace.history):
            return "There are no calls yet."
        if action == "show_messages" and self._request is None:
            return "There are no messages of a call to show."
        if action == "cancel_run" and not self._outcome.is_busy:
            return "No call is running."
        return None

    def start(self, offer: Offer, value: dict[str, Any], *, as_task: bool = False) -> None:
        if not self._come_before(offer.key, "run_as_task" if as_task else "run"):
            run = self._runs.start(offer, value, as_task=as_task)
            self._show(run)
            if not as_task:
                self._log(run)

    def repeat(self) -> None:
        run = self._outcome.history_run
        if run is not None and not self._come_before((run.kind, run.tool), "run_again"):
            again = self._runs.repeat(run)
            self._show(again)
            self._log(again)

    def read_again(self, run: CallRun) -> None:
        """Read the resource of a run again, and show it in its place."""
        self.show(self._runs.read_again(run))

    def show_last(self, offer: Offer) -> None:
        self._outcome.show(offer.kind, self._runs.last(offer))

    def show(self, run: CallRun) -> None:
        """Show any run, with the history at it."""
        self._outcome.show(run.kind, run)
        self._outcome.show_history(self._pane.workspace.history)

    async def show_messages(self) -> None:
        """Show the messages of the run in the Inspector: the one under the cursor, or else the one that is held."""
        if (request := self._request) is not None:
            await self._pane.workbench.open_call(self._outcome.message_under_cursor or self._held or request.seq)

    def update(self) -> None:
        self._outcome.update_run()
        self._outcome.show_history(self._pane.workspace.history)

    def cancel(self) -> None:
        """Cancel the call that runs; one that has run long only after a question, which is asked once."""
        run, clock = self._outcome.run, self._pane.workspace.clock
        if run is None:
            return
        if clock() - run.started <= LONG_S or run is self._questioned:
            self._runs.cancel(run)
            return

        def proceed(choice: str | None) -> None:
            if choice == "cancel":
                self._runs.cancel(run)

        self._questioned = run
        self._pane.app.push_screen(CancelScreen(run, clock), proceed)

    def _show(self, run: CallRun) -> None:
        self.show(run)
        self._outcome.show_chosen_tab()
        self._on_started()

    def _log(self, run: CallRun) -> None:
        """Log the command of a call; none with references, whose values only saved calls have on the command line."""
        if run.kind is not OfferKind.TOOL:
            return
        workspace = self._pane.workspace
        saved = workspace.saved_calls.last_read.find_same((run.kind, run.tool), run.arguments)
        if saved is not None:
            self._pane.log_command("tools.run saved", name=saved.name)
        elif not has_references(run.arguments):
            arguments = without_secrets(run.arguments, object_in(workspace.core.tool(run.tool), "inputSchema"))
            names = ", ".join(shortened(path_name(path)) for path in left_out(run.arguments, arguments))
            note = f"Without the values of secrets: {names}" if names else ""
            self._pane.log_command("tools.run", note=note, tool=run.tool, arguments=[*argument_words(arguments)])

    @property
    def _request(self) -> Entry | None:
        """The request of the run that is shown; None if its records are not in memory."""
        records = self._outcome.records
        # The numbers of messages in a capture are not those of the Inspector.
        return None if records is None or records.run.capture else records.first

    @property
    def _held(self) -> int:
        """The number of the message of the run that waits for an operator; 0 for none."""
        return 0 if self._outcome.records is None else self._outcome.records.hold.waiting

    def _why_no_task(self, offer: Offer | None) -> str | None:
        session = self._pane.workspace.session
        if offer is None or offer.kind is not OfferKind.TOOL:
            return "Choose a tool first."
        if session is None or not session.revision.core_tasks:
            date = "" if session is None else session.revision.date
            is_newer = session is not None and session.revision.stateless
            why = "the server decides what becomes a task: run it" if is_newer else "there are no tasks"
            return f"In revision {date} {why}. {key_for('switch_revision').capitalize()} switches the revision."
        if self._pane.workspace.core.task_support(offer.name) == "forbidden":
            return f"{offer.name} does not run as a task."
        return None


class CancelScreen(ChoiceScreen):
    """Asks whether to cancel a call; it closes when the call ends meanwhile."""

    def __init__(self, run: CallRun, clock: Callable[[], float]) -> None:
        text = f"{run.tool} {run.title} has run for {duration(clock() - run.started)}."
        super().__init__("Cancel the call", text, (_CANCEL, _CONTINUE))
        self._run = run

    def on_mount(self) -> None:
        self.set_interval(_CHECK_S, self._close_at_end)

    def _close_at_end(self) -> None:
        if not self._run.is_running:
            self.dismiss(None)
