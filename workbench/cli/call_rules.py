"""The rules of `workbench.yaml` in a command: read when a tool first asks; what they do is written to stderr."""

from typing import TYPE_CHECKING

from workbench.cli import console
from workbench.cli.line_prompts import Asker
from workbench.client.questions import PendingQuestions, Question
from workbench.client.target import Target
from workbench.model.rules.answer_rule import AnswerRule
from workbench.model.sampling_answers import last_text
from workbench.model.short_text import shortened

if TYPE_CHECKING:
    from workbench.responder.responder import Responder, RuleReport


class CallRules:
    """Answers questions by the rules of what a command connects to; the file is read with the first question."""

    def __init__(self, questions: PendingQuestions, target: Target, asker: Asker | None = None) -> None:
        self._asker = asker
        self._written = ""  # by a model, as lines that are complete
        self._questions = questions
        self._target = target
        self._responder: Responder | None = None

    def __call__(self, question: Question) -> bool:
        """Answer a question by a rule; False if no rule is for it."""
        if self._responder is None:
            self._responder = self._read()
        return self._responder(question)

    async def close(self) -> None:
        """Give up the answers that are being computed."""
        if self._responder is not None:
            await self._responder.close()

    def _read(self) -> "Responder":
        from workbench.responder.responder import Responder
        from workbench.workspace.project_file import folder_of_target
        from workbench.workspace.rules_file import RulesFile

        folder = folder_of_target(self._target)
        file = RulesFile(folder)
        read = file.read()
        for problem in read.problems:
            console.warn(f"{file.path.name}: {problem}")
        confirm = None if self._asker is None else self._confirm
        return Responder(
            self._questions, lambda: read.rules, folder, _write, confirm=confirm, on_text=self._write_lines
        )

    async def _confirm(self, rule: AnswerRule, question: Question) -> bool:
        assert self._asker is not None
        text = shortened(str(question.params.get("message") or last_text(question.params) or question.kind), 500)
        return await self._asker.agrees(f"The tool asks: {text}\nRule `{rule.name}` {rule.note}: send it there?")

    def _write_lines(self, rule: AnswerRule, text: str) -> None:
        """Write the lines that a model has completed; the last is in the answer."""
        if not text.startswith(self._written):
            self._written = ""
        complete = text[: text.rfind("\n") + 1]
        for line in complete[len(self._written) :].splitlines():
            console.write(f"  {line}")
        self._written = complete


def _write(report: "RuleReport") -> None:
    from workbench.cli.call_answers import as_sentence

    params = report.question.params
    asked = as_sentence(params["message"]) if "message" in params else f"The tool asks ({report.question.kind})."
    write = console.warn if report.has_failed else console.write
    write(f"{asked} Rule `{report.rule}` {report.text}.")
