"""What holds for every form and every value: nothing is lost, and what is called wrong is wrong."""

import json
from typing import Any

import jsonschema_rs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.workbench.model.forms.schemas import SCHEMAS, VALUES, fitting
from workbench.model.forms.form import Form

thorough = settings(deadline=None, database=None, max_examples=80, suppress_health_check=list(HealthCheck))


def exactly(value: Any) -> str:
    """The value as text in which 1, 1.0 and true differ, and the order of keys makes no difference."""
    return json.dumps(value, sort_keys=True)


@st.composite
def schemas_and_values(draw: st.DrawFn) -> tuple[Any, Any]:
    schema = draw(SCHEMAS)
    return schema, draw(fitting(schema, schema) | VALUES)


@thorough
@given(schemas_and_values())
def test_a_form_returns_the_loaded_value(pair: tuple[Any, Any]) -> None:
    schema, value = pair
    form = Form(schema)
    form.load(value)
    assert exactly(form.value()) == exactly(value)


@thorough
@given(schemas_and_values())
def test_a_form_returns_the_loaded_json(pair: tuple[Any, Any]) -> None:
    schema, value = pair
    form = Form(schema)
    assert form.load_json(json.dumps(value)) is None
    again = Form(schema)
    assert again.load_json(form.to_json()) is None
    assert exactly(again.value()) == exactly(value)


@thorough
@given(schemas_and_values())
def test_a_form_has_problems_just_when_its_value_does_not_fit_the_schema(pair: tuple[Any, Any]) -> None:
    schema, value = pair
    form = Form(schema)
    form.load(value)
    valid = jsonschema_rs.Draft202012Validator(schema, validate_formats=True).is_valid(value)
    assert (form.problems() == []) is valid


@thorough
@given(schemas_and_values())
def test_typing_again_what_a_field_shows_changes_nothing(pair: tuple[Any, Any]) -> None:
    schema, value = pair
    form = Form(schema)
    form.load(value)
    for field in list(form.fields()):
        if field.text:
            form.set_text(field.path, field.text)
    assert exactly(form.value()) == exactly(value)


@thorough
@given(SCHEMAS, st.data())
def test_no_order_of_actions_breaks_a_form(schema: Any, data: st.DataObject) -> None:
    form = Form(schema)
    for _ in range(8):
        field = data.draw(st.sampled_from(list(form.fields())))
        actions = ["set_text", "set_null", "omit", "include"]
        actions += ["choose_variant"] if field.variants else []
        actions += ["add_item"] if field.can_add_items else []
        actions += ["add_key"] if field.can_add_keys else []
        actions += ["remove_item"] if field.can_remove else []
        actions += ["toggle_choice"] if field.kind in ("choice", "choices") else []
        match data.draw(st.sampled_from(actions)):
            case "set_text":
                form.set_text(field.path, data.draw(st.sampled_from(["", "a", "1", "-2.5", "true", "[1", '{"a": []}'])))
            case "choose_variant":
                form.choose_variant(field.path, data.draw(st.integers(0, len(field.variants) - 1)))
            case "add_key":
                if form.field(field.path).target.child("x") is None:
                    form.add_key(field.path, "x")
            case "toggle_choice":
                form.toggle_choice(field.path, data.draw(st.integers(0, len(field.choices) - 1)))
            case action:
                getattr(form, action)(field.path)
        before = exactly(form.value())
        form.load(json.loads(form.to_json()))
        assert exactly(form.value()) == before
