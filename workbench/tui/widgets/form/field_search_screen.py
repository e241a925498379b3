"""The search for a field: a line to type in, over the form, and the fields that match."""

from typing import Any, ClassVar

from textual import events, on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Input, OptionList

from workbench.model.forms.field import Path
from workbench.model.forms.field_search import FieldMatch, field_entries, search_fields
from workbench.model.forms.form import Form
from workbench.model.short_text import shortened
from workbench.tui.colours import MUTED
from workbench.tui.widgets.form.beside_cursor import after_layouts_below
from workbench.tui.widgets.form.marked_text import marked_text
from workbench.tui.widgets.steady import SingleAnswerScreen, SteadyOptions

# The number of rows of the list, and of entries in it.
_HEIGHT = 12
_MOST = 200
_NARROWEST = 40


class FindRequested(Message):
    """The user wants to search a field."""


class FieldList(SteadyOptions):
    """The fields that match; the line above has the focus."""


class FieldSearch(ModalScreen[Path | None], SingleAnswerScreen[Path | None]):
    """Returns the path of the chosen field, or None."""

    AUTO_FOCUS = "Input"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+slash,ctrl+underscore", "dismiss", show=False),
        Binding("down", "move('cursor_down')", show=False, priority=True),
        Binding("up", "move('cursor_up')", show=False, priority=True),
        Binding("pagedown", "move('page_down')", show=False, priority=True),
        Binding("pageup", "move('page_up')", show=False, priority=True),
    ]

    DEFAULT_CSS = """
    FieldSearch {
        align: left top;
        background: transparent;
        & > Vertical {
            height: auto;
            border: round $primary;
            background: $surface;
            & > Input { padding: 0 1; }
            & > FieldList {
                height: auto; border: none; padding: 0; background: $surface; scrollbar-size-vertical: 1;
            }
        }
    }
    """

    def __init__(self, form: Form, over: Widget) -> None:
        super().__init__()
        self._entries = field_entries(form)
        self._over = over
        self._matches: list[FieldMatch] = []
        # The width that the texts of the rows are cut to.
        self._row_width = 0

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Input(placeholder="find a field", compact=True)
            fields = FieldList(compact=True, markup=False)
            fields.can_focus = False
            yield fields

    def on_mount(self) -> None:
        self._place()
        self._row_width = self._width
        self._show("")
        after_layouts_below(self, self._follow_form)

    def on_resize(self) -> None:
        self._follow_form()

    def on_click(self, event: events.Click) -> None:
        if event.widget is self:
            self.dismiss(None)

    def action_move(self, move: str) -> None:
        getattr(self.query_one(FieldList), f"action_{move}")()

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self._show(event.value)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        # The text now: the last change may not have been handled yet.
        self._show(event.value)
        self._choose(self.query_one(FieldList).highlighted)

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self._choose(event.option_index)

    def _choose(self, index: int | None) -> None:
        if index is not None and index < len(self._matches):
            self.dismiss(self._matches[index].entry.path)

    def _show(self, query: str) -> None:
        matches = search_fields(self._entries, query)
        shown = matches[:_MOST]
        if shown == self._matches:
            return  # The user may have moved within the list.
        self._matches = shown
        fields = self.query_one(FieldList)
        fields.clear_options()
        fields.add_options([self._row(match) for match in shown])
        fields.highlighted = 0 if shown else None
        frame = self.query_one(Vertical)
        frame.border_title = "Find a field"
        frame.border_subtitle = f"{len(matches):,} of {len(self._entries):,}" if matches else "no match"

    def _row(self, match: FieldMatch) -> Content:
        name = marked_text(match.entry.name, match.match, 60)
        detail = f"= {shortened(match.entry.text, 30)}" if match.entry.text else shortened(match.entry.description, 60)
        return Content.assemble(name, "  " if detail else "", (detail, MUTED)).truncate(self._width - 4, ellipsis=True)

    @property
    def _width(self) -> int:
        return min(self.size.width, max(_NARROWEST, self._over.region.width))

    def _follow_form(self) -> None:
        """Cover the form at its new place; the texts of the rows depend on the width."""
        self._place()
        if self._width == self._row_width:
            return
        self._row_width = self._width
        fields = self.query_one(FieldList)
        for index, match in enumerate(self._matches[: fields.option_count]):
            fields.replace_option_prompt_at_index(index, self._row(match))

    def _place(self) -> None:
        """Cover the upper part of the form."""
        region, frame = self._over.region, self.query_one(Vertical)
        x = max(0, min(region.x, self.size.width - self._width))
        y = max(0, min(region.y, self.size.height - _HEIGHT - 3))
        frame.styles.width, frame.styles.offset = self._width, (x, y)
        self.query_one(FieldList).styles.max_height = max(1, min(_HEIGHT, self.size.height - y - 3))


async def choose_field(app: App[Any], form: Form, over: Widget) -> Path | None:
    """Let the user choose a field of a form, in a list over a widget."""
    return await app.push_screen_wait(FieldSearch(form, over))
