"""A form is filled in by its fields or by its JSON, and both stay in step."""

import json
from itertools import pairwise, product
from typing import Any

import pytest

from workbench.model.forms.field import FieldState
from workbench.model.forms.form import Form
from workbench.model.forms.shape import ABSENT

OMITTED, NULL, SET = FieldState.OMITTED, FieldState.NULL, FieldState.SET

BOOKING: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "note": {"type": ["string", "null"], "default": None},
        "count": {"type": "integer", "default": 2},
        "outside": {"type": "boolean"},
        "room": {"enum": ["hall", "bar"]},
        "extras": {"type": "array", "items": {"enum": ["cake", "music", "flowers"]}},
        "host": {"$ref": "#/$defs/person"},
        "guests": {"type": "array", "items": {"$ref": "#/$defs/person"}},
        "tags": {"type": "object", "additionalProperties": {"type": "integer"}},
        "payment": {
            "anyOf": [
                {
                    "type": "object",
                    "title": "Card",
                    "properties": {"kind": {"const": "card"}, "number": {"type": "string"}},
                    "required": ["kind", "number"],
                },
                {
                    "type": "object",
                    "title": "Bank",
                    "properties": {"kind": {"const": "bank"}, "number": {"type": "string"}},
                    "required": ["kind"],
                },
                {"type": "string", "title": "Voucher"},
            ]
        },
        "other": {},
    },
    "required": ["name", "host"],
    "$defs": {
        "person": {
            "type": "object",
            "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
            "required": ["name"],
        }
    },
}


@pytest.fixture
def form() -> Form:
    return Form(BOOKING)


def test_a_new_form_sends_nothing_but_the_groups_that_must_be_there(form: Form) -> None:
    assert form.value() == {"host": {}}
    assert [problem.path for problem in form.problems()] == [("name",), ("host", "name")]


def test_a_field_with_a_default_starts_omitted_and_can_be_set(form: Form) -> None:
    field = form.field(("count",))
    assert (field.state, field.default) == (OMITTED, 2)
    form.include(("count",))
    assert (field.state, field.text, form.value()["count"]) == (SET, "2", 2)


def test_omitted_null_and_empty_are_three_things(form: Form) -> None:
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


def test_emptying_what_is_no_text_leaves_it_out(form: Form) -> None:
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


@pytest.mark.parametrize(
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


def test_what_is_omitted_hides_the_fields_below(form: Form) -> None:
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


def test_items_are_added_and_removed(form: Form) -> None:
    for name in ("a", "b", "c"):
        form.set_text((*form.add_item(("guests",)), "name"), name)
    form.remove_item(("guests", 1))
    assert form.value()["guests"] == [{"name": "a"}, {"name": "c"}]
    assert [field.path for field in form.field(("guests",)).children] == [("guests", 0), ("guests", 1)]


def test_an_item_without_a_value_is_left_out_and_the_others_keep_their_problems() -> None:
    form = Form({"properties": {"xs": {"type": "array", "items": {"type": "integer", "minimum": 1}}}})
    for _ in range(3):
        form.add_item(("xs",))
    form.set_text(("xs", 2), "0")
    assert form.value() == {"xs": [0]}
    assert form.field(("xs", 0)).problem == "needs a value; otherwise remove the item"
    assert form.field(("xs", 2)).problem == "must be at least 1"


def test_a_gap_in_a_tuple_is_null_so_that_the_places_stay() -> None:
    form = Form({"properties": {"xs": {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}]}}})
    form.set_text(("xs", 1), "b")
    assert form.value() == {"xs": [None, "b"]}
    assert form.field(("xs", 0)).problem == "must be a whole number"


def test_keys_are_added_and_removed(form: Form) -> None:
    form.set_text(form.add_key(("tags",), "a"), "1")
    form.set_text(form.add_key(("tags",), "b"), "2")
    assert list(form.value()["tags"].items()) == [("a", 1), ("b", 2)]
    form.remove_item(("tags", "a"))
    assert form.value()["tags"] == {"b": 2}


def test_a_key_is_added_once(form: Form) -> None:
    form.add_key(("tags",), "a")
    with pytest.raises(ValueError, match="already"):
        form.add_key(("tags",), "a")


def test_keys_have_the_schema_of_the_pattern_they_match() -> None:
    schema = {"patternProperties": {"^n_": {"type": "integer"}}, "additionalProperties": {"type": "boolean"}}
    form = Form({"properties": {"m": {"type": "object", **schema}}})
    assert form.field(form.add_key(("m",), "n_1")).kind == "integer"
    assert form.field(form.add_key(("m",), "x")).kind == "boolean"


@pytest.mark.parametrize("path", [("host",), ("host", "name"), ()])
def test_what_the_schema_names_cannot_be_taken_away(form: Form, path: Any) -> None:
    with pytest.raises(ValueError, match="omit it instead"):
        form.remove_item(path)


def test_items_and_keys_are_added_only_where_they_belong(form: Form) -> None:
    with pytest.raises(ValueError, match="no more items"):
        form.add_item(("name",))
    with pytest.raises(ValueError, match="accepts no keys"):
        form.add_key(("name",), "x")


def test_a_missing_path_is_reported(form: Form) -> None:
    with pytest.raises(KeyError, match="no field"):
        form.field(("guests", 0))


def test_a_chosen_alternative_has_its_fields_and_its_constants(form: Form) -> None:
    form.choose_variant(("payment",), 0)
    assert form.value()["payment"] == {"kind": "card"}
    assert form.field(("payment", "number")).problem == "required"


