"""The rows of fields that contain other fields: objects, lists, maps, and variants.

After a change, a group keeps the rows that still fit, and creates or removes only the others.
"""

from collections.abc import Callable
from typing import Any

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widget import AwaitMount
from textual.widgets import Button, Input, Select, Static

from workbench.model.forms.field import Field, FieldState
from workbench.model.short_text import escaped
from workbench.tui.colours import KEY, MUTED
from workbench.tui.widgets.form.label import left_out
from workbench.tui.widgets.form.orders import AddItem, AddKey, ChooseVariant, FormOrder, Include, Omit, SetNull
from workbench.tui.widgets.form.row import FieldLabel, FieldRow, first_focusable, signature
from workbench.tui.widgets.form.scalars import (
    WIDEST_SEGMENTS,
    ChoicesRow,
    JsonRow,
    SegmentsRow,
    SelectRow,
    TextRow,
    fits_segments,
)
from workbench.tui.widgets.form.segments import Segment, Segments, width
from workbench.tui.widgets.options import DropDown

_AT_ONCE = 8
"""How many rows are mounted before the screen is painted again."""


def make_row(field: Field) -> FieldRow:
    """Return a new row for a field of any kind."""
    if field.kind == "choice":
        return SegmentsRow(field) if fits_segments(field) else SelectRow(field)
    return _ROWS[field.kind](field)


class GroupHead(FieldLabel, can_focus=True):
    """The head of a group, which opens and closes it.

    Its keys are bound by the form, which handles them in the order in which they are pressed.
    """

    DEFAULT_CSS = """
    GroupHead:focus { background: $block-cursor-background 30%; }
    """

    def texts(self) -> tuple[Content, Content]:
        """Return the label with a sign that shows whether the group is open."""
        left, right = super().texts()
        is_set = self.row.field.state is FieldState.SET
        is_open = is_set and not self.row.has_class("-closed")
        if not is_set and self.is_attached and self.screen.focused is self:
            right += Content.styled(" · enter adds" if self.row.field.can_add_items else " · enter opens", KEY)
        return Content.styled("▾ " if is_open else "▸ ", MUTED) + left, right

    def on_focus(self) -> None:
        """Show what its key does."""
        self.show()

    def on_blur(self) -> None:
        """Hide what its key does."""
        self.show()


class Children(Vertical):
    """The rows of the fields below a field; those out of sight are mounted later."""

    DEFAULT_CSS = """
    Children { height: auto; }
    """

    class RowsReady(Message):
        """More rows are mounted."""

        def __init__(self, children: "Children") -> None:
            super().__init__()
            self.rows = children

    def __init__(self, fields: list[Field]) -> None:
        super().__init__()
        self._rows = [make_row(field) for field in fields]
        self._mounted = min(_AT_ONCE, len(self._rows))
        """The number of rows that are mounted, from the first."""
        self._mounting: AwaitMount | None = None

    def compose(self) -> ComposeResult:
        """Create the first rows."""
        yield from self._rows[: self._mounted]

    def on_mount(self) -> None:
        """Mount the rows out of sight."""
        self._some_mounted()

    async def complete(self) -> None:
        """Mount all remaining rows now, and wait for them."""
        if self._mounting is not None:
            await self._mounting
        rest = self._rows[self._mounted :]
        self._mounted = len(self._rows)
        await self.mount_all(rest)

    async def focus_first(self) -> None:
        """Focus the first row, as soon as it is mounted."""
        await self._focus(0)

    async def focus_last(self) -> None:
        """Focus the last row, as soon as it is mounted."""
        await self._focus(-1)

    async def _focus(self, at: int) -> None:
        await self.complete()
        if self._rows:
            self._rows[at].focus_editor()
            self._rows[at].scroll_visible(animate=False)

    def holds(self, row: FieldRow) -> bool:
        """Whether a row is among these, and has not just been removed."""
        return row in self._rows

    def show(self, fields: list[Field]) -> None:
        """Show fields: rows of fields that still exist stay, others are created or removed."""
        before = {row.place: row for row in self._rows}
        rows: list[FieldRow] = []
        for field in fields:
            row = before.get(field.key)
            if row is not None and row.signature == signature(field):
                row.show(field)
                rows.append(before.pop(field.key))
            else:
                rows.append(make_row(field))
        stay = [row for row in self._rows if row.place not in before]
        is_reordered = stay != [row for row in rows if row in stay]
        self._rows = rows
        for row in before.values():
            if row.parent is not None:
                row.remove()
        self._mount_between(is_reordered)
        if self.is_mounted:
            self._mount_more()

    def _mount_between(self, is_reordered: bool) -> None:
        """Mount new rows among those on the screen; those after them follow later."""
        on_screen = [at for at, row in enumerate(self._rows) if row.parent is not None]
        if not self.is_mounted and not on_screen:
            self._mounted = min(_AT_ONCE, len(self._rows))
            return
        self._mounted = on_screen[-1] + 1 if on_screen else 0
        previous: FieldRow | None = None
        for row in self._rows[: self._mounted]:
            place: dict[str, Any] = {"before": 0} if previous is None else {"after": previous}
            if row.parent is None:
                self.mount(row, **place)
                self.call_after_refresh(self.post_message, self.RowsReady(self))
            elif is_reordered and not (previous is None and self.children[0] is row):
                self.move_child(row, **place)
            previous = row

    def _some_mounted(self) -> None:
        self.post_message(self.RowsReady(self))
        self.call_after_refresh(self._mount_more)

    def _mount_more(self) -> None:
        """Mount more rows, and the others after these are painted."""
        some = self._rows[self._mounted : self._mounted + _AT_ONCE]
        if some and self.is_attached:
            self._mounted += len(some)
            self._mounting = self.mount_all(some)
            self.call_after_refresh(self._some_mounted)


