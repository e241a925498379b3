"""Which fields of a group are folded into one line."""

from typing import Any

from workbench.model.forms.field import Field
from workbench.model.forms.folded_fields import folded_fields
from workbench.model.forms.form import Form


def form_of(optional: int, *required: str) -> Form:
    names = [*required, *(f"o{number}" for number in range(optional))]
    schema: dict[str, Any] = {"type": "object", "properties": {name: {"type": "string"} for name in names}}
    return Form({**schema, "required": list(required)})


def names(fields: list[Field]) -> list[str]:
    return [field.name for field in fields]


def test_untouched_optional_fields_are_folded() -> None:
    form = form_of(6, "a")
    form.load({"o2": "x"})
    assert names(folded_fields(form.root.children, ())) == ["o0", "o1", "o3", "o4", "o5"]


def test_a_few_optional_fields_are_not_folded() -> None:
    assert folded_fields(form_of(4, "a").root.children, ()) == []


def test_a_form_of_optional_fields_only_is_not_folded() -> None:
    assert folded_fields(form_of(20).root.children, ()) == []


def test_fields_that_were_shown_before_stay() -> None:
    folded = folded_fields(form_of(7, "a").root.children, {"o0", "o6"})
    assert names(folded) == ["o1", "o2", "o3", "o4", "o5"]
