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

_BAD_INPUT_SCHEMA = ErrorKind.TOOL_DEFINITION_BAD_INPUT_SCHEMA


class Binder:
    """Converts the arguments of a call into keyword arguments of the function.

    Args:
        default_if_null: names, for clients, of the parameters for which null has the same meaning as no argument.
        values_if_omitted: values of the parameters that may be omitted, but have no default that applies then.
        renamed: name in Python -> name for clients, where these differ.
    """

    def __init__(
        self,
        adapter: TypeAdapter[Any],
        default_if_null: frozenset[str],
        values_if_omitted: Json,
        renamed: Mapping[str, str],
    ) -> None:
        self._validate = adapter.validator.validate_json
        self._default_if_null = default_if_null
        self._values_if_omitted = values_if_omitted
        self._renamed = renamed

    def __call__(self, arguments: Json) -> Json:
        if None in arguments.values():  # Rare, and copying the arguments of every call would cost time.
            droppable = self._default_if_null
            arguments = {name: value for name, value in arguments.items() if value is not None or name not in droppable}
        try:
            bound: Json = self._validate(_to_json(arguments))
        except ValidationError as error:
            raise input_error_of(error, self._renamed) from None
        return {**self._values_if_omitted, **bound} if self._values_if_omitted else bound


def read_arguments(signature: Signature) -> tuple[Json, Callable[[Json], Json], list[DefinitionFinding]]:
    """Return the input schema, the binder and the findings; schema and binder are only usable with mere warnings."""
    parameters = signature.parameters
    findings = [*annotation_findings(parameters), *_field_findings(parameters)]
    none_if_omitted = _none_if_omitted(parameters)
    # The function itself applies its defaults. A `Field` as the default is left out: its value is not the default of
    # the function, so pydantic has to apply it.
    omittable = frozenset(
        parameter.name
        for parameter in parameters
        if has_default(parameter) and not isinstance(parameter.default, FieldInfo)
    )
    try:
        adapter = adapter_for(
            {parameter.name: annotate(parameter) for parameter in parameters}, none_if_omitted | omittable
        )
        schema = schema_of(adapter, "validation")
    except Exception as error:  # From pydantic or the author's types; `_schema_findings` finds the cause.
        return {"type": "object"}, dict, [*findings, *_schema_findings(parameters, error)]
    names = {parameter.name: advertised_name(parameter) for parameter in parameters}
    properties = schema.setdefault("properties", {})
    for parameter in parameters:
        # A property is missing for a Field with several aliases.
        if (property_schema := properties.get(names[parameter.name])) is not None:
            _complete_property(property_schema, parameter, signature.docstring.parameters, findings)
    # Models often send null for a parameter that they want to leave out.
    default_if_null = frozenset(
        names[parameter.name]
        for parameter in parameters
        if has_default(parameter) and not accepts_null(parameter.annotation)
    )
    renamed = {python_name: name for python_name, name in names.items() if name != python_name}
    binder = Binder(adapter, default_if_null, dict.fromkeys(none_if_omitted), renamed)
    return {"type": "object", **schema}, binder, findings


def text_binder(parameters: Iterable[Parameter]) -> Callable[[Json], Json]:
    """Return a function that converts strings (the parts of a URI, the arguments of a prompt) into typed arguments.

    A string that a type refuses is parsed as JSON, for types without another text form, such as lists and models.
    """
    parameters = list(parameters)
    annotations = {parameter.name: annotate(parameter) for parameter in parameters}
    # All are optional here: a URI has all of its parts, and the required arguments of a prompt were checked before.
    adapter = adapter_for(annotations, frozenset(annotations))
    names = {advertised_name(parameter) for parameter in parameters}
    values_if_omitted = dict.fromkeys(_none_if_omitted(parameters))

    def bind(texts: Json) -> Json:
        arguments = {name: texts[name] for name in texts if name in names}
        try:
            bound: Json = adapter.validator.validate_python(arguments)
        except ValidationError as error:
            try:
                bound = adapter.validator.validate_python({**arguments, **_parse_invalid(arguments, error)})
            except ValidationError:
                raise input_error_of(error) from None  # Not the second error, which is about the parsed values.
        return {**values_if_omitted, **bound}

    return bind


