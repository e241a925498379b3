"""The answer of a rule to a request, as a value: a result, or an error."""

from dataclasses import dataclass
from typing import Any, TypeAlias

from server_core.protocol.codes import USER_REJECTED
from server_core.runtime.safe_json import parse_json_or_none
from workbench.model.rules.answer_rule import (
    AnswerRule,
    CommandAnswer,
    ContentAnswer,
    ErrorAnswer,
    ModelAnswer,
    ResultAnswer,
    RootsAnswer,
    StandardAnswer,
    TextAnswer,
)
from workbench.model.rules.form_defaults import missing_fields, with_defaults
from workbench.model.rules.templates import TemplateError, filled
from workbench.model.rules.tool_request import ELICITATION, ROOTS, SAMPLING, ToolRequest
from workbench.model.sampling_answers import sampling_result
from workbench.model.short_text import shortened

_ACTIONS = ("accept", "decline", "cancel")
MODEL_NAME = "workbench"


class CannotAnswer(ValueError):
    """A rule has no answer to a request; the message explains why."""


@dataclass(frozen=True, slots=True)
class ErrorReply:
    """A JSON-RPC error as the answer to a request."""

    code: int
    message: str


Reply: TypeAlias = dict[str, Any] | ErrorReply


def reply_of(rule: AnswerRule, request: ToolRequest) -> Reply:
    """Return the answer of a rule that needs nothing but the request; CannotAnswer if there is none."""
    try:
        match rule.answer:
            case StandardAnswer.ACCEPT:
                return _accepted(request, {})
            case StandardAnswer() as answer:
                return _declined(request, answer)
            case ContentAnswer(content):
                return _accepted(request, filled(content, request))
            case TextAnswer(text):
                return _sampled(request, filled(text, request))
            case ResultAnswer(result):
                return dict(filled(result, request))
            case RootsAnswer(roots):
                return {"roots": filled(roots, request)}
            case ErrorAnswer(code, message):
                return ErrorReply(code, str(filled(message, request)))
            case CommandAnswer() | ModelAnswer():
                raise CannotAnswer("it needs a program")
    except TemplateError as error:
        raise CannotAnswer(str(error)) from None


def reply_of_output(request: ToolRequest, output: str, model: str = MODEL_NAME) -> Reply:
    """Return the answer that a command or a model has written; CannotAnswer if it is none.

    For a form that is a JSON object: the content, or a result as on the wire. For sampling a text, or a result.
    """
    text = output.strip()
    value = parse_json_or_none(_without_code_block(text).encode("utf-8", "replace"))
    if request.method == SAMPLING:
        if isinstance(value, dict) and "role" in value and "content" in value:
            return {"model": model, **value}
        if not text:
            raise CannotAnswer("it wrote nothing")
        return _sampled(request, text, model)
    if request.method == ROOTS:
        roots = value.get("roots") if isinstance(value, dict) else value
        if not isinstance(roots, list) or not all(isinstance(root, dict) and "uri" in root for root in roots):
            raise CannotAnswer(_not_an_answer(text, "a JSON list of objects with a uri"))
        return {"roots": roots}
    if not isinstance(value, dict):
        raise CannotAnswer(_not_an_answer(text, "a JSON object with the fields of the form"))
    if value.get("action") in _ACTIONS and value.keys() <= {"action", "content", "_meta"}:
        return value
    return _accepted(request, value)


def _accepted(request: ToolRequest, content: dict[str, Any]) -> Reply:
    if not request.is_form:
        return {"action": "accept"}
    schema = request.params.get("requestedSchema")
    content = with_defaults(schema, content)
    if missing := missing_fields(schema, content):
        raise CannotAnswer(f"it has no value for {', '.join(missing[:5])}")
    return {"action": "accept", "content": content}


def _declined(request: ToolRequest, answer: StandardAnswer) -> Reply:
    if request.method == ELICITATION:
        return {"action": answer.value}
    return ErrorReply(USER_REJECTED, "The user rejected the request.")


def _sampled(request: ToolRequest, text: Any, model: str = MODEL_NAME) -> Reply:
    try:
        return sampling_result(text if isinstance(text, str) else str(text), request.tool_names, model, "")
    except ValueError as error:
        raise CannotAnswer(str(error)) from None


def _not_an_answer(text: str, expected: str) -> str:
    return f"it wrote {shortened(text, 60)!r}, which is not {expected}" if text else "it wrote nothing"


def _without_code_block(text: str) -> str:
    """Return a text without the code block that models put JSON in."""
    if text.startswith("```") and text.endswith("```") and "\n" in text:
        return text[text.index("\n") + 1 : -3]
    return text
