"""Classes whose change costs little.

When a class changes, Textual computes the styles of the widget and of everything in it; for a rule with
`:focus-within` those of the outermost widget that it could apply to, at each move of the focus. In a form of forty
fields that is slower than painting it. Here, the caller names the widgets whose rules depend on the class.
"""

from collections.abc import Iterable, Sequence

from textual.widget import Widget

FOCUSED = "-focused"


def set_light_class(widget: Widget, is_set: bool, name: str, affected: Iterable[Widget]) -> None:
    """Set or remove a class of a widget, and compute the styles of the affected widgets alone."""
    if widget.has_class(name) is not is_set:
        widget.set_class(is_set, name, update=False)
        update_styles(affected)


def update_styles(widgets: Iterable[Widget]) -> None:
    """Compute the styles of these widgets, and not of what is in them."""
    if attached := [widget for widget in widgets if widget.is_attached]:
        attached[0].app.stylesheet.update_nodes(attached)


class FocusMarks:
    """Sets a class on the widgets that contain the focus. No rule of their descendants may depend on it."""

    def __init__(self) -> None:
        self._marked: Sequence[Widget] = ()

    def move(self, widgets: Sequence[Widget]) -> None:
        """Mark these widgets, and no others."""
        before, self._marked = self._marked, widgets
        for widget in {*before, *widgets}:
            set_light_class(widget, widget in widgets, FOCUSED, [widget])
