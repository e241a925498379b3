"""The rows of a picture in a view: half blocks, each with two pixels of the picture.

A terminal without colours gets characters whose brightness is that of the pixels.
"""

from collections.abc import Callable
from itertools import groupby

from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.cache import LRUCache
from textual.strip import Strip

from workbench.model.pictures import Colour, Picture
from workbench.model.traffic.json_document import JsonDocument
from workbench.model.traffic.text_search import TextSearch
from workbench.tui.widgets.document_rows import Rows
from workbench.tui.widgets.paint import Paint

_HALF = "▀"
_SHADES = " .:-=+*#%@"
# In rows: a picture is at least so high, also in a low view.
_LEAST_HEIGHT = 4
# The cell at the left of a picture, for the cursor.
_MARGIN = 1


class PictureRows(Rows):
    """The rows of a picture; `room` returns how many rows of the view it may have."""

    def __init__(
        self, document: JsonDocument, picture: Picture, paint: Paint, room: Callable[[], int], *, has_colours: bool
    ) -> None:
        self.document = document
        self._picture = picture
        self._paint = paint
        self._room = room
        self._has_colours = has_colours
        self._pixels: list[list[Colour]] = []
        self._strips: LRUCache[int, Strip] = LRUCache(200)

    @property
    def row_count(self) -> int:
        return len(self._pixels) // 2

    def lay_out(self, width: int) -> None:
        room = max(self._room(), _LEAST_HEIGHT)
        columns, height = self._picture.size_within(max(width - _MARGIN, 1), 2 * room)
        self._pixels = list(self._picture.rows(columns, height + height % 2))
        self._strips.clear()

    def line_of(self, row: int) -> int:
        return 0

    def row_of(self, line: int) -> int:
        return 0

    def strip(self, row: int, background: str, search: TextSearch | None) -> Strip:
        return Strip.join([self._paint.strip([(" " * _MARGIN, "")], background), self._picture_strip(row)])

    def _picture_strip(self, row: int) -> Strip:
        if (strip := self._strips.get(row)) is None:
            upper, lower = self._pixels[2 * row : 2 * row + 2]
            strip = _blocks(upper, lower) if self._has_colours else _shades(upper, lower)
            self._strips[row] = strip
        return strip


def _blocks(upper: list[Colour], lower: list[Colour]) -> Strip:
    segments = []
    for (above, below), cells in groupby(zip(upper, lower, strict=True)):
        style = Style(color=Color.from_rgb(*above), bgcolor=Color.from_rgb(*below))
        segments.append(Segment(_HALF * len(list(cells)), style))
    return Strip(segments, len(upper))


def _shades(upper: list[Colour], lower: list[Colour]) -> Strip:
    pairs = zip(upper, lower, strict=True)
    text = "".join(_SHADES[(sum(above) + sum(below)) * (len(_SHADES) - 1) // (6 * 255)] for above, below in pairs)
    return Strip([Segment(text)], len(upper))
