"""What a form takes over from the form of an earlier version of its schema."""

from typing import Any

import pytest

from workbench.model.forms.form import Form
from workbench.model.forms.typed_texts import carry_over

LIST, TEXT, NUMBER = {"type": "array", "items": {"type": "string"}}, {"type": "string"}, {"type": "integer"}


def schema(*alternatives: Any, **others: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"tea": {"anyOf": list(alternatives)}, **others}}


@pytest.mark.parametrize("index", range(3))
@pytest.mark.parametrize("text", ["", "12"])
def test_a_chosen_alternative_stays_with_its_value_when_another_property_changes(index: int, text: str) -> None:
    before, after = Form(schema(LIST, TEXT, NUMBER)), Form(schema(LIST, TEXT, NUMBER, cups=NUMBER))
    before.choose_variant(("tea",), index)
    if text:
        before.set_text(("tea",), text)
    carry_over(before, after)
    assert after.field(("tea",)).variant == index
    assert after.value() == before.value()
    assert after.field(("tea",)).is_picked
    # What is typed next does not choose another.
    after.set_text(("tea",), "green")
    assert after.field(("tea",)).variant == index


def test_a_chosen_alternative_is_found_again_where_the_alternatives_have_another_order() -> None:
    before, after = Form(schema(LIST, TEXT, NUMBER)), Form(schema(NUMBER, TEXT, LIST))
    before.choose_variant(("tea",), 2)
    carry_over(before, after)
    assert after.field(("tea",)).variant == 0


def test_the_value_of_an_alternative_that_is_gone_fills_in_another() -> None:
    before, after = Form(schema(LIST, TEXT, NUMBER)), Form(schema(LIST, TEXT))
    before.choose_variant(("tea",), 2)
    before.set_text(("tea",), "12")
    carry_over(before, after)
    assert after.value() == {"tea": 12}


def test_a_renamed_property_takes_over_the_texts_and_the_alternative() -> None:
    before = Form(schema(LIST, TEXT, NUMBER, cups=NUMBER))
    after = Form(
        {"type": "object", "properties": {"drink": schema(LIST, TEXT, NUMBER)["properties"]["tea"], "n": NUMBER}}
    )
    before.choose_variant(("tea",), 1)
    before.set_text(("tea",), "green")
    before.set_text(("cups",), "2x")
    carry_over(before, after, {"tea": "drink", "cups": "n"})
    assert after.field(("drink",)).variant == 1
    assert after.value() == {"drink": "green", "n": "2x"}
    assert after.field(("n",)).typing_problem
