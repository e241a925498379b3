"""A field of a form: its label, its editor, and below it its description and its problem.

A row owns no data: it shows a field of the form model and requests changes of it.
"""

from collections.abc import Iterator
from itertools import zip_longest

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from workbench.model.forms.field import Field, FieldState
from workbench.tui.colours import MUTED
from workbench.tui.widgets.form.field_changes import RemoveItem
from workbench.tui.widgets.form.label import heading, kind_text, note_text

CHECKED = "-checked"
"""The CSS class of a form that shows the problems of omitted fields too."""

_REMOVE = Content.styled("  ✕", MUTED)


class FieldLabel(Widget):
    """The row above an editor; a click focuses the editor, or removes the item if the label offers that."""

    DEFAULT_CSS = """
    FieldLabel { height: 1; }
    """

    def __init__(self, row: "FieldRow") -> None:
        super().__init__()
        self.row = row
        self._texts = self.texts()

    def show(self) -> None:
        if (texts := self.texts()) != self._texts:
            self._texts = texts
            self.refresh()

    def texts(self) -> tuple[Content, Content]:
        right = kind_text(self.row.field)
        return heading(self.row.field), right + _REMOVE if self.row.field.can_remove else right

    def render(self) -> Content:
        left, right = self._texts
        # The name comes first: what is said about the field takes the room that is left.
        left = left.truncate(self.size.width, ellipsis=True)
        right = right.truncate(max(0, self.size.width - left.cell_length - 1), ellipsis=True)
        space = max(1, self.size.width - left.cell_length - right.cell_length)
        return Content.assemble(left, " " * space, right)

    async def on_click(self, event: events.Click) -> None:
        event.stop()
        if self.row.field.can_remove and event.x >= self.size.width - _REMOVE.cell_length:
            self.post_message(RemoveItem(self.row))
        else:
            self.row.focus_editor()


class FieldRow(Vertical):
    """The base of the rows of every kind of field."""

    DEFAULT_CSS = """
    FieldRow {
        height: auto;
        margin-top: 1;
        padding-left: 1;
        border-left: blank;
        &:focus-within { border-left: outer $primary; }
        & > .below { height: auto; padding: 0 1; color: $text-muted; }
        & > FieldLabel { padding-left: 1; }
        &.-null > LineEditor > .input--placeholder { color: $text-warning; }
        &.-null > AreaEditor > .text-area--placeholder { color: $text-warning; }
        &.-set > LineEditor > .input--placeholder { color: $text-accent; }
        &.-set > AreaEditor > .text-area--placeholder { color: $text-accent; }
    }
    """

    def __init__(self, field: Field) -> None:
        super().__init__(classes=f"-{field.state.value}")
        self.field = field
        # The key or index of the field when it was last shown: the field's own changes with its neighbours.
        self.last_key = field.key
        self.signature = signature(field)
        self.label = self.make_label()
        self._note_text = self._make_note()
        self.note = Static(self._note_text, classes="below", markup=False)
        self.note.display = bool(self._note_text)
        # Whether the field has changed after the editor was created and before it was mounted.
        self._needs_update = False

    def compose(self) -> ComposeResult:
        yield self.label
        yield from self.compose_editor()
        yield self.note

    def make_label(self) -> FieldLabel:
        return FieldLabel(self)

    def compose_editor(self) -> ComposeResult:
        """Create the editor; each kind of field overrides this."""
        raise NotImplementedError

    def on_mount(self) -> None:
        if self._needs_update:
            self.show_value(self.field)

    def show(self, field: Field) -> None:
        """Show the current state of the field; unchanged parts are not painted again."""
        self.field = field
        self.last_key = field.key
        self.label.show()
        for state in FieldState:
            self.set_class(state is field.state, f"-{state.value}")
        if (note := self._make_note()) != self._note_text:
            self._note_text = note
            self.note.update(note)
            self.note.display = bool(note)
        if self.is_mounted:
            self.show_value(field)
        else:
            self._needs_update = True

    def _make_note(self) -> Content:
        # An untouched field shows no problem for being empty, until the form has the class for it.
        shows_problem = self.field.state is not FieldState.OMITTED or any(
            above.has_class(CHECKED) for above in self.ancestors
        )
        return note_text(self.field, shows_problem)

    def show_value(self, field: Field) -> None:
        """Show the value of the field in the editor."""
        raise NotImplementedError

    def focus_editor(self) -> None:
        if (editor := first_focusable(self)) is not None:
            # At once: the next keys are for the editor.
            self.screen.set_focus(editor)


def first_focusable(inside: Widget) -> Widget | None:
    """Return the first visible widget that accepts input; the head of a group only if no widget below it does."""
    candidates = focusable(inside)
    for widget, following in zip_longest(candidates, candidates[1:]):
        is_above = isinstance(widget, FieldLabel) and following is not None and widget.row in following.ancestors
        if not is_above:
            return widget
    return None


def focusable(inside: Widget) -> list[Widget]:
    """Return the visible, focusable widgets below a widget, from top to bottom."""
    return [widget for widget in _displayed(inside) if widget.focusable]


def _displayed(widget: Widget) -> Iterator[Widget]:
    for child in widget.children if widget.display else ():
        if child.display:
            yield child
            yield from _displayed(child)


def signature(field: Field) -> tuple[object, ...]:
    """Return the signature that a row is created for: a field with another signature needs another row."""
    return field.kind, field.format, tuple(choice.label for choice in field.choices or ()), tuple(field.variants or ())
