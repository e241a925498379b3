"""How many questions are open, and how long the tool that asks still waits: shown beside the result."""

import math

from workbench.tui.pane import Pane
from workbench.tui.widgets.outcome import Outcome
from workbench.workspace.asking_calls import seconds_left

# Before its tool is given up, an open question is mentioned once more.
_LAST_SECONDS = 10


class WaitingCalls:
    """Shows the open questions of a pane's workspace."""

    def __init__(self, pane: Pane, outcome: Outcome) -> None:
        self._pane = pane
        self._outcome = outcome
        # Until a tool that asks is given up, when this was last shown.
        self._seconds_left = math.inf

    def count_down(self) -> None:
        """Show the time that is left; called each second."""
        if self._pane.workspace.questions.waiting:
            self.show()

    def show(self) -> None:
        """Show the open questions."""
        workspace = self._pane.workspace
        left = seconds_left(workspace)
        if left is not None and left <= _LAST_SECONDS < self._seconds_left:
            self._pane.notify(f"A tool waits for your answer {round(left)} s more.", severity="warning", markup=False)
        self._seconds_left = math.inf if left is None else left
        self._outcome.show_waiting(len(workspace.questions.waiting), left)
