"""A row of text that is cheap to type in."""

from textual.widgets import Input

from workbench.tui.widgets.laid_out_once import LaidOutOnce


class LineInput(Input, LaidOutOnce):
    """A row of text that does not lay out the whole screen at each key, since only the width of its text changes."""
