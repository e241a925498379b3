"""The answers of the user and the model to requests of tools, prepared before the call.

Rule 1: the first matching answer is sent, and is used up, unless it is prepared with `always`.
Rule 2: a question without a matching answer fails the test at once: nothing waits for an answer that never comes.
Rule 3: a function that computes an answer may itself assert; that fails the test as well.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from workbench.client.questions import Question
from workbench.testing.asked_question import Asked
from workbench.testing.assertion_errors import Unanswered, Unmet
from workbench.testing.request_values import json_form

if TYPE_CHECKING:
    from pydantic import BaseModel

    from workbench.responder.responder import RuleReport

Json = dict[str, Any]
MessageMatch: TypeAlias = str | re.Pattern[str] | None
"""The questions that an answer is for: a part of the text, or a pattern to search in it; None for any."""

Form: TypeAlias = "Mapping[str, Any] | BaseModel"
"""The content of a form, by field."""


@dataclass(frozen=True, eq=False)
class _Answer:
    """One prepared answer."""

    description: str
    kind: str
    message: MessageMatch
    always: bool
    give: Callable[[Question, Asked], object]

    def matches(self, asked: Asked) -> bool:
        if self.kind != asked.kind:
            return False
        if isinstance(self.message, re.Pattern):
            return self.message.search(asked.message) is not None
        return self.message is None or self.message in asked.message


class Answers:
    """The prepared answers of one client.

    Attributes:
        asked: all questions so far, oldest first.
        reports: what rules of `workbench.yaml` have done, oldest first; see `Client(rules=...)`.
    """

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.reports: list[RuleReport] = []
        self.on_failure: Callable[[Exception], None] | None = None
        """Called when a question cannot be answered; set by the client."""
        self._prepared: list[_Answer] = []

    def elicit(
        self,
        content: "Form | Callable[[Asked], Form | None] | None" = None,
        *,
        message: MessageMatch = None,
        always: bool = False,
    ) -> None:
        """Accept an elicitation.

        Args:
            content: the content of the form, by field; or a function that computes it from the question, and returns
                None to decline. Without it the content is empty: for questions that ask the user to open a URL.
            message: the text or pattern that selects the question; any question if not given.
            always: use the answer any number of times, including never.

        Raises:
            Unmet: when that is nothing that a form can be filled in with.
        """
        __tracebackhide__ = True
        form_content = None if content is None or callable(content) else _form_content(content)

        def give(question: Question, asked: Asked) -> object:
            if not callable(content):
                return question.accept(form_content)
            computed = content(asked)
            return question.decline() if computed is None else question.accept(_form_content(computed))

        self._prepare(f"elicit({_summary(content)})", "elicitation", message, always, give)

    def decline(self, *, message: MessageMatch = None, always: bool = False) -> None:
        """Decline an elicitation."""
        self._prepare("decline()", "elicitation", message, always, lambda question, _: question.decline())

    def cancel(self, *, message: MessageMatch = None, always: bool = False) -> None:
        """Dismiss an elicitation without a choice."""
        self._prepare("cancel()", "elicitation", message, always, lambda question, _: question.cancel())

    def sample(
        self,
        reply: str | Mapping[str, Any] | Callable[[Asked], str | Mapping[str, Any]],
        *,
        message: MessageMatch = None,
        always: bool = False,
    ) -> None:
        """Answer a sampling request.

        Args:
            reply: its text; or the whole result as on the wire; or a function that computes either from the question.
            message: the text or pattern that selects the request; any request if not given.
            always: use the answer any number of times, including never.

        Raises:
            Unmet: when that is nothing that a model answers with.
        """
        __tracebackhide__ = True
        if not callable(reply):
            _as_reply(reply)

        def give(question: Question, asked: Asked) -> object:
            result = _as_reply(reply(asked) if callable(reply) else reply)
            return question.reply(result) if isinstance(result, str) else question.answer(result)

        self._prepare(f"sample({_summary(reply)})", "sampling", message, always, give)

    def refuse_sample(self, *, message: MessageMatch = None, always: bool = False) -> None:
        """Refuse a sampling request, as a user may."""
        self._prepare("refuse_sample()", "sampling", message, always, lambda question, _: question.decline())

    def roots(self, *folders: str | Path | Mapping[str, Any]) -> None:
        """Set the result of `roots/list`, replacing earlier roots; an empty list without arguments.

        Args:
            folders: paths, or roots as on the wire.
        """
        roots = [_root(folder) for folder in folders]
        self._prepared = [answer for answer in self._prepared if answer.kind != "roots"]
        self._prepare("roots(...)", "roots", None, True, lambda question, _: question.answer({"roots": roots}))

    def clear(self) -> None:
        """Remove all prepared answers."""
        self._prepared.clear()

    def left(self) -> list[str]:
        """Return the unused answers that were not prepared with `always`."""
        return [answer.description for answer in self._prepared if not answer.always]

    def respond(self, question: Question) -> bool:
        """Answer a question of the server by a prepared answer; False if none is for it."""
        asked = Asked(question.kind, question.params)
        self.asked.append(asked)
        answer = next((answer for answer in self._prepared if answer.matches(asked)), None)
        if answer is None:
            return False
        if not answer.always:
            self._prepared.remove(answer)
        try:
            answer.give(question, asked)
        except Exception as error:  # Raised by the test's own function: an assertion in it fails the test.
            self._fail(error)
        return True

    def fail(self, question: Question) -> bool:
        """Fail the test, since neither an answer nor a rule is for a question; always True."""
        asked = Asked(question.kind, question.params)
        self._fail(Unanswered(asked, [answer.description for answer in self._prepared if answer.kind == asked.kind]))
        return True

    def _prepare(
        self,
        description: str,
        kind: str,
        message: MessageMatch,
        always: bool,
        give: Callable[[Question, Asked], object],
    ) -> None:
        text = message.pattern if isinstance(message, re.Pattern) else message
        self._prepared.append(
            _Answer(description if text is None else f"{description} to {text!r}", kind, message, always, give)
        )

    def _fail(self, error: Exception) -> None:
        if self.on_failure is not None:
            self.on_failure(error)


def _form_content(content: object) -> Json:
    __tracebackhide__ = True
    if (fields := _members(content)) is None:
        raise Unmet(
            f"a form is answered with its fields, such as {{'oat': True}}, not with {content!r}. If a tool requests "
            "one value, its only field is 'value'; a function that computes an answer must not be async"
        )
    return fields


def _as_reply(reply: object) -> str | Json:
    __tracebackhide__ = True
    result = reply if isinstance(reply, str) else _members(reply)
    if result is None:
        raise Unmet(
            f"sampling is answered with a text, or with a whole result as on the wire, not with {reply!r}; "
            "a function that computes an answer must not be async"
        )
    return result


def _members(value: object) -> Json | None:
    """The members of an object or a model in their JSON form; None for anything else."""
    dump = getattr(value, "model_dump", None)
    members = dump() if callable(dump) else value
    return json_form(members) if isinstance(members, Mapping) else None


def _root(folder: str | Path | Mapping[str, Any]) -> Json:
    if isinstance(folder, Mapping):
        return dict(folder)
    path = Path(folder).absolute()
    return {"uri": path.as_uri(), "name": path.name}


def _summary(value: Any) -> str:
    if value is None:
        return ""
    return getattr(value, "__name__", "...") if callable(value) else json.dumps(value, ensure_ascii=False, default=str)
