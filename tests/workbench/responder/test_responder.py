"""Which rule answers a question, how often, and what becomes of an answer that is no longer needed."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.waiting import until
from workbench.client.call_elsewhere import CallElsewhere
from workbench.client.questions import PendingQuestions, Question, QuestionOrigin
from workbench.model.rules.answer_rule import AnswerRule, CommandAnswer, ContentAnswer, StandardAnswer
from workbench.responder import responder as responder_module
from workbench.responder.responder import Responder, RuleReport


class Asking:
    """Questions with a responder; `given` are the answers, `reports` what the rules have done."""

    def __init__(self, folder: Path, *rules: AnswerRule) -> None:
        self.given: list[Any] = []
        self.reports: list[RuleReport] = []
        self.questions = PendingQuestions()
        self.responder = Responder(self.questions, lambda: rules, folder, self.reports.append)
        self.questions.responder = self.responder

    def ask(self, calls: Sequence[str] = ("1",), elsewhere: CallElsewhere | None = None) -> Question:
        question = Question(
            7,
            "elicitation",
            {"message": "Which?"},
            session="café",
            call=calls[0] if len(calls) == 1 else "",
            respond=self.given.append,
            fail=lambda code, message: self.given.append((code, message)),
            elsewhere=elsewhere,
            origin=QuestionOrigin("order", tuple(calls)),
        )
        self.questions.ask(question)
        return question


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


DECLINE = AnswerRule("no", StandardAnswer.DECLINE, limit=2)


async def test_a_rule_answers_a_limited_number_of_questions_of_a_call(tmp_path: Path) -> None:
    asking = Asking(tmp_path, DECLINE)
    for _ in range(3):
        asking.ask()
    assert asking.given == [{"action": "decline"}] * 2
    assert len(asking.questions.waiting) == 1
    assert "answers only 2 requests of one call" in str(asking.reports[-1])
    asking.ask(("2",))
    assert len(asking.given) == 3
    asking.responder.begin_session()
    asking.ask()
    assert len(asking.given) == 4


async def test_questions_that_any_of_several_calls_may_have_asked_share_their_limits(tmp_path: Path) -> None:
    asking = Asking(tmp_path, DECLINE)
    for _ in range(5):
        asking.ask(("1", "2"))
    assert len(asking.given) == 4
    assert len(asking.questions.waiting) == 1
    asking.ask(("1", "3"))
    assert len(asking.given) == 5


async def test_a_question_of_another_terminal_is_left_to_its_rules(tmp_path: Path) -> None:
    asking = Asking(tmp_path, DECLINE)
    asking.ask(elsewhere=CallElsewhere("order", "s1", 1, None))
    assert (asking.given, len(asking.questions.waiting)) == ([], 1)


async def test_a_question_that_is_never_answered_is_given_up_in_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(responder_module, "NEVER_SECONDS", 0.0)
    asking = Asking(tmp_path, AnswerRule("never", StandardAnswer.NEVER))
    question = asking.ask()
    await until(lambda: question.expired)
    assert asking.given == []
    assert "leaves the question unanswered" in str(asking.reports[0])


async def test_a_command_ends_with_its_question(tmp_path: Path) -> None:
    started = tmp_path / "started"
    script = "import os, pathlib, time; pathlib.Path('pid').write_text(str(os.getpid())); "
    script += "pathlib.Path('pid').rename('started'); time.sleep(60)"
    asking = Asking(tmp_path, AnswerRule("slow", CommandAnswer((sys.executable, "-c", script))))
    question = asking.ask()
    await until(started.exists)
    question.withdraw()
    await until(lambda: not is_running(int(started.read_text())))
    assert (asking.given, asking.reports) == ([], [])


async def test_a_rule_that_cannot_answer_later_passes_the_question_on(tmp_path: Path) -> None:
    asking = Asking(tmp_path, AnswerRule("late", ContentAnswer({"a": "${request.gone}"}), delay=0.001))
    question = asking.ask()
    assert not asking.questions.waiting
    await until(lambda: asking.questions.waiting)
    assert asking.questions.waiting == [question]
    assert asking.reports[-1].has_failed
    await asking.responder.close()
