"""Questions of servers, and who answers them."""

import asyncio
from typing import Any

import pytest

from workbench.client import questions
from workbench.client.questions import PendingQuestions, Question


class Asked:
    """A question, and what was answered to it."""

    def __init__(self, kind: str = "elicitation", **params: Any) -> None:
        self.answers: list[Any] = []
        self.question = Question(
            1,
            kind,
            params,
            session="server",
            call="",
            respond=self.answers.append,
            fail=lambda code, message: self.answers.append((code, message)),
            suggestion={"roots": []} if kind == "roots" else None,
        )


def test_an_elicitation_can_be_accepted_declined_and_cancelled() -> None:
    accepted, consented, declined, cancelled = Asked(), Asked(mode="url"), Asked(), Asked()
    assert accepted.question.accept({"a": 1})
    assert consented.question.accept()
    assert declined.question.decline()
    assert cancelled.question.cancel()
    assert accepted.answers == [{"action": "accept", "content": {"a": 1}}]
    assert consented.answers == [{"action": "accept"}]
    assert declined.answers == [{"action": "decline"}]
    assert cancelled.answers == [{"action": "cancel"}]


def test_a_sampling_request_is_answered_with_a_text_or_rejected() -> None:
    replied, rejected = Asked("sampling"), Asked("sampling")
    replied.question.reply("hello")
    rejected.question.cancel()
    (message,) = replied.answers
    assert message["role"] == "assistant"
    assert message["content"] == {"type": "text", "text": "hello"}
    assert message["stopReason"] == "endTurn"
    assert rejected.answers == [(-1, "The user rejected the request.")]


def test_a_question_is_answered_only_once() -> None:
    asked = Asked()
    assert asked.question.accept({})
    assert not asked.question.decline()
    assert not asked.question.refuse(-1, "no")
    asked.question.withdraw()
    assert not asked.question.withdrawn
    assert asked.answers == [{"action": "accept", "content": {}}]


async def test_an_answer_is_notified_at_once_and_all_that_a_server_asks_or_withdraws_in_one_turn_together() -> None:
    box, changes = PendingQuestions(), []
    box.on_change = lambda: changes.append(len(box.waiting))
    asked = [Asked() for _ in range(4)]
    for each in asked:
        box.ask(each.question)
    assert changes == []
    await asyncio.sleep(0)
    asked[0].question.decline()
    assert changes == [4, 3]
    for each in asked:
        each.question.withdraw()
    await asyncio.sleep(0)
    assert changes == [4, 3, 0]


def test_a_request_that_a_rule_answers_is_not_shown_to_the_user() -> None:
    def decline(question: Question) -> bool:
        return question.kind == "elicitation" and question.decline()

    box = PendingQuestions([decline])
    taken, left = Asked(), Asked("sampling")
    box.ask(taken.question)
    box.ask(left.question)
    assert taken.answers == [{"action": "decline"}]
    assert box.waiting == [left.question]


def test_roots_are_left_to_the_user_when_set_to_ask() -> None:
    asked = Asked("roots")
    box = PendingQuestions(ask_roots=True)
    box.ask(asked.question)
    assert box.waiting == [asked.question]
    assert asked.answers == []


def test_a_server_that_sends_requests_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(questions, "MAX_WAITING", 2)
    box, asked = PendingQuestions(), [Asked() for _ in range(3)]
    for item in asked:
        box.ask(item.question)
    assert len(box.waiting) == 2
    assert asked[2].answers[0][0] == -32603
