"""Convert typed text to values, and values to the text of a field; a `ConversionError` explains a problem."""

import json
import re
from collections.abc import Sequence
from math import isfinite
from typing import Any

from server_core.runtime.safe_json import NestingError, dump_json, parse_json
from workbench.model.forms.choice_problem import choice_problem
from workbench.model.forms.shape import EnumChoice
from workbench.model.short_text import escaped_in_json

DEEPEST = 128  # How many levels of nesting a typed JSON value may have.

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_INTEGER = re.compile(r"[+-]?\d+", re.ASCII)
_BOOLEANS = dict.fromkeys(("true", "yes", "on", "1"), True) | dict.fromkeys(("false", "no", "off", "0"), False)


class ConversionError(ValueError):
    """Text that cannot be converted to the required kind of value; the message is for the user who typed it."""

    def __init__(self, message: str, line: int | None = None, note: str = "") -> None:
        super().__init__(message)
        self.line = line
        """The line of JSON text with the problem, from 0; None if it is not known."""
        self.note = note
        """The problem, for the end of that line."""


def integer(text: str) -> int | float:
    """Return the whole number in a text; "3.0" and "1e3" are whole numbers too, as in JSON."""
    value = number(text, "a whole number such as 12")
    if isinstance(value, float) and not value.is_integer():
        raise ConversionError("this is not a whole number")
    return value


def number(text: str, expected: str = "a number such as 1.5") -> int | float:
    text = text.strip()
    if not _NUMBER.fullmatch(text):
        raise ConversionError(f"type {expected}")
    try:
        value = int(text) if _INTEGER.fullmatch(text) else float(text)
    except ValueError as error:  # Python limits the number of digits
        raise ConversionError("this number has too many digits") from error
    if not isfinite(value):
        raise ConversionError("this number is too large")
    return value


def boolean(text: str) -> bool:
    """Return the value of "true", "yes", "on", "1" and their opposites, in any case."""
    word = text.strip().lower()
    if word not in _BOOLEANS:
        raise ConversionError("type true or false")
    return _BOOLEANS[word]


def choice(text: str, choices: Sequence[EnumChoice]) -> Any:
    for option in choices:
        if text in (option.label, value_text(option.value)):
            return option.value
    word = text.strip().lower()
    for option in choices:
        if word in (option.label.lower(), value_text(option.value).lower()):
            return option.value
    raise ConversionError(choice_problem(text, [option.label for option in choices]))


def json_value(text: str) -> Any:
    try:
        value = parse_json(text, parse_constant=_refuse_constant, parse_float=_finite)
    except json.JSONDecodeError as error:
        note = f"{error.lineno}:{error.colno} {_reason(error)}"
        raise ConversionError(_syntax_problem(error), error.lineno - 1, note) from error
    except NestingError as error:
        raise ConversionError("this is nested too deeply") from error
    except ConversionError:
        raise
    except ValueError as error:
        raise ConversionError("a number here has too many digits") from error
    if is_deeper(value, DEEPEST):
        raise ConversionError(f"this is nested deeper than {DEEPEST} levels")
    return value


def value_text(value: Any) -> str:
    """Return the text that a field shows for a value: text unchanged, all else as JSON on one line."""
    return value if isinstance(value, str) else json_text(value)


def json_text(value: Any, *, indent: int | None = None) -> str:
    """Return a value as JSON text that is safe to show; too deep nesting is replaced by a note."""
    try:
        return escaped_in_json(dump_json(value, ensure_ascii=False, indent=indent))
    except NestingError:
        return '"(nested too deeply to be shown)"'


def is_deeper(value: Any, levels: int) -> bool:
    layer = [value]
    for _ in range(levels):
        layer = [member for holder in layer for member in _members(holder) if isinstance(member, dict | list)]
        if not layer:
            return False
    return True


def is_equal(first: Any, second: Any) -> bool:
    """Whether two JSON values are equal: 1 and 1.0 are, 1 and true are not. Source: JSON Schema 2020-12 Core, 4.2.2."""
    if isinstance(first, bool) or isinstance(second, bool):
        return first is second
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(map(is_equal, first, second))
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(is_equal(value, second[key]) for key, value in first.items())
    return bool(first == second)


def _members(holder: Any) -> Any:
    if isinstance(holder, dict):
        return holder.values()
    return holder if isinstance(holder, list) else ()


def _syntax_problem(error: json.JSONDecodeError) -> str:
    text = error.doc
    where = f"line {error.lineno}, column {error.colno}"
    if not text.strip():
        return "this is empty: type a JSON value"
    if _is_cut(error):
        return f"not JSON yet: {_reason(error)} ({where})"
    if re.fullmatch(r"[A-Za-z_][\w .,-]*", text.strip()):
        return 'not JSON: put text in double quotes, such as "text"'
    return f"not JSON: {_reason(error)} at {where}"


def _is_cut(error: json.JSONDecodeError) -> bool:
    return error.pos >= len(error.doc.rstrip()) and error.pos > 0


def _reason(error: json.JSONDecodeError) -> str:
    if _is_cut(error):
        return "something is missing at the end"
    message = error.msg.removesuffix(" at")
    return f"{message[:1].lower()}{message[1:]}"


def _refuse_constant(name: str) -> Any:
    raise ConversionError(f"{name} is not a JSON number")


def _finite(text: str) -> float:
    value = float(text)
    if not isfinite(value):
        raise ConversionError("a number here is too large")
    return value
