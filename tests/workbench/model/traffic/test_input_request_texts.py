"""Questions and answers in words, of whatever quality they are."""

from typing import Any

from tests.tables import each_row
from workbench.model.traffic import input_request_texts


@each_row(
    ("asked", "text"),
    [
        ({"method": "elicitation/create", "params": {"message": "Which?"}}, "form: Which?"),
        (
            {"method": "elicitation/create", "params": {"mode": "url", "url": "https://a.example/x", "message": "Pay"}},
            "URL: https://a.example/x Pay",
        ),
        (
            {
                "method": "sampling/createMessage",
                "params": {"messages": [{"content": [{"type": "text", "text": "Hi"}]}]},
            },
            "model: Hi",
        ),
        ({"method": "sampling/createMessage", "params": {"messages": [5]}}, "model:"),
        ({"method": "roots/list"}, "roots: folders to work in"),
        ({"method": "odd", "params": 5}, "odd: {}"),
        ("text", '"text"'),
    ],
)
def test_a_question_shows_the_kind_of_its_answer(asked: Any, text: str) -> None:
    assert input_request_texts.request_text(asked) == text


@each_row(
    ("response", "text"),
    [
        ({"action": "accept", "content": {"a": 1}}, 'accept {"a": 1}'),
        ({"action": "decline"}, "decline"),
        ({"roots": [{"uri": "file:///a"}, 5]}, "roots file:///a, 5"),
        ({"roots": []}, "roots none"),
        ({"role": "assistant", "content": {"type": "text", "text": "Hello"}}, "model Hello"),
        ({"content": {"type": "image"}}, 'model {"type": "image"}'),
        ({"else": 1}, '{"else": 1}'),
        (None, "null"),
    ],
)
def test_an_answer_shows_the_choice(response: Any, text: str) -> None:
    assert input_request_texts.response_text(response) == text


def test_everything_is_a_single_short_line_that_cannot_control_the_terminal() -> None:
    hostile = "\x1b]0;owned\x07\n" * 500
    texts = [
        input_request_texts.request_text({"method": "elicitation/create", "params": {"message": hostile}}),
        input_request_texts.response_text({"action": "accept", "content": {hostile: hostile}}),
        *(text for pair in input_request_texts.request_texts({"inputRequests": {hostile: hostile}}) for text in pair),
    ]
    assert all(text.isprintable() and len(text) <= input_request_texts.LIMIT for text in texts)


@each_row("value", [None, 5, [], "x"])
def test_an_invalid_collection_has_no_requests_and_no_responses(value: Any) -> None:
    assert list(input_request_texts.request_texts({"inputRequests": value})) == []
    assert list(input_request_texts.response_texts({"inputResponses": value})) == []
