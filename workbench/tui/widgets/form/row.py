"""A field of a form: its label and its editor on one line, and below them its problem.

A row owns no data: it shows a field of the form model and requests changes of it.
"""

from collections.abc import Iterator
from itertools import zip_longest

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget
from textual.widgets import Static

from workbench.model.forms.field import Field, FieldState
from workbench.model.notices import UNAVAILABLE
from workbench.tui.colours import MUTED
from workbench.tui.widgets.form.field_changes import FieldChange, RemoveItem
from workbench.tui.widgets.form.label import name_text, note_text, required_mark
from workbench.tui.widgets.laid_out_once import LaidOutOnce

CHECKED = "-checked"
"""The CSS class of a form that shows the problems of omitted fields too."""

_REMOVE = Content.styled("  ✕", MUTED)

# The cells that a column of long names leaves to the editors, and its width up to which it takes more than half.
_MIN_EDITOR, _MAX_NAMES = 15, 32


class FieldLabel(LaidOutOnce):
    """The name beside or above an editor; a click focuses the editor, or removes the item if the label offers that."""

    DEFAULT_CSS = """
    FieldLabel { height: 1; }
    """

    # The width of the column of labels, which the rows of a group share.
    column_width = 0

    def __init__(self, row: "FieldRow") -> None:
        super().__init__()
        self.row = row
        self._texts = self.texts()

    def show(self) -> None:
        if (texts := self.texts()) != self._texts:
            self._texts = texts
            self.refresh()

    def texts(self) -> tuple[Content, Content, Content]:
        """Return the name, the facts about the field, and the marks that are never cut."""
        return name_text(self.row.field), Content(""), required_mark(self.row.field)

    @property
    def full_width(self) -> int:
        name, _, mark = self._texts
        return name.cell_length + mark.cell_length + self._remove.cell_length

    def get_content_width(self, container: Size, viewport: Size) -> int:
        # Long names get more than half of a narrow form: their ends distinguish them.
        most = max(container.width // 2, min(container.width - _MIN_EDITOR, _MAX_NAMES))
        return min(self.column_width + 1, most)

    def render(self) -> Content:
        name, facts, mark = self._texts
        # The name comes first: the facts about the field take the room that is left.
        width = self.size.width - self._remove.cell_length
        # The last cell separates the name from the editor.
        name = _fitted_name(name, max(4, width - 1 - mark.cell_length), is_item=isinstance(self.row.field.key, int))
        left = name + mark
        facts = facts.truncate(max(0, width - left.cell_length - 1), ellipsis=True)
        space = max(0, width - left.cell_length - facts.cell_length)
        return Content.assemble(left, " " * space, facts, self._remove)

    @property
    def _remove(self) -> Content:
        return _REMOVE if self.row.field.can_remove else Content("")

    async def on_click(self, event: events.Click) -> None:
        event.stop()
        if self.row.field.can_remove and event.x >= self.size.width - _REMOVE.cell_length:
            self.post_message(RemoveItem(self.row))
        else:
            self.row.focus_editor()


class _Line(Vertical, LaidOutOnce):
    """The name and the editor of a field."""


class FieldRow(Vertical, LaidOutOnce):
    """The base of the rows of every kind of field."""

    DEFAULT_CSS = """
    FieldRow {
        height: auto;
        padding-left: 1;
        border-left: blank;
        &.-focused { border-left: outer $primary; }
        & > .below { height: auto; padding: 0 1; color: $text-muted; }
        & > .line { height: auto; }
        & > .line > FieldLabel { padding-left: 1; }
        &.-null > .line > LineEditor > .input--placeholder { color: $text-warning; }
        &.-null > .line > AreaEditor > .text-area--placeholder { color: $text-warning; }
        &.-set > .line > LineEditor > .input--placeholder { color: $text-accent; }
        &.-set > .line > AreaEditor > .text-area--placeholder { color: $text-accent; }
    }
    """

    def __init__(self, field: Field) -> None:
        super().__init__(classes=f"-{field.state.value}")
        self.field = field
        # The key or index of the field when it was last shown: the field's own changes with its neighbours.
        self.last_key = field.key
        self.signature = signature(field)
        self.label = self.make_label()
        # Whether it shows the problem of an omitted field, which the user has tried to go on from.
        self._is_marked = False
        self._note_text = self._make_note()
        self.note = Static(self._note_text, classes="below", markup=False)
        self.note.display = bool(self._note_text)
        # Whether the field has changed after the editor was created and before it was mounted.
        self._needs_update = False

    def compose(self) -> ComposeResult:
        with _Line(classes="line"):
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
        self._show_note()
        if self.is_mounted:
            self.show_value(field)
        else:
            self._needs_update = True

    def can_show(self, field: Field) -> bool:
        """Whether this row can show a field, which may have changed its kind."""
        return self.signature == signature(field)

    def _show_note(self) -> None:
        if (note := self._make_note()) != self._note_text:
            self._note_text = note
            self.note.update(note)
            self.note.display = bool(note)

    def _make_note(self) -> Content:
        # An untouched field shows no problem for being empty.
        shows_problem = self.field.state is not FieldState.OMITTED or self._is_marked or self.is_checked
        return note_text(self.field, shows_problem=shows_problem)

    def mark_missing(self) -> bool:
        """Show that a required field has no value; False if it has one, or shows that already."""
        if self.field.state is not FieldState.OMITTED or not self.field.problem or self._is_marked or self.is_checked:
            return False
        self._is_marked = True
        self._show_note()
        return True

    @property
    def is_checked(self) -> bool:
        """Whether the form shows the problems of omitted fields too."""
        return any(above.has_class(CHECKED) for above in self.ancestors)

    def show_value(self, field: Field) -> None:
        raise NotImplementedError

    @property
    def options(self) -> list[str]:
        """The labels of the choices; empty for fields that are typed."""
        return []

    def choose(self, index: int) -> None:
        raise NotImplementedError

    def close_list(self) -> FieldChange | None:
        """Close an open drop-down, and return the change to what is marked or typed in it."""
        return None

    def refuse(self, problem: str) -> None:
        """Show why the form has not accepted a change of the field; an empty text once it has accepted another."""
        if problem:
            self.notify(problem, title=UNAVAILABLE, severity="warning", markup=False)

    def show_problem(self) -> None:
        """Go to the part of the value that has the problem, once the row has the focus."""

    def focus_editor(self) -> None:
        if (editor := first_focusable(self)) is not None:
            # At once: the next keys are for the editor.
            self.screen.set_focus(editor)


def _fitted_name(name: Content, width: int, *, is_item: bool) -> Content:
    """Return a name cut to a width; of an item, the number at the end stays."""
    start = name.plain.rfind(" ") if is_item else -1
    if start < 0 or name.cell_length <= width:
        return name.truncate(width, ellipsis=True)
    number = name[start:]
    return name[:start].truncate(max(1, width - number.cell_length), ellipsis=True) + number


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
    return (
        field.kind,
        field.is_line,
        field.format,
        tuple(choice.label for choice in field.choices or ()),
        tuple(field.variants or ()),
    )
