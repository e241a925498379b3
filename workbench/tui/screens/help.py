"""The keys of a pane, and the global ones."""

from textwrap import wrap
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.strip import Strip

from workbench.tui.actions import EVERYWHERE, PLACES, actions_of, find_action
from workbench.tui.key_bindings import keys_label
from workbench.tui.screens.dialogs import Dialog
from workbench.tui.view_keys import VIEW_KEYS
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.paint import fit

_MOVES = (
    ("↑ ↓ j k", "Move by one row"),
    ("pgup pgdn ^b ^f", "Move by a page"),
    ("g G", "Move to the first or last row"),
    ("tab shift+tab", "Move to the next or previous part"),
    ("esc", "Go back one level"),
)

# The width of the column of keys, in cells.
_KEYS_WIDTH = 20
# The column of keys beside the continuation lines of a text; an empty column would make the line a heading.
_CONTINUATION = " "


class HelpLines(Lines):
    """Headings and keys; those of the pane come first."""

    HAS_CURSOR = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"help--heading", "help--key"}

    DEFAULT_CSS = """
    HelpLines {
        & > .help--heading { color: $text-primary; text-style: bold; }
        & > .help--key { color: $text-accent; text-style: bold; }
    }
    """

    def __init__(self, place: str) -> None:
        super().__init__()
        self._entries: list[tuple[str, str]] = []
        for heading, keys in (
            (PLACES[place], [(keys_label(action), action.help) for action in actions_of(place)]),
            ("Lists", list(_MOVES)),
            ("Results and messages", list(VIEW_KEYS)),
            ("Everywhere", [(keys_label(action), action.help) for action in actions_of(EVERYWHERE)]),
        ):
            self._entries += [("", heading), *keys, ("", "")]
        del self._entries[-1]
        self._rows = self._entries

    @property
    def line_count(self) -> int:
        return len(self._rows)

    def on_resize(self) -> None:
        # Descriptions are wrapped, so that they can be read in a narrow terminal.
        # Assume the scrollbar: whether there is one depends on the number of rows computed here.
        width = max(1, self.outer_size.width - self.styles.scrollbar_size_vertical - _KEYS_WIDTH)
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


class HelpScreen(Dialog[None]):
    """Shows the keys; any of esc, `?` and `q` closes it."""

    AUTO_FOCUS = "HelpLines"
    BINDINGS: ClassVar[list[BindingType]] = [(f"{find_action('help').keys},q", "dismiss(None)")]

    def __init__(self, place: str) -> None:
        super().__init__()
        self._place = place

    def compose(self) -> ComposeResult:
        with Vertical(classes="box tall") as box:
            box.border_title = "Keys"
            yield HelpLines(self._place)
