"""Python types -> JSON Schema 2020-12, through pydantic.

The parameters of a function become a TypedDict made for them, so that no name an author may choose can collide with a
name of ours; its result becomes the one member of a model.
"""

import contextlib
import enum
import functools
import operator
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

import typing_extensions
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, create_model
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import SchemaSerializer, core_schema

from server_core.catalog.building.member_docstrings import member_docstrings

Json: TypeAlias = dict[str, Any]
Mode: TypeAlias = Literal["validation", "serialization"]

# Made at run time, which type checkers do not follow.
_make_typed_dict: Any = typing_extensions.TypedDict
# Of more flags than this, only the limits of their sums are told.
_MOST_BITS = 6
_CONFIG = ConfigDict(
    extra="forbid",
    allow_inf_nan=False,  # JSON has no such numbers, though "nan" and 1e999 could be read as some.
    ser_json_bytes="base64",
    val_json_bytes="base64",
    ser_json_inf_nan="constants",
)


class SchemaWriter(GenerateJsonSchema):
    """Write schemas without the titles that only repeat the name of a property."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        """Leave out what only repeats a name; titles that authors give are kept."""
        return False

    def bytes_schema(self, schema: core_schema.BytesSchema) -> Json:
        """Bytes travel as base64; in comes either alphabet, out goes the one that is safe in addresses.

        Models of authors decide for themselves: those that take bytes take text unless they are told otherwise, and
        those that send some send base64 unless they are told otherwise.
        """
        chosen, encoding = (
            (self._config.val_json_bytes, "base64")
            if self.mode == "validation"
            else (self._config.config_dict.get("ser_json_bytes", "base64"), "base64url")
        )
        if chosen != "base64":
            return super().bytes_schema(schema)
        json_schema: Json = {"type": "string", "contentEncoding": encoding}
        self.update_with_validations(json_schema, schema, self.ValidationsMapping.bytes)
        return json_schema

    def enum_schema(self, schema: core_schema.EnumSchema) -> Json:
        """Return an enum; of flags every sum is a value, and what each number stands for is told."""
        json_schema: Json = super().enum_schema(schema)
        if issubclass(schema["cls"], enum.Flag):
            _settle(schema["cls"])
            del json_schema["enum"]
            json_schema |= {"type": "integer", **_sums(schema["cls"])}
            told = ", ".join(f"{member.value} ({name})" for name, member in schema["cls"].__members__.items())
            json_schema.setdefault("description", f"The sum of any of: {told}.")
        return json_schema

    def datetime_schema(self, schema: core_schema.DatetimeSchema) -> Json:
        """Return a date and time; what goes out without an offset is no `date-time`.

        Source: RFC 3339, section 5.6: the offset is part of it.
        """
        return self._with_format(super().datetime_schema(schema), schema.get("tz_constraint") == "aware")

    def time_schema(self, schema: core_schema.TimeSchema) -> Json:
        """Return a time of day; the same holds of its offset."""
        return self._with_format(super().time_schema(schema), schema.get("tz_constraint") == "aware")

    def timedelta_schema(self, schema: core_schema.TimedeltaSchema) -> Json:
        """Return a duration; those that go out may have a sign and parts of a second, which RFC 3339 does not know."""
        return self._with_format(super().timedelta_schema(schema), False)

    def _with_format(self, json_schema: Json, always_fits: bool) -> Json:
        """Promise no format of results that some of them will not have: a strict client would refuse those."""
        if self.mode == "serialization" and not always_fits:
            json_schema.pop("format", None)
        return json_schema


def _settle(flags: type[enum.Flag]) -> None:
    """Create the members for 0 and 1 as numbers.

    Python keeps the member that it creates for the first of several equal values: after a client sent `false` where
    the flags had no member for 0 yet, results would show `false` for it ever after.
    """
    for number in (0, 1):
        with contextlib.suppress(Exception):  # STRICT flags without such a bit, or an author's own `_missing_`.
            flags(number)


def _sums(flags: type[enum.Flag]) -> Json:
    """What the values of flags are limited to: those that take other bits too (`IntFlag`) are not."""
    if getattr(flags, "_boundary_", enum.STRICT) is not enum.STRICT:
        return {}
    most = functools.reduce(operator.or_, (member.value for member in flags.__members__.values()), 0)
    bits = [1 << place for place in range(most.bit_length()) if most >> place & 1]
    if len(bits) > _MOST_BITS:
        return {"minimum": 0, "maximum": most}
    sums = [0]
    for bit in bits:
        sums += [one | bit for one in sums]
    return {"enum": sums}


def adapter_for(fields: Mapping[str, Any], optional: frozenset[str] = frozenset()) -> TypeAdapter[Any]:
    """Return what validates, dumps and describes an object with these members.

    Args:
        fields: name -> annotation of each member.
        optional: the members that may be left out.

    Raises:
        Exception: whatever pydantic raises for a type that it cannot handle.
    """
    members = {
        name: typing_extensions.NotRequired[prepared(annotation)] if name in optional else prepared(annotation)
        for name, annotation in fields.items()
    }
    group = _make_typed_dict("Arguments", members)
    group.__pydantic_config__ = _CONFIG
    return TypeAdapter(group)


def result_model(annotation: Any) -> type[BaseModel]:
    """Return a model with one member, `result`, of this type: what dumps and describes one value.

    A TypedDict would not do here: what it is configured to do with bytes and NaN counts only on the way in. What a
    TypedDict in it does not declare is left out: services answer with more than a tool is about.

    Raises:
        Exception: whatever pydantic raises for a type that it cannot handle.
    """
    return create_model("Result", __config__={**_CONFIG, "extra": "ignore"}, result=(prepared(annotation), ...))


def dumper_of(adapter: TypeAdapter[Any]) -> Callable[[Any], Any]:
    """Return what makes JSON values of what the adapter has validated.

    Models of authors send bytes as text unless they are told otherwise, and fail where those are none; here they send
    base64 then.
    """
    core_schema = adapter.core_schema
    serializer: Any = adapter.serializer
    if _holds_bytes(core_schema):
        # Not prebuilt: each model's own would be taken otherwise.
        serializer = SchemaSerializer(_with_base64(core_schema), _use_prebuilt=False)
    return functools.partial(serializer.to_python, mode="json", by_alias=True, warnings="error")


def schema_of(adapter: TypeAdapter[Any], mode: Mode) -> Json:
    """Return the JSON Schema of what :func:`adapter_for` or :func:`result_model` made."""
    schema = adapter.json_schema(mode=mode, schema_generator=SchemaWriter)
    schema.pop("title", None)
    return schema


def inlined(schema: Json, definitions: Json) -> Json:
    """Return the schema with what its root refers to in its place, and with the definitions that it needs."""
    reference = schema.get("$ref", "")
    if reference:
        target = definitions[reference.removeprefix("#/$defs/")]
        schema = {**target, **{name: value for name, value in schema.items() if name != "$ref"}}
    needed = _referred(schema, definitions)
    return (
        {**schema, "$defs": {name: definitions[name] for name in definitions if name in needed}} if needed else schema
    )


def prepared(annotation: Any) -> Any:
    """Return the annotation in the form that pydantic wants: texts beside a type are its description.

    A TypedDict is made again, with the texts beside its members, or else the docstrings under them, as their
    descriptions, and as one of typing_extensions, since pydantic takes no other before Python 3.12.
    """
    return _prepared(annotation, {})


_CONFIGURED = frozenset({"model", "dataclass", "typed-dict"})


def _holds_bytes(core: Any) -> bool:
    if isinstance(core, dict):
        return core.get("type") == "bytes" or any(_holds_bytes(one) for one in core.values())
    return isinstance(core, list | tuple) and any(_holds_bytes(one) for one in core)


def _with_base64(core: Any) -> Any:
    if isinstance(core, list):
        return [_with_base64(one) for one in core]
    if isinstance(core, tuple):
        return tuple(_with_base64(one) for one in core)
    if not isinstance(core, dict):
        return core
    copy = {name: one if name == "metadata" else _with_base64(one) for name, one in core.items()}
    if core.get("type") in _CONFIGURED:
        copy["config"] = {"ser_json_bytes": "base64", **core.get("config", {})}
    return copy


def _prepared(annotation: Any, seen: dict[Any, Any]) -> Any:
    if typing_extensions.is_typeddict(annotation):
        return seen.get(annotation) or _modern(annotation, seen)
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is None or origin is Literal or not arguments:
        return annotation
    if origin is typing.Annotated:
        inner = _prepared(arguments[0], seen)
        extras = tuple(Field(description=one) if isinstance(one, str) else one for one in annotation.__metadata__)
        return typing.Annotated[(inner, *extras)]
    replaced = tuple(_replaced(one, seen) for one in arguments)
    if all(new is old for new, old in zip(replaced, arguments, strict=True)):
        return annotation
    if origin in (typing.Union, types.UnionType):
        return functools.reduce(operator.or_, replaced)
    if isinstance(annotation, types.GenericAlias):
        return types.GenericAlias(origin, replaced)
    return annotation.copy_with(replaced) if hasattr(annotation, "copy_with") else origin[replaced]


def _replaced(argument: Any, seen: dict[Any, Any]) -> Any:
    return argument if isinstance(argument, list) or argument is ... else _prepared(argument, seen)


def _modern(old: Any, seen: dict[Any, Any]) -> Any:
    # Entered before its members are looked at: a TypedDict may speak of itself.
    new = _make_typed_dict(old.__name__, {})
    seen[old] = new
    for name in ("__module__", "__qualname__", "__doc__", "__total__", "__required_keys__", "__optional_keys__"):
        setattr(new, name, getattr(old, name))
    if hasattr(old, "__pydantic_config__"):
        new.__pydantic_config__ = old.__pydantic_config__
    hints = typing.get_type_hints(old, include_extras=True)
    told = member_docstrings(old)
    new.__annotations__ = {name: _described(_prepared(hint, seen), told.get(name)) for name, hint in hints.items()}
    return new


_QUALIFIERS = (typing.Required, typing.NotRequired, typing_extensions.ReadOnly)


def _described(annotation: Any, text: str | None) -> Any:
    """Return the annotation with a description, unless it has one of its own."""
    if text is None:
        return annotation
    origin = typing_extensions.get_origin(annotation)
    if origin in _QUALIFIERS:
        return origin[_described(typing.get_args(annotation)[0], text)]
    if origin is not typing.Annotated:
        return typing.Annotated[annotation, Field(description=text)]
    # What comes later counts.
    bare = typing.get_args(annotation)[0]
    return typing.Annotated[(bare, Field(description=text), *annotation.__metadata__)]


def _referred(schema: Any, definitions: Json) -> set[str]:
    found: set[str] = set()
    waiting = [schema]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            reference = value.get("$ref")
            if isinstance(reference, str):
                name = reference.removeprefix("#/$defs/")
                if name in definitions and name not in found:
                    found.add(name)
                    waiting.append(definitions[name])
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
    return found
