"""What a new rule may be: made from a question, and the answer that it was given or is about to get."""

import re
from dataclasses import dataclass
from typing import Any

from server_core.protocol.codes import USER_REJECTED
from workbench.model.json_members import object_in, text_in
from workbench.model.project_yaml import MAX_NAME
from workbench.model.rules.answer_rule import (
    ContentAnswer,
    ErrorAnswer,
    ResultAnswer,
    RootsAnswer,
    RuleAnswer,
    StandardAnswer,
    TextAnswer,
)
from workbench.model.rules.answering import ErrorReply, Reply
from workbench.model.rules.templates import literal
from workbench.model.rules.tool_request import ELICITATION, ROOTS, ToolRequest
from workbench.model.short_text import escaped
from workbench.model.traffic.filter_paths import quoted

_MAX_MESSAGE = 120
_THIS = "this answer"
_PLAIN = re.compile(r"[\w.-]+")


@dataclass(frozen=True, slots=True)
class AnswerChoice:
    """A kind of answer that a new rule may have."""

    title: str
    answer: RuleAnswer


def proposed_filter(request: ToolRequest) -> str:
    """Return a filter that matches a question, and others like it."""
    terms = [f"method:{request.method}"]
    if request.name:
        terms.append(f"tool:{request.name if _PLAIN.fullmatch(request.name) else quoted(request.name)}")
    message = request.params.get("message")
    if isinstance(message, str) and 0 < len(message) <= _MAX_MESSAGE and message.isprintable():
        terms.append(f"$.params.message == {quoted(message)}")
    return " ".join(terms)


def proposed_name(request: ToolRequest) -> str:
    message = " ".join(escaped(text_in(request.params, "message")).split())
    kind = request.method.partition("/")[0]
    return f"{request.name or kind}: {message}"[:60].strip().rstrip(":") if message else request.name or kind


def proposed_answers(request: ToolRequest, reply: Reply | None) -> list[AnswerChoice]:
    """Return the answers that a rule for a question may have: first the one that it was given, if any."""
    given = None if reply is None else _given(reply)
    choices = [] if given is None else [AnswerChoice(_THIS, given)]
    if request.is_form:
        choices.append(AnswerChoice("accept with the defaults", StandardAnswer.ACCEPT))
    elif request.method == ELICITATION:
        choices.append(AnswerChoice("accept", StandardAnswer.ACCEPT))
    if request.method != ROOTS:
        choices.append(AnswerChoice("decline", StandardAnswer.DECLINE))
    if request.method == ELICITATION:
        choices.append(AnswerChoice("dismiss", StandardAnswer.CANCEL))
    choices.append(AnswerChoice("never answer", StandardAnswer.NEVER))
    return [
        choice for at, choice in enumerate(choices) if choice.answer not in [other.answer for other in choices[:at]]
    ]


def problem_of_rule_name(name: str) -> str | None:
    """Return why a new rule cannot have a name; None if it can."""
    if not name.strip():
        return "Enter a name."
    is_valid = name == name.strip() and len(name) <= MAX_NAME and name.isprintable()
    return None if is_valid else f"A name has at most {MAX_NAME} printable characters, and no space at its ends."


def _given(reply: Reply) -> RuleAnswer:
    if isinstance(reply, ErrorReply):
        return (
            StandardAnswer.DECLINE if reply.code == USER_REJECTED else ErrorAnswer(reply.code, literal(reply.message))
        )
    result: dict[str, Any] = {name: value for name, value in reply.items() if name != "_meta"}
    match result.get("action"):
        case "accept" if isinstance(result.get("content"), dict):
            return ContentAnswer(literal(result["content"]))
        case "accept" | "decline" | "cancel" as action:
            return StandardAnswer(action)
    content = object_in(result, "content")
    if content.keys() == {"type", "text"} and result.get("stopReason") == "endTurn":
        return TextAnswer(literal(text_in(content, "text")))
    roots = result.get("roots")
    if result.keys() == {"roots"} and isinstance(roots, list):
        return RootsAnswer(literal(roots))
    return ResultAnswer(literal(result))
