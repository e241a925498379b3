"""A few short choices on one row, of which one is chosen."""

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
    """One choice.

    Attributes:
        key: what the choice stands for.
        label: what people read; foreign text is safe.
        is_quiet: whether it stands for no value, such as "omitted".
    """

    key: Hashable
    label: str
    is_quiet: bool = False


class Segments(Widget, can_focus=True):
    """A row of choices: the arrows, the space bar or a click choose."""

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
        """The person chose another one."""

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
        """The key of the choice that is on."""
        return self._chosen

    def choose(self, key: Hashable) -> None:
        """Show another choice as the one that is on; nobody is told."""
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
        """Forget the styles: the theme or the focus has changed."""
        self._paint.forget()
        super().notify_style_update()

    def action_step(self, by: int) -> None:
        """Choose the next one, or the one before; after the last comes the first."""
        keys = [segment.key for segment in self._segments]
        at = keys.index(self._chosen) if self._chosen in keys else -1
        self._take(keys[(at + by) % len(keys)])

    def on_click(self, event: events.Click) -> None:
        """Choose what is under the mouse."""
        x = 0
        for segment in self._segments:
            x += width(segment.label)
            if event.x < x:
                self._take(segment.key)
                return

    def _take(self, key: Hashable) -> None:
        if key != self._chosen:
            self.choose(key)
            self.post_message(self.Chosen(self, key))


def width(label: str) -> int:
    """Return the cells that a choice takes."""
    return cell_len(escaped(label)) + 3
