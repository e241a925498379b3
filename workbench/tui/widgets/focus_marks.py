"""The class of the widgets around the focus.

`:focus-within` is not used for them: Textual then computes the styles of everything in the outermost widget that such a
rule could apply to, twice for each move of the focus. In a form of forty fields that takes longer than painting it.
"""

from collections.abc import Sequence

from textual.widget import Widget

FOCUSED = "-focused"


class FocusMarks:
    """Sets a class on the widgets that contain the focus. No rule of their descendants may depend on it."""

    def __init__(self) -> None:
        self._marked: Sequence[Widget] = ()

    def move(self, widgets: Sequence[Widget]) -> None:
        """Mark these widgets, and no others."""
        changed = [widget for widget in self._marked if widget not in widgets]
        changed += [widget for widget in widgets if widget not in self._marked]
        self._marked = widgets
        for widget in changed:
            widget.set_class(widget in widgets, FOCUSED, update=False)
            if widget.is_attached:
                widget.app.stylesheet.update_nodes([widget], animate=False)
