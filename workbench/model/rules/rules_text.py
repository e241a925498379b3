"""The rules in `workbench.yaml`: a YAML text to rules, and the mistakes in it.

    rules:
      yes to orders:                     # the name
        match: tool:order                # a filter of the Inspector; without it, all requests that the answer is for
        answer: accept                   # with the schema's defaults; or decline, cancel, never
        delay: 2                         # seconds
        limit: 5                         # requests of one call
        off: true
      poem:
        text: A poem about ${request.messages[0].content.text}
      others: {content: {a: 1}}          # or result, roots, error, command, model

A mistake is described with its line, and all other rules are used.
"""

import re
import shlex
from dataclasses import dataclass
from typing import Any

from workbench.model.json_members import finite
from workbench.model.project_yaml import RULES, check_members, is_empty, object_of, only_member, read_table, text_of
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
    ModelApi,
    ResultAnswer,
    RootsAnswer,
    RuleAnswer,
    StandardAnswer,
    TextAnswer,
)
from workbench.model.rules.templates import TemplateError, check_template
from workbench.model.traffic.filter import parse_filter
from workbench.model.traffic.filter_tokens import FilterError
from workbench.model.yaml_text import Mapping, Scalar, Sequence, YamlMistake, YamlValue, json_value

MAX_SECONDS = 3600.0
_ANSWERS = ("answer", "content", "text", "result", "roots", "error", "command", "model")
_COMMON = ("match", "delay", "limit", "off")
_OWN = {"command": ("timeout",), "model": ("api", "url", "key", "max_tokens", "timeout", "confirm")}
_SECRET = re.compile(r"\$\{secret:([A-Za-z_]\w*)\}")


@dataclass(frozen=True, slots=True)
class AnswerRules:
    """The rules of a project, in the order of the file."""

    rules: tuple[AnswerRule, ...] = ()
    problems: tuple[str, ...] = ()

    def find(self, name: str) -> AnswerRule | None:
        return next((rule for rule in self.rules if rule.name == name), None)


def parse_rules(text: str) -> AnswerRules:
    return AnswerRules(*read_table(text, RULES, _rule))


def _rule(name: str, value: YamlValue) -> AnswerRule:
    if not isinstance(value, Mapping):
        raise YamlMistake(value.line, "write `match: FILTER` and `answer: accept` below it")
    kind = only_member(value, _ANSWERS)
    check_members(value, (*_COMMON, kind, *_OWN.get(kind, ())), f"a rule with {kind}")
    answer = _answer(kind, value)
    return AnswerRule(
        name,
        answer,
        _filter(value),
        _number(value, "delay", 0.0, 0.0, MAX_SECONDS),
        int(_number(value, "limit", MAX_ANSWERS, 1, 10_000)),
        _flag(value, "off", isinstance(answer, ModelAnswer)),
    )


def _filter(value: Mapping) -> str:
    member = value.members.get("match")
    if member is None or is_empty(member):
        return ""
    text = text_of(member, "match")
    try:
        parse_filter(text)
    except FilterError as error:
        raise YamlMistake(member.line, f"match is no filter: {error}") from None
    return text


def _answer(kind: str, value: Mapping) -> RuleAnswer:
    member = value.members[kind]
    match kind:
        case "answer":
            return _standard(member)
        case "content":
            return ContentAnswer(_template(member, object_of(member, kind, "fields to values")))
        case "text":
            return TextAnswer(_template(member, text_of(member, kind)))
        case "result":
            return ResultAnswer(_template(member, object_of(member, kind, "the members of a result")))
        case "roots":
            return RootsAnswer(_template(member, _roots(member)))
        case "error":
            return _error(member)
        case "command":
            return CommandAnswer(_words(member), _number(value, "timeout", COMMAND_SECONDS, 0.1, MAX_SECONDS))
        case _:
            return _model(member, value)


def _standard(member: YamlValue) -> StandardAnswer:
    text = text_of(member, "answer")
    try:
        return StandardAnswer(text)
    except ValueError:
        choices = ", ".join(StandardAnswer)
        raise YamlMistake(
            member.line, f"answer is one of {choices}; for others write {', '.join(_ANSWERS[1:])}"
        ) from None


