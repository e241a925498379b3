"""Letters on the parts in view: the letter of a part moves the focus there, a digit shows another screen."""

from collections.abc import Awaitable, Callable, Hashable, Iterator
from functools import partial
from string import ascii_lowercase, ascii_uppercase
from typing import TYPE_CHECKING, Any

from textual import events
from textual.app import ComposeResult
from textual.errors import NoWidget
from textual.geometry import Offset
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Static

from workbench.tui.actions import PLACES
from workbench.tui.widgets.form.segments import Segments
from workbench.tui.widgets.outcome_tabs import OutcomeTabs
from workbench.tui.widgets.steady import SingleAnswerScreen

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp

# The keys under the fingers first.
_LETTERS = "asdfghjkl" + "".join(letter for letter in ascii_lowercase if letter not in "asdfghjkl") + ascii_uppercase

Target = Widget | str | Callable[[], Awaitable[object]]
"""A widget to focus, the place of a screen to show, or a view to bring to the front."""


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

    def __init__(self, below: Screen[Any]) -> None:
        super().__init__()
        self._targets = dict(zip(_LETTERS, _parts_in_view(below), strict=False))
        self._laid_out_for = below.size

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

    def on_resize(self, event: events.Resize) -> None:
        if event.size != self._laid_out_for:
            # The parts are no longer where their letters are.
            self.dismiss(None)


async def go_to(app: "WorkbenchApp", target: Target | None) -> None:
    if isinstance(target, Widget):
        app.screen.set_focus(target)
    elif isinstance(target, str):
        await app.show(target)
    elif target is not None:
        await target()


def _parts_in_view(screen: Screen[Any]) -> Iterator[tuple[Target, Offset]]:
    """Yield what the letters stand for, with their places: in the order of the tab key, and the tabs of the result."""
    for widget in (*screen.focus_chain, *screen.query(OutcomeTabs)):
        try:
            visible = screen.find_widget(widget).visible_region
        except NoWidget:
            continue
        if visible and widget.visible:
            for column, target in _targets_in(widget):
                if column < visible.width:
                    yield target, visible.offset + Offset(column, 0)


def _targets_in(widget: Widget) -> Iterator[tuple[int, Target]]:
    """Yield a widget itself, or each of the views that it switches between, with its column."""
    if isinstance(widget, OutcomeTabs):
        for column, action in widget.clicks:
            yield column, partial(widget.app.run_action, action)
    elif isinstance(widget, Segments) and isinstance(widget.parent, Widget) and widget.parent.id == "views":
        for column, key in widget.columns:
            yield column, partial(_select, widget, key)
    else:
        yield 0, widget


async def _select(segments: Segments, key: Hashable) -> None:
    segments.select(key)
