"""Convert Python types into the JSON Schema of a form: flat, without references and without `null`.

| type of a field | in the form |
|---|---|
| `str`, `int`, `float`, `bool`, dates | a field of that type |
| an `Enum`, or a `Literal` of several strings | a choice: `enum` |
| a union of `Annotated[Literal["a"], Field(title="A")]` | the same with titles: `oneOf` |
| a list, set or tuple of such choices | a multiple choice: `items` with `enum`, or with `anyOf` and titles |

Source: client/elicitation, requested schema.
"""

from typing import Any

from pydantic import TypeAdapter

from server_core.catalog.building.type_preparation import prepare_annotation
from server_core.catalog.building.type_schemas import Json, SchemaWriter, resolve_root


def form_schema(source_type: Any, name: str) -> Json:
    """Return the schema of a form for a model of plain fields, or a single value by name; ValueError if it has none."""
    try:
        schema = TypeAdapter(prepare_annotation(source_type)).json_schema(schema_generator=SchemaWriter)
    except Exception as error:  # Pydantic raises many types for a type that it cannot describe.
        raise ValueError(
            f"a form cannot be generated from {source_type!r}: {str(error).partition(chr(10))[0]}"
        ) from error
    definitions = schema.pop("$defs", {})
    schema = resolve_root(schema, definitions)
    schema.pop("$defs", None)
    if "properties" not in schema:
        schema = {"properties": {name: schema}, "required": [name]}
    properties = {name: _flatten(field, definitions) for name, field in schema["properties"].items()}
    form: Json = {"type": "object", "properties": properties}
    return form | ({"required": schema["required"]} if "required" in schema else {})


def is_single_value(source_type: Any) -> bool:
    """Return whether a form for this type asks for a single value, and not for the fields of a model."""
    schema = TypeAdapter(prepare_annotation(source_type)).json_schema()
    return "properties" not in resolve_root(schema, schema.get("$defs", {}))


def _flatten(field: Json, definitions: Json) -> Json:
    if "$ref" in field:
        field = resolve_root(field, definitions)
        field.pop("$defs", None)
    # A form has no null: an optional field is left empty.
    branches = [branch for branch in field.get("anyOf", ()) if branch.get("type") != "null"]
    if branches and len(branches) < len(field["anyOf"]):
        facts = {name: value for name, value in field.items() if name not in ("anyOf", "default")}
        default = {"default": field["default"]} if field.get("default") is not None else {}
        field = {**(branches[0] if len(branches) == 1 else {"anyOf": branches}), **facts, **default}
        return _flatten(field, definitions)
    if branches and all("const" in branch for branch in branches):
        facts = {name: value for name, value in field.items() if name != "anyOf"}
        field = {"type": "string", **facts, "oneOf": [_choice(branch) for branch in branches]}
    if "const" in field:
        field = {"enum": [field["const"]], **{name: value for name, value in field.items() if name != "const"}}
    if isinstance(field.get("items"), dict):
        items = _flatten(field["items"], definitions)
        # Forms have no `uniqueItems`; a multiple choice implies it.
        field = {name: value for name, value in field.items() if name != "uniqueItems"} | {"items": _choices(items)}
    return field


def _choices(items: Json) -> Json:
    """Return the choices of a list, without members that forms only allow in single fields."""
    if "oneOf" in items:
        return {"anyOf": items["oneOf"]}
    return {"type": "string", "enum": items["enum"]} if "enum" in items else items


def _choice(branch: Json) -> Json:
    return {"const": branch["const"], "title": str(branch.get("title", branch["const"]))}
