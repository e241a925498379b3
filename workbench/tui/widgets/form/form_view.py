"""A whole form: it mounts the rows, applies the changes they request to the form model, and shows the model again.

The view owns no data. A change is applied to the model at once; rows other than the changed row are updated later,
so that typing stays responsive in forms of any size.
"""

from collections.abc import Mapping
from typing import ClassVar

from textual import events, on
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Static

from workbench.model.forms.field import Field, FieldState, Path
from workbench.model.forms.form import Form
from workbench.model.forms.typed_texts import renamed_path
from workbench.tui.widgets.form.children import Children, is_removed
from workbench.tui.widgets.form.field_changes import AddItem, AddKey, FieldChange, FormEdited
from workbench.tui.widgets.form.field_suggestions import Suggest
from workbench.tui.widgets.form.form_focus import FormFocus, is_complete
from workbench.tui.widgets.form.form_keys import FormKeys
from workbench.tui.widgets.form.groups import AddButton, GroupRow, ObjectRow
from workbench.tui.widgets.form.label import more_fields_note
from workbench.tui.widgets.form.optional_fields import OptionalFields
from workbench.tui.widgets.form.row import CHECKED, FieldLabel, FieldRow, focusable
from workbench.tui.widgets.form.rows import make_row
from workbench.tui.widgets.form.segments import Segments
from workbench.tui.widgets.form.text import LineEditor
from workbench.tui.widgets.form.text_row import TextRow
from workbench.tui.widgets.laid_out_once import LaidOutOnce
from workbench.tui.widgets.light_classes import FocusMarks, set_light_class, update_styles
from workbench.tui.widgets.steady import DropDown

# Seconds without a change after which all rows are updated.
_PAUSE_S = 0.08

# The width from which labels are beside the editors, in cells.
_BESIDE = 36


