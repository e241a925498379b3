"""References in arguments, and the values that they get when a call is sent."""

from typing import Any

import pytest

from tests.tables import each_row
from workbench.model.references import (
    UnresolvedReference,
    Values,
    has_references,
    is_reference,
    literal_references,
    resolved,
    secret_names,
    uses_last_result,
    with_references,
)

RESULT: dict[str, Any] = {
    "content": [{"type": "text", "text": '{"id": 3}'}],
    "structuredContent": {"items": [{"id": 7, "the name": "Ada"}]},
}


@each_row(
    ("text", "value"),
    [
        ("${secret:KEY}", "k-1"),
        ("Bearer ${secret:KEY}!", "Bearer k-1!"),
        ("${last.result.items[0].id}", 7),
        ('${last.result.items[0]["the name"]}', "Ada"),
        ("${last.result.items[0].id} and ${last.result.items}", '7 and [{"id": 7, "the name": "Ada"}]'),
        ("${last.result.id}", 3),
        ("${last.result.content[0].type}", "text"),
        ("${last.result}", RESULT["structuredContent"]),
        ("$${secret:KEY}", "${secret:KEY}"),
        ("${other}", "${other}"),
        ("${secret:1}", "${secret:1}"),
        (5, 5),
    ],
)
def test_a_reference_becomes_its_value(text: object, value: object) -> None:
    values = Values({"KEY": "k-1"}, RESULT)
    assert resolved({"a": [text]}, values) == {"a": [value]}


def test_a_wrapped_value_and_a_text_are_results_too() -> None:
    wrapped = {"structuredContent": {"result": [1, 2]}}
    assert resolved("${last.result[1]}", Values({}, wrapped)) == 2
    assert resolved("${last.result.result[1]}", Values({}, wrapped)) == 2
    assert resolved("${last.result}", Values({}, {"content": [{"type": "text", "text": "soup"}]})) == "soup"


@each_row(
    ("text", "result", "message"),
    [
        ("${secret:KEY}", None, "${secret:KEY}: this secret is not set; set it with `workbench secret set KEY`."),
        ("${last.result}", None, "${last.result}: there is no earlier result yet; run the call that it needs first."),
        ("${last.result.a}", RESULT, "${last.result.a}: the last result has no value there."),
        ("${last.result.items[9]}", RESULT, "${last.result.items[9]}: the last result has no value there."),
    ],
)
def test_a_reference_without_a_value_is_explained(text: str, result: dict[str, Any] | None, message: str) -> None:
    with pytest.raises(UnresolvedReference) as error:
        resolved([text], Values({}, result))
    assert str(error.value) == message


def test_what_is_needed_is_known_before() -> None:
    value = {"a": ["${secret:A} ${secret:B}", "$${secret:C}"], "b": "${secret:A}"}
    assert secret_names(value) == ["A", "B"]
    assert not uses_last_result(value)
    assert uses_last_result(["${last.result}"])
    assert has_references("$${last.result}")
    assert not has_references({"a": "${b}", "c": 1})
    assert is_reference("${last.result}")
    assert not is_reference("$${last.result}")
    assert not is_reference(3)


def test_a_cyclic_value_is_searched_to_a_limit() -> None:
    value: list[Any] = []
    value.append(value)
    assert not has_references(value)


def test_masked_secrets_of_captures_become_references_and_texts_that_look_like_references_stay_texts() -> None:
    assert with_references({"a": ["<secret KEY> x", 1]}) == {"a": ["${secret:KEY} x", 1]}
    sent = ["${secret:KEY}", "a ${last.result.b} $${secret:KEY}"]
    assert resolved(with_references(sent), Values({"KEY": "k-1"}, RESULT)) == sent


def test_the_content_of_a_file_has_no_references() -> None:
    for content in ("${secret:KEY}", "$${secret:KEY} $$${last.result}", "a $ { ${other}"):
        assert resolved(literal_references(content), Values({"KEY": "k-1"}, RESULT)) == content


def test_an_index_of_thousands_of_digits_is_no_item() -> None:
    with pytest.raises(UnresolvedReference):
        resolved("${last.result[" + "9" * 5000 + "]}", Values({}, RESULT))
