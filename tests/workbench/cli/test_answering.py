"""What is told of the questions that the command line answers."""

from typing import Any

import pytest

from workbench.cli.answering import Answering
from workbench.client.questions import Question


def told(capfd: pytest.CaptureFixture[str], answering: Answering, message: str, **params: Any) -> str:
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
def test_what_a_tool_asks_is_told_as_a_sentence_of_its_own(
    capfd: pytest.CaptureFixture[str], message: str, sentence: str
) -> None:
    accepting = Answering([], accept=True, sample=None, asker=None)
    url = told(capfd, accepting, message, mode="url", url="https://example.org")
    assert url.startswith(f"{sentence.rstrip()} It sends you to https://example.org; accepted.")
    form = told(capfd, accepting, message, requestedSchema={"type": "object", "properties": {}})
    assert form == f"{sentence.rstrip()} Accepted with the defaults.\n"
    nobody = told(capfd, Answering([], accept=False, sample=None, asker=None), message)
    assert nobody.startswith(f"warning: {sentence.rstrip()} Declined.")
