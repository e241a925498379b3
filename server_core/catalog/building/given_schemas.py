"""JSON Schemas that authors hand in: kept word for word, and what checks values against them.

Rule 1: a schema is told to clients as it was written; nothing is added, resolved or left out.
Rule 2: nothing is ever fetched: what a schema refers to is inside of it.
Rule 3: what is told of a wrong value says where it is wrong and why, and repeats nothing of it.

Source: basic, JSON Schema usage: 2020-12 unless `$schema` names another dialect.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias

from server_core.catalog.building.signature import Finding
from server_core.catalog.building.validation_errors import ValidationIssue
from server_core.errors import ErrorKind

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError, Validator

Json: TypeAlias = dict[str, Any]

MOST_LOOKED_FOR = 1000
"""How many things that are wrong with one value are looked for."""
MOST_ALTERNATIVES = 5

_DIALECTS = ("draft/2020-12/schema", "draft/2019-09/schema", "draft-07/schema", "draft-06/schema", "draft-04/schema")


class Checker:
    """Check values against one schema.

    Args:
        validator: knows the schema.
    """

    def __init__(self, validator: "Validator") -> None:
        self._is_valid = validator.is_valid
        self._iter_errors = validator.iter_errors

    def check(self, value: Any) -> list[ValidationIssue]:
        """Return what is wrong with a JSON value."""
        try:
            if self._is_valid(value):
                return []
            return list(islice(_issues(self._iter_errors(value)), MOST_LOOKED_FOR))
        except UnicodeEncodeError:
            return [ValidationIssue((), "Input should have no half of a surrogate pair in a text", "string_unicode")]


def read_schema(schema: Any, what: str, kind: ErrorKind) -> tuple[Json, Checker | None, list[Finding]]:
    """Return a copy of a schema, what checks values against it, and everything that is wrong with it.

    Args:
        schema: as the author handed it in.
        what: which one it is, for people: "input schema" or "output schema".
        kind: which kind of failure a finding is.

    Returns:
        The checker is None when there are findings.
    """
    import jsonschema_rs

    if not isinstance(schema, Mapping):
        return {}, None, [Finding(f"The {what} is {type(schema).__name__} and not a dict.", _WRITE_IT, kind)]
    try:
        copy: Json = json.loads(json.dumps(dict(schema), allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        return {}, None, [Finding(f"The {what} has no form in JSON: {error}.", _WRITE_IT, kind)]
    dialect = copy.get("$schema")
    if dialect is not None and not _is_known(dialect):
        message = f"The {what} is written in the dialect {dialect!r}, which is not supported."
        return copy, None, [Finding(message, "Leave `$schema` out, and write JSON Schema 2020-12.", kind)]
    try:
        validator = jsonschema_rs.validator_for(copy, offline=True, validate_formats=True, mask="Input")
    except Exception as error:  # Whatever the library raises for what is no schema.
        return copy, None, [Finding(f"The {what} cannot be used: {_reason(error)}.", _WRITE_IT, kind)]
    return copy, Checker(validator), []


_EXTRA = "Extra inputs are not permitted"
_WRITE_IT = "Write it as JSON Schema 2020-12 that refers to nothing outside of it."


def _is_known(dialect: Any) -> bool:
    return isinstance(dialect, str) and dialect.partition("://json-schema.org/")[2].rstrip("#") in _DIALECTS


def _reason(error: Exception) -> str:
    reason = str(error).partition("\n")[0].rstrip(".")
    place = ".".join(map(str, getattr(error, "instance_path", ())))
    return f"at {place}: {reason}" if place else reason


def _issues(errors: "Iterable[ValidationError]") -> Iterator[ValidationIssue]:
    for error in errors:
        location, kind = tuple(error.instance_path), error.kind
        # What is missing, or too much, is told where it is missing or too much, as for arguments with types.
        match kind.name:
            case "required":
                yield ValidationIssue((*location, _fact(kind, "property")), "Field required", kind.name)
            case "additionalProperties" | "unevaluatedProperties":
                for name in _fact(kind, "unexpected"):
                    yield ValidationIssue((*location, name), _EXTRA, kind.name)
            case "falseSchema" if error.schema_path[-1] == "additionalProperties":  # Of what, the library does not say.
                yield ValidationIssue(location, _EXTRA, "additionalProperties")
            case "anyOf" | "oneOf":
                yield ValidationIssue(location, _of_alternatives(error), kind.name)
            case "propertyNames":
                yield ValidationIssue(location, "Input has a key that is not permitted", kind.name)
            case "falseSchema":
                yield ValidationIssue(location, "Input is not permitted", kind.name)
            case _:
                yield ValidationIssue(location, error.message, kind.name)


def _of_alternatives(error: "ValidationError") -> str:
    branches = [list(islice(_issues(branch), MOST_ALTERNATIVES)) for branch in _fact(error.kind, "context")]
    if not all(branches):
        return "Input fits more than one of the alternatives"
    alternatives = [" and ".join(map(_in_short, branch)) for branch in branches[:MOST_ALTERNATIVES]]
    return f"Input fits none of the alternatives ({'; or '.join(alternatives)})"


def _in_short(misfit: ValidationIssue) -> str:
    return f"{misfit.field('')}: {misfit.message}" if misfit.location else misfit.message


def _fact(kind: Any, name: str) -> Any:
    """A fact of a keyword, which the library types by the class of the keyword alone."""
    return getattr(kind, name)
