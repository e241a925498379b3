"""JSON Schemas that authors write, and validation against them.

Rule 1: clients get a schema as it was written; nothing is added, resolved or left out.
Rule 2: nothing is ever fetched: a schema may only refer to itself.
Rule 3: validation errors contain the location and the reason, and no part of the value.

Source: basic, JSON Schema usage: 2020-12 unless `$schema` names another dialect.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias

from server_core.catalog.building.signature import DefinitionFinding
from server_core.catalog.building.validation_errors import ValidationIssue
from server_core.errors import ErrorKind
from server_core.runtime.safe_json import dump_json, parse_json

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError, Validator

Json: TypeAlias = dict[str, Any]

MAX_ISSUES = 1000
"""The number of issues after which the validation of a value stops."""
MAX_ALTERNATIVES = 5
"""How many alternatives of a schema a message lists, and how many issues of each alternative."""

# The supported values of `$schema`, without `http://json-schema.org/` or `https://json-schema.org/` and without "#".
_DIALECTS = ("draft/2020-12/schema", "draft/2019-09/schema", "draft-07/schema", "draft-06/schema", "draft-04/schema")
_EXTRA = "Extra inputs are not permitted"
_FIX = "Write it as JSON Schema 2020-12 without references to other documents."


class SchemaChecker:
    def __init__(self, validator: "Validator") -> None:
        self._is_valid = validator.is_valid
        self._iter_errors = validator.iter_errors

    def check(self, value: Any) -> list[ValidationIssue]:
        """Return the issues of a value, at most :data:`MAX_ISSUES`; none when it is valid."""
        try:
            if self._is_valid(value):  # For a valid value, this is much faster than `iter_errors`.
                return []
            return list(islice(_issues(self._iter_errors(value)), MAX_ISSUES))
        except UnicodeEncodeError:  # The library cannot read a string with half of a surrogate pair.
            return [ValidationIssue((), "Input should have no half of a surrogate pair", "string_unicode")]


def read_custom_schema(
    schema: Any, label: str, kind: ErrorKind
) -> tuple[Json, SchemaChecker | None, list[DefinitionFinding]]:
    """Return a copy of a schema, a checker (None with findings), and the findings, in which it is called `label`."""
    import jsonschema_rs

    if not isinstance(schema, Mapping):
        return {}, None, [DefinitionFinding(f"The {label} is {type(schema).__name__}, not a dict.", _FIX, kind)]
    try:
        copy: Json = parse_json(dump_json(dict(schema), allow_nan=False))
    except ValueError as error:
        return {}, None, [DefinitionFinding(f"The {label} cannot be represented in JSON: {error}.", _FIX, kind)]
    dialect = copy.get("$schema")
    if dialect is not None and not _is_supported(dialect):
        message = f"The {label} is written in the dialect {dialect!r}, which is not supported."
        return copy, None, [DefinitionFinding(message, "Omit `$schema`, and write JSON Schema 2020-12.", kind)]
    try:
        # `mask` replaces values in messages; see rule 3.
        validator = jsonschema_rs.validator_for(copy, offline=True, validate_formats=True, mask="Input")
    except Exception as error:  # The library raises many types for an invalid schema.
        return copy, None, [DefinitionFinding(f"The {label} cannot be used: {_reason(error)}.", _FIX, kind)]
    return copy, SchemaChecker(validator), []


def _is_supported(dialect: Any) -> bool:
    return isinstance(dialect, str) and dialect.partition("://json-schema.org/")[2].rstrip("#") in _DIALECTS


def _reason(error: Exception) -> str:
    reason = str(error).partition("\n")[0].rstrip(".")
    path = ".".join(map(str, getattr(error, "instance_path", ())))
    return f"at {path}: {reason}" if path else reason


def _issues(errors: "Iterable[ValidationError]") -> Iterator[ValidationIssue]:
    for error in errors:
        location, kind = tuple(error.instance_path), error.kind
        # The location of a missing or unexpected property includes its name, as for typed arguments.
        match kind.name:
            case "required":
                yield ValidationIssue((*location, _fact(kind, "property")), "Field required", kind.name)
            case "additionalProperties" | "unevaluatedProperties":
                for name in _fact(kind, "unexpected"):
                    yield ValidationIssue((*location, name), _EXTRA, kind.name)
            case "falseSchema" if error.schema_path[-1] == "additionalProperties":
                # An object that permits no properties at all: the library reports it once, and names no property.
                yield ValidationIssue(location, _EXTRA, "additionalProperties")
            case "anyOf" | "oneOf":
                yield ValidationIssue(location, _alternatives_message(error), kind.name)
            case "propertyNames":
                yield ValidationIssue(location, "Input has a key that is not permitted", kind.name)
            case "falseSchema":
                yield ValidationIssue(location, "Input is not permitted", kind.name)
            case _:
                yield ValidationIssue(location, error.message, kind.name)


def _alternatives_message(error: "ValidationError") -> str:
    branches = [list(islice(_issues(branch), MAX_ALTERNATIVES)) for branch in _fact(error.kind, "context")]
    if not all(branches):  # An alternative without issues matches: the error is that of `oneOf`.
        return "Input matches more than one of the alternatives"
    alternatives = [" and ".join(map(_issue_text, branch)) for branch in branches[:MAX_ALTERNATIVES]]
    return f"Input matches none of the alternatives ({'; or '.join(alternatives)})"


def _issue_text(issue: ValidationIssue) -> str:
    return f"{issue.field('')}: {issue.message}" if issue.location else issue.message


def _fact(kind: Any, name: str) -> Any:
    # Each keyword has a subclass with attributes of its own; the type of `error.kind` is the base class without them.
    return getattr(kind, name)
