"""Letters on the parts in view: the letter of a part moves the focus there, a digit shows another screen."""

from collections.abc import Iterator
from string import ascii_lowercase, ascii_uppercase

from textual import events
from textual.app import ComposeResult
from textual.errors import NoWidget
from textual.geometry import Offset
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Static

from workbench.tui.actions import PLACES
from workbench.tui.screens.dialogs import SingleAnswerScreen

# The keys under the fingers first.
_LETTERS = "asdfghjkl" + "".join(letter for letter in ascii_lowercase if letter not in "asdfghjkl") + ascii_uppercase

Target = Widget | str
"""A widget to focus, or the place of a screen to show."""


class JumpScreen(ModalScreen[Target], SingleAnswerScreen[Target]):
    """Letters over another screen; any key that is none of them closes it."""

    DEFAULT_CSS = """
    JumpScreen {
        background: $background 50%;
        & > Static {
            position: absolute;
            width: auto;
            height: 1;
            color: $block-cursor-foreground;
            background: $block-cursor-background;
            text-style: bold;
        }
    }
    """

    def __init__(self, below: Screen[object]) -> None:
        super().__init__()
        self._targets = dict(zip(_LETTERS, _parts_in_view(below), strict=False))

    def compose(self) -> ComposeResult:
        for letter, (_, offset) in self._targets.items():
            label = Static(f" {letter} ", markup=False)
            label.styles.offset = offset
            yield label

    def on_key(self, event: events.Key) -> None:
        event.stop()
        places = dict(zip("123456", PLACES, strict=True))
        if (part := self._targets.get(event.character or "")) is not None:
            self.dismiss(part[0])
        else:
            self.dismiss(places.get(event.key))

    def on_click(self) -> None:
        self.dismiss(None)


def _parts_in_view(screen: Screen[object]) -> Iterator[tuple[Widget, Offset]]:
    """Yield the widgets that can have the focus, with the places of their letters, in the order of the tab key."""
    for widget in screen.focus_chain:
        try:
            visible = screen.find_widget(widget).visible_region
        except NoWidget:
            continue
        if visible:
            yield widget, visible.offset
