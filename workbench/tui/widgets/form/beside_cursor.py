"""The place of a small window at the cursor, which is found again after each layout of the screen below."""

from collections.abc import Callable
from typing import Any

from textual.geometry import Offset, Size
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input, TextArea


def offset_beside(cursor: Offset, window: Size, screen: Size) -> Offset:
    """Return the place below a cursor, or above it where there is more room; the window stays on the screen."""
    below, above = screen.height - cursor.y - 1, cursor.y
    y = cursor.y + 1 if window.height <= below or below >= above else cursor.y - window.height
    x = min(cursor.x, screen.width - window.width)
    return Offset(max(0, x), max(0, min(y, screen.height - window.height)))


def cursor_of(widget: Widget, before: Offset) -> Offset:
    """Return the place of the cursor in a widget; that before if the widget is not in the layout any more."""
    if not widget.is_attached or not widget.region:
        return before
    return widget.cursor_screen_offset if isinstance(widget, Input | TextArea) else widget.region.offset


def after_layouts_below(window: Screen[Any], place: Callable[[], None]) -> None:
    """Call a function after each layout of the screen below a window: it arrives later than the resize of both."""
    stack = window.app.screen_stack
    below = stack[stack.index(window) - 1]

    def placed(_: Screen[Any]) -> None:
        place()

    below.screen_layout_refresh_signal.subscribe(window, placed)
