"""Makes a rule from the answer to a question, and shows what rules have done."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from server_core.errors import WorkbenchError
from workbench.client.questions import Question
from workbench.model.forms.field_search import path_name
from workbench.model.forms.secret_members import left_out, without_secrets
from workbench.model.rules.answer_rule import AnswerRule, ModelAnswer
from workbench.model.rules.answering import ErrorReply, Reply
from workbench.model.rules.proposal import proposed_answers, proposed_filter, proposed_name
from workbench.model.sampling_answers import last_text
from workbench.model.short_text import escaped, shortened
from workbench.responder.responder import request_of
from workbench.tui.rule_notices import RULE
from workbench.tui.screens.dialogs import Choice, ChoiceScreen
from workbench.tui.screens.rule_screen import RuleProposal, RuleScreen
from workbench.tui.screens.rules_screen import RulesScreen
from workbench.tui.widgets.questions.question_stack import QuestionStack
from workbench.tui.workers import start_worker

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp


class RuleDialogs:
    """Asks for a rule, and saves it."""

    def __init__(self, app: "WorkbenchApp") -> None:
        self._app = app

    def make(self) -> None:
        """Make a rule for the question in view or the oldest, else for the one that was answered last."""
        question, draft = self._question_in_view()
        if question is not None:
            start_worker(self._app, partial(self._make, question, draft), "rule")

    def confirm(self, rule: AnswerRule, question: Question, settle: Callable[[bool], None]) -> Callable[[], None]:
        """Ask whether a question may be sent to the model of a rule; return what closes the dialog."""
        text = f"{question.params.get('message') or last_text(question.params) or question.kind}\n\n{_endpoint(rule)}"
        choices = (Choice("send", "s", "Send it"), Choice("keep", "k", "Answer it yourself"))
        screen = ChoiceScreen(f"Rule {rule.name}: ask the model?", text, choices)
        self._app.push_screen(screen, lambda choice: settle(choice == "send"))

        def close() -> None:
            # The question may have ended before the user has chosen.
            if screen.is_current:
                screen.dismiss(None)

        return close

    def _question_in_view(self) -> tuple[Question | None, Reply | None]:
        """Return a question, and the answer to it that is being written, if it can be sent."""
        questions = self._app.workspace.questions
        for stack in () if self._app.pane is None else self._app.pane.query(QuestionStack):
            view = stack.view
            if view is not None and view.is_mounted and view.question in questions.waiting:
                return view.question, view.draft()
        return next(iter(questions.waiting), questions.last_answered), None

    def show(self) -> None:
        self._app.push_screen(RulesScreen(self._app.workspace))

    async def _make(self, question: Question, draft: Reply | None) -> None:
        rules = self._app.workspace.rules
        await rules.stored.read()
        taken = frozenset(rule.name for rule in rules.rules)
        rule = await self._app.push_screen_wait(RuleScreen(_proposal(question, draft), taken))
        if rule is None:
            return
        try:
            await rules.stored.change(partial(rules.stored.file.save, rule))
        except WorkbenchError as error:
            self._app.notify(escaped(str(error)), title=RULE, severity="error", markup=False)
            return
        self._app.notify(f"The rule {rule.name} is saved in workbench.yaml.", title=RULE, markup=False)
        # The question may have ended meanwhile; the rule answers it, if it matches and can.
        if question in self._app.workspace.questions.waiting:
            rules(question)


def _endpoint(rule: AnswerRule) -> str:
    return f"Sent to {rule.answer.model} at {rule.answer.url}." if isinstance(rule.answer, ModelAnswer) else ""


def _proposal(question: Question, draft: Reply | None) -> RuleProposal:
    request, reply = request_of(question), draft
    if isinstance(question.given, tuple):
        reply = ErrorReply(*question.given)
    elif question.given is not None:
        reply = question.given
    note = ""
    if isinstance(reply, dict) and isinstance(content := reply.get("content"), dict) and "action" in reply:
        schema = question.params.get("requestedSchema")
        shared = without_secrets(content, schema if isinstance(schema, dict) else {})
        names = [shortened(path_name(path)) for path in left_out(content, shared)]
        note = f", without {', '.join(names)}" if names else ""
        reply = {**reply, "content": shared}
    return RuleProposal(proposed_name(request), proposed_filter(request), tuple(proposed_answers(request, reply)), note)
