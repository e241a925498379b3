"""How the requests that the command line answers are reported."""

from typing import Any

import pytest

from workbench.cli.call_answers import MAX_URL_ACCEPTS, CommandAnswers, leave_to
from workbench.client.questions import Question, Rule


def messages(capfd: pytest.CaptureFixture[str], answering: Rule, message: str, **params: Any) -> str:
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
    accepting = CommandAnswers([], accept=True, sample=None)
    url = messages(capfd, accepting, message, mode="url", url="https://example.org")
    assert url.startswith(f"{sentence.rstrip()} It requests that you open https://example.org; accepted.")
    form = messages(capfd, accepting, message, requestedSchema={"type": "object", "properties": {}})
    assert form == f"{sentence.rstrip()} Accepted with the defaults.\n"
    declined = messages(capfd, leave_to(None), message)
    assert declined.startswith(f"warning: {sentence.rstrip()} Declined.")


def test_the_same_url_is_accepted_a_limited_number_of_times(capfd: pytest.CaptureFixture[str]) -> None:
    answering = CommandAnswers([], True, None)
    visit = {"mode": "url", "url": "https://example.org"}
    narrated = [messages(capfd, answering, "Sign in.", **visit) for _ in range(MAX_URL_ACCEPTS + 1)]
    assert ["declined" in item for item in narrated] == [False] * MAX_URL_ACCEPTS + [True]
    assert "accepted" in messages(capfd, answering, "Pay.", mode="url", url="https://example.org/pay")
