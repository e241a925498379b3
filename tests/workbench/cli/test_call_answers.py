"""How the requests that the command line answers are reported."""

from typing import Any

import pytest

from tests.tables import each_row
from workbench.cli.call_answers import MAX_URL_ACCEPTS, CommandAnswers, missing_fields, with_defaults
from workbench.client.questions import Question


def messages(capfd: pytest.CaptureFixture[str], answering: CommandAnswers, message: str, **params: Any) -> str:
    question = Question(
        1,
        "elicitation",
        {"message": message, **params},
        session="café",
        call="",
        respond=lambda result: None,
        fail=lambda code, message: None,
    )
    answering(question)
    return capfd.readouterr().err


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        ("Sign in", "The tool asks: Sign in. "),
        ("Who?", "The tool asks: Who? "),
        ("Fill in: ", "The tool asks: Fill in: "),
        ("", "The tool asks:"),
    ],
)
def test_the_message_of_a_request_is_a_sentence_of_its_own(
    capfd: pytest.CaptureFixture[str], message: str, sentence: str
) -> None:
    accepting = CommandAnswers([], accept=True, sample=None, asker=None)
    url = messages(capfd, accepting, message, mode="url", url="https://example.org")
    assert url.startswith(f"{sentence.rstrip()} It requests that you open https://example.org; accepted.")
    form = messages(capfd, accepting, message, requestedSchema={"type": "object", "properties": {}})
    assert form == f"{sentence.rstrip()} Accepted with the defaults.\n"
    declined = messages(capfd, CommandAnswers([], accept=False, sample=None, asker=None), message)
    assert declined.startswith(f"warning: {sentence.rstrip()} Declined.")


def test_the_same_url_is_accepted_a_limited_number_of_times(capfd: pytest.CaptureFixture[str]) -> None:
    answering = CommandAnswers([], True, None, None)
    visit = {"mode": "url", "url": "https://example.org"}
    narrated = [messages(capfd, answering, "Sign in.", **visit) for _ in range(MAX_URL_ACCEPTS + 1)]
    assert ["declined" in item for item in narrated] == [False] * MAX_URL_ACCEPTS + [True]
    assert "accepted" in messages(capfd, answering, "Pay.", mode="url", url="https://example.org/pay")


DEFAULTS_SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "verified": {"type": "boolean", "default": False},
        "colors": {"type": "array", "items": {"enum": ["red"]}, "default": ["red"]},
        "note": {"type": "string"},
        "odd": True,
    },
    "required": ["name", "note"],
}


def test_omitted_values_get_their_defaults() -> None:
    assert with_defaults(DEFAULTS_SCHEMA, {}) == {"name": "John Doe", "age": 30, "verified": False, "colors": ["red"]}


def test_filled_in_values_stay() -> None:
    filled = {"name": "", "age": 0, "verified": True, "more": 1}
    assert with_defaults(DEFAULTS_SCHEMA, filled) == filled | {"colors": ["red"]}


def test_missing_required_fields_are_named() -> None:
    assert missing_fields(DEFAULTS_SCHEMA, with_defaults(DEFAULTS_SCHEMA, {})) == ["note"]
    assert missing_fields(DEFAULTS_SCHEMA, {"name": "x", "note": ""}) == []


@each_row("schema", [None, [], "x", {}, {"properties": []}, {"properties": {}, "required": "name"}])
def test_a_schema_that_is_none_has_no_defaults(schema: Any) -> None:
    assert with_defaults(schema, {"a": 1}) == {"a": 1}
    assert missing_fields(schema, {}) == []
