"""Schemas and values for property tests of forms."""

from typing import Any

from hypothesis import strategies as st

NAMES = st.sampled_from(["a", "b", "c", "kind", "", "é", "a/b~c", "0"])
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**6), 10**6)
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
    | st.sampled_from(["", "null", "true", "12", "red", "2026-01-31"])
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
"""Any JSON value."""

_NOTES = st.fixed_dictionaries(
    {},
    optional={
        "title": st.sampled_from(["T", ""]),
        "description": st.just("what it is"),
        "default": SCALARS,
        "examples": st.lists(SCALARS, max_size=2),
    },
)
_LIMITED = st.one_of(
    st.fixed_dictionaries({"type": st.just("string")}, optional={"minLength": st.integers(0, 3)}),
    st.fixed_dictionaries({"type": st.just("string"), "pattern": st.sampled_from(["^a", "[0-9]+"])}),
    st.fixed_dictionaries({"type": st.just("string"), "format": st.sampled_from(["date", "email", "unknown"])}),
    st.fixed_dictionaries(
        {"type": st.sampled_from(["integer", "number"])},
        optional={"minimum": st.integers(-5, 5), "exclusiveMaximum": st.integers(-5, 5), "multipleOf": st.just(2)},
    ),
    st.fixed_dictionaries({"type": st.sampled_from(["boolean", "null"])}),
    st.fixed_dictionaries({"type": st.just(["string", "null"])}),
    st.fixed_dictionaries({"type": st.just(["integer", "string", "null"])}),
    st.fixed_dictionaries({"enum": st.lists(SCALARS, min_size=1, max_size=3)}),
    st.fixed_dictionaries({"const": SCALARS}),
    st.just({"oneOf": [{"const": "r", "title": "red"}, {"const": "g", "title": "green"}]}),
    st.just({"$ref": "#/$defs/node"}),
    st.just({"$ref": "#/$defs/json"}),
    st.sampled_from([{}, True, False]),
)


def _noted(schemas: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.builds(lambda schema, notes: {**schema, **notes} if isinstance(schema, dict) else schema, schemas, _NOTES)


def _nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    properties = st.dictionaries(NAMES, inner, max_size=4)
    return st.one_of(
        st.fixed_dictionaries(
            {"type": st.just("object"), "properties": properties},
            optional={
                "required": st.lists(NAMES, max_size=2, unique=True),
                "additionalProperties": st.booleans() | inner,
            },
        ),
        st.fixed_dictionaries({"type": st.just("object"), "additionalProperties": inner}),
        st.fixed_dictionaries({"type": st.just("object"), "patternProperties": st.fixed_dictionaries({"^a": inner})}),
        st.fixed_dictionaries(
            {"type": st.just("array"), "items": inner},
            optional={"minItems": st.integers(0, 2), "uniqueItems": st.booleans()},
        ),
        st.fixed_dictionaries(
            {"type": st.just("array"), "prefixItems": st.lists(inner, min_size=1, max_size=2)},
            optional={"items": inner},
        ),
        st.fixed_dictionaries({"anyOf": st.lists(inner, min_size=1, max_size=3)}),
        st.fixed_dictionaries({"oneOf": st.lists(inner, min_size=1, max_size=3)}),
        st.fixed_dictionaries({"allOf": st.lists(inner, min_size=1, max_size=2)}),
        st.fixed_dictionaries({"properties": properties, "if": inner, "then": inner}),
        st.fixed_dictionaries({"not": inner}),
    )


_DEFS = {
    "node": {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"$ref": "#/$defs/node"}},
        "required": ["a"],
    },
    "json": {
        "anyOf": [
            {"type": "string"},
            {"type": "number"},
            {"type": "array", "items": {"$ref": "#/$defs/json"}},
            {"type": "object", "additionalProperties": {"$ref": "#/$defs/json"}},
        ]
    },
}
SCHEMAS = st.recursive(_noted(_LIMITED), lambda inner: _noted(_nested(inner)), max_leaves=8).map(
    lambda schema: {**schema, "$defs": _DEFS} if isinstance(schema, dict) else schema
)
"""JSON Schemas that are valid, many of them with nothing that fits."""


def fitting(schema: Any, root: Any, depth: int = 0) -> st.SearchStrategy[Any]:
    """Values that fit a schema as far as that is easy to generate; the validator refuses the others."""
    if not isinstance(schema, dict) or depth > 4:
        return VALUES
    if "$ref" in schema:
        return st.deferred(lambda: fitting(root["$defs"][schema["$ref"].rsplit("/", 1)[1]], root, depth + 1))
    if "const" in schema:
        return st.just(schema["const"])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    for keyword in ("anyOf", "oneOf", "allOf"):
        if keyword in schema:
            return st.one_of(*(fitting(part, root, depth + 1) for part in schema[keyword]))
    kind = schema.get("type")
    if isinstance(kind, list):
        return st.one_of(*(fitting({**schema, "type": part}, root, depth + 1) for part in kind))
    match kind:
        case "object":
            named = {name: fitting(part, root, depth + 1) for name, part in schema.get("properties", {}).items()}
            required = {name: named.pop(name) for name in schema.get("required", ()) if name in named}
            known = st.fixed_dictionaries(required, optional=named)
            further = fitting(schema.get("additionalProperties", True), root, depth + 1)
            return st.builds(
                lambda named_part, further_part: {**further_part, **named_part},
                known,
                st.dictionaries(NAMES, further, max_size=1),
            )
        case "array":
            first = [fitting(part, root, depth + 1) for part in schema.get("prefixItems", ())]
            rest = st.lists(fitting(schema.get("items", True), root, depth + 1), max_size=3)
            return st.builds(lambda values, more: [*values, *more], st.tuples(*first), rest)
        case "string":
            return st.text("ab01", max_size=4) | st.sampled_from(["2026-01-31", "ada@example.com"])
        case "integer":
            return st.integers(-6, 6) | st.just(2.0)
        case "number":
            return st.integers(-6, 6) | st.floats(-6, 6)
        case "boolean":
            return st.booleans()
        case "null":
            return st.none()
        case _:
            return VALUES
