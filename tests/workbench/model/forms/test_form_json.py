"""A form is filled in by its JSON, and both stay in step."""

import json
from itertools import pairwise
from typing import Any

import pytest

from tests.workbench.model.forms.booking import NULL, OMITTED
from workbench.model.forms.form import Form


def test_unknown_keys_are_json_fields_that_can_be_removed(form: Form) -> None:
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
def test_keys_that_the_schema_declares_are_not_unknown(more: dict[str, Any]) -> None:
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


def test_emptying_the_whole_form_resets_it(form: Form) -> None:
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
