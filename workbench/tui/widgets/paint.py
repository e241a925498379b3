"""Texts -> styled strips: the width of a text in cells, and the only place where line widgets get their colours.

The colours themselves are in the style sheets, as component classes, so that they follow the theme and the terminal.
"""

from collections.abc import Container, Iterable
from itertools import groupby
from typing import TypeAlias

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from workbench.model.short_text import escaped

StyledText: TypeAlias = tuple[str, str]
"""A text and the component class that colours it; empty for the widget's own colour."""


def fit(text: str, width: int) -> str:
    """Return the text in exactly this many cells: padded with spaces, or cut with an ellipsis."""
    if width <= 0:
        return ""
    # A cell may hold a few code points; text beyond that limit is never visible.
    text = escaped(text[: 4 * width])
    length = len(text) if text.isascii() else cell_len(text)
    if length <= width:
        return text + " " * (width - length)
    return set_cell_size(text, width - 1) + "…"


def fit_right(text: str, width: int) -> str:
    """Return the text in exactly this many cells, aligned to the right."""
    cut = fit(text, width).rstrip()
    return " " * (width - cell_len(cut)) + cut


def highlighted(strip: Strip, start: int, end: int, style: Style) -> Strip:
    """Return a strip with another style from a character to another; -1 for its end."""
    text = strip.text
    first = cell_len(text[:start])
    last = strip.cell_length if end < 0 else cell_len(text[:end])
    middle = Strip([Segment(part.text, (part.style or Style()) + style) for part in strip.crop(first, last)])
    return Strip.join([strip.crop(0, first), middle, strip.crop(last)])


def width_of(text: str) -> int:
    """Return the width of a text as it is painted, in cells."""
    shown = escaped(text)
    return len(shown) if shown.isascii() else cell_len(shown)


def fit_matches(text: str, positions: Container[int], width: int, style: str, match_style: str) -> list[StyledText]:
    """Return the text in exactly this many cells, with the characters at these positions in another style."""
    cut = fit(text, width)
    # Control characters become longer when they are escaped, so that the positions are those of other characters.
    if not positions or escaped(text) != text:
        return [(cut, style)]
    end = len(cut) - (cut.endswith("…") and not text.startswith(cut))
    runs = groupby(range(len(cut)), lambda at: at < end and at in positions)
    return [("".join(cut[at] for at in run), match_style if is_match else style) for is_match, run in runs]


class Paint:
    """The styles of component classes, computed once per theme and state: :meth:`clear` in `notify_style_update`."""

    def __init__(self, widget: Widget) -> None:
        self._widget = widget
        self._styles: dict[tuple[str, str], Style] = {}

    def strip(self, texts: Iterable[StyledText], background: str = "") -> Strip:
        """Return the texts side by side, with control characters escaped, on the widget's or another background.

        The text colour of a background has precedence: the colours of texts are not readable on every background.
        """
        return Strip([Segment(escaped(text), self.style(name, background)) for text, name in texts if text])

    def style(self, name: str = "", background: str = "") -> Style:
        """Return the style of a component class on the background of another."""
        if (style := self._styles.get((name, background))) is None:
            names = [part for part in (name, background) if part]
            style = self._styles[name, background] = self._widget.get_visual_style(*names).rich_style
        return style

    def clear(self) -> None:
        """Drop the cached styles: the theme or the widget's state has changed."""
        self._styles.clear()
