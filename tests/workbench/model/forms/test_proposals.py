"""Proposals come from earlier calls and from the schema."""

from workbench.model.forms.form import Form
from workbench.model.forms.proposals import MOST, field_proposals, json_proposals

SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "examples": ["Ada", "Bo"]},
        "size": {"enum": ["s", "m"]},
        "guests": {"type": "array", "items": {"type": "object", "properties": {"sure": {"type": "boolean"}}}},
    },
}


def at_cursor(text: str) -> tuple[str, list[str]]:
    """Return what is replaced, and the proposals, at the mark in a JSON text."""
    before = text.split("|")[0]
    plain = text.replace("|", "")
    row, column = before.count("\n"), len(before) - before.rfind("\n") - 1
    start, end, texts = json_proposals(Form(SCHEMA), plain, row, column, [{"name": "Cy", "guests": [{"sure": True}]}])
    return plain.split("\n")[row][start:end], texts


def test_values_of_earlier_calls_come_before_those_of_the_schema() -> None:
    assert field_proposals(Form(SCHEMA), ("name",), [{"name": "Cy"}, {"name": "Ada"}, {}]) == ["Cy", "Ada", "Bo"]


def test_a_proposed_text_that_begins_with_an_at_sign_names_no_file() -> None:
    schema = {"properties": {"name": {"type": "string", "examples": ["@/etc/hosts"]}}}
    form = Form(schema)
    form.set_text(("name",), field_proposals(form, ("name",), [])[0])
    assert (form.has_files, form.value()) == (False, {"name": "@/etc/hosts"})


def test_keys_are_proposed_that_the_object_does_not_have() -> None:
    assert at_cursor('{"name": "x",\n |}') == ("", ['"size": ', '"guests": '])
    assert at_cursor('{"guests": [{"|"}]}') == ('""', ['"sure": '])
    assert at_cursor('{"na|": 1}') == ('"na"', ['"name"', '"size"', '"guests"'])


def test_values_of_choices_and_of_earlier_calls_are_proposed_in_json() -> None:
    assert at_cursor('{"size": |}') == ("", ['"s"', '"m"'])
    assert at_cursor('{"name": "C|"}') == ('"C"', ['"Cy"', '"Ada"', '"Bo"'])
    assert at_cursor('{"guests": [{"sure": t|')[1] == ["true", "false"]


def test_a_place_that_the_schema_does_not_know_has_no_proposals() -> None:
    assert at_cursor('{"other": [{"x": |')[1] == []


def test_the_number_of_proposals_is_limited() -> None:
    assert len(field_proposals(Form(SCHEMA), ("name",), [{"name": str(i)} for i in range(2 * MOST)])) == MOST


def test_keys_that_continue_what_is_typed_are_first() -> None:
    form = Form({"type": "object", "properties": {"address": {}, "tags": {}, "table": {}}})
    assert json_proposals(form, '{"ta', 0, 4, [])[2] == ['"tags": ', '"table": ', '"address": ']
