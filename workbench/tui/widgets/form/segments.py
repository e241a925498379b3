"""A few short choices in a row, of which one is selected."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from workbench.model.short_text import escaped
from workbench.tui.widgets.paint import Paint, Part


@dataclass(frozen=True, slots=True)
class Segment:
    """A choice.

    Attributes:
        key: identifies the choice.
        label: the displayed text; foreign text is safe.
        is_quiet: whether it means the absence of a value, such as "omitted".
    """

    key: Hashable
    label: str
    is_quiet: bool = False


class Segments(Widget, can_focus=True):
    """A row of choices, selected by the arrow keys, the space bar or a click."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,space", "step(1)", show=False),
        Binding("left", "step(-1)", show=False),
    ]

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
    def chosen(self) -> Hashable:
        """The key of the selected choice."""
        return self._chosen

    def choose(self, key: Hashable) -> None:
        """Select a choice without a message."""
        if key != self._chosen:
            self._chosen = key
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """Return the row, for Textual."""
        parts: list[Part] = []
        for segment in self._segments:
            quiet = "segments--quiet" if segment.is_quiet else "segments--chosen"
            parts.append((f" {segment.label} ", quiet if segment.key == self._chosen else "segments--other"))
            parts.append((" ", ""))
        return self._paint.strip(parts).adjust_cell_length(self.size.width, self.rich_style)

    def notify_style_update(self) -> None:
        """Drop the cached styles: the theme or the focus has changed."""
        self._paint.forget()
        super().notify_style_update()

    def action_step(self, by: int) -> None:
        """Select the next or previous choice; after the last comes the first."""
        keys = [segment.key for segment in self._segments]
        at = keys.index(self._chosen) if self._chosen in keys else -1
        self._select(keys[(at + by) % len(keys)])

    def on_click(self, event: events.Click) -> None:
        """Select the choice under the mouse."""
        x = 0
        for segment in self._segments:
            x += width(segment.label)
            if event.x < x:
                self._select(segment.key)
                return

    def _select(self, key: Hashable) -> None:
        if key != self._chosen:
            self.choose(key)
            self.post_message(self.Chosen(self, key))


def width(label: str) -> int:
    """Return the width of a choice, in cells."""
    return cell_len(escaped(label)) + 3