def _parse_invalid(texts: Json, error: ValidationError) -> Json:
    """Return the values of the invalid strings that are JSON."""
    values: Json = {}
    for details in error_details(error):
        name = str(details["loc"][0])
        try:
            values[name] = parse_json(texts[name])
        except (KeyError, ValueError):
            continue
    return values


def accepts_null(annotation: Any) -> bool:
    """Return whether None is a value of a type."""
    if annotation in (None, type(None), Any, object):
        return True
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return accepts_null(arguments[0])
    if origin is typing.Literal:
        return None in arguments
    return origin in (typing.Union, types.UnionType) and any(accepts_null(argument) for argument in arguments)


def has_default(parameter: Parameter) -> bool:
    """Return whether a parameter has a default, in the signature of the function or in a `Field`."""
    return _has_python_default(parameter) or any(map(_is_defaulted, fields_of(parameter)))


def _has_python_default(parameter: Parameter) -> bool:
    """Return whether the function itself applies a default; a `Field` as the default does not count."""
    return parameter.default is not ABSENT and not isinstance(parameter.default, FieldInfo)


def _none_if_omitted(parameters: Iterable[Parameter]) -> frozenset[str]:
    """Return the names of the parameters that are None when omitted: they have no default, and accept null."""
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


def _schema_findings(parameters: Iterable[Parameter], reason: Exception) -> list[DefinitionFinding]:
    """Return which parameters have no schema, or why there is none for all of them together."""
    findings = []
    for parameter in parameters:
        try:
            schema_of(adapter_for({parameter.name: annotate(parameter)}), "validation")
        except Exception as error:
            findings.append(_unsupported_type(parameter, error))
    if findings:
        return findings
    fix = f"Each of them can be described alone; give one of them another type ({reason_of(reason)})."
    return [DefinitionFinding("The parameters cannot be described to clients together.", fix, _BAD_INPUT_SCHEMA)]


def _unsupported_type(parameter: Parameter, error: Exception) -> DefinitionFinding:
    return DefinitionFinding(
        f"Unsupported parameter type: {bare_type(parameter.annotation)}",
        f"Give {parameter.name!r} a built-in type, an enum, a dataclass, a TypedDict or a pydantic model "
        f"({reason_of(error)}).",
        part=parameter.name,
    )


def _complete_property(
    schema: Json, parameter: Parameter, descriptions: Mapping[str, str], findings: list[DefinitionFinding]
) -> None:
    """Add to a property's schema what pydantic does not know: the default, and the description in the docstring."""
    if "description" not in schema and (text := descriptions.get(parameter.name)):
        schema["description"] = text
    if not has_default(parameter) and accepts_null(parameter.annotation):
        schema.setdefault("default", None)
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
        schema["default"] = json.loads(json.dumps(default, allow_nan=False))
    except (ValueError, TypeError):
        findings.append(
            DefinitionFinding(
                f"The default of parameter {parameter.name!r} cannot be represented in JSON, so clients do not see it.",
                "Use None as the default and choose the value in the function.",
                _BAD_INPUT_SCHEMA,
                warning=True,
                part=parameter.name,
            )
        )


def _to_json(arguments: Json) -> bytes:
    try:
        return to_json(arguments)
    except PydanticSerializationError:  # A string contains a lone surrogate, which is not valid in UTF-8.
        # `json` writes it as an escape; validation rejects that, and reports its position.
        return json.dumps(arguments).encode()


def _finding(message: str, fix: str, part: str) -> DefinitionFinding:
    return DefinitionFinding(message, fix, _BAD_INPUT_SCHEMA, part=part)
