"""The texts that a user has typed into a form: what is lost if only its value is stored, or its schema changes."""

from collections.abc import Iterable

from workbench.model.forms import form_values
from workbench.model.forms.field import GROUPS, Field, Path
from workbench.model.forms.form import Form

_WRITTEN = frozenset({"string", "integer", "number"})  # The kinds of fields that may exchange their typed texts.


def typed_texts(form: Form) -> list[tuple[Path, str]]:
    """Return the texts that a form with the same value would not show: texts that cannot be read, for example."""
    fields = [field for field in form.fields() if field.text and not field.is_in_line]
    return [(field.path, field.text) for field in fields if field.text != _loaded_text(field)]


def restore_texts(form: Form, texts: Iterable[tuple[Path, str]]) -> None:
    """Type texts again, each in its field; those of fields that the form does not have are ignored."""
    for path, text in texts:
        if (field := _target(form, path)) is None:
            continue
        if field.is_list_of_scalars:
            field.shows_items = False
            form.set_text(path, text)
        elif field.kind not in GROUPS:
            form.retype(path, text)


def carry_over(before: Form, form: Form) -> None:
    """Fill in a form from one for another version of its schema, including typed texts."""
    if before.value():
        form.load(before.value())
    form.json_draft = before.json_draft
    for old in before.fields():
        field = _target(form, old.path)
        if field is None:
            continue
        kinds = {old.kind, old.shape.kind, field.shape.kind}
        if old.kind == field.kind == "array":
            _carry_list(old, form, field)
        elif old.text and old.text != field.text and (kinds <= _WRITTEN or kinds == {"json"}):
            form.retype(field.path, old.text)


def _carry_list(old: Field, form: Form, field: Field) -> None:
    if field.is_list_of_scalars and old.is_list_of_scalars:
        form.show_items(field.path, old.shows_items)
    if field.is_line and old.text != field.text:
        form.set_text(field.path, old.text)


def _target(form: Form, path: Path) -> Field | None:
    try:
        return form.field(path).target
    except KeyError:
        return None


def _loaded_text(field: Field) -> str:
    if field.is_line:
        return "" if any(item.typing_problem for item in field.children) else form_values.line_text(field)
    return field.text if field.kind in GROUPS else field.text_of_value
