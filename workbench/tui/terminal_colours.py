"""The colours that terminals of 256 colours show: the nearest of their palette, so that dark backgrounds stay grey.

Rich rounds each part of a colour by itself, which turns a dark blue-grey into a bright teal.
"""

from collections.abc import Sequence
from functools import lru_cache

from rich.color import Color as RichColor
from rich.color_triplet import ColorTriplet
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter

PALETTE_OF_256 = "256"
"""The name of this system of colours, one of :data:`rich.console.COLOR_SYSTEMS`."""

_LEVELS = (0, 95, 135, 175, 215, 255)
# The colours after the first 16, whose values are the user's.
_CUBE_START, _GREYS_START = 16, 232
_GREYS = tuple(range(8, 239, 10))


@lru_cache(4096)
def nearest(triplet: ColorTriplet) -> RichColor:
    """Return the colour of the palette of 256 that is nearest to a colour."""
    sixths = [min(range(len(_LEVELS)), key=lambda index: abs(_LEVELS[index] - part)) for part in triplet]
    cube = ColorTriplet(*(_LEVELS[index] for index in sixths))
    mean = sum(triplet) / 3
    grey = min(range(len(_GREYS)), key=lambda index: abs(_GREYS[index] - mean))
    if _distance(triplet, ColorTriplet(*[_GREYS[grey]] * 3)) < _distance(triplet, cube):
        return RichColor.from_ansi(_GREYS_START + grey)
    red, green, blue = sixths
    return RichColor.from_ansi(_CUBE_START + 36 * red + 6 * green + blue)


class NearestColours(LineFilter):
    """Replaces every colour of a line by the nearest of 256."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [Segment(text, style and _shown_style(style), control) for text, style, control in segments]


def with_nearest_colours(filters: Sequence[LineFilter], system: str | None) -> Sequence[LineFilter]:
    """Return the filters for the lines of a terminal with a system of colours."""
    return [*filters, _NEAREST] if system == PALETTE_OF_256 else filters


_NEAREST = NearestColours()


@lru_cache(4096)
def _shown_style(style: Style) -> Style:
    return style + Style.from_color(_shown(style.color), _shown(style.bgcolor))


def _shown(colour: RichColor | None) -> RichColor | None:
    return colour if colour is None or colour.triplet is None else nearest(colour.triplet)


def _distance(first: ColorTriplet, second: ColorTriplet) -> int:
    return sum((left - right) ** 2 for left, right in zip(first, second, strict=True))
