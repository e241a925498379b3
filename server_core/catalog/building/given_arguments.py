"""The arguments of a tool whose author gave their JSON Schema: checked against it, and handed over as they came."""

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from server_core.catalog.building.arguments import has_default, input_error
from server_core.catalog.building.given_schemas import Checker, read_schema
from server_core.catalog.building.signature import Finding, Signature
from server_core.errors import ErrorKind

Json: TypeAlias = dict[str, Any]

_KIND = ErrorKind.TOOL_DEFINITION_BAD_INPUT_SCHEMA


class GivenBinder:
    """Check the arguments of a call and hand them over.

    Args:
        checker: knows the schema.
        names: the parameters of the function; None when it takes any name.
    """

    def __init__(self, checker: Checker, names: frozenset[str] | None) -> None:
        self._check = checker.check
        self._names = names

    def __call__(self, arguments: Json) -> Json:
        """Return the keyword arguments of the function; what only the schema knows is checked and left out.

        Raises:
            ToolInputError: when they do not fit.
        """
        if issues := self._check(arguments):
            raise input_error(issues)
        if self._names is None:
            return arguments
        return {name: value for name, value in arguments.items() if name in self._names}


def read_given_arguments(signature: Signature, schema: Any) -> tuple[Json, Callable[[Json], Json], list[Finding]]:
    """Return the input schema, the binder and everything that is wrong with them.

    Args:
        signature: what the function takes.
        schema: as the author handed it in.

    Returns:
        The schema and the binder are of use only when there are no findings.
    """
    copy, checker, findings = read_schema(schema, "input schema", _KIND)
    if checker is None:
        return copy, dict, findings
    findings += _of_root(copy)
    findings += _of_function(copy, signature)
    names = None if signature.takes_any_name else frozenset(one.name for one in signature.parameters)
    return copy, GivenBinder(checker, names), findings


def _of_root(schema: Json) -> Iterator[Finding]:
    # server/tools, inputSchema: arguments are always an object, and the schema has to say so.
    if schema.get("type") != "object":
        yield Finding("The input schema does not describe an object.", 'Write `"type": "object"` at its root.', _KIND)


def _of_function(schema: Json, signature: Signature) -> Iterator[Finding]:
    """What the function and the schema say differently, so that calls that fit the schema would fail."""
    described, required = schema.get("properties", {}), _required(schema)
    taken = {one.name: one for one in signature.parameters}
    for name in described:
        if name not in taken and not signature.takes_any_name:
            message = f"The input schema has the property {name!r}, but the function has no such parameter."
            yield Finding(message, f"Add the parameter `{name}`, or take `**arguments`.", _KIND)
    for name, parameter in taken.items():
        if name not in required and not has_default(parameter):
            message = f"The function needs {name!r}, but the input schema does not require it."
            yield Finding(message, f"Give the parameter a default, or add {name!r} to `required`.", _KIND)


def _required(schema: Any) -> set[str]:
    """The properties that a schema demands at its root, or in what all of must hold."""
    if not isinstance(schema, dict):
        return set()
    return set(schema.get("required", ())).union(*(_required(one) for one in schema.get("allOf", ())))