class FormView(VerticalScroll, LaidOutOnce, can_focus=False):
    class EndReached(Message):
        """The user has gone on from the last field."""

    class FieldEntered(Message):
        """The focus has come to another field, or left the form."""

        def __init__(self, field: Field | None) -> None:
            super().__init__()
            self.field = field

    class Hinted(Message):
        """A key has no meaning where the focus is; an empty text if the last key had one."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    BINDINGS: ClassVar[list[BindingType]] = [
        # With priority: the keys typed after it are for the next field.
        Binding("enter", "next_field", show=False, priority=True),
        # In the place of those that scroll; editors of several rows, lists and drop-downs have their own.
        Binding("down", "step_field(1)", show=False),
        Binding("up", "step_field(-1)", show=False),
    ]

    DEFAULT_CSS = """
    FormView {
        height: auto;
        scrollbar-size-vertical: 1;
        /* An editor as wide as a wide screen is far from its name. */
        & > Children { padding: 0 1 1 0; max-width: 111; }
        & > .left-out { color: $text-warning; padding: 0 2; height: auto; }
        & > .nothing { color: $text-muted; padding: 1 2; }
        &.-beside .line > FieldLabel { dock: left; width: auto; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.empty_text = "Nothing to fill in."
        """The text of a form without fields."""
        self._form: Form | None = None
        self._structure = 0
        self._rows: Children | None = None
        self._update_timer: Timer | None = None
        self._keys = FormKeys(self)
        self._focus = FormFocus(self, self._keys)
        self._suggest: Suggest | None = None
        # The row whose field was entered last.
        self._current: FieldRow | None = None
        self._focus_marks = FocusMarks()
        self._is_hinted = False

    def on_mount(self) -> None:
        self.watch(self.screen, "focused", self._mark_focused)

    def _mark_focused(self, focused: Widget | None) -> None:
        around = [] if focused is None else focused.ancestors_with_self
        self._focus_marks.move([node for node in around if isinstance(node, FieldRow)] if self in around else [])

    @property
    def rows(self) -> Children | None:
        """The rows of the first level; None if the form has no fields."""
        return self._rows

    @property
    def focused_row(self) -> FieldRow | None:
        """The innermost row that has the focus, or is about to get it."""
        focused = self.screen.focused if self.is_attached else None
        if focused is self and self._focus.path is not None:
            return self.row_at(self._focus.path)
        if focused is None or self not in focused.ancestors_with_self:
            return None
        return next((widget for widget in focused.ancestors_with_self if isinstance(widget, FieldRow)), None)

    def show(self, form: Form, suggest: Suggest | None = None) -> None:
        """Show another form from the top; `suggest` proposes values for its texts."""
        self._suggest = suggest
        self._form = form
        self.remove_class(CHECKED)
        self._structure = form.structure
        if self.focused_row is not None:
            self.take_focus()
        self._focus.forget_field()
        self.remove_children()
        fields = _top_fields(form)
        self._rows = Children(fields, make_row) if fields else None
        self.mount(self._rows or Static(self.empty_text, classes="nothing", markup=False))
        if fields and fields[0] is not form.root and (text := more_fields_note(form.root)):
            self.mount(Static(text, classes="left-out", markup=False))
        self.scroll_home(animate=False, immediate=True)

    def update_form(self, form: Form, suggest: Suggest | None = None, renamed: Mapping[str, str] = {}) -> None:
        """Show the form of a changed schema, with the values entered before; rows of remaining fields stay.

        The focus goes from a property to the one that is `renamed` so.
        """
        if self._rows is None or not _top_fields(form) or form.root.fields_left_out:
            self.show(form, suggest)
            return
        self._form, self._suggest = form, suggest
        self._show_values(renamed)

    @property
    def has_suggestions(self) -> bool:
        """Whether the server may propose values."""
        return self._suggest is not None

    async def suggestions(self, name: str, typed: str) -> list[str]:
        """Return the values that the server proposes for a field."""
        return [] if self._suggest is None else await self._suggest(name, typed)

    def show_values(self) -> None:
        """Show the current state of every field; rows are created or removed where the model has changed."""
        self._show_values({})

    def _show_values(self, renamed: Mapping[str, str]) -> None:
        if self._form is None or self._rows is None:
            return
        row = self.focused_row
        path = None if row is None else row.field.path
        self._structure = self._form.structure
        self._rows.show(_top_fields(self._form))
        if row is not None and is_removed(row):
            self._focus.move_to(self._form.nearest(renamed_path(path or (), renamed)))

    def row_at(self, path: Path) -> FieldRow | None:
        """Return the row of a field, unless it is being removed."""
        return next((row for row in self.query(FieldRow) if row.field.path == path and not is_removed(row)), None)

    def focus_first(self) -> None:
        """Focus the first editor, as soon as the rows are mounted."""
        self._focus.move_to_first()

    def focus_field(self, path: Path, *, selects_text: bool = False) -> None:
        """Focus a field, as soon as its row is mounted; the first field if the form has no such field.

        The cursor stays in the text of a field of one row, unless the text is to be selected.
        """
        if self.field(path) is None:
            self.focus_first()
        else:
            self._focus.unfold(path)
            self._focus.move_to(path, selects_text=selects_text)

    @on(OptionalFields.Opened)
    async def _fold_clicked(self, event: OptionalFields.Opened) -> None:
        event.stop()
        await self.open_fold(event.line)

    async def open_fold(self, line: OptionalFields) -> None:
        """Show the optional fields that a line stands for, and go to the first of them."""
        if isinstance(rows := line.parent, Children):
            await rows.open_fold()

    def take_focus(self) -> None:
        """Focus the form itself: keys are queued for the field that they are for, or ignored."""
        self.can_focus = True
        self.screen.set_focus(self, scroll_visible=False)

    def watch_has_focus(self, _has_focus: bool) -> None:
        update_styles([self])

    def on_resize(self, event: events.Resize) -> None:
        set_light_class(self, event.size.width >= _BESIDE, "-beside", self.query(FieldLabel))

    @on(events.DescendantFocus)
    @on(events.DescendantBlur)
    def _show_current(self) -> None:
        row = self.focused_row
        if row is self._current:
            return
        left, self._current, self._is_hinted = self._current, row, False
        if left is not None and not left.can_show(left.field):
            # It was written as another alternative than the one that it was made for.
            self.call_later(self.show_values)
        self.post_message(self.FieldEntered(None if row is None else row.field))
        if row is not None and not isinstance(row, GroupRow):
            self.call_after_refresh(row.scroll_visible, animate=False)

    def on_blur(self) -> None:
        if self.screen.focused is self:
            return  # The focus has returned before this event was handled.
        # The form itself is not a field, so it leaves the tab order.
        self.can_focus = False
        self._focus.forget()
        self._keys.clear()

    def focus_problem(self) -> None:
        """Focus the first field with a problem; from now on, omitted fields show their problems too."""
        self.add_class(CHECKED)
        self.show_values()
        self.call_later(self._focus_problem, self._rows)

    async def _focus_problem(self, rows: Children | None) -> None:
        if rows is not self._rows:
            return  # Another form is shown by now.
        if rows is not None:
            await rows.complete()
        row = next((row for row in self.query(FieldRow) if row.field.has_problem), None)
        if row is not None:
            self._focus.unfold(row.field.path)
            if not is_complete(row):
                self._focus.move_to(row.field.path)
                return
            row.focus_editor()
            row.show_problem()
            row.scroll_visible(animate=False)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        # In other widgets, enter is text or opens something.
        return action != "next_field" or isinstance(self.screen.focused, LineEditor | Segments)

    def show_hint(self, text: str) -> None:
        """Show what keys do at the focus, until the focus moves or a field changes."""
        if text or self._is_hinted:
            # The focus may have just moved, which would end the hint.
            self._show_current()
            self._is_hinted = bool(text)
            self.post_message(self.Hinted(text))

    def close_list(self) -> bool:
        """Close an open drop-down with the value that is marked or typed in it; False if the field does not accept it.

        A key that was typed for a map and not added yet is added, so that what is sent is what the form shows.
        """
        for added in [row.typed_key() for row in self.query(ObjectRow)]:
            if added is not None:
                self.change(added)
        changes = [row.close_list() for row in self._rows_with_open_lists()]
        refused = [change for change in changes if change is not None and not self.change(change)]
        return not refused

    def _rows_with_open_lists(self) -> list[FieldRow]:
        # A list that was left with the last key may be still open.
        lists = [each for each in self.query(DropDown) if each.expanded]
        rows = [next(node for node in each.ancestors if isinstance(node, FieldRow)) for each in lists]
        return [row for row in rows if not is_removed(row)]

    async def action_next_field(self) -> None:
        row = self.focused_row
        if isinstance(self.screen.focused, Segments) and row is not None and row.mark_missing():
            return
        # In the order of the rows, not of their position on the screen: a new row has not been painted yet.
        stops = focusable(self)
        focused = self.screen.focused
        index = stops.index(focused) + 1 if focused in stops else 0
        if index < len(stops):
            self.screen.set_focus(stops[index])
            if isinstance(stops[index], AddButton) and isinstance(focused, LineEditor) and focused.value:
                # At the end of a list, the next item; awaited, so that the keys typed after it are for that item.
                await self._keys.handle(events.Key("enter", "\r"))
        else:
            self.post_message(self.EndReached())

    def action_step_field(self, by: int) -> None:
        """Go to the next field, or the previous; at the ends, scroll."""
        stops, focused = focusable(self), self.screen.focused
        index = stops.index(focused) + by if focused in stops else -1
        if 0 <= index < len(stops):
            self.screen.set_focus(stops[index])
        else:
            self.scroll_relative(y=by, animate=False)

    @property
    def is_moving_focus(self) -> bool:
        """Whether the focus is about to go to another row, so that keys wait for it."""
        return self._focus.is_moving

    async def on_key(self, event: events.Key) -> None:
        """Handle a key that no text editor has handled; keys arrive in the order in which they were pressed."""
        if not self._keys.accepts(event):
            return
        event.stop()
        if self.is_moving_focus:
            self._keys.hold(event)
        else:
            await self._keys.handle(event)

    def written_variant(self, path: Path, text: str) -> int | None:
        """Return the alternative of a field that accepts a text; None if none does."""
        return None if self._form is None else self._form.written_variant(path, text)

    def can_move(self, path: Path, by: int) -> bool:
        """Whether an item of a list can be moved by a number of places."""
        return self._form is not None and self._form.can_move(path, by)

    @on(Children.RowsReady)
    async def _rows_ready(self, event: Children.RowsReady) -> None:
        event.stop()
        if self._suggest is not None:
            for row in event.container.query(TextRow):
                row.suggest_by(self._suggest)
        await self._focus.rows_ready(event.container)

    @on(FieldChange)
    async def apply_change(self, change: FieldChange) -> None:
        """Apply a change to the model, and show it; the focus goes to an item that it has added."""
        change.stop()
        if self.change(change) and isinstance(change, AddItem | AddKey) and isinstance(change.row, GroupRow):
            await change.row.children_rows.focus_last()

    def change(self, change: FieldChange) -> bool:
        """Apply a change to the model, and show it; False if the form has changed so that it has no field for it."""
        # A change arrives with a delay, and the form may have changed since.
        if self._form is None or self._rows not in change.row.ancestors or self.field(change.path) is None:
            return False
        try:
            change.apply(self._form)
        except ValueError as problem:
            change.row.refuse(str(problem))
            return False
        change.row.refuse("")
        self._changed(change.row)
        return True

    def field(self, path: Path) -> Field | None:
        """Return a field of the form; None if it has no such field."""
        try:
            return None if self._form is None else self._form.field(path)
        except KeyError:
            return None

    def _changed(self, row: FieldRow) -> None:
        self.show_hint("")
        form, before = self._form, row.field
        if form is not None and form.structure != self._structure:
            self.show_values()
        else:
            row.show(row.field)
        if row is self._current and row.field is not before:
            self.post_message(self.FieldEntered(row.field))
        if self._update_timer is None:
            self._update_timer = self.set_timer(_PAUSE_S, self._update_rows)
        else:
            self._update_timer.reset()

    def _update_rows(self) -> None:
        self._update_timer = None
        self.show_values()
        self.post_message(FormEdited())


def _top_fields(form: Form) -> list[Field]:
    """Return the fields of the first level: the properties of an object, or the root field."""
    root = form.root
    if root.kind == "object" and not root.can_add_keys and root.state is FieldState.SET:
        return root.children
    return [root]