class GroupRow(FieldRow):
    """A field with fields below it."""

    DEFAULT_CSS = """
    GroupRow {
        &:focus-within { border-left: outer $primary 40%; }
        & > Children { padding-left: 1; }
        & > .tail { margin: 1 0 0 2; }
        & > .left-out { color: $text-warning; height: auto; }
        &.-closed > Children, &.-closed > .tail, &.-unset > .tail, &.-empty > Children { display: none; }
    }
    """

    def __init__(self, field: Field) -> None:
        super().__init__(field)
        self.children_rows = Children(self.shown_children(field))
        self._mark()

    def compose(self) -> ComposeResult:
        """Create the head with its note, then the rows below."""
        yield self.label
        yield self.below
        yield from self.compose_editor()
        yield self.children_rows
        yield from self.compose_tail()

    def make_label(self) -> FieldLabel:
        """Create a head that opens and closes the group."""
        return GroupHead(self)

    def compose_editor(self) -> ComposeResult:
        """Create the widgets above the rows."""
        yield from ()

    def compose_tail(self) -> ComposeResult:
        """Create the widgets below the rows."""
        yield from ()

    def shown_children(self, field: Field) -> list[Field]:
        """Return the fields below that are shown."""
        return field.children if field.state is FieldState.SET else []

    def show_value(self, field: Field) -> None:
        """Show the fields below."""
        self._mark()
        self.children_rows.show(self.shown_children(field))

    def focus_editor(self) -> None:
        """Focus the first editor below, or the head."""
        self.screen.set_focus(first_focusable(self.children_rows) or first_focusable(self))

    @property
    def is_empty_list(self) -> bool:
        """Whether it is a list without items to which an item can be added."""
        return self.field.can_add_items and not self.shown_children(self.field)

    def opening(self) -> FormOrder:
        """Return the order that includes the value of an omitted group."""
        # An empty list is of little use: add its first item.
        return AddItem(self) if self.field.can_add_items else Include(self)

    async def enter(self) -> None:
        """Focus the first editor of a group that was just opened."""
        await self.children_rows.focus_first()

    def fold(self) -> None:
        """Open or close the group."""
        self.toggle_class("-closed")
        self.label.show()

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
        """Create the button."""
        if self.field.can_add_items:
            yield AddButton(self)

    @on(Button.Pressed)
    def _add(self, event: Button.Pressed) -> None:
        event.stop()
        self.post_message(AddItem(self))


class AddButton(Button):
    """Adds an item to a list; text typed on it becomes the start of the item.

    Args:
        row: the list.
    """

    def __init__(self, row: ListRow) -> None:
        super().__init__("+ add", compact=True, classes="tail")
        self.row = row


