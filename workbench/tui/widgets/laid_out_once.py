"""Widgets whose new size does not lay out the screen once more.

Textual lays out the screen again after each layout that has changed the size of a widget. That matters to a list whose
height depends on its rows; in a large form it takes as long as to paint it.
"""

from textual.geometry import Size
from textual.reactive import Reactive
from textual.widget import Widget


class LaidOutOnce(Widget):
    """As a mixin it comes after the class of Textual, which reads styles from the first base class only."""

    virtual_size: Reactive[Size] = Reactive(Size(0, 0), layout=False)
