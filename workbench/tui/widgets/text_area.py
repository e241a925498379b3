"""Textual's text area, made robust against input that arrives after its removal."""

from textual import widgets
from textual.geometry import Region
from textual.strip import Strip


class TextArea(widgets.TextArea):
    """A text area that is blank once it is removed.

    Between the removal and the next layout, a mouse event reads the style under it from the removed widget. That has no
    component styles any more and, in a theme of ANSI colours, no background; drawing it would raise an error.
    """

    def render_lines(self, crop: Region) -> list[Strip]:
        if self.is_attached:
            return super().render_lines(crop)
        return [Strip.blank(crop.width)] * crop.height
