"""The place of a small window at the cursor."""

from textual.geometry import Offset, Size


def offset_beside(cursor: Offset, window: Size, screen: Size) -> Offset:
    """Return the place below a cursor, or above it where there is more room; the window stays on the screen."""
    below, above = screen.height - cursor.y - 1, cursor.y
    y = cursor.y + 1 if window.height <= below or below >= above else cursor.y - window.height
    x = min(cursor.x, screen.width - window.width)
    return Offset(max(0, x), max(0, min(y, screen.height - window.height)))
