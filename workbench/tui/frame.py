"""The screen with the header, the tabs, the pane in front and the footer; dialogs are pushed above it."""

from typing import TYPE_CHECKING

from textual.css.query import NoMatches
from textual.geometry import Size
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Static

from workbench.model.notices import CLIPBOARD, Notice
from workbench.tui.header import hint_items, notice_items, sign_items, status_items, tab_items
from workbench.tui.keystrokes import accepts_text
from workbench.tui.widgets.bar import Bar, Item

if TYPE_CHECKING:
    from workbench.tui.pane import Pane
    from workbench.workspace.workspace import Workspace

SMALLEST = Size(60, 15)
"""The smallest size, in columns and rows, in which the screens can be shown."""


class Frame(Screen[None]):
    class FrontChanged(Message):
        """Another screen has come to the front, or this one again."""

    def paint(
        self,
        workspace: "Workspace | None",
        state: str,
        place: str,
        pane: "Pane | None",
        notice: Notice | None,
        opening: str,
    ) -> None:
        """Show the state of a workspace, the tabs, and the keys of a pane at the current focus.

        `opening` is the title of a server that is being opened in place of that of the workspace.
        """
        try:
            self.query_one("#status", Bar).show_items(*status_items(workspace, state, opening))
            self.query_one("#tabs", Bar).show_items(tab_items(workspace, place, self.app.size.width))
            # While the focused widget reads letters as text, only other keys are commands.
            is_writing = accepts_text(self.focused)
            if self.app.screen is not self:
                # The keys are those of the screen in front.
                hints: tuple[list[Item], list[Item]] = [], []
            elif pane is None:
                # Which keys of the pane apply is known once it is there.
                hints = [], hint_items(place, is_writing=is_writing)[1]
            else:
                actor = pane.actor
                hints = hint_items(
                    actor.PLACE, is_writing=is_writing, first=actor.first_hints, hint_title=actor.hint_title
                )
            self.query_one("#hints", Bar).show_items([*sign_items(notice), *hints[0]], hints[1])
            self._show_notice(notice)
        except NoMatches:
            return  # Records may still arrive while the app shuts down.

    def _show_notice(self, notice: Notice | None) -> None:
        """Show a notice in a line of its own, which is there only while it is shown: it covers nothing."""
        bar = self.query_one("#notice", Bar)
        left, right = notice_items(notice, self.app.size.width)
        bar.show_items(left, right)
        bar.set_class(bool(left), "-shown")

    def show_size(self, size: Size) -> None:
        """Show why there is nothing else in a terminal that is too small."""
        self.set_class(size.width < SMALLEST.width or size.height < SMALLEST.height, "-too-small")
        self.query_one("#too-small", Static).update(
            f"This terminal is {size.width} x {size.height}.\nThe workbench needs {SMALLEST.width} x {SMALLEST.height}."
            "\n\nMake the window larger."
        )

    def on_screen_suspend(self) -> None:
        self.post_message(self.FrontChanged())

    def on_screen_resume(self) -> None:
        self.post_message(self.FrontChanged())

    def action_copy_text(self) -> None:
        """Copy the selected text, and notify the user."""
        super().action_copy_text()
        # Without a selection, the key is another's by now.
        lines = len((self.get_selected_text() or "").splitlines())
        text = "The selected text is" if lines < 2 else f"The selected {lines:,} lines are"
        self.notify(f"{text} in the clipboard.", title=CLIPBOARD, markup=False)
