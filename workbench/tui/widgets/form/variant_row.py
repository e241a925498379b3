"""The row of a field with several variants: choose a variant, then fill it in."""

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Select
from textual.widgets._select import NoSelection

from workbench.model.forms.field import Field, FieldState
from workbench.model.forms.shape import ABSENT
from workbench.model.short_text import escaped
from workbench.tui.widgets.form.children import MakeRow
from workbench.tui.widgets.form.choice_segments import choice_segments
from workbench.tui.widgets.form.field_changes import ChooseVariant, FieldChange, Include, Omit, SetNull, TypeVariant
from workbench.tui.widgets.form.groups import GroupRow
from workbench.tui.widgets.form.label import absent_text
from workbench.tui.widgets.form.segments import Segments
from workbench.tui.widgets.form.wrapped_segments import WrappedSegments, fit_in_a_row
from workbench.tui.widgets.steady import DropDown, Overlay

# In cells: no name is beside the choices.
_MAX_WIDTH = 48


class VariantDropDown(DropDown[int]):
    def on_key(self, event: events.Key) -> None:
        # The form applies the keys: they may begin a number instead of a search.
        event.prevent_default()


class VariantRow(GroupRow):
    def __init__(self, field: Field, make_row: MakeRow) -> None:
        # The chosen variant may have no value yet; the model does not distinguish that from an omitted field.
        self._is_open = field.state is FieldState.SET
        self._refusal = ""  # why what was typed among the variants is no value
        super().__init__(field, make_row)

    @property
    def options(self) -> list[str]:
        return self.field.variants

    def choose(self, index: int) -> None:
        self._choose(index)

    @property
    def choices(self) -> Segments | DropDown[int]:
        """The widget in which the alternative is chosen."""
        # Its children, since the row of an alternative may contain such a widget, too.
        return next(child for child in self.children if isinstance(child, Segments | DropDown))

    def opening_change(self) -> FieldChange:
        """Include the default, or show the editor of the first alternative: to look at it fills in no number.

        What is typed there may choose another alternative.
        """
        if self.field.default is not ABSENT and self.field.default is not None:
            return Include(self)
        self._is_open = True
        return ChooseVariant(self, 0, is_picked=False)

    def compose_editor(self) -> ComposeResult:
        labels = self.field.variants
        segments = choice_segments(self.field, labels)
        if fit_in_a_row(segments, _MAX_WIDTH):
            yield WrappedSegments(segments, self._chosen)
            return
        options = [(Text(escaped(label)), index) for index, label in enumerate(labels)]
        drop_down = VariantDropDown(options, prompt=_prompt(self.field), value=self._selected, compact=True)
        drop_down.blank_text = _blank(self.field)
        if self.field.required:
            drop_down.leave_out_blank()
        yield drop_down

    def shown_children(self, field: Field) -> list[Field]:
        # The properties of an object, or the variant itself.
        if field.variant is None or not self._is_open:
            return []
        content = field.target
        is_open = content.kind == "object" and content.state is FieldState.SET
        return content.children if is_open else [content]

    def show_value(self, field: Field) -> None:
        self._is_open = self._is_open or field.state is FieldState.SET
        super().show_value(field)
        match self.choices:
            case Segments() as segments:
                segments.choose(self._chosen)
            case DropDown() as select:
                select.blank_text, select.prompt = _blank(field), _prompt(field)
                select.show_value(self._selected)

    def close_list(self) -> FieldChange | None:
        select = self.choices
        if isinstance(select, Segments):
            return None
        if unmatched := select.close_list():
            return TypeVariant(self, unmatched)
        return None if select.value == self._selected else self.change_to(select.value)

    @on(DropDown.LeftUnmatched)
    def _left_unmatched(self, event: DropDown.LeftUnmatched) -> None:
        event.stop()
        self.post_message(TypeVariant(self, event.text))

    @on(Overlay.EnteredUnmatched)
    def _entered_unmatched(self, event: Overlay.EnteredUnmatched) -> None:
        event.stop()
        if (change := self.close_list()) is not None:
            self.post_message(change)

    def refuse(self, problem: str) -> None:
        self._refusal = problem
        self._show_note()

    def _make_note(self) -> Content:
        refusal = [Content.styled(f"✗ {escaped(self._refusal)}", "$text-error")] if self._refusal else []
        return Content("\n").join(filter(None, [super()._make_note(), *refusal]))

    @property
    def _chosen(self) -> FieldState | int:
        variant = self.field.variant if self._is_open else None
        return self.field.state if variant is None else variant

    @property
    def _selected(self) -> int | NoSelection:
        return self._chosen if isinstance(self._chosen, int) else Select.NULL

    @on(Segments.Chosen)
    def _segment_chosen(self, event: Segments.Chosen) -> None:
        event.stop()
        self._choose(event.key)

    @on(Select.Changed)
    def _select(self, event: Select.Changed) -> None:
        event.stop()
        # A message may be older than the value: only the current one counts.
        if isinstance(event.select, DropDown) and (chosen := event.select.receive()) != self._selected:
            self._choose(chosen)

    def _choose(self, key: object) -> None:
        self.post_message(self.change_to(key))

    def change_to(self, key: object) -> FieldChange:
        """Return the change to an alternative, or to the absence of one, and show its fields from now on."""
        self._is_open = isinstance(key, int)
        if isinstance(key, int):
            return ChooseVariant(self, key)
        return SetNull(self) if key is FieldState.NULL else Omit(self)

    def writing_change(self, variant: int) -> FieldChange:
        """Return the change to an alternative that a key begins to write; the text may need another one later."""
        self._is_open = True
        return ChooseVariant(self, variant, is_picked=False)


def _blank(field: Field) -> str:
    """Return what it means that no alternative is chosen."""
    return "choose" if field.required else absent_text(field)


def _prompt(field: Field) -> str:
    """Return what a drop-down shows instead of an alternative."""
    return "null" if field.state is FieldState.NULL else _blank(field)
