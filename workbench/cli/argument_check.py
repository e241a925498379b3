"""Check the arguments of a call against the schema of its tool, before anything is sent.

Arguments that the schema does not have are no mistake here: a server may accept them. Formats are not checked either,
since servers differ in what they accept as a date or a URL.
"""

import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from server_core.errors import ConfigurationError
from workbench.model.describe import json_line
from workbench.model.short_text import escaped

if TYPE_CHECKING:
    from workbench.model.forms.checker import Violation

_LEFT_TO_SERVER = frozenset({"additionalProperties", "unevaluatedProperties", "format"})
_EXAMPLES: dict[str, Any] = {
    "string": "text",
    "integer": 3,
    "number": 2.5,
    "boolean": True,
    "array": ["a", "b"],
    "object": {"key": "value"},
}
_MAX_PROBLEMS = 10
_EXAMPLE_LIMIT = 80  # Characters.


def check_arguments(tool: str, arguments: dict[str, Any], schema: dict[str, Any]) -> None:
    """Raise ConfigurationError if a schema does not allow the arguments; it names each with what is expected."""
    from workbench.model.forms.checker import Checker

    violations = Checker(schema).check(arguments) or []
    problems = list(dict.fromkeys(_problem(each, schema) for each in violations if each.keyword not in _LEFT_TO_SERVER))
    if problems:
        lines = [
            *problems[:_MAX_PROBLEMS],
            *([f"… {len(problems) - _MAX_PROBLEMS} more"] * (len(problems) > _MAX_PROBLEMS)),
        ]
        raise ConfigurationError(
            "\n  ".join([f"the arguments do not fit the tool {tool!r}, which was not called:", *lines])
            + f"\nSee `workbench call {tool} --help`; --raw sends them as they are."
        )


def _problem(violation: "Violation", schema: dict[str, Any]) -> str:
    if not violation.path:
        return escaped(violation.message)
    name, *inner = violation.path
    message = violation.message
    if violation.keyword == "required" and not inner and (kind := _type(str(name), schema)):
        message = f"required, {kind}"
    example = "" if inner else next(_examples(str(name), schema), "")
    path = str(name) + "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in inner)
    return escaped(f"{path}: {message}{f', such as {example}' if example else ''}")


def _type(name: str, schema: dict[str, Any]) -> str:
    from workbench.model.definitions.parameters import parameters

    return next((parameter.type for parameter in parameters(schema) if parameter.name == name), "")


def _examples(name: str, schema: dict[str, Any]) -> Iterator[str]:
    """Yield words of the command line with values that the schema allows for an argument."""
    from workbench.model.forms.checker import Checker
    from workbench.model.forms.schema_document import SchemaDocument

    properties = schema.get("properties")
    known = properties.get(name) if isinstance(properties, dict) else None
    if not isinstance(known, dict):
        return
    definitions: dict[str, Any] = {key: schema[key] for key in ("$defs", "definitions") if key in schema}
    member = {**SchemaDocument(schema).flatten(known), **definitions}
    checker = Checker(member)
    for value in _candidates(member):
        if checker.check(value) == []:
            yield _word(name, value)


def _candidates(member: dict[str, Any]) -> Iterator[Any]:
    for keyword in ("examples", "enum"):
        if isinstance(values := member.get(keyword), list):
            yield from values[:1]
    yield from (member[keyword] for keyword in ("const", "default", "minimum", "maximum") if keyword in member)
    kinds = member.get("type")
    for kind in kinds if isinstance(kinds, list) else [kinds]:
        if kind in _EXAMPLES:
            yield _EXAMPLES[kind]
    # A union has no type of its own.
    yield from _EXAMPLES.values()


def _word(name: str, value: Any) -> str:
    if isinstance(value, str):
        return shlex.quote(f"{name}={value[:_EXAMPLE_LIMIT]}")
    text = json_line(value, _EXAMPLE_LIMIT)
    return shlex.quote(f"{name}:={text}" if isinstance(value, dict | list) or value is None else f"{name}={text}")
