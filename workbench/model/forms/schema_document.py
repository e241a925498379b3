"""Resolve references and merge `allOf`: from any subschema of a document to one flat object of keywords.

A flat schema has no references and no `allOf`, and is not exact: where two parts have limits that cannot be
combined (two patterns, two lists of alternatives), only one of them remains. It is for showing a form, not for
validating. The work per call is limited: documents may be written to explode.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from server_core.protocol.json_schema import REFERENCES, child_schemas, subschemas

NOTHING: dict[str, Any] = {"not": {}}  # The flat form of the schema `false`.


class SchemaDocument:
    """A schema document: the root that references in it refer to."""

    MAX_STEPS = 500  # How many references and parts one flat schema may consist of.
    DEEPEST = 60  # How deep references and parts may be nested.

    def __init__(self, root: Any) -> None:
        self._root = root
        self._anchors: dict[str, Any] | None = None

    def flatten(self, schema: Any) -> dict[str, Any]:
        """Return a schema as one object of keywords, without references and `allOf`."""
        return self._flatten(schema, (), [self.MAX_STEPS])

    def dereference(self, schema: Any) -> Any:
        """Return the final target of a schema that is only a reference; any other schema unchanged."""
        for _ in range(self.MAX_STEPS):
            if not isinstance(schema, dict) or schema.keys() != {"$ref"} or not isinstance(schema["$ref"], str):
                return schema
            schema = self.resolve(schema["$ref"])
        return True

    def has_target(self, ref: str) -> bool:
        return self._find(ref) is not None

    def resolve(self, ref: str) -> Any:
        """Return the target of a reference; True, which requires nothing, if it does not exist in this document.

        Source: RFC 6901 (JSON Pointer); JSON Schema 2020-12 Core, section 8.2.
        """
        target = self._find(ref)
        return True if target is None else target

    def _find(self, ref: str) -> Any:
        if ref in self._by_name():
            return self._by_name()[ref]
        if ref == "#":
            return self._root
        if not ref.startswith("#/"):
            return None
        target = self._root
        for part in unquote(ref[2:]).split("/"):
            key = part.replace("~1", "/").replace("~0", "~")
            if isinstance(target, dict) and key in target:
                target = target[key]
            elif isinstance(target, list) and key.isdecimal() and len(key) < 7 and int(key) < len(target):
                target = target[int(key)]
            else:
                return None
        return target if isinstance(target, dict | bool) else None

    def conditional_parts(self, flat: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield the parts with a condition: `then`, `else`, `dependentSchemas`, and `dependencies` of draft 7."""
        for keyword in ("then", "else"):
            if "if" in flat and isinstance(flat.get(keyword), dict):
                yield self.flatten(flat[keyword])
        for _, _, part in child_schemas(flat, ("dependentSchemas", "dependencies")):
            yield self.flatten(part)

    def _flatten(self, schema: Any, trail: tuple[str, ...], steps: list[int]) -> dict[str, Any]:
        if schema is False:
            return NOTHING
        steps[0] -= 1
        if not isinstance(schema, dict) or steps[0] < 0 or len(trail) > self.DEEPEST:
            return {}
        merged: dict[str, Any] = {}
        for keyword in REFERENCES:
            ref = schema.get(keyword)
            if isinstance(ref, str) and ref not in trail:
                merged = _merged(merged, self._flatten(self.resolve(ref), (*trail, ref), steps))
        own = {key: value for key, value in schema.items() if key not in REFERENCES}
        for keyword in ("allOf", "anyOf", "oneOf"):
            branches = own.get(keyword)
            if keyword == "allOf" or _is_no_alternation(branches):
                own.pop(keyword, None)
                for part in branches if isinstance(branches, list) else ():
                    merged = _merged(merged, self._flatten(part, (*trail, ""), steps))
        return _merged(merged, own)

    def _by_name(self) -> dict[str, Any]:
        """Return the subschemas with a name: `$anchor`, `$dynamicAnchor`, `$id`."""
        if self._anchors is None:
            self._anchors = {}
            for node in subschemas(self._root):
                for keyword, prefix in (("$anchor", "#"), ("$dynamicAnchor", "#"), ("$id", "")):
                    if isinstance(name := node.get(keyword), str):
                        self._anchors.setdefault(prefix + name, node)
        return self._anchors


def _is_no_alternation(branches: Any) -> bool:
    """Whether a list has a single alternative; a constant remains an alternative, because its title is its label."""
    return (
        isinstance(branches, list)
        and len(branches) == 1
        and not (isinstance(branches[0], dict) and "const" in branches[0])
    )


def is_list_of_text(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, str) for item in value)


def _merged(first: dict[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keywords of both; for common keywords the intersection, or else the value of the second."""
    if not first:
        return dict(second)
    merged = dict(first)
    for keyword, value in second.items():
        if keyword in merged and keyword in _JOINED:
            merged[keyword] = _JOINED[keyword](merged[keyword], value)
        else:
            merged[keyword] = value
    return merged


def _both(first: Any, second: Any) -> Any:
    # Equal references are common and small; comparing whole schemas could take long.
    if first is second or second is True or (isinstance(first, dict) and len(first) == 1 and first == second):
        return first
    if first is True:
        return second
    if first is False or second is False:
        return False
    return {"allOf": [first, second]}


def _properties(first: Any, second: Any) -> Any:
    if not isinstance(first, dict) or not isinstance(second, dict):
        return second if isinstance(second, dict) else first
    return {**first, **{name: _both(first[name], value) if name in first else value for name, value in second.items()}}


def _required(first: Any, second: Any) -> Any:
    if not is_list_of_text(first) or not is_list_of_text(second):
        return second if is_list_of_text(second) else first
    return list(dict.fromkeys([*first, *second]))


def _types(first: Any, second: Any) -> Any:
    lists = [[types] if isinstance(types, str) else types for types in (first, second)]
    if not all(is_list_of_text(types) for types in lists):
        return second
    # Every integer is a number.
    common = [name for name in lists[0] if name in lists[1] or (name == "integer" and "number" in lists[1])]
    common += [name for name in lists[1] if name == "integer" and "number" in lists[0] and name not in common]
    return second if not common else common[0] if len(common) == 1 else common


def _enum(first: Any, second: Any) -> Any:
    if not isinstance(first, list) or not isinstance(second, list):
        return second
    return [item for item in first if item in second] or second


def _stricter(choose: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def join(first: Any, second: Any) -> Any:
        if type(first) not in (int, float) or type(second) not in (int, float):
            return second
        return choose(first, second)

    return join


_JOINED: dict[str, Callable[[Any, Any], Any]] = {
    "properties": _properties,
    "patternProperties": _properties,
    "required": _required,
    "type": _types,
    "enum": _enum,
    "items": _both,
    "additionalProperties": _both,
    **dict.fromkeys(("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"), _stricter(max)),
    **dict.fromkeys(("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"), _stricter(min)),
}
