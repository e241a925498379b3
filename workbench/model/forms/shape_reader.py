"""Read a JSON Schema: from a subschema to the shape of one field of a form.

Rules:

1. Schemas come from servers and may contain anything: a keyword of the wrong type is ignored, a reference that leads
   nowhere (or in a circle) requires nothing.
2. A shape is read from one schema without reading the schemas below it, so recursive schemas terminate.
3. Shapes only control the form; a full validation decides whether a value fits (`workbench.model.forms.checker`).

Source: JSON Schema 2020-12, Core and Validation; the array form of `items` is that of draft 7.
"""

from collections.abc import Mapping
from typing import Any

from workbench.model import describe
from workbench.model.forms.constraints import constraint_texts
from workbench.model.forms.enum_choices import find_choices, value_label
from workbench.model.forms.schema_document import SchemaDocument, is_list_of_text
from workbench.model.forms.shape import ABSENT, FieldKind, Schema, Shape, Variant
from workbench.model.json_members import text_in
from workbench.model.short_text import escaped, shortened

_NOTES = frozenset(
    {"title", "description", "default", "examples", "deprecated", "$defs", "definitions", "$schema", "$id"}
)
_TYPE_KEYWORDS: tuple[tuple[FieldKind, frozenset[str]], ...] = (
    ("object", frozenset({"properties", "required", "additionalProperties", "patternProperties", "propertyNames"})),
    ("array", frozenset({"items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains"})),
    ("string", frozenset({"minLength", "maxLength", "pattern", "format"})),
    ("number", frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"})),
)
_TYPES: dict[str, FieldKind] = {
    "string": "string",
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
    "object": "object",
    "array": "array",
    "null": "null",
}


class ShapeReader:
    """The shapes of one schema document, whose root resolves references."""

    MAX_VARIANTS = 64
    MAX_BOXES = 24  # Of more choices, those of a list are typed, and proposed.
    DEEPEST_NULL = 8  # How deep optional types may be nested: a schema may be an optional of itself.

    def __init__(self, root: Any) -> None:
        self.root = root
        self._document = SchemaDocument(root)
        # By identity; the schema is stored with its shape, since the id of a collected object may be reused.
        self._known: dict[int, tuple[Any, Shape]] = {}

    def shape(self, schema: Any) -> Shape:
        """Return the shape of a schema; the same schema object always has the same shape."""
        schema = self._document.dereference(schema)
        known = self._known.get(id(schema))
        if known is None:
            known = self._known[id(schema)] = (schema, self._read(self._document.flatten(schema)))
        return known[1]

    def at(self, path: tuple[str | int, ...]) -> list[Shape]:
        """Return what the schema allows at a path, whether or not a form has a field there: each alternative."""
        shapes = self._alternatives(self.root)
        for key in path:
            below = [_member_schema(shape, key) for shape in shapes]
            shapes = [shape for schema in below if schema is not None for shape in self._alternatives(schema)]
        return shapes

    def _alternatives(self, schema: Schema) -> list[Shape]:
        shape = self.shape(schema)
        return [shape, *(self.shape(variant.schema) for variant in shape.variants)]

    def _read(self, flat: dict[str, Any]) -> Shape:
        flat, nullable = self._without_null(flat)
        shape = self._shape_of(flat)
        shape.nullable = nullable or shape.kind == "null"
        shape.title = shortened(text_in(flat, "title"), 200)
        shape.description = text_in(flat, "description")
        shape.format = escaped(text_in(flat, "format"))
        shape.is_binary = text_in(flat, "contentEncoding") == "base64" or shape.format in ("byte", "binary", "base64")
        shape.default = flat.get("default", ABSENT)
        examples = flat.get("examples")
        shape.examples = examples[:10] if isinstance(examples, list) else []
        shape.constraints = constraint_texts(flat, shape.kind)
        return shape

    def _without_null(self, flat: dict[str, Any], depth: int = 0) -> tuple[dict[str, Any], bool]:
        """Remove null from the types, the enumeration and the alternatives, and return whether it was there."""
        nullable = False
        types: Any = flat.get("type")
        if is_list_of_text(types) and "null" in types and len(set(types)) > 1:
            rest = [name for name in types if name != "null"]
            flat, nullable = {**flat, "type": rest[0] if len(rest) == 1 else rest}, True
        options = flat.get("enum")
        if isinstance(options, list) and None in options and len(options) > 1:
            flat, nullable = {**flat, "enum": [option for option in options if option is not None]}, True
        for keyword in ("anyOf", "oneOf"):
            alternatives = flat.get(keyword)
            if not isinstance(alternatives, list):
                continue
            rest = [alternative for alternative in alternatives if not self._is_null(alternative)]
            if not rest or len(rest) == len(alternatives):
                continue
            if len(rest) > 1:
                # The indexes of the others must not change, so null stays in the list and is skipped later.
                return flat, True
            outer = {key: value for key, value in flat.items() if key != keyword}
            inner = self._document.flatten({"allOf": [rest[0], outer]})
            if depth < self.DEEPEST_NULL:
                inner, _ = self._without_null(inner, depth + 1)
            return inner, True
        return flat, nullable

    def _is_null(self, schema: Any) -> bool:
        if not isinstance(schema, dict):
            return False
        flat = self._document.flatten(schema)
        return flat.get("type") in ("null", ["null"]) or ("const" in flat and flat["const"] is None)

    def _shape_of(self, flat: dict[str, Any]) -> Shape:
        choices = find_choices(flat, self._document)
        if choices is not None:
            return Shape("choice", choices=choices)
        variants = self._variants(flat)
        if variants:
            return Shape("variant", variants=variants)
        kind = _kind(flat)
        if kind == "object":
            return self._object(flat)
        if kind == "array":
            return self._array(flat)
        return Shape(kind)

    def _variants(self, flat: dict[str, Any]) -> list[Variant]:
        keyword = _alternation(flat)
        if keyword is None or all(_only_requires(self._document.flatten(branch)) for branch in flat[keyword]):
            return [Variant(kind, {**_without_notes(flat), "type": kind}, ()) for kind in _several_types(flat)]
        variants: list[Variant] = []
        self._add_variants(variants, flat, keyword, (), 0)
        return variants if len(variants) <= self.MAX_VARIANTS else []

    def _add_variants(
        self, variants: list[Variant], flat: dict[str, Any], keyword: str, origin: tuple[int, ...], depth: int
    ) -> None:
        outer = {key: value for key, value in _without_notes(flat).items() if key != keyword}
        for index, alternative in enumerate(flat[keyword]):
            if len(variants) > self.MAX_VARIANTS:
                return
            if alternative is False or self._is_null(alternative):
                continue
            inner = self._document.flatten(alternative)
            place = (*origin, index)
            nested = _alternation(inner)
            # Nested alternatives become one list, so that the user chooses once.
            if nested is not None and depth < 4 and find_choices(inner, self._document) is None:
                self._add_variants(
                    variants, self._document.flatten({"allOf": [outer, inner]}), nested, place, depth + 1
                )
            elif types := _several_types(inner):
                for kind in types:
                    schema = {"allOf": [outer, {**_without_notes(inner), "type": kind}]}
                    variants.append(Variant(kind, schema, place))
            else:
                schema = {"allOf": [outer, inner]} if outer else inner
                variants.append(Variant(_variant_label(alternative, inner, self._document), schema, place))

    def _object(self, flat: dict[str, Any]) -> Shape:
        properties = _schemas(flat, "properties")
        # Keys that are allowed only under a condition get a field as well; validation reports where they do not apply.
        for extra in self._document.conditional_parts(flat):
            for name, schema in _schemas(extra, "properties").items():
                properties.setdefault(name, schema)
        required = flat.get("required")
        patterns = _schemas(flat, "patternProperties")
        closed = flat.get("additionalProperties") is False or flat.get("unevaluatedProperties") is False
        additional = flat.get("additionalProperties")
        is_map = not properties and "properties" not in flat and (not closed or bool(patterns))
        return Shape(
            "map" if is_map else "object",
            properties=properties,
            required=frozenset(name for name in required if isinstance(name, str))
            if isinstance(required, list)
            else frozenset(),
            patterns=patterns,
            additional=None if closed else additional if isinstance(additional, dict) else True,
            offers_keys=is_map or bool(patterns) or additional is True or isinstance(additional, dict),
        )

    def _array(self, flat: dict[str, Any]) -> Shape:
        prefix = flat.get("prefixItems")
        items = flat.get("items", True)
        if isinstance(items, list):  # draft 7
            prefix, items = items, flat.get("additionalItems", True)
        fixed = [schema for schema in prefix if isinstance(schema, dict | bool)] if isinstance(prefix, list) else []
        rest: Schema | None = None if items is False else items if isinstance(items, dict) else True
        # A tuple: no further items fit, even where the schema would allow them.
        if fixed and flat.get("maxItems") == len(fixed):
            rest = None
        if not fixed and rest is not None:
            inner, nullable = self._without_null(self._document.flatten(rest))
            choices = find_choices(inner, self._document)
            if choices is not None and not nullable and len(choices) <= self.MAX_BOXES:
                return Shape("choices", choices=choices, items=rest)
        return Shape("array", prefix=fixed, items=rest)


def _kind(flat: Mapping[str, Any]) -> FieldKind:
    kind = flat.get("type")
    match kind:
        case str() if kind in _TYPES:
            return _TYPES[kind]
        case str() | list():
            return "json"
        case _ if "const" in flat or flat.get("enum") == [None]:
            return "null"
        case _ if is_list_of_text(flat.get("enum")):
            return "string"
        case _:
            return next((kind for kind, keywords in _TYPE_KEYWORDS if keywords & flat.keys()), "json")


def _without_notes(flat: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in flat.items() if key not in _NOTES}


def _alternation(flat: Mapping[str, Any]) -> str | None:
    """Return the keyword with the alternatives of a schema; None if it has none."""
    return next((keyword for keyword in ("oneOf", "anyOf") if isinstance(flat.get(keyword), list)), None)


def _several_types(flat: Mapping[str, Any]) -> list[str]:
    """Return the types of a schema that allows a few; none if it allows a single type, or nearly all."""
    types: Any = flat.get("type")
    if not is_list_of_text(types) or "enum" in flat or "const" in flat:
        return []
    kinds = [kind for kind in dict.fromkeys(types) if kind != "null"]
    return kinds if 1 < len(kinds) <= 4 else []


def _only_requires(flat: Mapping[str, Any]) -> bool:
    """Whether an alternative only requires keys, which changes nothing in the form and is left to validation."""
    return bool(flat) and flat.keys() <= {"required", "title", "description", "not"}


def _variant_label(alternative: Any, flat: Mapping[str, Any], subschemas: SchemaDocument) -> str:
    if title := text_in(flat, "title"):
        return shortened(title, 60)
    if isinstance(alternative, dict) and isinstance(ref := alternative.get("$ref"), str) and "/" in ref:
        return shortened(ref.rsplit("/", 1)[1], 60)
    for name, schema in _schemas(flat, "properties").items():
        constant = subschemas.flatten(schema)
        if "const" in constant:
            return shortened(f"{name}: {value_label(constant['const'])}", 60)
    return shortened(describe.schema_type(dict(flat)), 60)


def _schemas(flat: Mapping[str, Any], keyword: str) -> dict[str, Schema]:
    """Return the schemas by name in a keyword; an invalid schema requires nothing."""
    members = flat.get(keyword)
    if not isinstance(members, dict):
        return {}
    return {name: schema if isinstance(schema, dict | bool) else True for name, schema in members.items()}


def _member_schema(shape: Shape, key: str | int) -> Schema | None:
    if isinstance(key, str):
        return shape.properties.get(key, shape.additional)
    return shape.prefix[key] if key < len(shape.prefix) else shape.items
