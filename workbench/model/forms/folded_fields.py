"""Which fields of a group are folded into one line: the optional fields without input."""

from collections.abc import Collection

from workbench.model.forms.field import Field, FieldState

FEWEST_FOLDED = 5  # Fewer fields take so little room that folding them would not help.


def folded_fields(fields: list[Field], shown_before: Collection[str | int]) -> list[Field]:
    """Return the fields to fold; none if they are few, or all that there is. Fields shown before stay."""
    untouched = [field for field in fields if _is_untouched(field) and field.key not in shown_before]
    return untouched if FEWEST_FOLDED <= len(untouched) < len(fields) else []


def _is_untouched(field: Field) -> bool:
    is_optional = not field.required and not field.is_added
    return is_optional and field.state is FieldState.OMITTED and not field.text and field.problem is None
