"""A row of text that is cheap to type in."""

from textual import events
from textual.widgets import Input

from workbench.tui.widgets.laid_out_once import LaidOutOnce
from workbench.tui.widgets.paint import fit, width_of


class LineInput(Input, LaidOutOnce):
    """A row of text that does not lay out the whole screen at each key, since only the width of its text changes.

    A placeholder that does not fit is cut with an ellipsis.
    """

    # The whole placeholder.
    _placeholder = ""

    # Textual calls this for each value of the attribute `placeholder`, which is what is painted.
    def validate_placeholder(self, text: str) -> str:
        self._placeholder = text
        return self._fitted_placeholder()

    def on_resize(self, _event: events.Resize) -> None:
        if (fitted := self._fitted_placeholder()) != self.placeholder:
            # Without the validation, which would take a cut text for the whole.
            self.set_reactive(LineInput.placeholder, fitted)
            self.refresh()

    def _fitted_placeholder(self) -> str:
        # The size is not known before it is mounted.
        width = self.content_size.width
        return fit(self._placeholder, width) if 0 < width < width_of(self._placeholder) else self._placeholder
