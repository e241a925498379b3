"""The arguments of a call: their JSON Schema, and the conversion from JSON to keyword arguments.

Both are built once per tool. Arguments are validated as JSON, so dates, bytes, tuples and strict models have their JSON
forms.
"""

import json
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias

from pydantic import TypeAdapter, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails, PydanticSerializationError, PydanticUndefined, to_json

from server_core.catalog.building.parameter_names import advertised_name, annotated, annotation_findings, fields_of
from server_core.catalog.building.schema import adapter_for, result_model, schema_of
from server_core.catalog.building.signature import ABSENT, DefinitionFinding, Parameter, Signature, bare_type, reason_of
from server_core.catalog.building.validation_errors import ValidationIssue, codes, describe_issues
from server_core.errors import ErrorKind, ToolInputError
from server_core.runtime.safe_json import parse_json

Json: TypeAlias = dict[str, Any]

_WHOLE = "arguments"
_KIND = ErrorKind.TOOL_DEFINITION_BAD_INPUT_SCHEMA


class Binder:
    """Convert the arguments of a call into keyword arguments of the function.

    Args:
        adapter: validates the arguments by their names for clients.
        nulls_are_left_out: arguments with a default whose types do not accept null: null means the default.
        fill: values for optional parameters that have no default.
        renamed: name in Python -> name for clients, where these differ.
    """

    def __init__(
        self, adapter: TypeAdapter[Any], nulls_are_left_out: frozenset[str], fill: Json, renamed: Mapping[str, str]
    ) -> None:
        self._validate = adapter.validator.validate_json
        self._nulls_are_left_out = nulls_are_left_out
        self._fill = fill
        self._renamed = renamed

    def __call__(self, arguments: Json) -> Json:
        """Return the keyword arguments of the function; omitted arguments have the function's own default."""
        if None in arguments.values():
            dropped = self._nulls_are_left_out
            arguments = {name: value for name, value in arguments.items() if value is not None or name not in dropped}
        try:
            bound: Json = self._validate(_json(arguments))
        except ValidationError as error:
            raise _input_error(error, self._renamed) from None
        return {**self._fill, **bound} if self._fill else bound


def read_arguments(signature: Signature) -> tuple[Json, Callable[[Json], Json], list[DefinitionFinding]]:
    """Return the input schema, the binder and the findings about the parameters.

    Args:
        signature: the signature of the function.

    Returns:
        The schema and the binder are only usable when there are no findings.
    """
    usable = signature.parameters
    findings = [*annotation_findings(usable), *_field_findings(usable)]
    # Pydantic applies a default inside a Field; the function's own default applies when the argument is omitted.
    unset = frozenset(
        parameter.name for parameter in usable if not has_default(parameter) and accepts_null(parameter.annotation)
    )
    defaulted = frozenset(
        parameter.name
        for parameter in usable
        if has_default(parameter) and not isinstance(parameter.default, FieldInfo)
    )
    try:
        adapter = adapter_for({parameter.name: annotated(parameter) for parameter in usable}, unset | defaulted)
        schema = schema_of(adapter, "validation")
    except Exception:  # From pydantic or the author's types; `_undescribable` determines which parameter is the cause.
        return {"type": "object"}, dict, [*findings, *_undescribable(usable)]
    names = {parameter.name: advertised_name(parameter) for parameter in usable}
    properties = schema.setdefault("properties", {})
    for parameter in usable:
        if (property := properties.get(names[parameter.name])) is not None:  # None: a Field with several aliases.
            _complete(property, parameter, signature.docstring.parameters, findings)
    nulls = frozenset(
        names[parameter.name]
        for parameter in usable
        if has_default(parameter) and not accepts_null(parameter.annotation)
    )
    renamed = {own: name for own, name in names.items() if name != own}
    return {"type": "object", **schema}, Binder(adapter, nulls, dict.fromkeys(unset), renamed), findings


def text_binder(parameters: Iterable[Parameter]) -> Callable[[Json], Json]:
    """Return a function that converts strings (the parts of a URI, the arguments of a prompt) into typed arguments.

    A string that a type does not accept is parsed as JSON, for types without another text form, such as lists and
    models.

    Args:
        parameters: the parameters of the function; other names are ignored.
    """
    known = list(parameters)
    # An omitted argument without a default is None if its type accepts that.
    unset = frozenset(
        parameter.name for parameter in known if not has_default(parameter) and accepts_null(parameter.annotation)
    )
    adapter = adapter_for(
        {parameter.name: annotated(parameter) for parameter in known}, frozenset(parameter.name for parameter in known)
    )
    names = {advertised_name(parameter) for parameter in known}
    fill = dict.fromkeys(unset)

    def bind(texts: Json) -> Json:
        given = {name: texts[name] for name in texts if name in names}
        try:
            bound: Json = adapter.validator.validate_python(given)
        except ValidationError as error:
            try:
                bound = adapter.validator.validate_python({**given, **_as_json(given, error)})
            except ValidationError:
                raise _input_error(error) from None
        return {**fill, **bound}

    return bind


