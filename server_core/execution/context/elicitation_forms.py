"""Forms for elicitation: check that every client can show a form, and convert the answer.

A form is a flat JSON Schema object. Its fields are text, numbers, yes or no, and choices: one of several (`enum`, or
`oneOf` with a `const` and a `title` each, or `enum` with `enumNames`) or any of several (an array whose `items` have an
`enum`, or `anyOf` with titles).

Source: client/elicitation, requested schema.
"""

from typing import TYPE_CHECKING, Any, TypeAlias

from server_core.errors import ContextError, UnsupportedSchemaDialectError
from server_core.protocol.revisions import Revision

if TYPE_CHECKING:
    from pydantic import BaseModel

Json: TypeAlias = dict[str, Any]
FormSchema: TypeAlias = "Json | type[BaseModel] | Any | None"
"""A flat JSON Schema object, a model of plain fields, or the type of one answer."""

EMPTY: Json = {"type": "object", "properties": {}}
ANSWER = "value"
"""The name of the only field of a form that is declared by the type of its answer."""
DIALECTS = tuple(f"{scheme}://json-schema.org/draft/2020-12/schema" for scheme in ("https", "http"))

_PRIMITIVES = ("string", "number", "integer", "boolean")
_FORMATS = ("email", "uri", "date", "date-time")
_CHOICES = ("enum", "oneOf", "anyOf")


def form_of(schema: FormSchema) -> Json:
    """Return the JSON Schema of a form that an author declared.

    Raises:
        ValueError: when it has a field that clients cannot show; the message names the field.
    """
    if schema is None:
        return EMPTY
    if not isinstance(schema, dict):
        from server_core.catalog.building.form_schema import form_schema

        schema = form_schema(schema, ANSWER)
    check_form(schema)
    return {**schema, "properties": {name: _complete(field) for name, field in schema.get("properties", {}).items()}}


def check_form(schema: Json) -> None:
    """Check that every client can show a form for the schema.

    Raises:
        ValueError: when it is not a flat object of plain fields; the message names the field.
        UnsupportedSchemaDialectError: when it is in another dialect of JSON Schema.
    """
    if schema.get("type") != "object" or not isinstance(schema.get("properties", {}), dict):
        raise ValueError('a form\'s schema must have the type "object", and properties.')
    dialect = schema.get("$schema", DIALECTS[0])
    if not isinstance(dialect, str) or dialect.rstrip("#") not in DIALECTS:
        raise UnsupportedSchemaDialectError(
            f"a form's schema must be JSON Schema 2020-12, not {dialect!r}; omit $schema."
        )
    for name, field in schema.get("properties", {}).items():
        _check_field(name, field)


def form_for_revision(revision: Revision, form: Json) -> Json:
    """Return the form as the revision defines it.

    Raises:
        ContextError: when the revision does not support the form.

    Source: 2025-06-18, client/elicitation: a choice is an `enum`, with `enumNames`; there are no lists.
    """
    if revision.url_elicitation:  # The same revision introduced titled choices and lists.
        return form
    properties = {name: _older_field(name, field, revision) for name, field in form["properties"].items()}
    return {name: value for name, value in form.items() if name != "$schema"} | {"properties": properties}


def answer_value(schema: FormSchema, content: Json) -> Any:
    """Return the answer as an instance of the requested model or type; None if a JSON Schema was requested.

    Raises:
        ContextError: when the answer does not match; the message names the fields, and no values.
    """
    if schema is None or isinstance(schema, dict):
        return None
    from pydantic import TypeAdapter, ValidationError

    from server_core.catalog.building.form_schema import is_single_value
    from server_core.catalog.building.type_preparation import prepare_annotation

    try:
        return TypeAdapter(prepare_annotation(schema)).validate_python(
            content.get(ANSWER) if is_single_value(schema) else content
        )
    except ValidationError as error:
        fields = ", ".join(".".join(map(str, issue["loc"])) or "the form" for issue in error.errors())
        raise ContextError(f"The client's response does not match the form: check {fields}.") from error


def _check_field(name: str, field: Any) -> None:
    kind = field.get("type") if isinstance(field, dict) else None
    if kind == "array":
        items = field.get("items")
        if not isinstance(items, dict) or not any(_is_choice(items, keyword) for keyword in _CHOICES):
            raise ValueError(f"the field {name!r} is a list, and forms support only lists of given choices.")
    elif kind is None:
        if not isinstance(field, dict) or not any(_is_choice(field, keyword) for keyword in ("enum", "oneOf")):
            raise ValueError(
                f"the field {name!r} must be one of {', '.join(_PRIMITIVES)}, or a choice: a form is flat."
            )
    elif kind not in _PRIMITIVES:
        raise ValueError(f"the field {name!r} is of type {kind!r}; a form is flat, and has {', '.join(_PRIMITIVES)}.")
    elif kind == "string" and field.get("format", "email") not in _FORMATS:
        raise ValueError(f"the field {name!r} has an unknown format; forms support {', '.join(_FORMATS)}.")


def _is_choice(field: Json, keyword: str) -> bool:
    choices = field.get(keyword)
    if not isinstance(choices, list) or not choices:
        return False
    return keyword == "enum" or all(isinstance(choice, dict) and "const" in choice for choice in choices)


def _complete(field: Json) -> Json:
    """Return a field with the `type` and the `title` members that the specification requires for choices."""
    if field.get("type") == "array":
        items = field["items"]
        if "oneOf" in items:  # The specification has only `anyOf` in lists.
            items = {"anyOf" if name == "oneOf" else name: value for name, value in items.items()}
        if "anyOf" in items:
            return {**field, "items": {**items, "anyOf": _add_titles(items["anyOf"])}}
        return {**field, "items": {"type": "string", **items}}
    if "oneOf" in field:
        field = {**field, "oneOf": _add_titles(field["oneOf"])}
    return field if "type" in field else {"type": "string", **field}


def _add_titles(choices: list[Json]) -> list[Json]:
    return [{**choice, "title": str(choice.get("title", choice["const"]))} for choice in choices]


def _older_field(name: str, field: Json, revision: Revision) -> Json:
    if field["type"] == "array":
        raise ContextError(
            f"The field {name!r} is a list, which forms of the client's revision {revision.date} do not support."
        )
    if "oneOf" not in field:
        return field
    others = {key: value for key, value in field.items() if key != "oneOf"}
    choices = field["oneOf"]
    values, titles = [choice["const"] for choice in choices], [choice["title"] for choice in choices]
    return {**others, "enum": values, "enumNames": titles}
