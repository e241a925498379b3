"""The choices of a field in a row: its values, and what stands for the absence of one."""

from collections.abc import Sequence

from workbench.model.forms.field import Field, FieldState
from workbench.tui.widgets.form.label import absent_text, is_required
from workbench.tui.widgets.form.segments import Segment

_INVITATION = "←→ choose"


def choice_segments(field: Field, labels: Sequence[str], *, can_be_absent: bool = True) -> list[Segment]:
    """Return the choices with these labels, whose keys are their indexes; the others have the state as their key."""
    null = [Segment(FieldState.NULL, "null", is_quiet=True)] if field.nullable else []
    values = [*null, *(Segment(index, label) for index, label in enumerate(labels))]
    if not can_be_absent:
        return values
    if is_required(field):
        # At the end, so that the values do not move once it is gone.
        return [*values, Segment(FieldState.OMITTED, _INVITATION, is_quiet=True, is_invitation=True)]
    return [Segment(FieldState.OMITTED, absent_text(field), is_quiet=True), *values]
