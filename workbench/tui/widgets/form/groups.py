"""The rows of fields that contain other fields: objects, lists and maps."""

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Button, Input, Static

from workbench.model.forms.field import Field, FieldState
from workbench.tui.colours import KEY, MUTED
from workbench.tui.widgets.form.children import Children, MakeRow
from workbench.tui.widgets.form.field_changes import AddItem, AddKey, FieldChange, Include
from workbench.tui.widgets.form.label import kind_text, more_fields_note
from workbench.tui.widgets.form.row import FieldLabel, FieldRow, first_focusable
from workbench.tui.widgets.line_input import LineInput


class GroupHead(FieldLabel, can_focus=True):
    """The head of a group; its keys are bound by the form, which handles all keys in the order of their presses."""

    DEFAULT_CSS = """
    GroupHead:focus { background: $block-cursor-background 30%; }
    """

    def texts(self) -> tuple[Content, Content, Content]:
        name, _, mark = super().texts()
        facts = kind_text(self.row.field)
        is_set = self.row.field.state is FieldState.SET
        is_open = is_set and not self.row.has_class("-closed")
        if not is_set and self.is_attached and self.screen.focused is self:
            hint = "enter adds · " if self.row.field.can_add_items else "enter opens · "
            facts = Content.styled(hint, KEY) + facts
        return Content.styled("▾ " if is_open else "▸ ", MUTED) + name, facts, mark + self._hidden_problems()

    def _hidden_problems(self) -> Content:
        """Return the number of problems in a closed group."""
        row = self.row
        if not row.has_class("-closed"):
            return Content("")
        count = row.field.problems_within(with_omitted=row.is_checked)
        return Content.styled(f" ✗ {count}" if count else "", "$text-error")

    # With the focus, the head shows what its key does.
    def on_focus(self) -> None:
        self.show()

    def on_blur(self) -> None:
        self.show()


class GroupRow(FieldRow):
    DEFAULT_CSS = """
    GroupRow {
        &.-focused { border-left: outer $primary 40%; }
        & > Children { padding-left: 1; }
        & > .tail { margin: 0 0 0 2; }
        & > FieldLabel { padding-left: 1; }
        & > .left-out { color: $text-warning; height: auto; }
        &.-closed > Children, &.-closed > .tail, &.-unset > .tail, &.-empty > Children { display: none; }
    }
    """

    def __init__(self, field: Field, make_row: MakeRow) -> None:
        super().__init__(field)
        self.children_rows = Children(self.shown_children(field), make_row)
        self._mark()

    def compose(self) -> ComposeResult:
        yield self.label
        yield self.note
        yield from self.compose_editor()
        yield self.children_rows
        yield from self.compose_tail()

    def make_label(self) -> FieldLabel:
        return GroupHead(self)

    def compose_editor(self) -> ComposeResult:
        yield from ()

    def compose_tail(self) -> ComposeResult:
        """Create the widgets below the rows."""
        yield from ()

    def shown_children(self, field: Field) -> list[Field]:
        return field.children if field.state is FieldState.SET else []

    def show_value(self, field: Field) -> None:
        self._mark()
        self.children_rows.show(self.shown_children(field))

    def focus_editor(self) -> None:
        self.screen.set_focus(first_focusable(self.children_rows) or first_focusable(self))

    def opening_change(self) -> FieldChange:
        # An empty list is of little use: add its first item.
        return AddItem(self) if self.field.can_add_items else Include(self)

    async def enter(self) -> None:
        await self.children_rows.focus_first()

    def fold(self) -> None:
        self.toggle_class("-closed")
        self.label.show()

    def unfold(self) -> None:
        if self.has_class("-closed"):
            self.fold()

    def _mark(self) -> None:
        # A group without rows reserves no space for them.
        self.set_class(not self.shown_children(self.field), "-empty")
        self.set_class(self.field.state is not FieldState.SET, "-unset")


class ListRow(GroupRow):
    """A list: a row for each item, and a button to add an item."""

    DEFAULT_CSS = """
    ListRow > Button { min-width: 7; }
    """

    def compose_tail(self) -> ComposeResult:
        if self.field.can_add_items:
            yield AddButton(self)

    @on(Button.Pressed)
    def _add(self, event: Button.Pressed) -> None:
        event.stop()
        self.post_message(AddItem(self))


class AddButton(Button):
    """Adds an item to the list of a row; text typed on it becomes the start of the item."""

    def __init__(self, row: ListRow) -> None:
        super().__init__("+ add", compact=True, classes="tail")
        self.row = row


class ObjectRow(GroupRow):
    """An object or a map: a row for each key, and an input for a new key if the schema allows more."""

    def compose_tail(self) -> ComposeResult:
        if text := more_fields_note(self.field):
            yield Static(text, classes="tail left-out", markup=False)
        if self.field.can_add_keys:
            yield NewKey()

    @on(Input.Submitted)
    def _add(self, event: Input.Submitted) -> None:
        event.stop()
        if event.value:
            self.post_message(AddKey(self, event.value))
            event.input.clear()

    @property
    def new_key(self) -> "NewKey | None":
        """The input for another key of this map, and not of one in it."""
        return next((each for each in self.query(NewKey) if each.parent is self), None)

    def typed_key(self) -> FieldChange | None:
        """Return the addition of the key that is typed below the rows, and empty its input; None if there is none."""
        key = self.new_key
        if key is None or not key.value:
            return None
        name = key.value
        key.clear()
        return AddKey(self, name)

    async def enter(self) -> None:
        if (key := self.query_one_optional(NewKey)) is not None and not self.shown_children(self.field):
            self.screen.set_focus(key)
        else:
            await super().enter()


class NewKey(LineInput):
    """The input for the name of a new key; Enter adds it."""

    DEFAULT_CSS = """
    NewKey.-textual-compact { padding: 0 1; }
    """

    def __init__(self) -> None:
        # Not selected with the focus: the key that has opened the map may be typed before the focus event arrives.
        super().__init__(placeholder="+ new key, then enter", compact=True, select_on_focus=False, classes="tail")
