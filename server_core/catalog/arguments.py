"""The arguments of a call: their JSON Schema, and what carries them from the wire to the function.

Built once per tool. Arguments are read as JSON, so dates, bytes, tuples and strict models mean what they mean there.
"""

import json
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from pydantic import TypeAdapter, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import PydanticSerializationError, PydanticUndefined, to_json

from server_core.catalog.misfits import Misfit, codes, told
from server_core.catalog.schema import adapter_for, result_model, schema_of
from server_core.catalog.signature import ABSENT, Finding, Parameter, Signature, reason_of
from server_core.errors import ErrorKind, ToolInputError

Json: TypeAlias = dict[str, Any]

_WHOLE = "arguments"


class Binder:
    """Carry the arguments of a call over to the function.

    Args:
        adapter: knows the types.
        nulls_are_left_out: parameters that have a default and no null of their own: null means the default.
        fill: values for parameters that may be left out and have no default.
    """

    def __init__(self, adapter: TypeAdapter[Any], nulls_are_left_out: frozenset[str], fill: Json) -> None:
        self._validate = adapter.validator.validate_json
        self._nulls_are_left_out = nulls_are_left_out
        self._fill = fill

    def __call__(self, arguments: Json) -> Json:
        """Return the keyword arguments of the function; what is left out takes the function's own default."""
        if None in arguments.values():
            dropped = self._nulls_are_left_out
            arguments = {name: one for name, one in arguments.items() if one is not None or name not in dropped}
        try:
            bound: Json = self._validate(_json(arguments))
        except ValidationError as error:
            raise _input_error(error) from None
        return {**self._fill, **bound} if self._fill else bound


def read_arguments(signature: Signature) -> tuple[Json, Callable[[Json], Json], list[Finding]]:
    """Return the input schema, the binder and everything that is wrong with the parameters.

    Args:
        signature: what the function takes.

    Returns:
        The schema and the binder are of use only when there are no findings.
    """
    findings = _texts_beside(signature.parameters)
    usable = signature.parameters
    # A default inside of a Field is pydantic's own matter; the function's default applies by leaving the argument out.
    unset = frozenset(one.name for one in usable if one.default is ABSENT and accepts_null(one.annotation))
    defaulted = frozenset(one.name for one in usable if has_default(one) and not isinstance(one.default, FieldInfo))
    try:
        adapter = adapter_for({one.name: _annotation(one) for one in usable}, unset | defaulted)
        schema = schema_of(adapter, "validation")
    except Exception:  # Whatever pydantic, or the author's types, raise; now we have to find out at which parameter.
        return {"type": "object"}, dict, [*findings, *_undescribable(usable)]
    properties = schema.setdefault("properties", {})
    for parameter in usable:
        _complete(properties.get(parameter.name), parameter, signature.docstring.parameters, findings)
    nulls_are_left_out = frozenset(one.name for one in usable if has_default(one) and not accepts_null(one.annotation))
    binder = Binder(adapter, nulls_are_left_out, dict.fromkeys(unset))
    return {"type": "object", **schema}, binder, findings


def text_binder(parameters: Iterable[Parameter]) -> Callable[[Json], Json]:
    """Return what carries texts (the parts of an address, the arguments of a prompt) over to typed parameters.

    Args:
        parameters: what the function takes; other names are left out.
    """
    known = list(parameters)
    adapter = adapter_for({one.name: one.annotation for one in known}, frozenset(one.name for one in known))
    names = {one.name for one in known}

    def bind(texts: Json) -> Json:
        try:
            bound: Json = adapter.validator.validate_python({name: texts[name] for name in texts if name in names})
        except ValidationError as error:
            raise _input_error(error) from None
        return bound

    return bind


def accepts_null(annotation: Any) -> bool:
    """Return whether None is a value of the type."""
    if annotation in (None, type(None), Any, object):
        return True
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return accepts_null(arguments[0])
    if origin is typing.Literal:
        return None in arguments
    return origin in (typing.Union, types.UnionType) and any(accepts_null(one) for one in arguments)


def has_default(parameter: Parameter) -> bool:
    """Return whether the parameter may be left out."""
    if isinstance(parameter.default, FieldInfo):
        return parameter.default.default is not PydanticUndefined or parameter.default.default_factory is not None
    return parameter.default is not ABSENT


def _texts_beside(parameters: Iterable[Parameter]) -> list[Finding]:
    findings = []
    for parameter in parameters:
        texts = [one for one in getattr(parameter.annotation, "__metadata__", ()) if isinstance(one, str)]
        if len(texts) > 1:
            message = f"Parameter {parameter.name!r} has {len(texts)} texts beside its type; one is its description."
            findings.append(_bad(message, "Keep one text."))
    return findings


def _undescribable(parameters: Iterable[Parameter]) -> list[Finding]:
    findings = []
    for parameter in parameters:
        try:
            schema_of(adapter_for({parameter.name: _annotation(parameter)}), "validation")
        except Exception as error:
            findings.append(
                _bad(
                    f"Parameter {parameter.name!r} has a type that cannot be described to clients: {reason_of(error)}.",
                    "Use built-in types, enums, dataclasses, TypedDicts or pydantic models.",
                )
            )
    return findings or [_bad("The parameters cannot be described to clients together.", "Rename the types they use.")]


def _annotation(parameter: Parameter) -> Any:
    if isinstance(parameter.default, FieldInfo):
        return typing.Annotated[parameter.annotation, parameter.default]
    return parameter.annotation


def _complete(
    property: Json | None, parameter: Parameter, descriptions: Mapping[str, str], findings: list[Finding]
) -> None:
    """Write down what pydantic does not know: the default of the function, and what the docstring says."""
    if property is None:  # The author gave it another name on the wire.
        return
    if "description" not in property and (text := descriptions.get(parameter.name)):
        property["description"] = text
    if parameter.default is ABSENT:
        if accepts_null(parameter.annotation):
            property.setdefault("default", None)
        return
    if isinstance(parameter.default, FieldInfo):
        return
    try:
        # Not validated: a default need not be of the declared type (`size: int = None`).
        holder = result_model(parameter.annotation).model_construct(result=parameter.default)
        default = holder.model_dump(mode="json", warnings=False)["result"]
        # The dump may hold NaN, which JSON does not.
        property["default"] = json.loads(json.dumps(default, allow_nan=False))
    except (ValueError, TypeError):
        findings.append(
            Finding(
                f"The default of parameter {parameter.name!r} has no form in JSON, so clients do not see it.",
                "Use None as the default and choose the value in the function.",
                ErrorKind.TOOL_DEFINITION_BAD_INPUT_SCHEMA,
                warning=True,
            )
        )


def _json(arguments: Json) -> bytes:
    try:
        return to_json(arguments)
    except PydanticSerializationError:  # Half of a surrogate pair: as an escape, it is refused with a position.
        return json.dumps(arguments).encode()


def input_error(misfits: Sequence[Misfit]) -> ToolInputError:
    """Return the error that tells a client what is wrong with the arguments of its call."""
    return ToolInputError(f"Invalid input: {told(misfits, _WHOLE)}", codes(misfits, _WHOLE))


def _input_error(error: ValidationError) -> ToolInputError:
    # `include_input=False`: values may be secrets, or long.
    errors = error.errors(include_url=False, include_context=False, include_input=False)
    return input_error([Misfit(one["loc"], one["msg"], one["type"]) for one in errors])


def _bad(message: str, fix: str) -> Finding:
    return Finding(message, fix, ErrorKind.TOOL_DEFINITION_BAD_INPUT_SCHEMA)
