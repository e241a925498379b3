"""The screen with the header, the tabs and the panes, and the notice that selected text was copied."""

from textual.screen import Screen

from workbench.model.notices import CLIPBOARD


class Frame(Screen[None]):
    def action_copy_text(self) -> None:
        super().action_copy_text()
        # Without a selection, the key is another's by now.
        lines = len((self.get_selected_text() or "").splitlines())
        text = "The selected text is" if lines < 2 else f"The selected {lines:,} lines are"
        self.notify(f"{text} in the clipboard.", title=CLIPBOARD, markup=False)