def _roots(member: YamlValue) -> list[dict[str, Any]]:
    roots = json_value(member) if isinstance(member, Sequence) else None
    if roots is None:
        raise YamlMistake(member.line, "roots must be a list of URIs")
    objects = [{"uri": root} if isinstance(root, str) else root for root in roots]
    for root in objects:
        if (
            not isinstance(root, dict)
            or not isinstance(root.get("uri"), str)
            or not isinstance(root.get("name", ""), str)
        ):
            raise YamlMistake(member.line, "a root is a URI, or a mapping with uri and name")
    return objects


def _error(member: YamlValue) -> ErrorAnswer:
    if isinstance(member, Scalar):
        return ErrorAnswer(REFUSED, _template(member, text_of(member, "error")))
    error = object_of(member, "error", "code and message")
    code, message = error.get("code", REFUSED), error.get("message", "")
    if type(code) is not int or not isinstance(message, str) or not message or error.keys() - {"code", "message"}:
        raise YamlMistake(member.line, "error has a message, and perhaps a code, which is an integer")
    return ErrorAnswer(code, _template(member, message))


def _words(member: YamlValue) -> tuple[str, ...]:
    try:
        words = json_value(member) if isinstance(member, Sequence) else shlex.split(text_of(member, "command"))
    except ValueError as error:
        if isinstance(error, YamlMistake):
            raise
        raise YamlMistake(member.line, f"command: {error}") from None
    if not words or not all(isinstance(word, str) and "\0" not in word for word in words) or not words[0]:
        raise YamlMistake(member.line, "command is a text, or a list of texts")
    return tuple(words)


def _model(member: YamlValue, value: Mapping) -> ModelAnswer:
    api_member = value.members.get("api")
    if api_member is None:
        raise YamlMistake(member.line, f"a rule with model needs an api: {' or '.join(ModelApi)}")
    try:
        api = ModelApi(text_of(api_member, "api"))
    except ValueError as error:
        if isinstance(error, YamlMistake):
            raise
        raise YamlMistake(api_member.line, f"api is {' or '.join(ModelApi)}") from None
    url_member = value.members.get("url")
    url = MODEL_URLS[api] if url_member is None else text_of(url_member, "url")
    if url_member is not None and not url.startswith(("https://", "http://")):
        raise YamlMistake(url_member.line, "url begins with https:// or http://")
    return ModelAnswer(
        api,
        text_of(member, "model"),
        url.rstrip("/"),
        _key(value),
        int(_number(value, "max_tokens", MODEL_TOKENS, 1, 1_000_000)),
        _number(value, "timeout", MODEL_SECONDS, 0.1, MAX_SECONDS),
        _flag(value, "confirm", default=True),
    )


def _key(value: Mapping) -> str:
    member = value.members.get("key")
    if member is None:
        return ""
    secret = _SECRET.fullmatch(text_of(member, "key"))
    if secret is None:
        # The text is not repeated: it may be a key.
        raise YamlMistake(member.line, "key names a secret: write ${secret:NAME}, and never the key itself")
    return secret[1]


def _template(member: YamlValue, value: Any) -> Any:
    try:
        check_template(value)
    except TemplateError as error:
        raise YamlMistake(member.line, str(error)) from None
    return value


def _number(value: Mapping, name: str, default: float, least: float, most: float) -> float:
    member = value.members.get(name)
    if member is None:
        return default
    number = finite(member.value) if isinstance(member, Scalar) else None
    if number is None or not least <= number <= most or (isinstance(default, int) and number != int(number)):
        kind = "an integer" if isinstance(default, int) else "a number"
        raise YamlMistake(member.line, f"{name} is {kind} from {least:g} to {most:g}")
    return number


def _flag(value: Mapping, name: str, default: bool) -> bool:
    member = value.members.get(name)
    if member is None:
        return default
    if not isinstance(member, Scalar) or not isinstance(member.value, bool):
        raise YamlMistake(member.line, f"{name} is true or false")
    return member.value
