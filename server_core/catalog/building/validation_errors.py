"""The errors for invalid arguments and results. They contain no part of a value, which may be secret or long."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from server_core.catalog.building.result_checks import FAILURE
from server_core.errors import ToolInputError, ToolOutputError

MAX_DESCRIBED = 20
MAX_CHOICES = 10
"""The values of an enumeration that are listed."""

_ARGUMENTS = "arguments"
_RESULT = "result"
# How pydantic names the errors about enumerations, how their messages begin, and a value in them, as Python shows it.
_CHOICE_ERRORS = ("literal_error", "enum")
_CHOICES = "Input should be "
_VALUE = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\s,]+""")


@dataclass(frozen=True)
class ValidationIssue:
    """An issue with a value."""

    location: tuple[str | int, ...]  # the keys and indexes from the root of the value
    message: str
    code: str  # the kind of issue

    def field(self, root: str) -> str:
        """Return the location as a dotted path, or `root` for the value itself."""
        return ".".join(str(part) for part in self.location)[:200] or root


def input_error(issues: Sequence[ValidationIssue]) -> ToolInputError:
    return ToolInputError(f"Invalid input: {_descriptions(issues, _ARGUMENTS)}", _codes(issues, _ARGUMENTS))


def input_error_of(error: ValidationError, renamed: Mapping[str, str] = MappingProxyType({})) -> ToolInputError:
    """Return the error for arguments that pydantic has rejected; `renamed` is name in Python -> name for clients."""
    return input_error(
        [
            ValidationIssue(details["loc"], _input_message(details, renamed), details["type"])
            for details in error_details(error)
        ]
    )


def output_error(issues: Sequence[ValidationIssue]) -> ToolOutputError:
    """Return the error for an invalid result; its issues are for the developer."""
    return ToolOutputError(f"{FAILURE}: the value does not match its declared type.", _descriptions(issues, _RESULT))


def output_error_of(error: ValidationError) -> ToolOutputError:
    """Return the error for a result that pydantic has rejected; the first part of a location is the wrapper's field."""
    return output_error(
        [ValidationIssue(details["loc"][1:], details["msg"], details["type"]) for details in error_details(error)]
    )


def error_details(error: ValidationError) -> list[ErrorDetails]:
    # The input is part of the value, and the context may hold the exception of an author's validator.
    return error.errors(include_url=False, include_context=False, include_input=False)


def _input_message(details: ErrorDetails, renamed: Mapping[str, str]) -> str:
    location, message = details["loc"], details["msg"]
    if details["type"] == "extra_forbidden" and len(location) == 1 and location[0] in renamed:
        return f"{message}; this parameter is called {renamed[str(location[0])]!r}"
    return shortened_choices(message) if details["type"] in _CHOICE_ERRORS else message


def shortened_choices(message: str) -> str:
    """Return the message about an enumeration with its first values, and the number of the others."""
    values = [match.group() for match in _VALUE.finditer(message.removeprefix(_CHOICES))]
    values = [value for value in values if value != "or"]
    if not message.startswith(_CHOICES) or len(values) <= MAX_CHOICES:
        return message
    return f"{_CHOICES}{', '.join(values[:MAX_CHOICES])}, … {len(values) - MAX_CHOICES} more"


def _descriptions(issues: Sequence[ValidationIssue], root: str) -> str:
    """Return `field: what is wrong` for the first issues, and the number of the others."""
    more = f"; and {len(issues) - MAX_DESCRIBED} more" if len(issues) > MAX_DESCRIBED else ""
    return _joined("; ", issues, lambda issue: f"{issue.field(root)}: {issue.message}") + more


def _codes(issues: Sequence[ValidationIssue], root: str) -> str:
    return _joined(", ", issues, lambda issue: f"{issue.field(root)}[{issue.code}]")


def _joined(separator: str, issues: Sequence[ValidationIssue], text_of: Callable[[ValidationIssue], str]) -> str:
    return separator.join(text_of(issue) for issue in issues[:MAX_DESCRIBED])
