"""The question before a long call is cancelled."""

from collections.abc import Callable

from workbench.model.describe import duration
from workbench.model.history import CallRun
from workbench.tui.actions import find_action
from workbench.tui.screens.dialogs import Choice, ChoiceScreen

LONG_S = 10.0
"""A call that has run longer than so many seconds is cancelled only after a question."""
_CHECK_S = 0.25

_CANCEL = Choice(
    "cancel", "x", "Cancel it", "the server gets a request to stop", find_action("cancel_run", "tools").keys
)
_CONTINUE = Choice("continue", "c", "Let it run", "same as esc")


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
