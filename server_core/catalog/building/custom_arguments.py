"""The arguments of a tool whose author wrote the input schema: validated against it, and passed on unchanged."""

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from server_core.catalog.building.argument_schemas import has_default
from server_core.catalog.building.custom_schemas import SchemaChecker, read_custom_schema
from server_core.catalog.building.signature import DefinitionFinding, Signature
from server_core.catalog.building.validation_errors import input_error
from server_core.errors import ErrorKind

Json: TypeAlias = dict[str, Any]

_BAD_INPUT_SCHEMA = ErrorKind.TOOL_DEFINITION_BAD_INPUT_SCHEMA


class CustomSchemaBinder:
    """Validate the arguments of a call and pass them on; `names` is None when the function accepts any name."""

    def __init__(self, checker: SchemaChecker, names: frozenset[str] | None) -> None:
        self._check = checker.check
        self._names = names

    def __call__(self, arguments: Json) -> Json:
        """Return the keyword arguments of the function; arguments that are only in the schema are left out."""
        if issues := self._check(arguments):
            raise input_error(issues)
        if self._names is None:
            return arguments
        return {name: value for name, value in arguments.items() if name in self._names}


def read_custom_arguments(
    signature: Signature, schema: Any
) -> tuple[Json, Callable[[Json], Json], list[DefinitionFinding]]:
    """Return the input schema, the binder and the findings; without findings, the first two are usable."""
    copy, checker, findings = read_custom_schema(schema, "input schema", _BAD_INPUT_SCHEMA)
    if checker is None:
        return copy, dict, findings
    findings += _root_findings(copy)
    findings += _function_findings(copy, signature)
    names = None if signature.accepts_any_name else frozenset(parameter.name for parameter in signature.parameters)
    return copy, CustomSchemaBinder(checker, names), findings


def _root_findings(schema: Json) -> Iterator[DefinitionFinding]:
    # server/tools, inputSchema: the root must have the type object.
    if schema.get("type") != "object":
        yield DefinitionFinding(
            "The input schema does not describe an object.", 'Write `"type": "object"` at its root.', _BAD_INPUT_SCHEMA
        )


def _function_findings(schema: Json, signature: Signature) -> Iterator[DefinitionFinding]:
    """Yield differences between the function and the schema that would make valid calls fail."""
    properties, required = schema.get("properties", {}), _required(schema)
    parameters = {parameter.name: parameter for parameter in signature.parameters}
    for name in properties:
        if name not in parameters and not signature.accepts_any_name:
            message = f"The input schema has the property {name!r}, but the function has no such parameter."
            yield DefinitionFinding(message, f"Add the parameter `{name}` or `**arguments`.", _BAD_INPUT_SCHEMA)
    for name, parameter in parameters.items():
        if name not in required and not has_default(parameter):
            message = f"The parameter {name!r} has no default, but the input schema does not require it."
            yield DefinitionFinding(
                message, f"Give the parameter a default, or add {name!r} to `required`.", _BAD_INPUT_SCHEMA
            )


def _required(schema: Any) -> set[str]:
    """Return the properties that a schema requires at its root or in `allOf`."""
    if not isinstance(schema, dict):
        return set()
    return set(schema.get("required", ())).union(*(_required(branch) for branch in schema.get("allOf", ())))
