"""A row of text that is cheap to type in."""

from textual.geometry import Size
from textual.reactive import Reactive
from textual.widgets import Input


class LineInput(Input):
    """A row of text that does not lay out the whole screen at each key, since only the width of its text changes."""

    virtual_size: Reactive[Size] = Reactive(Size(0, 0), layout=False)