def _as_json(texts: Json, error: ValidationError) -> Json:
    """Parse the invalid strings as JSON, and leave out those that are not JSON."""
    read: Json = {}
    for details in error.errors(include_url=False, include_context=False, include_input=False):
        name = str(details["loc"][0])
        try:
            read[name] = parse_json(texts[name])
        except (KeyError, ValueError):
            continue
    return read


def accepts_null(annotation: Any) -> bool:
    """Return whether a type accepts None."""
    if annotation in (None, type(None), Any, object):
        return True
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return accepts_null(arguments[0])
    if origin is typing.Literal:
        return None in arguments
    return origin in (typing.Union, types.UnionType) and any(accepts_null(argument) for argument in arguments)


def has_default(parameter: Parameter) -> bool:
    """Return whether a parameter has a default."""
    is_field = isinstance(parameter.default, FieldInfo)
    return not (parameter.default is ABSENT or is_field) or any(map(_is_defaulted, fields_of(parameter)))


def _is_defaulted(field: FieldInfo) -> bool:
    return field.default is not PydanticUndefined or field.default_factory is not None


def _field_findings(parameters: Iterable[Parameter]) -> Iterator[DefinitionFinding]:
    for parameter in parameters:
        name, fields = parameter.name, fields_of(parameter)
        if any(not callable(field.default_factory) for field in fields if field.default_factory is not None):
            message = f"Default factory for parameter {name} is not callable."
            yield _bad(message, "Give `default_factory` a function without parameters, such as `list`.", name)
        of_python = 0 if parameter.default is ABSENT or isinstance(parameter.default, FieldInfo) else 1
        if sum(map(_is_defaulted, fields)) + of_python > 1:
            yield _bad(f"Parameter {name!r} has two defaults.", "Keep one of them.", name)


def _undescribable(parameters: Iterable[Parameter]) -> list[DefinitionFinding]:
    findings = []
    for parameter in parameters:
        try:
            schema_of(adapter_for({parameter.name: annotated(parameter)}), "validation")
        except Exception as error:
            findings.append(unsupported_type(parameter, error))
    if findings:
        return findings
    fix = "Rename the types they use."
    return [DefinitionFinding("The parameters cannot be described to clients together.", fix, _KIND)]


def unsupported_type(parameter: Parameter, error: Exception) -> DefinitionFinding:
    """Return the finding for a parameter whose type has no JSON Schema."""
    return DefinitionFinding(
        f"Unsupported parameter type: {bare_type(parameter.annotation)}",
        f"Give {parameter.name!r} a built-in type, an enum, a dataclass, a TypedDict or a pydantic model "
        f"({reason_of(error)}).",
        part=parameter.name,
    )


def _complete(
    property: Json, parameter: Parameter, descriptions: Mapping[str, str], findings: list[DefinitionFinding]
) -> None:
    """Add what pydantic does not know: the function's default, and the description in the docstring."""
    if "description" not in property and (text := descriptions.get(parameter.name)):
        property["description"] = text
    if not has_default(parameter) and accepts_null(parameter.annotation):
        property.setdefault("default", None)
    if parameter.default is ABSENT or isinstance(parameter.default, FieldInfo):
        return
    if parameter.default is None and not accepts_null(parameter.annotation):
        # `size: int = None` means optional, but some clients reject a default that does not match the schema.
        return
    try:
        # Without validation: a default need not be of the declared type.
        holder = result_model(parameter.annotation).model_construct(result=parameter.default)
        default = holder.model_dump(mode="json", warnings=False)["result"]
        # The dump may contain NaN, which is not JSON.
        property["default"] = json.loads(json.dumps(default, allow_nan=False))
    except (ValueError, TypeError):
        findings.append(
            DefinitionFinding(
                f"The default of parameter {parameter.name!r} cannot be represented in JSON, so clients do not see it.",
                "Use None as the default and choose the value in the function.",
                _KIND,
                warning=True,
                part=parameter.name,
            )
        )


def _json(arguments: Json) -> bytes:
    try:
        return to_json(arguments)
    except PydanticSerializationError:  # A lone surrogate: as an escape, it is rejected with its position.
        return json.dumps(arguments).encode()


def input_error(issues: Sequence[ValidationIssue]) -> ToolInputError:
    """Return the error that reports invalid arguments to a client."""
    return ToolInputError(f"Invalid input: {describe_issues(issues, _WHOLE)}", codes(issues, _WHOLE))


def _input_error(error: ValidationError, renamed: Mapping[str, str] = MappingProxyType({})) -> ToolInputError:
    # `include_input=False`: values may be secret or long.
    errors = error.errors(include_url=False, include_context=False, include_input=False)
    return input_error(
        [ValidationIssue(details["loc"], _describe_error(details, renamed), details["type"]) for details in errors]
    )


def _describe_error(error: ErrorDetails, renamed: Mapping[str, str]) -> str:
    location, message = error["loc"], error["msg"]
    if error["type"] == "extra_forbidden" and len(location) == 1 and location[0] in renamed:
        return f"{message}; this parameter is called {renamed[str(location[0])]!r}"
    return message


def _bad(message: str, fix: str, part: str) -> DefinitionFinding:
    return DefinitionFinding(message, fix, _KIND, part=part)
