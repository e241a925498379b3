"""Answers the questions of tools by the rules of a project: the only place where it is decided which rule answers.

Rule 1: the first rule that matches answers; if it cannot, the question is passed on to what answers without rules.
Rule 2: each rule answers a limited number of questions of one call, so that a tool that asks without end is noticed.
Rule 3: an answer that takes time is given up when the question ends.
Rule 4: everything that a rule has done is reported, also that it could not answer.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from server_core.errors import WorkbenchError
from server_core.protocol.jsonrpc import id_text
from server_core.runtime.background import spawn
from workbench.client.questions import KINDS, PendingQuestions, Question
from workbench.model.describe import plural
from workbench.model.rules.answer_rule import AnswerRule, CommandAnswer, ModelAnswer, StandardAnswer, find_rule
from workbench.model.rules.answering import CannotAnswer, ErrorReply, Reply, reply_of, reply_of_output
from workbench.model.rules.tool_request import ToolRequest
from workbench.model.traffic.entry import HANDSHAKE, STATELESS
from workbench.responder.command_answers import run_command
from workbench.responder.model_answers import ask_model

NEVER_SECONDS = 600.0
"""How long a question is left unanswered by a rule that never answers; then the client stops waiting for the tool."""
_MAX_CALLS = 1000  # Calls whose answers are counted.
_METHODS = {kind: method for method, kind in KINDS.items()}


@dataclass(frozen=True, slots=True)
class RuleReport:
    """What a rule has done with a question; `text` is a sentence without its subject, the rule."""

    rule: str
    text: str
    question: Question
    has_failed: bool = False

    def __str__(self) -> str:
        return f"rule `{self.rule}` {self.text}"


class Responder:
    """Answers questions of one terminal or command; installed as the responder of its questions.

    Args:
        rules: returns the current rules.
        folder: where commands are run.
        report: called with what a rule has done.
        confirm: asks the user before a question is sent to a model; without it only rules that need no consent do.
        on_text: called with what a model has written so far.
    """

    def __init__(
        self,
        questions: PendingQuestions,
        rules: Callable[[], Sequence[AnswerRule]],
        folder: Path,
        report: Callable[[RuleReport], None],
        *,
        confirm: Callable[[AnswerRule, Question], Awaitable[bool]] | None = None,
        on_text: Callable[[AnswerRule, str], None] = lambda rule, text: None,
    ) -> None:
        self._confirm = confirm
        self._on_text = on_text
        self._questions = questions
        self._rules = rules
        self._folder = folder
        self._report = report
        # By call and rule; a new session begins with new ids.
        self._counts: OrderedDict[str, dict[str, int]] = OrderedDict()
        self._working: set[asyncio.Task[None]] = set()

    def __call__(self, question: Question) -> bool:
        """Answer a question by a rule, now or later; False if no rule is for it."""
        if question.elsewhere is not None:
            return False  # Its own terminal has rules as well.
        request = request_of(question)
        rule = find_rule(self._rules(), request)
        if rule is None:
            return False
        if not self._count(rule, question):
            self._fail(rule, question, f"answers only {plural(rule.limit, 'request')} of one call; the tool asks again")
            return False
        if _is_immediate(rule):
            return self._answer_now(rule, question, request)
        task = spawn(self._answer_later(rule, question, request), f"rule {rule.name}")
        self._working.add(task)
        task.add_done_callback(self._working.discard)
        question.on_withdrawn = task.cancel
        return True

    def begin_session(self) -> None:
        """Forget the calls of an earlier session, whose ids are used again."""
        self._counts.clear()

    async def close(self) -> None:
        """Give up the answers that are being computed."""
        for task in self._working:
            task.cancel()
        await asyncio.gather(*self._working, return_exceptions=True)

    def _answer_now(self, rule: AnswerRule, question: Question, request: ToolRequest) -> bool:
        try:
            reply = reply_of(rule, request)
        except CannotAnswer as error:
            self._fail(rule, question, f"cannot answer: {error}")
            return False
        self._give(rule, question, reply)
        return True

    async def _answer_later(self, rule: AnswerRule, question: Question, request: ToolRequest) -> None:
        try:
            await asyncio.sleep(rule.delay)
            if rule.answer is StandardAnswer.NEVER:
                await self._never_answer(rule, question)
                return
            reply, note = await self._computed(rule, question, request)
        except (CannotAnswer, WorkbenchError) as error:
            if not question.done:
                question.on_withdrawn = None
                self._fail(rule, question, f"cannot answer: {error}")
                self._questions.pass_on(question)
            return
        question.on_withdrawn = None
        self._give(rule, question, reply, note)

    async def _computed(self, rule: AnswerRule, question: Question, request: ToolRequest) -> tuple[Reply, str]:
        """Return the answer, and a note about how it was made."""
        if isinstance(rule.answer, CommandAnswer):
            return reply_of_output(request, await run_command(rule.answer, request, self._folder)), ""
        if isinstance(rule.answer, ModelAnswer):
            await self._check_consent(rule, rule.answer, question)
            text, note = await ask_model(rule.answer, request, self._folder, partial(self._on_text, rule))
            return reply_of_output(request, text, rule.answer.model), note
        return reply_of(rule, request), ""

    async def _check_consent(self, rule: AnswerRule, answer: ModelAnswer, question: Question) -> None:
        if not answer.confirm:
            return
        if self._confirm is None:
            raise CannotAnswer("each request to the model needs your consent; `confirm: false` in the rule gives it")
        if not await self._confirm(rule, question):
            raise CannotAnswer("you did not allow it to ask the model")

    async def _never_answer(self, rule: AnswerRule, question: Question) -> None:
        self._report(RuleReport(rule.name, "leaves the question unanswered", question))
        await asyncio.sleep(NEVER_SECONDS)
        question.on_withdrawn = None
        question.expire()

    def _give(self, rule: AnswerRule, question: Question, reply: Reply, note: str = "") -> None:
        if question.done:
            return
        # Reported first: the answer may end the call.
        how = f"answered with the error {reply.code}" if isinstance(reply, ErrorReply) else _how(reply)
        self._report(RuleReport(rule.name, f"{how}{note}", question))
        if isinstance(reply, ErrorReply):
            question.refuse(reply.code, reply.message)
        else:
            question.answer(reply)

    def _fail(self, rule: AnswerRule, question: Question, text: str) -> None:
        self._report(RuleReport(rule.name, text, question, has_failed=True))

    def _count(self, rule: AnswerRule, question: Question) -> bool:
        """Count an answer for each call that the question may belong to; False if the limit is reached.

        Up to 2025-11-25, a question does not name its call: with several calls at once, each of them may have asked.
        """
        calls = question.origin.calls or ("",)
        counts = [self._counts.setdefault(call, {}) for call in calls]
        if min(count.get(rule.name, 0) for count in counts) >= rule.limit * len(calls):
            return False
        for count in counts:
            count[rule.name] = count.get(rule.name, 0) + 1
        while len(self._counts) > _MAX_CALLS:
            self._counts.popitem(last=False)
        return True


def request_of(question: Question) -> ToolRequest:
    """Return a question as the rules see it."""
    origin = question.origin
    era = "" if not origin.revision else STATELESS if origin.is_stateless else HANDSHAKE
    return ToolRequest(
        _METHODS[question.kind],
        question.params,
        origin.tool,
        id_text(question.id),
        question.call,
        origin.client,
        era,
        origin.revision,
        question.asked,
    )


def _is_immediate(rule: AnswerRule) -> bool:
    takes_time = isinstance(rule.answer, CommandAnswer | ModelAnswer) or rule.answer is StandardAnswer.NEVER
    return not takes_time and not rule.delay


def _how(reply: dict[str, object]) -> str:
    action = reply.get("action")
    return {"decline": "declined", "cancel": "cancelled"}.get(str(action), "answered")
