"""Items, keys and alternatives of a form."""

from typing import Any

import pytest

from tests.workbench.model.forms.booking import OMITTED, SET
from workbench.model.forms.form import Form
from workbench.model.forms.typed_texts import restore_texts, typed_texts


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
def test_keys_that_the_schema_names_cannot_be_removed(form: Form, path: Any) -> None:
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


def test_an_optional_constant_is_filled_in_once_its_alternative_is_chosen() -> None:
    dog = {"type": "object", "properties": {"kind": {"const": "dog", "default": "dog"}, "barks": {"type": "boolean"}}}
    cat = {"type": "object", "properties": {"kind": {"const": "cat", "default": "cat"}, "lives": {"type": "integer"}}}
    form = Form({"type": "object", "properties": {"pet": {"anyOf": [dog, cat]}}})
    assert form.value() == {}
    form.choose_variant(("pet",), 0)
    assert form.value() == {"pet": {"kind": "dog"}}
    form.choose_variant(("pet",), 1)
    assert form.value() == {"pet": {"kind": "cat"}}
    form.load({"pet": {"lives": 3}})
    assert form.value() == {"pet": {"lives": 3}}


def test_choosing_another_alternative_keeps_what_fits_and_restores_earlier_values(form: Form) -> None:
    form.choose_variant(("payment",), 0)
    form.set_text(("payment", "number"), "123")
    form.choose_variant(("payment",), 1)
    assert form.value()["payment"] == {"kind": "bank", "number": "123"}
    form.choose_variant(("payment",), 2)
    assert "payment" not in form.value()
    form.choose_variant(("payment",), 0)
    assert form.value()["payment"] == {"kind": "card", "number": "123"}


def test_an_alternative_has_the_state_of_its_content(form: Form) -> None:
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
def test_a_loaded_value_selects_its_alternative(form: Form, value: Any, variant: int) -> None:
    form.set_value(("payment",), value)
    assert form.field(("payment",)).variant == variant
    assert form.value()["payment"] == value


def test_the_texts_that_values_do_not_show_can_be_typed_again() -> None:
    properties = {"count": {"type": "integer"}, "size": {"type": "number"}, "any": {}, "note": {"type": "string"}}
    schema = {"type": "object", "properties": {**properties, "list": {"type": "array", "items": {"type": "integer"}}}}
    before = Form(schema)
    for name, text in {"count": "2]", "size": "1.50", "any": "{1", "note": "[x"}.items():
        before.set_text((name,), text)
    before.set_text(before.add_item(("list",)), "7")
    before.set_text(before.add_item(("list",)), "x")
    after = Form(schema)
    after.load(before.value())
    restore_texts(after, [*typed_texts(before), (("gone",), "1"), (("list", 9), "1")])
    assert [(field.path, field.kind, field.text) for field in after.fields()] == [
        (field.path, field.kind, field.text) for field in before.fields()
    ]
    assert after.value() == before.value()
    assert [path for path, _ in typed_texts(before)] == [("count",), ("size",), ("any",), ("list",)]


def test_including_a_choice_of_alternatives_uses_its_default() -> None:
    several = {"anyOf": [{"type": "integer"}, {"type": "number"}, {"type": "string"}], "default": "1"}
    form = Form({"type": "object", "properties": {"amount": several}})
    form.include(("amount",))
    assert form.value() == {"amount": "1"}


def test_an_item_that_was_only_begun_at_the_end_of_a_list_is_no_problem() -> None:
    form = Form({"properties": {"xs": {"type": "array", "items": {"type": "integer"}}}})
    form.set_text(form.add_item(("xs",)), "1")
    form.add_item(("xs",))
    assert form.value() == {"xs": [1]}
    assert not form.problems()
