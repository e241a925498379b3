"""The rules of a project in one terminal: they answer its questions, and the core records what they have done."""

import asyncio
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from server_core.errors import WorkbenchError
from server_core.runtime.background import spawn
from workbench.client.questions import PendingQuestions, Question
from workbench.model.rules.answer_rule import AnswerRule
from workbench.model.rules.rules_text import AnswerRules
from workbench.workspace.rules_file import RulesFile, StoredRules

if TYPE_CHECKING:
    from workbench.link.link import Link
    from workbench.responder.responder import Responder, RuleReport

Confirm: TypeAlias = Callable[[AnswerRule, Question, Callable[[bool], None]], Callable[[], None]]
"""Asks the user whether a question may be sent to the model of a rule; returns what stops asking."""
_MAX_NOTE = 2000  # Characters that the core records.


class ProjectRules:
    """The rules in the folder of the project; `on_change` is called when they were read again or have answered."""

    def __init__(self, link: "Link", questions: PendingQuestions, folder: Path, on_change: Callable[[], None]) -> None:
        self.stored = StoredRules(RulesFile(folder), AnswerRules(), on_change)
        self.answered = 0  # how many questions rules have answered
        self.last_report: RuleReport | None = None
        self.streamed = ""  # what a model has written so far, while it writes
        self.confirm: Confirm | None = None  # Set by the terminal.
        self._link = link
        self._questions = questions
        self._folder = folder
        self._on_change = on_change
        self._responder: Responder | None = None

    @property
    def rules(self) -> tuple[AnswerRule, ...]:
        """The rules as their file was last read."""
        return self.stored.last_read.rules

    def __call__(self, question: Question) -> bool:
        """Answer a question by a rule, now or later; False if no rule is for it."""
        return self._loaded()(question)

    def for_questions(self, questions: PendingQuestions) -> "ProjectRules":
        """Return the same rules for the questions of another session."""
        return ProjectRules(self._link, questions, self._folder, lambda: None)

    def responder_for(self, questions: PendingQuestions, on_report: "Callable[[RuleReport], None]") -> "Responder":
        """Return what answers the questions of another session by the same rules; its owner closes it."""
        from workbench.responder.responder import Responder

        def note(report: "RuleReport") -> None:
            self._note(report)
            on_report(report)

        return Responder(questions, self._current, self._folder, note)

    def begin_session(self) -> None:
        """Forget the calls of an earlier session, whose ids are used again."""
        if self._responder is not None:
            self._responder.begin_session()

    async def close(self) -> None:
        if self._responder is not None:
            await self._responder.close()

    def _loaded(self) -> "Responder":
        # Imported with the first question: the first paint does not need it.
        from workbench.responder.responder import Responder

        if self._responder is None:
            self._responder = Responder(
                self._questions,
                self._current,
                self._folder,
                self._note,
                confirm=self._confirm,
                on_text=self._stream,
            )
        return self._responder

    def _current(self) -> Sequence[AnswerRule]:
        """Return the rules as they are now: a rule that was just written answers the next question."""
        if self.stored.file.has_changed:
            self.stored.last_read = self.stored.file.read()
            self._on_change()
        return self.rules

    async def _confirm(self, rule: AnswerRule, question: Question) -> bool:
        if self.confirm is None:
            return False
        agreed = asyncio.get_running_loop().create_future()
        close = self.confirm(rule, question, lambda agrees: None if agreed.done() else agreed.set_result(agrees))
        try:
            return bool(await agreed)
        finally:
            close()

    def _stream(self, rule: AnswerRule, text: str) -> None:
        self.streamed = text
        self._on_change()

    def _note(self, report: "RuleReport") -> None:
        self.last_report, self.streamed = report, ""
        self.answered += not report.has_failed
        self._on_change()
        spawn(self._record(report), "record what a rule has done")

    async def _record(self, report: "RuleReport") -> None:
        params = {
            "sessions": list(self._link.session_ids),
            "rule": report.rule,
            "outcome": report.text[:_MAX_NOTE],
            "failed": report.has_failed,
        }
        if report.question.call:
            params["call"] = json.loads(report.question.call)
        # An older core has no such method.
        with suppress(WorkbenchError):
            await self._link.request("questions/note_rule", params)
