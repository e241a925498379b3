"""The result of a call: its JSON Schema, and the conversion from the return value to the wire.

A declared type other than text makes a structured result, validated against its schema; content objects and text are
sent as they are. Structured results always include a text block with the same content (server/tools, structured
content).
"""

import dataclasses
import functools
import types
import typing
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, TypeAlias

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import to_jsonable_python

from server_core.catalog.building.custom_schemas import SchemaChecker, read_custom_schema
from server_core.catalog.building.result_checks import FAILURE, members, refuse_unfinished
from server_core.catalog.building.signature import ABSENT, DefinitionFinding, bare_type, reason_of
from server_core.catalog.building.source_lines import RETURN
from server_core.catalog.building.type_schemas import dumper_of, resolve_root, result_model, schema_of
from server_core.catalog.building.validation_errors import output_error, output_error_of
from server_core.catalog.content import CONTENT, json_text, text_block
from server_core.errors import ErrorKind, ToolOutputError
from server_core.runtime.safe_text import safe_str

Json: TypeAlias = dict[str, Any]
Dumper: TypeAlias = Callable[[Any], Json]

_FIELD = "result"  # The member that contains a result that is not an object.
_LISTS = (list, tuple, Sequence, Iterable, Collection)


def read_result(returns: Any) -> tuple[Json | None, Dumper, list[DefinitionFinding]]:
    """Return the output schema, the dumper and the findings about a return type.

    There is no schema for text, content, lists of anything (they may contain content), None, and no return type.
    """
    bare = bare_type(returns)
    if bare is str:
        return None, _dump_text, []
    if bare in (ABSENT, Any, object, None, type(None), typing.Never, typing.NoReturn) or _may_contain_content(bare):
        return None, dump_anything, []
    try:
        adapter = TypeAdapter(result_model(returns))
        wrapped = schema_of(adapter, "serialization")
    except Exception as error:  # Pydantic raises many types for a type that it cannot describe.
        return None, dump_anything, [_unsupported_type(bare, error)]
    definitions = wrapped.get("$defs", {})
    if _is_list_of_anything(bare):
        return None, _ListDumper(_StructuredDumper(adapter, unwrap=False)), []
    inner = resolve_root(wrapped["properties"][_FIELD], definitions)
    if inner.get("type") != "object":
        return wrapped, _StructuredDumper(adapter, unwrap=False), []
    return inner if _describes_members(inner) else None, _StructuredDumper(adapter, unwrap=True), []


def read_custom_result(schema: Any) -> tuple[Json | None, Dumper, list[DefinitionFinding]]:
    """Return the output schema that an author wrote, the dumper and the findings about the schema.

    Every return value is structured content, validated against the schema. In revisions where structured content is
    always an object, any other value is only sent as text.
    """
    copy, checker, findings = read_custom_schema(schema, "output schema", ErrorKind.TOOL_DEFINITION_BAD_OUTPUT_SCHEMA)
    return copy, dump_anything if checker is None else _CustomSchemaDumper(checker), findings


def dump_anything(value: Any) -> Json:
    """Return the result for a value of no declared type; ToolOutputError if JSON cannot represent it."""
    refuse_unfinished(value)
    if value is None:
        return {"content": []}
    if isinstance(value, str):
        return {"content": [text_block(value)]}
    if isinstance(value, CONTENT):
        return {"content": [value.to_block()]}
    if _has_content(value):
        return {"content": [_block(item) for item in members(value)]}
    if isinstance(value, BaseModel):
        return _model_dumper(type(value))(value)
    with _OutputErrors():
        plain = to_jsonable_python(value, bytes_mode="base64")
        if isinstance(value, dict) or dataclasses.is_dataclass(value):
            return _structured_result(plain, plain)
        return {"content": [text_block(_text_of(plain))]}


@functools.lru_cache(maxsize=64)  # Building an adapter takes longer than the call.
def _model_dumper(model: type[BaseModel]) -> Dumper:
    return _StructuredDumper(TypeAdapter(result_model(model)), unwrap=True)


