"""Alternatives that are chosen by what is typed."""

from typing import Any

import pytest

from tests.tables import each_row
from workbench.model.forms.form import Form

INTEGER, NUMBER, TEXT, FLAG = ({"type": name} for name in ("integer", "number", "string", "boolean"))


def items(schema: Any) -> dict[str, Any]:
    return {"type": "array", "items": schema}


def form_of(*alternatives: Any) -> Form:
    form = Form({"type": "object", "properties": {"a": {"anyOf": list(alternatives)}}})
    form.choose_variant(("a",), 0, is_picked=False)
    return form


@each_row(
    "alternatives, text, value",
    [
        ((INTEGER, items(INTEGER)), "1", 1),
        ((INTEGER, items(INTEGER)), "1, 2", [1, 2]),
        ((INTEGER, items(INTEGER)), "[1]", [1]),
        ((items(INTEGER), INTEGER), "1", 1),
        ((INTEGER, NUMBER), "1.5", 1.5),
        ((INTEGER, TEXT), "1a", "1a"),
        ((TEXT, INTEGER), "12", 12),
        ((TEXT, items(INTEGER)), "1, 2", [1, 2]),
        ((TEXT, items(INTEGER)), "1, b", "1, b"),
        ((items(INTEGER), items(TEXT)), "1, b", ["1", "b"]),
        ((TEXT, items(TEXT)), "a, b", "a, b"),
        ((TEXT, items(TEXT)), '["a", "b"]', ["a", "b"]),
        ((TEXT, FLAG), "true", "true"),
    ],
)
def test_the_first_alternative_that_accepts_the_whole_text_is_chosen_while_it_is_typed(
    alternatives: tuple[Any, ...], text: str, value: Any
) -> None:
    form = form_of(*alternatives)
    for end in range(1, len(text) + 1):
        form.set_text(("a",), text[:end])
    assert form.value() == {"a": value}
    assert not form.problems()


def test_a_text_that_no_alternative_accepts_changes_none() -> None:
    form = form_of(INTEGER, items(INTEGER))
    form.set_text(("a",), "1, 2")
    form.set_text(("a",), "1, x")
    assert form.field(("a",)).variant == 1
    assert [problem.path for problem in form.problems()] == [("a", 1)]


def test_an_alternative_that_was_left_keeps_nothing_of_what_was_typed_in_it() -> None:
    form = form_of(INTEGER, items(INTEGER))
    form.set_text(("a",), "1")
    form.set_text(("a",), "1, 2")
    form.choose_variant(("a",), 0)
    assert form.field(("a",)).target.text == ""


def test_a_picked_alternative_stays_until_the_field_is_omitted() -> None:
    form = form_of(INTEGER, TEXT)
    form.choose_variant(("a",), 1)
    form.set_text(("a",), "12")
    assert form.value() == {"a": "12"}
    form.omit(("a",))
    form.set_text(("a",), "12")
    assert form.value() == {"a": 12}


@pytest.mark.parametrize(("value", "typed", "expected"), [(5, "5a", "5a"), ("5", "56", "56"), ("", "5", "5")])
def test_a_loaded_value_keeps_an_alternative_that_its_text_would_not_choose(
    value: Any, typed: str, expected: Any
) -> None:
    form = form_of(INTEGER, TEXT)
    form.load({"a": value})
    form.set_text(("a",), typed)
    assert form.value() == {"a": expected}


def test_a_list_may_be_typed_where_alternatives_are_chosen() -> None:
    form = form_of({"type": "object", "properties": {}}, items(INTEGER))
    form.type_variant(("a",), "1, 2")
    assert form.value() == {"a": [1, 2]}
    with pytest.raises(ValueError, match="no choice has '1, b'"):
        form.type_variant(("a",), "1, b")
