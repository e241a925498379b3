"""Convert Python types into JSON Schema 2020-12 with pydantic.

The parameters of a function become a generated TypedDict, so that no parameter name can collide with an attribute of a
model; the result becomes the only field of a generated model.
"""

import contextlib
import enum
import functools
import operator
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

import typing_extensions
from pydantic import BaseModel, ConfigDict, TypeAdapter, create_model
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import SchemaSerializer, core_schema

from server_core.catalog.building.type_preparation import make_typed_dict, prepare_annotation
from server_core.protocol.json_schema import subschemas

Json: TypeAlias = dict[str, Any]
Mode: TypeAlias = Literal["validation", "serialization"]

# The schema of a Flag with more bits has the range of the values instead of a list.
_MAX_BITS = 6
# The kinds of pydantic's core schemas that have a configuration.
_CONFIGURABLE = frozenset({"model", "dataclass", "typed-dict"})
_CONFIG = ConfigDict(
    extra="forbid",
    allow_inf_nan=False,  # JSON has no such numbers, but pydantic would accept "nan" and 1e999.
    ser_json_bytes="base64",
    val_json_bytes="base64",
    ser_json_inf_nan="constants",
)


class SchemaWriter(GenerateJsonSchema):
    """Generates schemas without the titles that only repeat the name of a property."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def bytes_schema(self, schema: core_schema.BytesSchema) -> Json:
        # Base64, where input may use either alphabet and output is URL-safe, unless an author's model sets another
        # form; its default is text on input, and base64 on output. `_config` is private, and the only access to the
        # configuration of the model that is described. `config_dict` has only what the author has set, since pydantic's
        # default for output is not ours.
        if self.mode == "validation":
            form, encoding = self._config.val_json_bytes, "base64"
        else:
            form, encoding = self._config.config_dict.get("ser_json_bytes", "base64"), "base64url"
        if form != "base64":
            return super().bytes_schema(schema)
        json_schema: Json = {"type": "string", "contentEncoding": encoding}
        self.update_with_validations(json_schema, schema, self.ValidationsMapping.bytes)
        return json_schema

    def enum_schema(self, schema: core_schema.EnumSchema) -> Json:
        json_schema: Json = super().enum_schema(schema)
        if issubclass(schema["cls"], enum.Flag):  # Every sum of its members is a value.
            _create_first_members(schema["cls"])
            del json_schema["enum"]
            json_schema |= {"type": "integer", **_value_limits(schema["cls"])}
            values = ", ".join(f"{member.value} ({name})" for name, member in schema["cls"].__members__.items())
            json_schema.setdefault("description", f"The sum of any of: {values}.")
        return json_schema

    def datetime_schema(self, schema: core_schema.DatetimeSchema) -> Json:
        # RFC 3339, section 5.6: a `date-time` includes the offset.
        return self._with_format(super().datetime_schema(schema), schema.get("tz_constraint") == "aware")

    def time_schema(self, schema: core_schema.TimeSchema) -> Json:
        return self._with_format(super().time_schema(schema), schema.get("tz_constraint") == "aware")

    def timedelta_schema(self, schema: core_schema.TimedeltaSchema) -> Json:
        # It may have a sign and fractions, which RFC 3339 does not allow.
        return self._with_format(super().timedelta_schema(schema), False)

    def _with_format(self, json_schema: Json, always_fits: bool) -> Json:
        """Remove an output format that not every value matches: strict clients would reject the other values."""
        if self.mode == "serialization" and not always_fits:
            json_schema.pop("format", None)
        return json_schema


def _create_first_members(flags: type[enum.Flag]) -> None:
    """Create the members for the integers 0 and 1.

    Python caches the member that it creates for the first of several equal values: if a client sent `false` before
    there is a member for 0, all later results would contain `false` instead of 0.
    """
    for number in (0, 1):
        with contextlib.suppress(Exception):  # STRICT flags without this bit, or a custom `_missing_`.
            flags(number)


def _value_limits(flags: type[enum.Flag]) -> Json:
    """Return the schema members that limit the values of flags; flags that accept other bits (`IntFlag`) have none."""
    # `_boundary_` is how `enum` stores the argument `boundary` of the class; there is no public attribute for it.
    if getattr(flags, "_boundary_", enum.STRICT) is not enum.STRICT:
        return {}
    all_bits = functools.reduce(operator.or_, (member.value for member in flags.__members__.values()), 0)
    bits = [1 << position for position in range(all_bits.bit_length()) if all_bits >> position & 1]
    if len(bits) > _MAX_BITS:
        return {"minimum": 0, "maximum": all_bits}
    sums = [0]
    for bit in bits:
        sums += [value | bit for value in sums]
    return {"enum": sums}


def adapter_for(fields: Mapping[str, Any], optional: frozenset[str] = frozenset()) -> TypeAdapter[Any]:
    """Return an adapter that validates, serializes and describes an object with these members."""
    members = {
        name: typing_extensions.NotRequired[prepare_annotation(annotation)]
        if name in optional
        else prepare_annotation(annotation)
        for name, annotation in fields.items()
    }
    typed_dict = make_typed_dict("Arguments", members)
    typed_dict.__pydantic_config__ = _CONFIG
    return TypeAdapter(typed_dict)


def result_model(annotation: Any) -> type[BaseModel]:
    """Return a model with a single field, `result`, of this type, to serialize and describe a value.

    A TypedDict would not work here: its configuration for bytes and NaN only applies to validation. Undeclared members
    of a nested TypedDict are left out, since responses of services contain more than a tool declares.
    """
    return create_model(
        "Result", __config__={**_CONFIG, "extra": "ignore"}, result=(prepare_annotation(annotation), ...)
    )


def dumper_of(adapter: TypeAdapter[Any]) -> Callable[[Any], Any]:
    """Return a function that turns values validated by the adapter into JSON values.

    By default pydantic serializes bytes in an author's models as UTF-8 text, and fails for other bytes; here the
    default is base64.
    """
    core_schema = adapter.core_schema
    serializer: Any = adapter.serializer
    if _contains_bytes(core_schema):
        # `_use_prebuilt` is private; without it pydantic would use the serializer that each model already has.
        serializer = SchemaSerializer(_with_base64(core_schema), _use_prebuilt=False)
    return functools.partial(serializer.to_python, mode="json", by_alias=True, warnings="error")


def schema_of(adapter: TypeAdapter[Any], mode: Mode) -> Json:
    """Return the JSON Schema of an adapter from :func:`adapter_for` or for :func:`result_model`."""
    schema = adapter.json_schema(mode=mode, schema_generator=SchemaWriter)
    schema.pop("title", None)
    return schema


def resolve_root(schema: Json, definitions: Json) -> Json:
    """Return the schema with a reference at its root resolved, and with the definitions that it needs."""
    reference = schema.get("$ref", "")
    if reference:
        target = definitions[reference.removeprefix("#/$defs/")]
        schema = {**target, **{name: value for name, value in schema.items() if name != "$ref"}}
    needed = _referenced_names(schema, definitions)
    return (
        {**schema, "$defs": {name: definitions[name] for name in definitions if name in needed}} if needed else schema
    )


def _contains_bytes(core: Any) -> bool:
    if isinstance(core, dict):
        return core.get("type") == "bytes" or any(_contains_bytes(value) for value in core.values())
    return isinstance(core, list | tuple) and any(_contains_bytes(value) for value in core)


def _with_base64(core: Any) -> Any:
    if isinstance(core, list):
        return [_with_base64(value) for value in core]
    if isinstance(core, tuple):
        return tuple(_with_base64(value) for value in core)
    if not isinstance(core, dict):
        return core
    # The metadata is no schema, and contains functions of pydantic.
    copy = {name: value if name == "metadata" else _with_base64(value) for name, value in core.items()}
    if core.get("type") in _CONFIGURABLE:
        copy["config"] = {"ser_json_bytes": "base64", **core.get("config", {})}
    return copy


def _referenced_names(schema: Json, definitions: Json) -> set[str]:
    nodes = subschemas(schema, lambda reference: definitions.get(reference.removeprefix("#/$defs/")))
    return {str(node.get("$ref")).removeprefix("#/$defs/") for node in nodes}
