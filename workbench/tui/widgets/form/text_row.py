"""The rows of fields that are typed: text, numbers, dates, and raw JSON."""

from functools import partial

from textual import events, on
from textual.app import ComposeResult
from textual.message import Message
from textual.widgets import Input

from workbench.model.forms.conversion import value_text
from workbench.model.forms.field import Field, FieldState
from workbench.model.forms.shape import ABSENT
from workbench.tui.widgets.form.field_changes import SetText
from workbench.tui.widgets.form.field_suggestions import Proposer, Suggest
from workbench.tui.widgets.form.label import placeholder_text
from workbench.tui.widgets.form.row import FieldRow
from workbench.tui.widgets.form.text import AreaEditor, LineEditor, NumberEditor, is_long
from workbench.tui.widgets.steady import TextArea
from workbench.tui.workers import start_worker


def filled_default(field: Field) -> str:
    """Return the default as text if it is the value of the field; empty if the field has another value."""
    is_filled = field.state is FieldState.SET and field.initial is not ABSENT
    return field.text if is_filled and field.text == value_text(field.initial) else ""


class TextRow(FieldRow):
    """Text, numbers and dates: the input is passed to the model as it is, and the model validates it."""

    class Proposed(Message):
        """The server proposes these values for the text of a field."""

        def __init__(self, field: Field, texts: list[str]) -> None:
            super().__init__()
            self.field = field
            self.texts = texts

    def __init__(self, field: Field) -> None:
        super().__init__(field)
        # The last text that the editor has requested, or that the model has set.
        self._last_text = field.text
        # Whether the model does not have that text yet: it receives each key with a delay.
        self._is_pending = False

    def compose_editor(self) -> ComposeResult:
        yield self._make_editor(is_long(self.field.text))

    def can_show(self, field: Field) -> bool:
        """Whether this row can show a field; while the user writes, also another alternative that is written."""
        is_other_alternative = field.is_content and field.is_written
        return super().can_show(field) or (is_other_alternative and self.has_pseudo_class("focus-within"))

    def show_value(self, field: Field) -> None:
        """Show the text, unless the user is typing it."""
        editor = self.query_one_optional(LineEditor) or self.query_one_optional(AreaEditor)
        if editor is None:
            return
        editor.placeholder = placeholder_text(field)
        if isinstance(editor, LineEditor):
            editor.default, editor.may_grow = filled_default(field), self._may_grow
        shown = editor.value if isinstance(editor, LineEditor) else editor.text
        if self._is_typed_since(field, shown) or shown == field.text:
            return
        self._last_text = field.text
        if isinstance(editor, AreaEditor):
            editor.load_text(field.text)
        elif is_long(field.text) and self._may_grow:
            self._grow(field.text, len(field.text))
        else:
            editor.value = field.text

    def _is_typed_since(self, field: Field, shown: str) -> bool:
        """Whether the editor is ahead of the model."""
        self._is_pending = self._is_pending and field.text != self._last_text
        return self._is_pending or shown != self._last_text

    def _post_text(self, text: str) -> None:
        self._last_text = text
        self._is_pending = True
        self.post_message(SetText(self, text))

    def suggest_by(self, suggest: Suggest) -> None:
        line = self.query_one_optional(LineEditor)
        if line is not None and line.suggester is None:
            line.suggester = Proposer(partial(suggest, self.field.name))

    @on(events.DescendantFocus)
    def _entered(self) -> None:
        line = self.query_one_optional(LineEditor)
        if line is not None and isinstance(proposer := line.suggester, Proposer):
            start_worker(self, partial(self._propose, proposer, line.value), "proposals")

    @on(events.DescendantBlur)
    def _left(self) -> None:
        self.post_message(self.Proposed(self.field, []))

    async def _propose(self, proposer: Proposer, typed: str) -> None:
        values = await proposer.ask(typed)
        # The user may have left the field before the response arrived.
        if self.has_pseudo_class("focus-within"):
            self.post_message(self.Proposed(self.field, values))

    @property
    def _may_grow(self) -> bool:
        return self.field.kind == "string"

    def _make_editor(self, is_large: bool) -> LineEditor | AreaEditor:
        if is_large and self._may_grow:
            return AreaEditor(self.field.text, placeholder_text(self.field))
        make_line = NumberEditor if self.field.kind in ("integer", "number") else LineEditor
        line = make_line(self.field.text, placeholder_text(self.field), may_grow=self._may_grow)
        line.default = filled_default(self.field)
        return line

    @on(Input.Changed)
    def _line_typed(self, event: Input.Changed) -> None:
        event.stop()
        if isinstance(event.input, LineEditor) and event.input.has_outgrown:
            return
        # The text now: the message may be older than a text that the model has set since.
        self._typed(event.input.value)
        if event.input.has_focus:
            self._entered()

    @on(TextArea.Changed)
    def _area_typed(self, event: TextArea.Changed) -> None:
        event.stop()
        self._typed(event.text_area.text)

    def _typed(self, text: str) -> None:
        # A text that this row was asked to show is not a change.
        if text != self._last_text:
            self._post_text(text)

    @on(LineEditor.Outgrown)
    def _outgrown(self, event: LineEditor.Outgrown) -> None:
        event.stop()
        self._grow(event.text, event.cursor)
        self._post_text(event.text)

    def begin_line(self, line: LineEditor) -> None:
        """Insert a line break at once, or a space in one line: it cannot wait, as keys are delivered from outside."""
        if not line.may_grow:
            line.insert_text_at_cursor(line.JOINT)
            return
        start, end = line.line_break_range
        text = line.value[:start] + "\n" + line.value[end:]
        line.has_outgrown = True
        self._grow(text, start + 1)
        self._post_text(text)

    def _grow(self, text: str, cursor: int) -> None:
        line = self.query_one_optional(LineEditor)
        if line is None:
            return
        area = AreaEditor(text, placeholder_text(self.field), cursor)
        has_focus = self.screen.focused is line
        self.mount(area, after=line)
        if has_focus:
            # At once: the next keys are for the new editor.
            self.screen.set_focus(area)
        line.remove()


class JsonRow(TextRow):
    def _make_editor(self, is_large: bool) -> AreaEditor:
        return AreaEditor(self.field.text, placeholder_text(self.field))
