"""Equal text and structured content of a result."""

from typing import Any

from tests.tables import each_row
from workbench.model.repeated_content import repeats


def texts(*texts: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text} for text in texts]


@each_row(
    ("content", "structured"),
    [
        (texts('{"b": 1, "a": [2]}'), {"a": [2], "b": 1}),
        (texts("Hello"), {"result": "Hello"}),
        (texts("3"), {"result": 3}),
        (texts("[1, 2]"), {"result": [1, 2]}),
        (texts("soup", '{"a": 1}'), {"result": ["soup", {"a": 1}]}),
        (texts("null"), {"result": None}),
    ],
)
def test_text_that_is_the_structured_content_repeats_it(content: list[dict[str, Any]], structured: Any) -> None:
    assert repeats(content, structured)


@each_row(
    ("content", "structured"),
    [
        ([], {}),
        (texts("Hello"), {"result": "Hi"}),
        (texts("It is 3."), {"result": 3}),
        (texts("1"), {"result": True}),
        (texts('{"a": 1}', "and more"), {"a": 1}),
        ([{"type": "image", "data": ""}], {"a": 1}),
        (texts("[" * 100_000), {"a": 1}),
        (texts("null"), {"a": 1}),
        (texts("no JSON"), {"result": None}),
    ],
)
def test_other_content_is_shown_beside_the_structured_content(content: list[dict[str, Any]], structured: Any) -> None:
    assert not repeats(content, structured)
