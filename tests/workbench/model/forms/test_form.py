"""A form is filled in by its fields."""

from itertools import product
from typing import Any

import pytest

from tests.tables import each_row
from tests.workbench.model.forms.booking import NULL, OMITTED, SET
from workbench.model.forms.form import Form
from workbench.model.forms.shape import ABSENT


def test_a_new_form_sends_nothing_but_the_groups_that_must_be_there(form: Form) -> None:
    assert form.value() == {"host": {}}
    assert [problem.path for problem in form.problems()] == [("name",), ("host", "name")]


def test_a_field_with_a_default_starts_omitted_and_can_be_set(form: Form) -> None:
    field = form.field(("count",))
    assert (field.state, field.default) == (OMITTED, 2)
    form.include(("count",))
    assert (field.state, field.text, form.value()["count"]) == (SET, "2", 2)


def test_omitted_null_and_empty_are_different(form: Form) -> None:
    path = ("note",)
    assert "note" not in form.value()
    form.set_text(path, "")
    assert (form.field(path).state, form.value()["note"]) == (SET, "")
    form.set_null(path)
    assert (form.field(path).state, form.value()["note"]) == (NULL, None)
    form.omit(path)
    assert (form.field(path).state, "note" in form.value()) == (OMITTED, False)


def test_a_default_of_null_differs_from_no_default(form: Form) -> None:
    assert form.field(("note",)).default is None
    assert form.field(("name",)).default is ABSENT


def test_null_can_be_sent_where_it_is_not_allowed_and_is_a_problem(form: Form) -> None:
    form.set_null(("name",))
    assert form.value()["name"] is None
    assert form.field(("name",)).problem == "must be text"


@each_row(
    "format, value",
    [("date-time", {}), ("date", {}), ("email", {}), ("regex", {"a": ""}), ("unknown", {"a": ""}), ("", {"a": ""})],
)
def test_emptying_an_optional_text_omits_it_if_its_format_is_never_empty(format: str, value: dict[str, str]) -> None:
    form = Form({"type": "object", "properties": {"a": {"type": "string", "format": format}}})
    form.set_text(("a",), "2026-01-31")
    form.set_text(("a",), "")
    assert form.value() == value
    form.omit(("a",))
    form.include(("a",))
    assert form.value() == {"a": ""}


def test_emptying_a_field_of_another_type_than_text_omits_it(form: Form) -> None:
    form.set_text(("count",), "12")
    form.set_text(("count",), "")
    assert form.field(("count",)).state is OMITTED


def test_text_that_cannot_be_read_stays_with_its_problem(form: Form) -> None:
    form.set_text(("count",), "1x")
    field = form.field(("count",))
    assert (field.text, field.kind, field.problem) == ("1x", "integer", "type a whole number such as 12")
    form.set_text(("count",), "1")
    assert (form.value()["count"], field.problem) == (1, None)


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("name", "12", "12"),
        ("name", " a ", " a "),
        ("count", " 12 ", 12),
        ("outside", "yes", True),
        ("room", "BAR", "bar"),
        ("other", '{"a": [1]}', {"a": [1]}),
        ("other", '"text"', "text"),
        ("extras", '["cake"]', ["cake"]),
        ("host", '{"name": "Ada"}', {"name": "Ada"}),
        ("payment", '"v-1"', "v-1"),
    ],
)
def test_typed_text_becomes_a_value_of_the_kind(form: Form, name: str, text: str, value: Any) -> None:
    form.set_text((name,), text)
    assert form.value()[name] == value


def test_filling_in_a_field_sets_the_groups_above_it(form: Form) -> None:
    form.omit(("host",))
    form.set_text(("host", "age"), "36")
    assert form.value()["host"] == {"age": 36}


def test_an_omitted_group_keeps_what_is_in_it_for_later(form: Form) -> None:
    form.set_text(("host", "name"), "Ada")
    form.omit(("host",))
    assert form.value() == {}
    form.include(("host",))
    assert form.value() == {"host": {"name": "Ada"}}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("name", ""),
        ("count", 2),
        ("outside", False),
        ("room", "hall"),
        ("extras", []),
        ("guests", []),
        ("tags", {}),
        ("note", None),
        ("other", None),
    ],
)
def test_an_included_field_has_its_default_or_the_plainest_value(form: Form, name: str, value: Any) -> None:
    form.include((name,))
    assert form.value()[name] == value


