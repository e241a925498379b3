"""Text and the names of its parts -> styled strips: the only place where widgets of the line API get their colours.

The colours themselves are in the style sheets, as component classes, so that they follow the theme and the terminal.
"""

from collections.abc import Iterable
from typing import TypeAlias

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from workbench.model.short_text import escaped

Part: TypeAlias = tuple[str, str]
"""A text and the component class that colours it; empty for the widget's own colour."""


class Paint:
    """The styles of a widget's component classes, computed once per theme and state.

    Args:
        widget: the widget; it calls :meth:`forget` from its `notify_style_update`.
    """

    def __init__(self, widget: Widget) -> None:
        self._widget = widget
        self._styles: dict[tuple[str, str], Style] = {}

    def strip(self, parts: Iterable[Part], on: str = "") -> Strip:
        """Return the parts side by side, with control characters escaped.

        Args:
            parts: texts with their component classes.
            on: the component class of the background; empty for the widget's own.
        """
        return Strip([Segment(escaped(text), self.style(part, on)) for text, part in parts if text])

    def style(self, part: str = "", on: str = "") -> Style:
        """Return the style of a component class on the background of another."""
        if (style := self._styles.get((part, on))) is None:
            names = [name for name in (on, part) if name]
            style = self._styles[part, on] = self._widget.get_visual_style(*names).rich_style
        return style

    def forget(self) -> None:
        """Drop the cached styles: the theme or the widget's state has changed."""
        self._styles.clear()