def test_choosing_another_alternative_carries_over_what_fits_and_comes_back_to_what_was(form: Form) -> None:
    form.choose_variant(("payment",), 0)
    form.set_text(("payment", "number"), "123")
    form.choose_variant(("payment",), 1)
    assert form.value()["payment"] == {"kind": "bank", "number": "123"}
    form.choose_variant(("payment",), 2)
    assert "payment" not in form.value()
    form.choose_variant(("payment",), 0)
    assert form.value()["payment"] == {"kind": "card", "number": "123"}


def test_an_alternative_stands_as_its_content_does(form: Form) -> None:
    form.choose_variant(("payment",), 2)
    assert form.field(("payment",)).state is OMITTED
    form.set_text(("payment",), "v-1")
    assert (form.field(("payment",)).state, form.value()["payment"]) == (SET, "v-1")
    form.set_null(("payment",))
    assert form.value()["payment"] is None


@pytest.mark.parametrize(
    ("value", "variant"),
    [
        ({"kind": "bank"}, 1),
        ({"kind": "card", "number": "1"}, 0),
        ("v", 2),
        ({"kind": "bank", "x": 1}, 1),
    ],
)
def test_a_loaded_value_finds_its_alternative(form: Form, value: Any, variant: int) -> None:
    form.set_value(("payment",), value)
    assert form.field(("payment",)).variant == variant
    assert form.value()["payment"] == value


def test_unknown_keys_are_kept_as_json_fields_that_can_be_taken_away(form: Form) -> None:
    form.load({"name": "Ada", "_extra": {"deep": [1]}})
    field = form.field(("_extra",))
    assert (field.kind, field.text, field.can_remove) == ("json", '{"deep": [1]}', True)
    form.remove_item(("_extra",))
    assert form.value() == {"name": "Ada"}


def test_texts_of_unknown_keys_are_fields_of_text() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}}
    form = Form(schema)
    form.load({"a": 1, "b": "x", "c": "\x1b", "d": 2})
    assert [(field.kind, field.text, field.is_unknown) for field in form.root.children] == [
        ("integer", "1", False),
        ("string", "x", True),
        ("json", '"\\u001b"', True),
        ("json", "2", True),
    ]
    form.set_text(("b",), "xy")
    assert form.value() == {"a": 1, "b": "xy", "c": "\x1b", "d": 2}


@pytest.mark.parametrize("more", [{"additionalProperties": True}, {"patternProperties": {"^x": {}}}])
def test_keys_that_the_schema_asks_for_are_not_unknown(more: dict[str, Any]) -> None:
    form = Form({"type": "object", "properties": {"a": {"type": "integer"}}} | more)
    form.load({"x": "y"})
    field = form.field(("x",))
    assert (field.kind, field.is_unknown) == ("json", False)


def test_a_value_of_another_kind_is_kept_as_json_until_it_is_replaced(form: Form) -> None:
    form.load({"count": "many", "host": 5})
    field = form.field(("count",))
    assert (field.kind, field.text, field.problem) == ("json", '"many"', "must be a whole number")
    assert form.value() == {"count": "many", "host": 5}
    form.set_text(("count",), "3")
    assert (field.kind, form.value()["count"]) == ("integer", 3)
    form.set_text(("host",), '{"name": "Ada"}')
    assert form.field(("host", "name")).text == "Ada"


def test_typing_text_over_a_value_that_did_not_fit_makes_it_text_again(form: Form) -> None:
    form.load({"name": 5})
    form.set_text(("name",), "Ada")
    assert (form.field(("name",)).kind, form.value()["name"]) == ("string", "Ada")


def test_text_that_cannot_be_shown_as_it_is_is_edited_as_json(form: Form) -> None:
    form.load({"name": "a\x1b[31m"})
    field = form.field(("name",))
    assert (field.kind, field.text) == ("json", '"a\\u001b[31m"')
    assert form.value()["name"] == "a\x1b[31m"


def test_the_json_follows_the_fields(form: Form) -> None:
    form.set_text(("name",), "Zoë")
    form.set_text(("host", "name"), "Ada")
    assert form.to_json() == '{\n  "name": "Zoë",\n  "host": {\n    "name": "Ada"\n  }\n}'


def test_the_fields_follow_the_json(form: Form) -> None:
    assert form.load_json('{"name": "Ada", "guests": [{"name": "Grace"}], "note": null}') is None
    assert form.field(("guests", 0, "name")).text == "Grace"
    assert (form.field(("note",)).state, form.field(("count",)).state) == (NULL, OMITTED)


def test_text_that_is_no_json_leaves_the_form_as_it_was(form: Form) -> None:
    form.set_text(("name",), "Ada")
    before = form.to_json()
    assert "missing at the end" in str(form.load_json('{"name": "Grace"'))
    assert form.to_json() == before


def test_escapes_and_numbers_survive_the_way_through_the_form(form: Form) -> None:
    text = r'{"name": "a \"quoted\" \\ back\nslash é", "other": 1.0, "count": 12345678901234567890}'
    assert form.load_json(text) is None
    assert json.loads(form.to_json()) == json.loads(text)


def test_emptying_the_whole_form_starts_it_anew(form: Form) -> None:
    form.load({"name": "Ada", "zzz": 1})
    form.omit(())
    assert form.value() == {"host": {}}


def test_the_structure_changes_only_with_the_fields(form: Form) -> None:
    structures = [form.structure]
    for act in (
        lambda: form.set_text(("name",), "A"),
        lambda: form.set_text(("count",), "x"),
        lambda: form.add_item(("guests",)),
        lambda: form.omit(("guests",)),
        lambda: form.choose_variant(("payment",), 1),
    ):
        act()
        structures.append(form.structure)
    assert [b > a for a, b in pairwise(structures)] == [False, False, True, True, True]


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