class _StructuredDumper:
    def __init__(self, adapter: TypeAdapter[Any], *, unwrap: bool) -> None:
        self._validate = adapter.validate_python
        self._dump = dumper_of(adapter)
        self._unwrap = unwrap

    def __call__(self, value: Any) -> Json:
        refuse_unfinished(value)
        with _OutputErrors():
            plain = self._dump(self._validate({_FIELD: value}))
            bare = plain[_FIELD]
            # Only the schema needs the wrapper: the text shows the value itself.
            return _structured_result(bare if self._unwrap else plain, bare)


class _CustomSchemaDumper:
    def __init__(self, checker: SchemaChecker) -> None:
        self._check = checker.check

    def __call__(self, value: Any) -> Json:
        refuse_unfinished(value)
        with _OutputErrors():
            plain = to_jsonable_python(value, bytes_mode="base64")
            result = _structured_result(plain, plain)
        if issues := self._check(plain):
            raise output_error(issues)
        return result


class _ListDumper:
    """Dumps a list that contains content as content, any other list as a structured result."""

    def __init__(self, dump_structured: Dumper) -> None:
        self._dump_structured = dump_structured

    def __call__(self, value: Any) -> Json:
        return dump_anything(value) if _has_content(value) else self._dump_structured(value)


def _dump_text(value: Any) -> Json:
    if isinstance(value, str):
        return {"content": [{"type": "text", "text": value}]}
    refuse_unfinished(value)
    raise ToolOutputError(
        f"{FAILURE}: the value does not match its declared type, str.",
        f"returned {type(value).__name__} where str is declared",
    )


def _structured_result(structured: Json, text_value: Any) -> Json:
    return {"content": [text_block(_text_of(text_value))], "structuredContent": structured}


def _text_of(plain: Any) -> str:
    """Return a value as text; JSON strings, such as dates, without quotes."""
    return plain if isinstance(plain, str) else json_text(plain)


def _block(value: Any) -> Json:
    if isinstance(value, CONTENT):
        return value.to_block()
    if isinstance(value, str):
        return text_block(value)
    refuse_unfinished(value)
    with _OutputErrors():
        return text_block(_text_of(to_jsonable_python(value, bytes_mode="base64")))


class _OutputErrors:
    """Convert exceptions about a value into ToolOutputError, whose message contains no part of the value."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: Any) -> None:
        if not isinstance(error, Exception) or isinstance(error, ToolOutputError):
            return
        if isinstance(error, ValidationError):
            raise output_error_of(error) from None  # The text of the original contains the value.
        raise ToolOutputError(
            f"{FAILURE}: the value cannot be represented in JSON.", f"{type(error).__name__}: {safe_str(error)}"
        ) from error


def _may_contain_content(annotation: Any) -> bool:
    if isinstance(annotation, type) and not typing.get_args(annotation):
        return issubclass(annotation, CONTENT)
    arguments: Iterable[Any] = typing.get_args(annotation)
    return any(_may_contain_content(argument) for argument in arguments)


def _is_list_of_anything(annotation: Any) -> bool:
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        return any(_is_list_of_anything(bare_type(argument)) for argument in arguments)
    kind = origin or annotation
    return kind in _LISTS and (not arguments or any(_is_anything(argument) for argument in arguments))


def _is_anything(annotation: Any) -> bool:
    bare = bare_type(annotation)
    if typing.get_origin(bare) in (typing.Union, types.UnionType):
        return any(_is_anything(argument) for argument in typing.get_args(bare))
    return bare in (Any, object)


def _has_content(value: Any) -> bool:
    return issubclass(type(value), list | tuple) and any(isinstance(item, CONTENT) for item in members(value))


def _describes_members(schema: Json) -> bool:
    """Return whether a schema describes its members; the schema of a bare `dict` is of no use to clients."""
    return bool(schema.get("properties") or isinstance(schema.get("additionalProperties"), dict) or "$ref" in schema)


def _unsupported_type(bare: Any, error: Exception) -> DefinitionFinding:
    return DefinitionFinding(
        f"Unsupported output type '{bare}'. Only built-in Python types, TypedDicts, Pydantic models, and standard "
        "collections are supported as tool output types.",
        "Return one of these, a dataclass, or content: text, Image, Audio, ResourceLink, EmbeddedResource "
        f"({reason_of(error)}).",
        ErrorKind.TOOL_DEFINITION_BAD_OUTPUT_SCHEMA,
        part=RETURN,
    )
