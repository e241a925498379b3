"""A few short choices in a row, of which one is selected."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip

from workbench.model.short_text import escaped
from workbench.tui.widgets.laid_out_once import LaidOutOnce
from workbench.tui.widgets.paint import Paint, StyledText


@dataclass(frozen=True, slots=True)
class Segment:
    """A choice; foreign text is safe."""

    key: Hashable
    label: str
    is_quiet: bool = False  # Whether it means the absence of a value, such as "omitted".
    is_invitation: bool = False  # Whether it only asks for a choice, and is gone once there is one.


class Segments(LaidOutOnce, can_focus=True):
    """A row of choices, selected by the arrow keys, the space bar or a click."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,space", "step(1)", show=False),
        Binding("left", "step(-1)", show=False),
    ]

    CHOSEN_SIGNS: ClassVar[tuple[str, str]] = (" ", " ")
    """What is before and after the selected choice."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"segments--chosen", "segments--quiet", "segments--other"}

    DEFAULT_CSS = """
    Segments {
        height: 1;
        & > .segments--chosen { background: $primary-muted; color: $text; text-style: bold; }
        &:focus > .segments--chosen { background: $primary; color: $text; }
        & > .segments--quiet { background: $panel; color: $text-muted; text-style: italic; }
        &:focus > .segments--quiet { background: $panel-lighten-2; color: $text; }
        & > .segments--other { color: $text-muted; }
    }
    """

    class Chosen(Message):
        """The user has selected another choice."""

        def __init__(self, segments: "Segments", key: Hashable) -> None:
            super().__init__()
            self.segments = segments
            self.key = key

    def __init__(self, segments: Sequence[Segment], chosen: Hashable, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._segments = list(segments)
        self._chosen = chosen
        self._paint = Paint(self)

    @property
    def segments(self) -> list[Segment]:
        """The choices, from left to right."""
        return [segment for segment in self._segments if segment.key == self._chosen or not segment.is_invitation]

    @property
    def chosen(self) -> Hashable:
        return self._chosen

    def choose(self, key: Hashable) -> None:
        """Select a choice without a message."""
        if key != self._chosen:
            self._chosen = key
            self.refresh()

    def render_line(self, y: int) -> Strip:
        return self.cut(self.texts(self.segments), self._start)

    def texts(self, segments: Sequence[Segment]) -> list[StyledText]:
        """Return choices side by side, with a blank between them."""
        texts: list[StyledText] = []
        for segment in segments:
            style = "segments--quiet" if segment.is_quiet else "segments--chosen"
            is_chosen = segment.key == self._chosen
            before, after = self.CHOSEN_SIGNS if is_chosen and not segment.is_invitation else (" ", " ")
            text = f"{before}{segment.label}{after}"
            texts += [(text, style if is_chosen else "segments--other"), (" ", "")]
        return texts

    def cut(self, texts: Sequence[StyledText], start: int = 0) -> Strip:
        """Return what is in sight of choices from a column on, with a sign where more are out of sight."""
        strip, width = self._paint.strip(texts), self.size.width
        end = min(start + width, strip.cell_length)
        # A choice that is cut could be read as another one; the blanks after the last one are none.
        more = self._paint.strip([("…", "segments--other")])
        before, after = (more if start > 0 else Strip([])), (more if end < cell_len(strip.text.rstrip()) else Strip([]))
        shown = strip.crop(start + before.cell_length, end - after.cell_length)
        return Strip.join([before, shown, after]).adjust_cell_length(width, self.rich_style)

    @property
    def _start(self) -> int:
        """The column that the row begins with: the selected choice is always in sight, beside the sign for more."""
        end = 0
        for segment in self.segments:
            end += width_of(segment)
            if segment.key == self._chosen:
                return max(0, end - self.size.width)
        return 0

    def notify_style_update(self) -> None:
        # The theme or the focus has changed.
        self._paint.clear()
        super().notify_style_update()

    def action_step(self, by: int) -> None:
        """Select the next or previous choice; after the last comes the first."""
        keys = [segment.key for segment in self.segments]
        index = keys.index(self._chosen) if self._chosen in keys else -1
        self._select(keys[(index + by) % len(keys)])

    @property
    def columns(self) -> Iterator[tuple[int, Hashable]]:
        """The columns of the choices in sight, and their keys."""
        column = -self._start
        for segment in self.segments:
            if 0 <= column < self.size.width:
                yield column, segment.key
            column += width_of(segment)

    def select(self, key: Hashable) -> None:
        """Select a choice as a click does, and take the focus."""
        self.focus()
        self._select(key)

    def choose_by_letter(self, letter: str) -> bool:
        """Select the next choice whose label begins with a letter; False if there is none."""
        keys = [segment.key for segment in self.segments]
        after = keys.index(self._chosen) + 1 if self._chosen in keys else 0
        following = self.segments[after:] + self.segments[:after]
        # A constant among alternatives is in quotation marks.
        starts = [(segment.key, segment.label.casefold().removeprefix('"')) for segment in following]
        matching = [key for key, start in starts if start.startswith(letter.casefold())]
        if matching:
            self._select(matching[0])
        return bool(matching)

    def on_click(self, event: events.Click) -> None:
        self.select_at(self.segments, event.x + self._start)

    def select_at(self, segments: Sequence[Segment], column: int) -> None:
        """Select the choice at a column of a row of choices."""
        end = 0
        for segment in segments:
            end += width_of(segment)
            if column < end:
                self._select(segment.key)
                return

    def _select(self, key: Hashable) -> None:
        if key != self._chosen:
            self.choose(key)
            self.post_message(self.Chosen(self, key))


def width_of(segment: Segment) -> int:
    """Return the width of a choice in cells, with the blanks around it and after it."""
    return cell_len(escaped(segment.label)) + 3
