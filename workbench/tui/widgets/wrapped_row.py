"""A row of widgets that continues on the next line where there is no room, as words in a text do."""

from fractions import Fraction

from textual.containers import Container
from textual.geometry import NULL_OFFSET, Region, Size
from textual.layout import Layout, WidgetPlacement
from textual.widget import Widget

GAP = 2
"""The cells between two widgets in a line."""


class WrappedLayout(Layout):
    """Widgets of one line each; the first one that does not fit begins a new line."""

    name = "wrapped"

    def arrange(self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True) -> list[WidgetPlacement]:
        parent.pre_layout(self)
        placements = []
        x = y = 0
        for child in children:
            # Private, but the only way to the size that a style sheet gives to a widget.
            box = child._get_box_model(size, parent.app.viewport_size, Fraction(size.width), Fraction(1))
            width = min(int(box.width), size.width)
            if x and x + width > size.width:
                x, y = 0, y + 1
            placements.append(WidgetPlacement(Region(x, y, width, 1), NULL_OFFSET, box.margin, child))
            x += width + GAP
        return placements


class WrappedRow(Container):
    """Widgets of one line each, in as many lines as they need."""

    DEFAULT_CSS = "WrappedRow { height: auto; }"

    _layout = WrappedLayout()

    @property
    def layout(self) -> Layout:
        # Style sheets know only the layouts of Textual.
        return self._layout