NULL_TYPE: dict[str, Any] = {"type": "null"}


OPTIONAL_PERSON: dict[str, Any] = {"anyOf": [{"$ref": "#/$defs/person"}, NULL_TYPE], "default": None}


PERSON: dict[str, Any] = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "boss": OPTIONAL_PERSON},
    "required": ["name"],
}


COMPANY: dict[str, Any] = {"type": "object", "properties": {"firm": {"type": "string"}}, "required": ["firm"]}


@each_row(
    ("schema", "value"),
    [
        ({"anyOf": [{"$ref": "#/$defs/person"}, NULL_TYPE]}, {}),
        ({"oneOf": [NULL_TYPE, {"$ref": "#/$defs/person"}]}, {}),
        ({"type": ["object", "null"]}, {}),
        ({"anyOf": [{"type": "object", "additionalProperties": {"type": "integer"}}, NULL_TYPE]}, {}),
        ({"anyOf": [{"type": "array", "items": {"$ref": "#/$defs/person"}}, NULL_TYPE]}, []),
        ({"anyOf": [{"$ref": "#/$defs/person"}, COMPANY, NULL_TYPE]}, {}),
    ],
)
def test_a_group_whose_default_is_null_is_opened_when_it_is_included(schema: dict[str, Any], value: Any) -> None:
    for default, required in product(({"default": None}, {}), (["a"], [])):
        whole = {"type": "object", "properties": {"a": schema | default}, "required": required}
        form = Form(whole | {"$defs": {"person": PERSON}})
        for before in (form.omit, form.set_null):
            before(("a",))
            form.include(("a",))
            assert form.value() == {"a": value}, (default, required)


def test_groups_that_may_be_null_are_filled_in_inside_of_each_other_and_below_keys() -> None:
    staff = {"type": "object", "additionalProperties": OPTIONAL_PERSON}
    form = Form({"type": "object", "properties": {"a": OPTIONAL_PERSON, "staff": staff}, "$defs": {"person": PERSON}})
    form.include(("a",))
    form.include(("a", "boss"))
    form.set_text(("a", "boss", "name"), "Ada")
    form.add_key(("staff",), "cook")
    form.include(("staff", "cook"))
    form.set_text(("staff", "cook", "name"), "Bo")
    form.add_key(("staff",), "waiter")
    form.set_null(("staff", "waiter"))
    assert form.value() == {
        "a": {"boss": {"name": "Ada"}},
        "staff": {"cook": {"name": "Bo"}, "waiter": None},
    }


def test_an_omitted_group_hides_its_fields(form: Form) -> None:
    assert ("host", "name") in [field.path for field in form.fields()]
    form.omit(("host",))
    assert ("host", "name") not in [field.path for field in form.fields()]


def test_several_choices_are_toggled_in_the_order_of_the_person(form: Form) -> None:
    for index in (2, 0, 1, 2):
        form.toggle_choice(("extras",), index)
    assert form.value()["extras"] == ["cake", "music"]
    assert form.field(("extras",)).selected == [0, 1]


def test_a_choice_replaces_the_other(form: Form) -> None:
    form.toggle_choice(("room",), 0)
    form.toggle_choice(("room",), 1)
    assert (form.value()["room"], form.field(("room",)).selected) == ("bar", [1])


def test_the_flat_schema_of_an_elicitation_is_a_form_too() -> None:
    form = Form(
        {
            "type": "object",
            "properties": {
                "email": {"type": "string", "format": "email", "title": "Email"},
                "size": {"type": "string", "enum": ["s", "m"], "enumNames": ["Small", "Medium"]},
                "colors": {"type": "array", "items": {"anyOf": [{"const": "r", "title": "Red"}]}, "minItems": 1},
                "agree": {"type": "boolean", "default": False},
            },
            "required": ["email", "colors"],
        }
    )
    form.set_text(("email",), "nobody")
    form.set_text(("size",), "Medium")
    form.toggle_choice(("colors",), 0)
    assert form.value() == {"email": "nobody", "size": "m", "colors": ["r"]}
    assert [problem.message for problem in form.problems()] == ["must be an email address"]
