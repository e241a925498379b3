"""A rule as `workbench.yaml` has it, without what is the default."""

from typing import Any

from workbench.model.rules.answer_rule import (
    COMMAND_SECONDS,
    MAX_ANSWERS,
    MODEL_SECONDS,
    MODEL_TOKENS,
    MODEL_URLS,
    REFUSED,
    AnswerRule,
    CommandAnswer,
    ContentAnswer,
    ErrorAnswer,
    ModelAnswer,
    ResultAnswer,
    RootsAnswer,
    RuleAnswer,
    StandardAnswer,
    TextAnswer,
)


def rule_to_yaml(rule: AnswerRule) -> dict[str, Any]:
    value: dict[str, Any] = {"match": rule.match} if rule.match else {}
    value |= _answer_to_yaml(rule.answer)
    if rule.delay:
        value["delay"] = rule.delay
    if rule.limit != MAX_ANSWERS:
        value["limit"] = rule.limit
    if rule.off != isinstance(rule.answer, ModelAnswer):
        value["off"] = rule.off
    return value


def _answer_to_yaml(answer: RuleAnswer) -> dict[str, Any]:
    match answer:
        case StandardAnswer():
            return {"answer": answer.value}
        case ContentAnswer(content):
            return {"content": content}
        case TextAnswer(text):
            return {"text": text}
        case ResultAnswer(result):
            return {"result": result}
        case RootsAnswer(roots):
            return {"roots": roots}
        case ErrorAnswer(code, message):
            return {"error": message if code == REFUSED else {"code": code, "message": message}}
        case CommandAnswer(words, timeout):
            return {"command": list(words)} | ({} if timeout == COMMAND_SECONDS else {"timeout": timeout})
        case ModelAnswer():
            return _model_to_yaml(answer)


def _model_to_yaml(answer: ModelAnswer) -> dict[str, Any]:
    value: dict[str, Any] = {"model": answer.model, "api": answer.api.value}
    if answer.url != MODEL_URLS[answer.api]:
        value["url"] = answer.url
    if answer.key:
        value["key"] = f"${{secret:{answer.key}}}"
    if answer.max_tokens != MODEL_TOKENS:
        value["max_tokens"] = answer.max_tokens
    if answer.timeout != MODEL_SECONDS:
        value["timeout"] = answer.timeout
    return value if answer.confirm else value | {"confirm": False}
