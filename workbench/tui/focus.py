"""One rule: while the terminal has the focus, something on the screen has it too.

What has the focus may be hidden or removed at any time, by a reload, a question that is withdrawn, or the end of a
core. Textual then often leaves the focus nowhere, and what is typed next would run the commands of the pane.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp


def keep_focus(app: "WorkbenchApp") -> None:
    """Let the pane in front take the focus whenever nothing has it.

    Args:
        app: the app, with its first screen in front.
    """
    frame = app.screen

    def check() -> None:
        pane = app.pane
        # In a terminal window without the focus, Textual keeps what had it, and gives it back later.
        if app.app_focus and frame.focused is None and pane is not None and pane.is_mounted and pane.display:
            pane.take_focus()

    app.watch(frame, "focused", check, init=False)
    app.watch(app, "app_focus", check, init=False)
