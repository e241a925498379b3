"""The keys of the focused widget, of its pane, and the global ones; a search finds those of all panes."""

from collections.abc import Container, Iterable
from textwrap import wrap
from typing import TYPE_CHECKING, ClassVar, cast

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input

from workbench.model.describe import plural
from workbench.model.offer_marks import MARKS
from workbench.tui.actions import ACTIONS, EVERYWHERE, PLACES, actions_of, find_action
from workbench.tui.key_bindings import key_for, keys_label
from workbench.tui.screens.dialogs import Dialog
from workbench.tui.screens.focus_keys import FIELD_ACTIONS, LIST_KEYS, MOUSE, VIEW_KEYS, KeyTexts, field_keys, keys_at
from workbench.tui.widgets.line_input import LineInput
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.paint import fit

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp

_MOVES = (
    ("tab shift+tab", "Move to the next or previous part"),
    ("esc", "Go back one level"),
)

# The width of the column of keys, in cells.
_KEYS_WIDTH = 20
# The column of keys beside the continuation lines of a text; an empty column would make the line a heading.
_CONTINUATION = " "
_NO_MATCH = "There is no match."
# How many entries of the palette are shown in place of keys.
_MAX_ENTRIES = 8
# The titles of the actions, as in the footer, by their sentences.
_TITLES = {action.help: action.title for action in ACTIONS}

_Section = tuple[str, KeyTexts]


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
        here = keys_at(focused, place)
        shown = {text for _, text in here[1]} if here is not None else set()
        fields = [pair for pair in field_keys(place) if pair[1] not in shown]
        self._sections: list[_Section] = [
            *([here] if here is not None else []),
            ("Signs in the list", list(MARKS.items()) if place == "tools" else []),
            (PLACES[place], _labels(place, shown)),
            ("Fields of a form", fields if here is None or here[0] != "This field" else []),
            *([] if here is not None and here[1] is LIST_KEYS else [("Lists", LIST_KEYS)]),
            ("Results and messages", [pair for pair in VIEW_KEYS if pair[1] not in shown]),
            ("Mouse", MOUSE),
            ("Everywhere", [*_MOVES, *_labels(EVERYWHERE, shown)]),
        ]
        others = [other for other in PLACES if other != place]
        self._elsewhere: list[_Section] = [
            *([("Other fields of a form", fields)] if here is not None and here[0] == "This field" else []),
            *((PLACES[other], _labels(other, ())) for other in others),
        ]
        self._search = ""
        self._rows: list[tuple[str, str]] = []

    def search(self, text: str) -> None:
        """Show the keys that a text matches, also those of other panes; all keys of this one if it is empty."""
        self._search = text
        self._wrap()
        self.scroll_to(y=0, animate=False)

    @property
    def _entries(self) -> list[tuple[str, str]]:
        sections = [*self._sections, *self._elsewhere] if self._search.strip() else self._sections
        matching = [(heading, _matches(keys, self._search)) for heading, keys in sections]
        entries = [entry for heading, keys in matching if keys for entry in (("", heading), *keys, ("", ""))]
        return entries[:-1] or self._in_palette()

    def _in_palette(self) -> list[tuple[str, str]]:
        """Return what the palette finds, for a search that no key matches: it has more than keys."""
        # Imported late: the entries need the panes, whose help this is.
        from workbench.tui.palette_entries import entries_for

        labels = [entry.label for entry in entries_for(self._app, self._search)[:_MAX_ENTRIES]]
        where = f"{key_for('palette')} finds {'' if labels else 'screens, commands, themes and tools'}".rstrip()
        return [("", f"{_NO_MATCH} {where}{':' if labels else '.'}"), *((_CONTINUATION, label) for label in labels)]

    @property
    def _app(self) -> "WorkbenchApp":
        return cast("WorkbenchApp", self.app)

    @property
    def line_count(self) -> int:
        return len(self._rows)

    def on_resize(self) -> None:
        self._wrap()

    def _wrap(self) -> None:
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
    """Return the keys of the actions of a place, except for those that are already shown, and those of fields."""
    actions = [action for action in actions_of(place) if action.id not in FIELD_ACTIONS]
    return [(keys_label(action) or "no key", action.help) for action in actions if action.help not in shown]


def _matches(keys: Iterable[tuple[str, str]], search: str) -> KeyTexts:
    """Return the keys whose label, text or title contains every word of a search."""
    words = search.casefold().split()
    return [
        (label, text)
        for label, text in keys
        if all(word in f"{label} {text} {_TITLES.get(text, '')}".casefold() for word in words)
    ]


class HelpScreen(Dialog[None]):
    """Shows the keys; any of esc, `?` and `q` closes it, and `/` searches."""

    AUTO_FOCUS = "HelpLines"
    DEFAULT_CSS = """
    HelpScreen {
        & .box { width: 108; }
        & Input { display: none; margin: 0; padding: 0 1; background: $boost; }
        & .-searching Input { display: block; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        (",".join([*find_action("help").key_names, "q"]), "dismiss(None)"),
        (find_action("search", "tools").keys, "search"),
        ("escape", "back"),
    ]

    def __init__(self, place: str, focused: Widget | None = None) -> None:
        super().__init__()
        self._place = place
        self._focused = focused

    def compose(self) -> ComposeResult:
        with Vertical(classes="box tall") as box:
            box.border_title = "Keys"
            yield LineInput(placeholder="search the keys of all screens", compact=True)
            yield HelpLines(self._place, self._focused)

    def on_mount(self) -> None:
        self.watch(self.query_one(HelpLines), "scroll_y", self._show_rest, init=False)

    def on_resize(self) -> None:
        # The rows are wrapped by then.
        self.call_after_refresh(self._show_rest)

    @property
    def _is_searching(self) -> bool:
        return self.query_one(".box").has_class("-searching")

    def action_search(self) -> None:
        self.query_one(".box").add_class("-searching")
        self.set_focus(self.query_one(LineInput))
        self._show_rest()

    def action_back(self) -> None:
        """End the search, else close the help."""
        if not self._is_searching:
            self.dismiss(None)
            return
        self.query_one(".box").remove_class("-searching")
        self.set_focus(self.query_one(HelpLines))
        self.query_one(LineInput).clear()

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self.query_one(HelpLines).search(event.value)
        self._show_rest()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.set_focus(self.query_one(HelpLines))

    def on_key(self, event: events.Key) -> None:
        if event.key == "down" and self.query_one(LineInput).has_focus:
            event.stop()
            self.set_focus(self.query_one(HelpLines))

    def _show_rest(self) -> None:
        """Show how many rows are below the box, and the keys of the help."""
        lines = self.query_one(HelpLines)
        rest = max(0, lines.line_count - round(lines.scroll_y) - lines.size.height)
        keys = "esc ends the search" if self._is_searching else f"{key_for('search', 'tools')} searches · esc closes"
        self.query_one(".box").border_subtitle = f"↓ {plural(rest, 'more row')} · {keys}" if rest else keys
