"""While the terminal has the focus, a widget on the screen has it too.

The focused widget may be hidden or removed at any time: by a reload, a question that is withdrawn, or the end of a
core. Textual then often leaves no widget focused, and the next keys would run the commands of the pane.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp


def keep_focus(app: "WorkbenchApp") -> None:
    """Move the focus to the pane in front whenever no widget has it.

    Args:
        app: the app, with its first screen in front.
    """
    frame = app.screen

    def check() -> None:
        pane = app.pane
        # While the terminal window is out of focus, Textual remembers the focused widget and restores it later.
        if app.app_focus and frame.focused is None and pane is not None and pane.is_mounted and pane.display:
            pane.take_focus()

    app.watch(frame, "focused", check, init=False)
    app.watch(app, "app_focus", check, init=False)
