"""The terms of the filter language about a value in a message: `$.params.arguments.city == "Paris"`."""

import json
import operator
import re
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from server_core.runtime.safe_json import dump_json, parse_json_or_none
from workbench.model.traffic.filter_tokens import FilterError, Test, Token
from workbench.model.traffic.message_facts import MessageFacts

Step: TypeAlias = str | int | None
"""A key, an index, or None for every member or item."""

_STEP = re.compile(r'\.([^\W\d]\w*)|\[(\d{1,9})\]|\[("(?:[^"\\]|\\.)*")\]|\.\*|\[\*\]')
PATH = re.compile(rf"\$(?:{_STEP.pattern})+")
"""A path such as `$.items[0].*["a key"]`, as JSONPath (RFC 9535) writes it; without its selectors and filters."""

OPERATOR = re.compile(r"\s*(==|!=|=~|>=|<=|>|<)\s*|\s+(exists)\b")

_LONGEST = 200  # Characters of a text that a filter compares.

_ORDER: dict[str, Callable[[Any, Any], bool]] = {
    ">": operator.gt,
    "<": operator.lt,
    ">=": operator.ge,
    "<=": operator.le,
}


def path_term(token: Token) -> Test:
    """Return the test of a comparison; its token's name is the path, its text the value."""
    steps = _steps(token.name)
    holds = _condition(token)
    # Most messages do not have these keys, and a search in the bytes is a hundred times faster than parsing them.
    keys = [step.encode("utf-8", "surrogatepass") for step in steps if isinstance(step, str)]

    def test(entry: MessageFacts) -> bool:
        data = entry.data
        # A key may be written with escapes.
        if data is None or not (all(key in data for key in keys) or b"\\" in data):
            return False
        return any(holds(value) for value in values_at(parse_json_or_none(data), steps))

    return test


def value_filter(path: str, text: str) -> str:
    """Return the filter for messages with the JSON value at the path; for objects, lists and long texts, any value."""
    value = parse_json_or_none(text)
    if isinstance(value, dict | list):
        return path
    if not isinstance(value, str):
        return f"{path} == {text}"
    if len(value) > _LONGEST or not value.isprintable():
        return path
    return f"{path} == {quoted(value)}"


def quoted(text: str) -> str:
    """Return a text as the filter language writes it, whatever it contains."""
    inner = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{inner}"'


def values_at(value: Any, steps: list[Step]) -> Iterator[Any]:
    """Yield the values at a path; none where the path leads into a scalar or past the end."""
    if not steps:
        yield value
        return
    step, *others = steps
    for member in _members(value, step):
        yield from values_at(member, others)


def _members(value: Any, step: Step) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values()) if step is None else [value[step]] if step in value else []
    if isinstance(value, list):
        return value if step is None else [value[step]] if isinstance(step, int) and step < len(value) else []
    return []


def _steps(path: str) -> list[Step]:
    steps: list[Step] = []
    for name, index, quoted in (match.group(1, 2, 3) for match in _STEP.finditer(path)):
        steps.append(name or (int(index) if index else json.loads(quoted) if quoted else None))
    return steps


def _condition(token: Token) -> Callable[[Any], bool]:
    match token.operator:
        case "exists":
            return lambda value: True
        case "=~":
            return _pattern(token)
    expected = token.text if token.is_quoted else _literal(token)
    match token.operator:
        case "==":
            return lambda value: _is_same(value, expected)
        case "!=":
            return lambda value: not _is_same(value, expected)
    compare = _ORDER[token.operator]
    return lambda value: _rank(value) == _rank(expected) != "" and compare(value, expected)


def _literal(token: Token) -> Any:
    if not token.text:
        raise FilterError(f'{token.operator} needs a value after it, such as 5, true or "text"', token.position)
    try:
        return json.loads(token.text)
    except ValueError:
        return token.text


def _pattern(token: Token) -> Callable[[Any], bool]:
    try:
        pattern = re.compile(token.text, re.IGNORECASE)
    except re.error as error:
        raise FilterError(f"/{token.text}/ is not a regular expression: {error}", token.position) from error
    return lambda value: pattern.search(value if isinstance(value, str) else dump_json(value)) is not None


def _is_same(left: Any, right: Any) -> bool:
    # In JSON, unlike in Python, true is not 1.
    return bool(left == right) and isinstance(left, bool) == isinstance(right, bool)


def _rank(value: Any) -> str:
    """Return the kind of a value that has an order; empty for all others."""
    if isinstance(value, str):
        return "text"
    return "number" if isinstance(value, int | float) and not isinstance(value, bool) else ""