class ObjectRow(GroupRow):
    """An object or a map: a row for each key, and an input for a new key if the schema allows more."""

    def compose_tail(self) -> ComposeResult:
        """Create the input for a new key, and the note on the fields without rows."""
        if text := left_out(self.field):
            yield Static(text, classes="tail left-out", markup=False)
        if self.field.can_add_keys:
            yield NewKey()

    @on(Input.Submitted)
    def _add(self, event: Input.Submitted) -> None:
        event.stop()
        if event.value:
            self.post_message(AddKey(self, event.value))
            event.input.clear()

    async def enter(self) -> None:
        """Go to the first field, or to the input for a key if there are no fields."""
        if (key := self.query_one_optional(NewKey)) is not None and not self.shown_children(self.field):
            self.screen.set_focus(key)
        else:
            await super().enter()


class NewKey(Input):
    """The input for the name of a new key; Enter adds it."""

    DEFAULT_CSS = """
    NewKey.-textual-compact { padding: 0 1; }
    """

    def __init__(self) -> None:
        super().__init__(placeholder="+ new key, then enter", compact=True, classes="tail")


class VariantRow(GroupRow):
    """A field with several variants: choose a variant, then fill it in."""

    def __init__(self, field: Field) -> None:
        # The chosen variant may have no value yet; the model does not distinguish that from an omitted field.
        self._is_open = field.state is FieldState.SET
        super().__init__(field)

    def compose_editor(self) -> ComposeResult:
        """Create the choice of the variant."""
        labels = self.field.variants
        segments = [Segment(FieldState.OMITTED, "omitted", is_quiet=True)]
        if self.field.nullable:
            segments.append(Segment(FieldState.NULL, "null", is_quiet=True))
        segments += [Segment(index, label) for index, label in enumerate(labels)]
        if sum(width(segment.label) for segment in segments) <= WIDEST_SEGMENTS:
            yield Segments(segments, self._chosen)
            return
        options = [(Text(escaped(label)), index) for index, label in enumerate(labels)]
        yield DropDown(options, prompt="choose", value=self._selected, compact=True)

    def shown_children(self, field: Field) -> list[Field]:
        """Return the fields of the chosen variant: the properties of an object, or the variant itself."""
        if field.variant is None or not self._is_open:
            return []
        content = field.target
        is_open = content.kind == "object" and content.state is FieldState.SET
        return content.children if is_open else [content]

    def show_value(self, field: Field) -> None:
        """Show the choice, and the fields of the chosen variant."""
        self._is_open = self._is_open or field.state is FieldState.SET
        super().show_value(field)
        if (segments := self.query_one_optional("VariantRow > Segments", Segments)) is not None:
            segments.choose(self._chosen)
        elif (select := self.query_one("VariantRow > Select", Select)).value != self._selected:
            select.value = self._selected

    @property
    def _chosen(self) -> FieldState | int:
        variant = self.field.variant if self._is_open else None
        return self.field.state if variant is None else variant

    @property
    def _selected(self) -> object:
        return self._chosen if isinstance(self._chosen, int) else Select.NULL

    @on(Segments.Chosen)
    def _segment_chosen(self, event: Segments.Chosen) -> None:
        event.stop()
        self._choose(event.key)

    @on(Select.Changed)
    def _select(self, event: Select.Changed) -> None:
        event.stop()
        if event.value != self._selected:
            self._choose(FieldState.OMITTED if event.value is Select.NULL else event.value)

    def _choose(self, key: object) -> None:
        self._is_open = isinstance(key, int)
        if isinstance(key, int):
            self.post_message(ChooseVariant(self, key))
        else:
            self.post_message(SetNull(self) if key is FieldState.NULL else Omit(self))


_ROWS: dict[str, Callable[[Field], FieldRow]] = {
    "string": TextRow,
    "integer": TextRow,
    "number": TextRow,
    "boolean": SegmentsRow,
    "null": SegmentsRow,
    "choices": ChoicesRow,
    "json": JsonRow,
    "object": ObjectRow,
    "array": ListRow,
    "map": ObjectRow,
    "variant": VariantRow,
}
