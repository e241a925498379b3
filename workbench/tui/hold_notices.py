"""The notice about messages that wait for an operator, over every pane."""

from typing import TYPE_CHECKING

from workbench.model.describe import plural
from workbench.model.short_text import shortened
from workbench.tui.key_bindings import key_for

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp
    from workbench.workspace.held_messages import Waiting
    from workbench.workspace.workspace import Workspace

HELD = "held"
"""The topic of the notice: it ends with the last message that waits."""
NOTICE_S = 3600.0
"""How long the notice is shown at most: it ends when no message waits any more."""
_MAX_NAME = 60


class HoldNotices:
    """Announces messages that wait, and that there are too many, and updates their list where it is open."""

    def __init__(self, app: "WorkbenchApp") -> None:
        self._app = app
        self._count = 0
        self._is_limit_reported = False

    def show_change(self, workspace: "Workspace") -> None:
        from workbench.tui.screens.held_screen import HeldScreen

        for screen in self._app.screen_stack:
            if isinstance(screen, HeldScreen):
                screen.held_changed()
        held = workspace.held
        before, self._count = self._count, len(held.messages)
        if held.is_limit_reached and not self._is_limit_reported:
            text = f"{plural(len(held.messages), 'message')} are held, which is the limit: others pass."
            self._app.notify(text, title=HELD, severity="warning", markup=False)
        elif self._count and self._count != before and not held.is_limit_reached:
            self._app.notify(self._text(held.messages[-1]), title=HELD, timeout=NOTICE_S, markup=False)
        elif before and not self._count:
            self._app.withdraw(HELD)
        self._is_limit_reported = held.is_limit_reached

    def _text(self, newest: "Waiting") -> str:
        name = shortened(f"{newest.method} {newest.name}".strip() or newest.kind, _MAX_NAME)
        what = f"{name} is held" if self._count == 1 else f"{plural(self._count, 'message')} are held, now {name}"
        return f"{what}: {key_for('show_held', 'inspector')} in the Inspector decides."
