"""The arguments of a call: their JSON Schema, and the conversion from JSON to keyword arguments.

Both are built once per tool. Arguments are validated as JSON, so dates, bytes, tuples and strict models have their JSON
forms.
"""

import json
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from pydantic import TypeAdapter, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import PydanticSerializationError, PydanticUndefined, to_json

from server_core.catalog.building.parameter_names import advertised_name, annotate, annotation_findings, fields_of
from server_core.catalog.building.signature import ABSENT, DefinitionFinding, Parameter, Signature, bare_type, reason_of
from server_core.catalog.building.type_schemas import adapter_for, result_model, schema_of
from server_core.catalog.building.validation_errors import error_details, input_error_of
from server_core.errors import ErrorKind
from server_core.runtime.safe_json import parse_json

Json: TypeAlias = dict[str, Any]

_KIND = ErrorKind.TOOL_DEFINITION_BAD_INPUT_SCHEMA


class Binder:
    """Convert the arguments of a call into keyword arguments of the function.

    Args:
        null_means_default: arguments with a default whose types do not accept null.
        missing_values: values of parameters that may be omitted and have no default.
        renamed: name in Python -> name for clients, where these differ.
    """

    def __init__(
        self,
        adapter: TypeAdapter[Any],
        null_means_default: frozenset[str],
        missing_values: Json,
        renamed: Mapping[str, str],
    ) -> None:
        self._validate = adapter.validator.validate_json
        self._null_means_default = null_means_default
        self._missing_values = missing_values
        self._renamed = renamed

    def __call__(self, arguments: Json) -> Json:
        if None in arguments.values():  # Rare, and copying the arguments of every call would cost time.
            omitted = self._null_means_default
            arguments = {name: value for name, value in arguments.items() if value is not None or name not in omitted}
        try:
            bound: Json = self._validate(_to_json(arguments))
        except ValidationError as error:
            raise input_error_of(error, self._renamed) from None
        return {**self._missing_values, **bound} if self._missing_values else bound


def read_arguments(signature: Signature) -> tuple[Json, Callable[[Json], Json], list[DefinitionFinding]]:
    """Return the input schema, the binder and the findings about the parameters.

    Returns:
        The schema and the binder are only usable when there are no findings.
    """
    parameters = signature.parameters
    findings = [*annotation_findings(parameters), *_field_findings(parameters)]
    null_by_default = _null_by_default(parameters)
    # Pydantic applies a default inside a Field; the function's own default applies when the argument is omitted.
    omittable = frozenset(
        parameter.name
        for parameter in parameters
        if has_default(parameter) and not isinstance(parameter.default, FieldInfo)
    )
    try:
        adapter = adapter_for(
            {parameter.name: annotate(parameter) for parameter in parameters}, null_by_default | omittable
        )
        schema = schema_of(adapter, "validation")
    except Exception:  # From pydantic or the author's types; `_schema_findings` finds the cause.
        return {"type": "object"}, dict, [*findings, *_schema_findings(parameters)]
    names = {parameter.name: advertised_name(parameter) for parameter in parameters}
    properties = schema.setdefault("properties", {})
    for parameter in parameters:
        if (property := properties.get(names[parameter.name])) is not None:  # None: a Field with several aliases.
            _complete_property(property, parameter, signature.docstring.parameters, findings)
    # Models often send null for a parameter that they want to leave out.
    null_means_default = frozenset(
        names[parameter.name]
        for parameter in parameters
        if has_default(parameter) and not accepts_null(parameter.annotation)
    )
    renamed = {python_name: name for python_name, name in names.items() if name != python_name}
    binder = Binder(adapter, null_means_default, dict.fromkeys(null_by_default), renamed)
    return {"type": "object", **schema}, binder, findings


def text_binder(parameters: Iterable[Parameter]) -> Callable[[Json], Json]:
    """Return a function that converts strings (the parts of a URI, the arguments of a prompt) into typed arguments.

    A string that a type does not accept is parsed as JSON, for types without another text form, such as lists and
    models.
    """
    parameters = list(parameters)
    annotations = {parameter.name: annotate(parameter) for parameter in parameters}
    # All are optional here: the parts of a URI are complete, and prompts check their required arguments before.
    adapter = adapter_for(annotations, frozenset(annotations))
    names = {advertised_name(parameter) for parameter in parameters}
    missing_values = dict.fromkeys(_null_by_default(parameters))

    def bind(texts: Json) -> Json:
        arguments = {name: texts[name] for name in texts if name in names}
        try:
            bound: Json = adapter.validator.validate_python(arguments)
        except ValidationError as error:
            try:
                bound = adapter.validator.validate_python({**arguments, **_parse_invalid(arguments, error)})
            except ValidationError:
                raise input_error_of(error) from None  # The first error: it is about the text as it was sent.
        return {**missing_values, **bound}

    return bind


