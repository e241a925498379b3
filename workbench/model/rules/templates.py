"""Templates in the answers of rules: `${request.message}` is a value in the params of the request.

Paths are those of `${last.result.path}` in saved calls, and `$${request.message}` is the text itself. A text that is
only a reference becomes the value, of any type.
"""

import json
import re
from typing import Any

from workbench.model.references import MISSING, STEPS, value_at
from workbench.model.rules.tool_request import ToolRequest

_PATTERN = re.compile(rf"(\$?)\$\{{request({STEPS})\}}")
_ANY = re.compile(r"(\$?)\$\{(?:secret:|last\.|request)[^}]*\}?")


class TemplateError(ValueError):
    """A reference has no value in a request, or is none that a template may have."""


def check_template(value: Any) -> None:
    """Raise a TemplateError if a text in a JSON value looks like a reference, and is none of a template."""
    if isinstance(value, dict | list):
        for member in value.values() if isinstance(value, dict) else value:
            check_template(member)
    elif isinstance(value, str):
        for match in _ANY.finditer(value):
            if not match[1] and not _PATTERN.fullmatch(match[0]):
                raise TemplateError(f"{match[0]} is not a reference of a rule; write ${{request.PATH}}")


def filled(value: Any, request: ToolRequest) -> Any:
    """Return a JSON value with the values of its references; TemplateError if one has none."""
    if isinstance(value, dict):
        return {name: filled(member, request) for name, member in value.items()}
    if isinstance(value, list):
        return [filled(item, request) for item in value]
    if not isinstance(value, str):
        return value
    whole = _PATTERN.fullmatch(value)
    if whole is not None and not whole[1]:
        return _value(whole, request)
    return _PATTERN.sub(lambda match: _text(match, request), value)


def literal(value: Any) -> Any:
    """Return a JSON value that is filled in as the given one, whatever in it looks like a reference."""
    if isinstance(value, dict):
        return {name: literal(member) for name, member in value.items()}
    if isinstance(value, list):
        return [literal(item) for item in value]
    return _ANY.sub(lambda match: f"${match[0]}", value) if isinstance(value, str) else value


def _text(match: re.Match[str], request: ToolRequest) -> str:
    if match[1]:
        return match[0][1:]
    value = _value(match, request)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _value(match: re.Match[str], request: ToolRequest) -> Any:
    value = value_at(request.params, match[2])
    if value is MISSING:
        members = ", ".join(request.params) or "no members"
        raise TemplateError(f"{match[0]}: the request has no value there; it has {members}")
    return value
