"""The keys of the focused widget, of its pane, and the global ones."""

from collections.abc import Container
from textwrap import wrap
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.strip import Strip
from textual.widget import Widget

from workbench.model.describe import plural
from workbench.model.offer_marks import MARKS
from workbench.tui.actions import EVERYWHERE, PLACES, actions_of, find_action
from workbench.tui.key_bindings import keys_label
from workbench.tui.screens.dialogs import Dialog
from workbench.tui.screens.focus_keys import LIST_KEYS, VIEW_KEYS, KeyTexts, keys_at
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.paint import fit

_MOVES = (
    ("tab shift+tab", "Move to the next or previous part"),
    ("esc", "Go back one level"),
)

# The width of the column of keys, in cells.
_KEYS_WIDTH = 20
# The column of keys beside the continuation lines of a text; an empty column would make the line a heading.
_CONTINUATION = " "


class HelpLines(Lines):
    """Headings and keys; those of the focused widget come first."""

    HAS_CURSOR = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"help--heading", "help--key"}

    DEFAULT_CSS = """
    HelpLines {
        & > .help--heading { color: $text-primary; text-style: bold; }
        & > .help--key { color: $text-accent; text-style: bold; }
    }
    """

    def __init__(self, place: str, focused: Widget | None) -> None:
        super().__init__()
        self._entries: list[tuple[str, str]] = []
        here = keys_at(focused, place)
        shown = {text for _, text in here[1]} if here is not None else set()
        for heading, keys in (
            *([here] if here is not None else []),
            ("Signs in the list", list(MARKS.items()) if place == "tools" else []),
            (PLACES[place], _labels(place, shown)),
            *([] if here is not None and here[1] is LIST_KEYS else [("Lists", LIST_KEYS)]),
            ("Results and messages", [pair for pair in VIEW_KEYS if pair[1] not in shown]),
            ("Everywhere", [*_MOVES, *_labels(EVERYWHERE, shown)]),
        ):
            self._entries += [("", heading), *keys, ("", "")] if keys else []
        del self._entries[-1]
        self._rows = self._entries

    @property
    def line_count(self) -> int:
        return len(self._rows)

    def on_resize(self) -> None:
        # Descriptions are wrapped, so that they can be read in a narrow terminal.
        # Assume the scrollbar: whether there is one depends on the number of rows computed here.
        width = max(1, self.outer_size.width - self.styles.scrollbar_size_vertical - _KEYS_WIDTH - 1)
        self._rows = []
        for keys, text in self._entries:
            first, *rest = (wrap(text, width) if keys else None) or [text]
            self._rows += [(keys, first), *((_CONTINUATION, line) for line in rest)]
        self.lines_changed()

    def render_row(self, index: int, width: int, selected: bool) -> Strip:
        keys, text = self._rows[index]
        if not keys:
            return self.paint([(f" {text}", "help--heading")])
        return self.paint([(fit(f"   {keys}", _KEYS_WIDTH), "help--key"), (fit(text, width - _KEYS_WIDTH), "")])


def _labels(place: str, shown: Container[str]) -> KeyTexts:
    """Return the keys of the actions of a place, except for those that are already shown."""
    return [(keys_label(action) or "no key", action.help) for action in actions_of(place) if action.help not in shown]


class HelpScreen(Dialog[None]):
    """Shows the keys; any of esc, `?` and `q` closes it."""

    AUTO_FOCUS = "HelpLines"
    DEFAULT_CSS = "HelpScreen .box { width: 108; }"
    BINDINGS: ClassVar[list[BindingType]] = [(",".join([*find_action("help").key_names, "q"]), "dismiss(None)")]

    def __init__(self, place: str, focused: Widget | None = None) -> None:
        super().__init__()
        self._place = place
        self._focused = focused

    def compose(self) -> ComposeResult:
        with Vertical(classes="box tall") as box:
            box.border_title = "Keys"
            yield HelpLines(self._place, self._focused)

    def on_mount(self) -> None:
        self.watch(self.query_one(HelpLines), "scroll_y", self._show_rest, init=False)

    def on_resize(self) -> None:
        # The rows are wrapped by then.
        self.call_after_refresh(self._show_rest)

    def _show_rest(self) -> None:
        """Show how many rows are below the box."""
        lines = self.query_one(HelpLines)
        rest = max(0, lines.line_count - round(lines.scroll_y) - lines.size.height)
        self.query_one(".box").border_subtitle = f"↓ {plural(rest, 'more row')}" if rest else "esc closes"