def _parse_invalid(texts: Json, error: ValidationError) -> Json:
    """Parse the invalid strings as JSON, and leave out those that are not JSON."""
    values: Json = {}
    for details in error_details(error):
        name = str(details["loc"][0])
        try:
            values[name] = parse_json(texts[name])
        except (KeyError, ValueError):
            continue
    return values


def accepts_null(annotation: Any) -> bool:
    if annotation in (None, type(None), Any, object):
        return True
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return accepts_null(arguments[0])
    if origin is typing.Literal:
        return None in arguments
    return origin in (typing.Union, types.UnionType) and any(accepts_null(argument) for argument in arguments)


def has_default(parameter: Parameter) -> bool:
    return _has_python_default(parameter) or any(map(_is_defaulted, fields_of(parameter)))


def _has_python_default(parameter: Parameter) -> bool:
    return parameter.default is not ABSENT and not isinstance(parameter.default, FieldInfo)


def _null_by_default(parameters: Iterable[Parameter]) -> frozenset[str]:
    """Return the parameters without a default that are None when they are omitted, as their types accept that."""
    return frozenset(
        parameter.name for parameter in parameters if not has_default(parameter) and accepts_null(parameter.annotation)
    )


def _is_defaulted(field: FieldInfo) -> bool:
    return field.default is not PydanticUndefined or field.default_factory is not None


def _field_findings(parameters: Iterable[Parameter]) -> Iterator[DefinitionFinding]:
    for parameter in parameters:
        name, fields = parameter.name, fields_of(parameter)
        if any(not callable(field.default_factory) for field in fields if field.default_factory is not None):
            message = f"Default factory for parameter {name} is not callable."
            yield _finding(message, "Give `default_factory` a function without parameters, such as `list`.", name)
        if sum(map(_is_defaulted, fields)) + _has_python_default(parameter) > 1:
            yield _finding(f"Parameter {name!r} has two defaults.", "Keep one of them.", name)


def _schema_findings(parameters: Iterable[Parameter]) -> list[DefinitionFinding]:
    findings = []
    for parameter in parameters:
        try:
            schema_of(adapter_for({parameter.name: annotate(parameter)}), "validation")
        except Exception as error:
            findings.append(_unsupported_type(parameter, error))
    if findings:
        return findings
    fix = "Rename the types they use."
    return [DefinitionFinding("The parameters cannot be described to clients together.", fix, _KIND)]


def _unsupported_type(parameter: Parameter, error: Exception) -> DefinitionFinding:
    return DefinitionFinding(
        f"Unsupported parameter type: {bare_type(parameter.annotation)}",
        f"Give {parameter.name!r} a built-in type, an enum, a dataclass, a TypedDict or a pydantic model "
        f"({reason_of(error)}).",
        part=parameter.name,
    )


def _complete_property(
    property: Json, parameter: Parameter, descriptions: Mapping[str, str], findings: list[DefinitionFinding]
) -> None:
    """Add what pydantic does not know: the function's default, and the description in the docstring."""
    if "description" not in property and (text := descriptions.get(parameter.name)):
        property["description"] = text
    if not has_default(parameter) and accepts_null(parameter.annotation):
        property.setdefault("default", None)
    if not _has_python_default(parameter):
        return
    if parameter.default is None and not accepts_null(parameter.annotation):
        # `size: int = None` means optional, but some clients reject a default that does not match the schema.
        return
    try:
        # `model_construct` does not validate: a default need not be of the declared type.
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


def _to_json(arguments: Json) -> bytes:
    try:
        return to_json(arguments)
    except PydanticSerializationError:  # A lone surrogate: as an escape, it is rejected with its position.
        return json.dumps(arguments).encode()


def _finding(message: str, fix: str, part: str) -> DefinitionFinding:
    return DefinitionFinding(message, fix, _KIND, part=part)
