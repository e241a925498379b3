"""The rows of fields without subfields: text, numbers, raw JSON, true and false, single and multiple choices."""

from collections.abc import Sequence
from functools import partial

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.widgets import Input, Select, SelectionList
from textual.widgets.selection_list import Selection

from workbench.model.forms.conversion import value_text
from workbench.model.forms.field import Field, FieldState
from workbench.model.forms.shape import ABSENT
from workbench.model.short_text import escaped
from workbench.tui.widgets.form.field_changes import Omit, SetNull, SetText, SetValue
from workbench.tui.widgets.form.field_suggestions import Proposals, Proposer, Suggest
from workbench.tui.widgets.form.label import state_text
from workbench.tui.widgets.form.row import FieldRow
from workbench.tui.widgets.form.segments import Segment, Segments, segment_width
from workbench.tui.widgets.form.text import AreaEditor, LineEditor, is_long
from workbench.tui.widgets.option_list import Checklist, DropDown
from workbench.tui.widgets.text_area import TextArea

MAX_SEGMENTS_WIDTH = 36
"""The width, in cells, up to which choices are shown side by side; wider choices become a drop-down."""


def filled_default(field: Field) -> str:
    """Return the default as text if it is the value of the field; empty if the field has another value."""
    is_filled = field.state is FieldState.SET and field.default is not ABSENT
    return field.text if is_filled and field.text == value_text(field.default) else ""


class TextRow(FieldRow):
    """Text, numbers and dates: the input is passed to the model as it is, and the model validates it."""

    def __init__(self, field: Field) -> None:
        super().__init__(field)
        # The last text that the editor has requested, or that the model has set.
        self._last_text = field.text
        # Whether the model does not have that text yet: it receives each key with a delay.
        self._is_pending = False

    def compose_editor(self) -> ComposeResult:
        yield self._make_editor(is_long(self.field.text))

    def show_value(self, field: Field) -> None:
        """Show the text, unless the user is typing it."""
        editor = self.query_one_optional(LineEditor) or self.query_one_optional(AreaEditor)
        if editor is None:
            return
        editor.placeholder = state_text(field)
        if isinstance(editor, LineEditor):
            editor.default = filled_default(field)
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
        """Show proposals for this field while it has the focus."""
        line = self.query_one_optional(LineEditor)
        if line is not None and line.suggester is None:
            line.suggester = Proposer(partial(suggest, self.field.name))
            self.mount(Proposals(), after=line)

    @on(events.DescendantFocus)
    def _entered(self) -> None:
        line = self.query_one_optional(LineEditor)
        if line is not None and isinstance(proposer := line.suggester, Proposer):
            self.run_worker(self._propose(proposer, line.value), exclusive=True)

    @on(events.DescendantBlur)
    def _left(self) -> None:
        if (proposals := self.query_one_optional(Proposals)) is not None:
            proposals.show([])

    async def _propose(self, proposer: Proposer, typed: str) -> None:
        values = await proposer.ask(typed)
        proposals = self.query_one_optional(Proposals)
        # The user may have left the field before the response arrived.
        if proposals is not None and self.has_pseudo_class("focus-within"):
            proposals.show(values)

    @property
    def _may_grow(self) -> bool:
        return self.field.kind == "string"

    def _make_editor(self, is_large: bool) -> LineEditor | AreaEditor:
        if is_large and self._may_grow:
            return AreaEditor(self.field.text, state_text(self.field))
        line = LineEditor(self.field.text, state_text(self.field), may_grow=self._may_grow)
        line.default = filled_default(self.field)
        return line

    @on(Input.Changed)
    def _line_typed(self, event: Input.Changed) -> None:
        event.stop()
        if isinstance(event.input, LineEditor) and event.input.has_outgrown:
            return
        self._typed(event.value)
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
        """Insert a line break into the editor of this row at once, or a space in a text that has a single line.

        It cannot wait for a message: the keys after this one are delivered from outside.
        """
        if not line.may_grow:
            line.insert_text_at_cursor(" ")
            return
        start, end = sorted(line.selection)
        text = line.value[:start] + "\n" + line.value[end:]
        line.has_outgrown = True
        self._grow(text, start + 1)
        self._post_text(text)

    def _grow(self, text: str, cursor: int) -> None:
        line = self.query_one_optional(LineEditor)
        if line is None:
            return
        area = AreaEditor(text, state_text(self.field), cursor)
        has_focus = self.screen.focused is line
        self.mount(area, after=line)
        if has_focus:
            # At once: the next keys are for the new editor.
            self.screen.set_focus(area)
        line.remove()


