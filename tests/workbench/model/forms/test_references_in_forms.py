"""References in fields of every type: their values are known only when the call is sent."""

from typing import Any

from tests.tables import each_row
from workbench.model.forms.form import Form

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "count": {"type": "integer", "minimum": 5},
        "share": {"type": "number"},
        "code": {"type": "string", "pattern": "^[0-9]+$", "maxLength": 4},
        "size": {"enum": ["small", "large"]},
        "items": {"type": "array", "items": {"type": "integer"}},
        "place": {"type": "object", "properties": {"city": {"type": "string"}}},
    },
}
REFERENCE = "${last.result.items[0]}"


@each_row("name", SCHEMA["properties"])
def test_a_loaded_reference_is_no_problem_and_is_sent_as_it_is(name: str) -> None:
    form = Form(SCHEMA)
    form.load({name: REFERENCE})
    assert (form.problems(), form.value()) == ([], {name: REFERENCE})


@each_row("name", ["count", "share", "code"])
def test_a_reference_can_be_typed_and_is_shown_as_typed(name: str) -> None:
    form = Form(SCHEMA)
    form.set_text((name,), REFERENCE[:-1])
    assert form.problems()
    form.set_text((name,), REFERENCE)
    assert (form.problems(), form.value(), form.field((name,)).text) == ([], {name: REFERENCE}, REFERENCE)


def test_items_of_a_list_may_be_references() -> None:
    form = Form(SCHEMA)
    form.load({"items": [1, "${secret:KEY}"]})
    assert (form.problems(), form.value()) == ([], {"items": [1, "${secret:KEY}"]})


def test_other_texts_are_problems_as_before() -> None:
    form = Form(SCHEMA)
    form.load({"count": "$${last.result}"})
    assert form.problems()
