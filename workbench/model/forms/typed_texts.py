"""The texts that a user has typed into a form: what is lost if only its value is stored, or its schema changes."""

from collections.abc import Iterable, Mapping

from workbench.model.difference import is_same_json
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


def carry_over(before: Form, form: Form, renamed: Mapping[str, str] = {}) -> None:
    """Fill in a form from one for another version of its schema, including typed texts and chosen alternatives.

    Args:
        before: the form that was filled in.
        form: the form to fill in.
        renamed: the new names of properties, by their names before; only for the form of an object.
    """
    value = before.value()
    if value:
        form.load({renamed.get(name, name): member for name, member in value.items()} if renamed else value)
    form.json_draft = before.json_draft
    for old in before.fields():
        path = renamed_path(old.path, renamed)
        _carry_variant(old, form, path)
        field = _target(form, path)
        if field is None:
            continue
        kinds = {old.kind, old.shape.kind, field.shape.kind}
        if old.kind == field.kind == "array":
            _carry_list(old, form, field)
        elif old.text and old.text != field.text and (kinds <= _WRITTEN or kinds == {"json"}):
            form.retype(field.path, old.text)


def renamed_path(path: Path, renamed: Mapping[str, str]) -> Path:
    """Return the path of a field whose property may have another name now."""
    name = path[0] if path else ""
    return (renamed[name], *path[1:]) if isinstance(name, str) and name in renamed else path


def _carry_variant(old: Field, form: Form, path: Path) -> None:
    """Choose the alternative that was chosen, also if it has no value, or its value fits another better."""
    if old.kind != "variant" or old.variant is None:
        return
    try:
        field = form.field(path)
    except KeyError:
        return
    chosen = old.shape.variants[old.variant].schema
    same = (index for index, variant in enumerate(field.shape.variants) if is_same_json(variant.schema, chosen))
    if (index := next(same, None)) is not None:
        form.restore_variant(path, index, old.value(), is_picked=old.is_picked)


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