class JsonRow(TextRow):
    """Any JSON value, as text."""

    def _make_editor(self, is_large: bool) -> AreaEditor:
        return AreaEditor(self.field.text, state_text(self.field))


class SegmentsRow(FieldRow):
    """True or false, or a few short choices; "omitted" and "null" are choices, too."""

    def compose_editor(self) -> ComposeResult:
        yield Segments(_segments(self.field), chosen_key(self.field))

    def show_value(self, field: Field) -> None:
        self.query_one(Segments).choose(chosen_key(field))

    @on(Segments.Chosen)
    def _chosen(self, event: Segments.Chosen) -> None:
        event.stop()
        if event.key is FieldState.OMITTED:
            self.post_message(Omit(self))
        elif event.key is FieldState.NULL:
            self.post_message(SetNull(self))
        elif isinstance(event.key, int):
            self.post_message(SetValue(self, choice_values(self.field)[event.key]))


class SelectRow(FieldRow):
    """A single choice among many, as a drop-down."""

    DEFAULT_CSS = """
    SelectRow Select.-textual-compact {
        & > SelectCurrent { padding: 0 1; }
        & > SelectOverlay > .option-list--option { padding: 0 1; }
    }
    """

    def compose_editor(self) -> ComposeResult:
        # An empty selection means "omitted" or "null".
        options = [(Text(escaped(choice.label)), index) for index, choice in enumerate(self.field.choices)]
        key = chosen_key(self.field)
        yield DropDown(
            options, prompt=state_text(self.field), value=key if isinstance(key, int) else Select.NULL, compact=True
        )

    def show_value(self, field: Field) -> None:
        select, key = self.query_one(Select), chosen_key(field)
        select.prompt = state_text(field) or "omitted"
        wanted = key if isinstance(key, int) else Select.NULL
        if select.value != wanted:
            select.value = wanted

    @on(Select.Changed)
    def _chosen(self, event: Select.Changed) -> None:
        event.stop()
        if isinstance(event.value, int):
            if event.value != chosen_key(self.field):
                self.post_message(SetValue(self, choice_values(self.field)[event.value]))
        elif self.field.state is FieldState.SET:
            self.post_message(Omit(self))


class ChoicesRow(FieldRow):
    """Multiple choices, each on or off."""

    DEFAULT_CSS = """
    ChoicesRow SelectionList { height: auto; max-height: 8; border: none; padding: 0 1; }
    """

    def compose_editor(self) -> ComposeResult:
        chosen = set(self.field.selected)
        yield Checklist[int](
            *(
                Selection(Text(escaped(choice.label)), index, index in chosen)
                for index, choice in enumerate(self.field.choices)
            ),
            compact=True,
        )

    def show_value(self, field: Field) -> None:
        listed: SelectionList[int] = self.query_one(SelectionList)
        wanted = set(field.selected)
        if set(listed.selected) != wanted:
            # Each step would be posted as a choice of the user.
            with self.prevent(SelectionList.SelectedChanged):
                listed.deselect_all()
                for index in wanted:
                    listed.select(index)

    @on(SelectionList.SelectedChanged)
    def _chosen(self, event: SelectionList.SelectedChanged[int]) -> None:
        event.stop()
        selected = set(event.selection_list.selected)
        if selected != set(self.field.selected):
            self.post_message(SetValue(self, [self.field.choices[index].value for index in sorted(selected)]))


def fits_segments(field: Field) -> bool:
    """Whether the choices of a field are few and short enough to be shown side by side."""
    return sum(segment_width(segment.label) for segment in _segments(field)) <= MAX_SEGMENTS_WIDTH


def choice_values(field: Field) -> Sequence[object]:
    """Return the values of the choices, in order."""
    match field.kind:
        case "boolean":
            return (True, False)
        case "choice":
            return [choice.value for choice in field.choices]
        case _:
            return ()


def chosen_key(field: Field) -> FieldState | int:
    """Return the key of the selected choice: the index of a value, or the state of a field without a value."""
    if field.state is not FieldState.SET:
        return field.state
    if field.kind == "boolean":
        return 0 if field.own_value is True else 1
    return field.selected[0] if field.selected else FieldState.SET


def _segments(field: Field) -> list[Segment]:
    labels = [choice.label for choice in field.choices] if field.kind == "choice" else ["true", "false"]
    segments = [Segment(FieldState.OMITTED, "omitted", is_quiet=True)]
    if field.nullable:
        segments.append(Segment(FieldState.NULL, "null", is_quiet=True))
    return segments + [Segment(index, label) for index, label in enumerate(labels[: len(choice_values(field))])]
