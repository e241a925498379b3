"""A person at a terminal answers what a server asks, line by line."""

import os
import pty
from collections.abc import Iterator
from typing import Any

import pytest

from tests.waiting import until
from workbench.cli.line_prompts import Asker
from workbench.client.questions import Question

END = "\x04"
FORM = {
    "type": "object",
    "properties": {
        "day": {"type": "string", "description": "When", "default": "Monday"},
        "dish": {"enum": ["soup", "quiche"]},
        "guests": {"type": "integer", "minimum": 1, "maximum": 8},
        "note": {"type": "string"},
    },
    "required": ["guests"],
}


class Terminal:
    """A person at a terminal, and a program that asks over it."""

    def __init__(self) -> None:
        self.hand, fd = pty.openpty()
        self.fds = (self.hand, fd)
        self.asker = Asker(fd)
        self.answers: list[Any] = []

    def type(self, *lines: str) -> None:
        for line in lines:
            os.write(self.hand, (line if line == END else f"{line}\n").encode())

    def ask(self, kind: str, **params: Any) -> Question:
        question = Question(
            1,
            kind,
            params,
            session="café",
            call="",
            respond=self.answers.append,
            fail=lambda code, message: self.answers.append(code),
        )
        self.asker.ask(question)
        return question


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    terminal = Terminal()
    yield terminal
    for fd in terminal.fds:
        os.close(fd)


async def test_a_form_is_filled_in_field_by_field(terminal: Terminal, capfd: pytest.CaptureFixture[str]) -> None:
    terminal.type("a", "Friday", "soup", "4", "window")
    question = terminal.ask("elicitation", message="Which table?", requestedSchema=FORM)
    await until(lambda: question.done)
    content = {"day": "Friday", "dish": "soup", "guests": 4, "note": "window"}
    assert terminal.answers == [{"action": "accept", "content": content}]
    err = capfd.readouterr().err
    assert "café asks: Which table?" in err
    assert 'day - When (string, empty for "Monday"):' in err
    assert '"soup" | "quiche"' in err
    assert "required" in err


async def test_an_empty_line_means_the_default_or_nothing(terminal: Terminal) -> None:
    terminal.type("a", "", "", "2", "")
    question = terminal.ask("elicitation", message="?", requestedSchema=FORM)
    await until(lambda: question.done)
    assert terminal.answers == [{"action": "accept", "content": {"day": "Monday", "guests": 2}}]


async def test_an_invalid_answer_is_asked_again(terminal: Terminal, capfd: pytest.CaptureFixture[str]) -> None:
    terminal.type("what?", "a", "", "", "many", "0", "", "3", "")
    question = terminal.ask("elicitation", message="?", requestedSchema=FORM)
    await until(lambda: question.done)
    assert terminal.answers[0]["content"]["guests"] == 3
    assert capfd.readouterr().err.count("guests (") == 4


@pytest.mark.parametrize(("line", "action"), [("d", "decline"), ("Cancel", "cancel"), (END, "cancel")])
async def test_a_user_can_decline(terminal: Terminal, line: str, action: str) -> None:
    terminal.type(line)
    question = terminal.ask("elicitation", message="?", requestedSchema=FORM)
    await until(lambda: question.done)
    assert terminal.answers == [{"action": action}]


async def test_an_address_is_shown_whole_and_needs_consent(
    terminal: Terminal, capfd: pytest.CaptureFixture[str]
) -> None:
    terminal.type("a")
    question = terminal.ask("elicitation", mode="url", message="Sign in", url="https://example.com/\x1b[2Jin")
    await until(lambda: question.done)
    assert terminal.answers == [{"action": "accept"}]
    assert "https://example.com/\\x1b[2Jin" in capfd.readouterr().err


async def test_a_person_can_be_the_model(terminal: Terminal, capfd: pytest.CaptureFixture[str]) -> None:
    terminal.type("Cod")
    messages = [{"role": "user", "content": {"type": "text", "text": "Name a fish."}}]
    question = terminal.ask("sampling", messages=messages, systemPrompt="Be brief.")
    await until(lambda: question.done)
    assert terminal.answers[0]["content"]["text"] == "Cod"
    err = capfd.readouterr().err
    assert "user: Name a fish." in err
    assert "system: Be brief." in err


async def test_no_answer_for_the_model_refuses(terminal: Terminal) -> None:
    terminal.type("")
    question = terminal.ask("sampling", messages=["odd"])
    await until(lambda: question.done)
    assert terminal.answers == [-1]


async def test_requests_are_asked_in_order(terminal: Terminal) -> None:
    first = terminal.ask("elicitation", mode="url", message="1", url="u")
    second = terminal.ask("sampling", messages=[])
    terminal.type("d", "text")
    await until(lambda: first.done and second.done)
    assert terminal.answers[0] == {"action": "decline"}
    assert terminal.answers[1]["content"]["text"] == "text"


async def test_a_withdrawn_request_is_not_asked_any_further(terminal: Terminal) -> None:
    first = terminal.ask("elicitation", message="1", requestedSchema=FORM)
    first.withdraw()
    second = terminal.ask("sampling", messages=[])
    terminal.type("text")
    await until(lambda: second.done)
    assert terminal.answers[0]["content"]["text"] == "text"


async def test_without_a_terminal_nothing_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    with open(os.devnull) as nothing:
        monkeypatch.setattr("sys.stdin", nothing)
        async with Asker.at_terminal() as asker:
            assert asker is None
