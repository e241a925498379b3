"""The arguments of a tool whose author wrote the input schema: validated against it, and passed on unchanged."""

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from server_core.catalog.building.arguments import has_default, input_error
from server_core.catalog.building.given_schemas import SchemaChecker, read_schema
from server_core.catalog.building.signature import DefinitionFinding, Signature
from server_core.errors import ErrorKind

Json: TypeAlias = dict[str, Any]

_KIND = ErrorKind.TOOL_DEFINITION_BAD_INPUT_SCHEMA


class GivenBinder:
    """Validate the arguments of a call and pass them on.

    Args:
        checker: validates values against the schema.
        names: the parameters of the function; None when it accepts any name.
    """

    def __init__(self, checker: SchemaChecker, names: frozenset[str] | None) -> None:
        self._check = checker.check
        self._names = names

    def __call__(self, arguments: Json) -> Json:
        """Return the keyword arguments of the function; arguments that are only in the schema are left out.

        Raises:
            ToolInputError: when they do not match the schema.
        """
        if issues := self._check(arguments):
            raise input_error(issues)
        if self._names is None:
            return arguments
        return {name: value for name, value in arguments.items() if name in self._names}


def read_given_arguments(
    signature: Signature, schema: Any
) -> tuple[Json, Callable[[Json], Json], list[DefinitionFinding]]:
    """Return the input schema, the binder and the findings about them.

    Args:
        signature: the signature of the function.
        schema: the schema that the author wrote.

    Returns:
        The schema and the binder are only usable when there are no findings.
    """
    copy, checker, findings = read_schema(schema, "input schema", _KIND)
    if checker is None:
        return copy, dict, findings
    findings += _of_root(copy)
    findings += _of_function(copy, signature)
    names = None if signature.takes_any_name else frozenset(parameter.name for parameter in signature.parameters)
    return copy, GivenBinder(checker, names), findings


def _of_root(schema: Json) -> Iterator[DefinitionFinding]:
    # server/tools, inputSchema: the root must have the type object.
    if schema.get("type") != "object":
        yield DefinitionFinding(
            "The input schema does not describe an object.", 'Write `"type": "object"` at its root.', _KIND
        )


def _of_function(schema: Json, signature: Signature) -> Iterator[DefinitionFinding]:
    """Yield differences between the function and the schema that would make valid calls fail."""
    described, required = schema.get("properties", {}), _required(schema)
    parameters = {parameter.name: parameter for parameter in signature.parameters}
    for name in described:
        if name not in parameters and not signature.takes_any_name:
            message = f"The input schema has the property {name!r}, but the function has no such parameter."
            yield DefinitionFinding(message, f"Add the parameter `{name}` or `**arguments`.", _KIND)
    for name, parameter in parameters.items():
        if name not in required and not has_default(parameter):
            message = f"The parameter {name!r} has no default, but the input schema does not require it."
            yield DefinitionFinding(message, f"Give the parameter a default, or add {name!r} to `required`.", _KIND)


def _required(schema: Any) -> set[str]:
    """Return the properties that a schema requires at its root or in `allOf`."""
    if not isinstance(schema, dict):
        return set()
    return set(schema.get("required", ())).union(*(_required(branch) for branch in schema.get("allOf", ())))
