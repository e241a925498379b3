"""Keys that no text editor of a form has handled: they were typed ahead, or are for the head of a group."""

from typing import TYPE_CHECKING, Any

from textual import events
from textual.widget import Widget

from workbench.model.forms.field import Field, FieldState
from workbench.tui.widgets.form.editor_keys import has_binding, is_text, is_typing, type_into
from workbench.tui.widgets.form.field_changes import ChooseVariant, Include
from workbench.tui.widgets.form.field_search_screen import FindRequested
from workbench.tui.widgets.form.groups import AddButton, GroupHead, GroupRow, NewKey, ObjectRow
from workbench.tui.widgets.form.optional_fields import OptionalFields
from workbench.tui.widgets.form.segments import Segments
from workbench.tui.widgets.form.text import NEW_LINE, AreaEditor, LineEditor
from workbench.tui.widgets.form.text_row import TextRow
from workbench.tui.widgets.form.variant_row import VariantRow
from workbench.tui.widgets.steady import Checklist, DropDown, Overlay

if TYPE_CHECKING:
    from workbench.tui.widgets.form.form_view import FormView

# What a number can begin with.
_NUMBER_STARTS = "0123456789-+."


class FormKeys:
    """Applies keys to whatever has the focus in a form, in the order in which they were pressed."""

    def __init__(self, view: "FormView") -> None:
        self._view = view
        # The keys typed while the row that they are for was being created.
        self._held: list[events.Key] = []

    def accepts(self, event: events.Key) -> bool:
        """Whether a key is for the form, and not for a binding of the focused widget."""
        focused = self._view.screen.focused
        if event.is_printable and not is_text(event.character, focused) and not self._view.is_moving_focus:
            return False
        is_handled_here = focused is self._view or isinstance(
            focused, LineEditor | AreaEditor | GroupHead | AddButton | OptionalFields
        )
        return is_typing(event) and (is_handled_here or not has_binding(focused, event.key))

    def hold(self, event: events.Key) -> None:
        self._held.append(event)

    def clear(self) -> None:
        self._held.clear()

    async def release(self) -> None:
        """Handle the keys that were pressed while the focus was moving."""
        keys, self._held = self._held, []
        for key in keys:
            await self.handle(key)

    async def handle(self, event: events.Key) -> None:
        self._view.show_hint("")
        if event.character == "/" and _takes_no_text(self._view.screen.focused):
            self._view.post_message(FindRequested())
            return
        match self._view.screen.focused:
            case LineEditor() if event.key == "enter":
                await self._view.action_next_field()
            case LineEditor() as line if event.key == NEW_LINE and isinstance(row := self._view.focused_row, TextRow):
                row.begin_line(line)
            case LineEditor() | AreaEditor() | NewKey() as editor:
                type_into(editor, event)
            case OptionalFields() as line if event.key in ("enter", "space"):
                await self._view.open_fold(line)
            case (Segments() | DropDown()) as choices if event.is_printable:
                await self._type_on_choices(choices, event)
            case Overlay() as overlay if event.is_printable:
                overlay.call_later(overlay.search, event)
            case GroupHead() | AddButton() as head if isinstance(head.row, GroupRow):
                await self._open_by_key(head.row, event, is_open=isinstance(head, AddButton))
            case OptionalFields() if event.is_printable:
                self._view.show_hint("enter shows the fields, / searches them")
            case Checklist() if event.is_printable:
                self._view.show_hint("the arrows and the space bar choose")

    async def _open_by_key(self, row: GroupRow, event: events.Key, *, is_open: bool) -> None:
        needs_value = is_open or row.field.state is not FieldState.SET
        if event.key in ("enter", "space"):
            await self._open_or_fold(row, needs_value=needs_value)
        elif event.is_printable and row.field.can_add_items:
            await self._type_into_new_item(row, event)
        elif event.is_printable and isinstance(row, VariantRow):
            await self._type_on_choices(row.choices, event)
        elif event.is_printable and needs_value:
            await self._type_into_group(row, event)
        elif event.is_printable and isinstance(row, ObjectRow) and (key := row.new_key) is not None:
            row.unfold()
            self._view.screen.set_focus(key)
            type_into(key, event)
        elif event.is_printable:
            self._view.show_hint("enter opens it" if row.has_class("-closed") else "enter closes it, tab goes on")

    async def _type_on_choices(self, choices: "Segments | DropDown[Any]", event: events.Key) -> None:
        """Choose what begins with a letter, or search it; a digit begins an alternative that can be written so."""
        letter, row = event.character or "", self._view.focused_row
        if isinstance(choices, Segments) and choices.choose_by_letter(letter):
            return
        if isinstance(row, VariantRow) and (variant := self._written_variant(row.field, letter)) is not None:
            await self._view.apply_change(row.writing_change(variant))
            await row.enter()
            await self.handle(event)
        elif isinstance(choices, DropDown):
            choices.search(event)
        else:
            self._view.show_hint(f"no choice begins with {letter!r}; ← and → choose")

    def _written_variant(self, field: Field, letter: str) -> int | None:
        """Return the alternative that a digit or a sign begins, unless the user has picked another or it has a name."""
        if letter not in _NUMBER_STARTS or any(letter in label for label in field.variants):
            return None
        variant = self._view.written_variant(field.path, "1")
        return None if field.is_picked and field.variant != variant else variant

    async def _type_into_group(self, row: GroupRow, event: events.Key) -> None:
        """Open a group that has no value, and type into its first field or key, in place of a default."""
        if row.field.begins_with_group:
            # In a recursive schema, each of the keys would open another group.
            self._view.show_hint("enter opens it")
            return
        await self._open_or_fold(row, needs_value=True)
        if isinstance(line := self._view.screen.focused, LineEditor):
            line.select_all()
        await self.handle(event)

    async def _type_into_new_item(self, row: GroupRow, event: events.Key) -> None:
        """Add an item and type into it; in a list of lists, the inner list gets its first item too."""
        head = self._view.screen.focused
        row.unfold()
        await self._view.apply_change(row.opening_change())
        if self._view.screen.focused is not head:
            await self.handle(event)

    async def _open_or_fold(self, row: GroupRow, *, needs_value: bool) -> None:
        """Open a group and go to its first field, or to the item added to a list; close a group that is open."""
        if not needs_value:
            row.fold()
            if not row.has_class("-closed"):
                await row.enter()
            return
        change = row.opening_change()
        await self._view.apply_change(change)
        if isinstance(change, Include | ChooseVariant):
            await row.enter()


def _takes_no_text(focused: Widget | None) -> bool:
    """Whether nothing can be typed with the focus here, so that / searches a field."""
    if isinstance(focused, GroupHead):
        return not focused.row.field.can_add_items
    return isinstance(focused, Segments | Checklist | OptionalFields)
