"""The choices of a field in a row, which go on in further rows where they do not fit; a single one may be fixed.

The selected choice is in brackets, which need no colour.
"""

from collections.abc import Hashable, Sequence
from typing import ClassVar

from textual import events
from textual.geometry import Size
from textual.strip import Strip

from workbench.tui.widgets.form.segments import Segment, Segments, width_of

# In cells; wider choices become a drop-down.
_MAX_WIDTH = 36


class WrappedSegments(Segments):
    CHOSEN_SIGNS: ClassVar[tuple[str, str]] = ("[", "]")

    DEFAULT_CSS = """
    WrappedSegments { height: auto; }
    """

    def __init__(self, segments: Sequence[Segment], chosen: Hashable, *, fixed_note: str = "") -> None:
        super().__init__(segments, chosen)
        self._fixed_note = fixed_note
        self.fix(fixed_note)

    def fix(self, note: str) -> None:
        """Show why there is nothing to choose, and take no focus; an empty note if there is."""
        if note and self.has_focus:
            return  # The keys go on from here.
        self._fixed_note = note
        self.can_focus = not note
        self.refresh()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        # With the invitation: the fields below do not move once it is gone.
        return len(_rows(self._segments, width))

    def render_line(self, y: int) -> Strip:
        rows = _rows(self.segments, self.size.width)
        texts = self.texts(rows[y]) if y < len(rows) else []
        if self._fixed_note and y == len(rows) - 1:
            texts.append((f" {self._fixed_note}  ", "segments--other"))
        return self.cut(texts)

    def on_click(self, event: events.Click) -> None:
        # Textual calls the handlers of all base classes.
        event.prevent_default()
        rows = _rows(self.segments, self.size.width)
        if event.y < len(rows):
            self.select_at(rows[event.y], event.x)


def fit_in_a_row(segments: Sequence[Segment], max_width: int = _MAX_WIDTH) -> bool:
    """Whether choices are few and short enough to be shown side by side; others become a drop-down."""
    return sum(map(width_of, segments)) <= max_width


def _rows(segments: Sequence[Segment], width: int) -> list[list[Segment]]:
    """Return the choices of each row."""
    rows: list[list[Segment]] = [[]]
    room = width
    for segment in segments:
        # The blank after the last choice of a row needs no room, its bracket does.
        if rows[-1] and width_of(segment) - 1 > room:
            rows.append([])
            room = width
        rows[-1].append(segment)
        room -= width_of(segment)
    return rows
