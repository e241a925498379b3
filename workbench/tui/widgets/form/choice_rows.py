"""The rows of fields that are chosen: true or false, a choice, several choices."""

from collections.abc import Sequence

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.widgets import Select, SelectionList
from textual.widgets._select import NoSelection
from textual.widgets.selection_list import Selection

from workbench.model.forms.conversion import is_equal
from workbench.model.forms.field import Field, FieldState
from workbench.model.short_text import escaped
from workbench.tui.widgets.form.choice_segments import choice_segments
from workbench.tui.widgets.form.field_changes import FieldChange, Omit, SetNull, SetText, SetValue
from workbench.tui.widgets.form.label import absent_text, state_text
from workbench.tui.widgets.form.row import FieldRow
from workbench.tui.widgets.form.segments import Segment, Segments
from workbench.tui.widgets.form.wrapped_segments import WrappedSegments, fit_in_a_row
from workbench.tui.widgets.steady import Checklist, DropDown, Overlay


class SegmentsRow(FieldRow):
    """True or false, or a few short choices; "omitted" and "null" are choices, too."""

    @property
    def options(self) -> list[str]:
        return _labels(self.field)

    def choose(self, index: int) -> None:
        self.post_message(SetValue(self, choice_values(self.field)[index]))

    def compose_editor(self) -> ComposeResult:
        yield WrappedSegments(_segments(self.field), chosen_key(self.field), fixed_note=_fixed_note(self.field))

    def show_value(self, field: Field) -> None:
        segments = self.query_one(WrappedSegments)
        segments.choose(chosen_key(field))
        segments.fix(_fixed_note(field))

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

    # The value that was sent to the form and has not returned yet; older ones may return before it.
    _sent: int | NoSelection | None = None

    @property
    def options(self) -> list[str]:
        return [choice.label for choice in self.field.choices]

    def choose(self, index: int) -> None:
        self.query_one(Select).expanded = False
        self.post_message(SetValue(self, choice_values(self.field)[index]))

    DEFAULT_CSS = """
    SelectRow Select.-textual-compact {
        & > SelectCurrent { padding: 0 1; }
    }
    """

    def compose_editor(self) -> ComposeResult:
        # An empty selection means "omitted" or "null".
        options = [(Text(escaped(choice.label)), index) for index, choice in enumerate(self.field.choices)]
        select = DropDown[int](options, prompt=_prompt(self.field), value=_selected(self.field), compact=True)
        select.blank_text = _blank(self.field)
        if self.field.required:
            select.leave_out_blank()
        yield select

    def show_value(self, field: Field) -> None:
        select, wanted = self.query_one(DropDown), _selected(field)
        select.blank_text, select.prompt = _blank(field), _prompt(field)
        if self._sent is not None and wanted != self._sent:
            return
        self._sent = None
        select.show_value(wanted)

    @on(Select.Changed)
    def _chosen(self, event: Select.Changed) -> None:
        event.stop()
        # A message may be older than the value: only the current one counts.
        chosen = self.query_one(DropDown).receive()
        if chosen != self._latest:
            self._sent = chosen
            self.post_message(self._change_to(chosen))

    @on(DropDown.BlankChosen)
    def _blank_chosen(self, event: DropDown.BlankChosen) -> None:
        event.stop()
        if self.field.state is FieldState.SET and not self.field.selected:
            self.post_message(Omit(self))

    @on(DropDown.LeftUnmatched)
    def _left_unmatched(self, event: DropDown.LeftUnmatched) -> None:
        event.stop()
        self.post_message(SetText(self, event.text))

    @on(Overlay.EnteredUnmatched)
    def _entered_unmatched(self, event: Overlay.EnteredUnmatched) -> None:
        event.stop()
        self.query_one(DropDown).show_unmatched(event.text)

    def close_list(self) -> FieldChange | None:
        select: DropDown[int] = self.query_one(DropDown)
        if unmatched := select.close_list():
            return SetText(self, unmatched)
        return None if select.value == self._latest else self._change_to(select.value)

    @property
    def _latest(self) -> int | NoSelection:
        """The value that the form has, or is about to get."""
        return self._sent if self._sent is not None else _selected(self.field)

    def _change_to(self, chosen: object) -> FieldChange:
        return SetValue(self, choice_values(self.field)[chosen]) if isinstance(chosen, int) else Omit(self)

    @on(events.DescendantBlur)
    def _left(self) -> None:
        self._sent = None


class ChoicesRow(FieldRow):
    """Multiple choices, each on or off."""

    @property
    def options(self) -> list[str]:
        return [choice.label for choice in self.field.choices]

    def choose(self, index: int) -> None:
        self.query_one(SelectionList).toggle(self.query_one(SelectionList).get_option_at_index(index).value)

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
    return fit_in_a_row(_segments(field))


def choice_values(field: Field) -> Sequence[object]:
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


def _selected(field: Field) -> int | NoSelection:
    """Return the index of the selected choice, as the value of a drop-down."""
    return field.selected[0] if field.selected else Select.NULL


def _blank(field: Field) -> str:
    """Return what the absence of a value means."""
    return absent_text(field) if field.state is FieldState.SET else state_text(field)


def _prompt(field: Field) -> str:
    """Return what a drop-down shows instead of a choice: what its absence means, or a text that is none."""
    is_no_choice = field.state is FieldState.SET and not field.selected
    return escaped(field.text) if is_no_choice else _blank(field)


def _segments(field: Field) -> list[Segment]:
    return choice_segments(field, _labels(field), can_be_absent=not _is_fixed(field))


def _is_fixed(field: Field) -> bool:
    """Whether it is a constant that leaves nothing to choose: required, the default, or the mark of an alternative."""
    if not field.is_constant:
        return False
    is_mark = field.parent is not None and field.parent.is_content
    return field.required or is_mark or is_equal(field.default, field.choices[0].value)


def _fixed_note(field: Field) -> str:
    """Return the note at a constant that needs no choice; loaded JSON may lack it, and then it can be chosen."""
    if not _is_fixed(field):
        return ""
    if field.state is FieldState.SET:
        return "fixed"
    return "fixed default" if is_equal(field.default, field.choices[0].value) and not field.required else ""


def _labels(field: Field) -> list[str]:
    labels = [choice.label for choice in field.choices] if field.kind == "choice" else ["true", "false"]
    return labels[: len(choice_values(field))]
