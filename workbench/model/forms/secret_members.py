"""The secret members of a value: by the names of the members, or marked as secret in the schema.

Source: JSON Schema 2020-12 Validation, section 9.4 (`writeOnly`); OpenAPI, the format `password`.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

from workbench.model.forms.schema_document import SchemaDocument
from workbench.model.references import is_reference

Flat: TypeAlias = dict[str, Any]
"""A schema without references."""

Path: TypeAlias = tuple[str | int, ...]

_MAX_DEPTH = 20
_MAX_ALTERNATIVES = 100
_SECRET_NAME = re.compile(r"pass(word|phrase|code)|secret|token|api_?key|credential|private_?key", re.IGNORECASE)


def without_secrets(value: Any, schema: object) -> Any:
    """Return a value without the members that are secret by their schema or their name; references are no secrets."""
    document = SchemaDocument(schema)
    return _without_secrets(value, _alternatives(document, [schema]), document, 0)


def left_out(value: Any, rest: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the paths of what a value has and its rest, from `without_secrets`, has not."""
    if rest is None and value is not None:
        yield path
    elif isinstance(rest, dict):
        for name, member in value.items():
            if name in rest:
                yield from left_out(member, rest[name], (*path, name))
            else:
                yield (*path, name)
    elif isinstance(rest, list):
        for index, item in enumerate(rest):
            yield from left_out(value[index], item, (*path, index))


def may_be_secret(draft: str, schema: object) -> bool:
    """Whether JSON that cannot be read may contain a secret: none of its values can be left out."""
    return bool(_SECRET_NAME.search(draft)) or _marks_secrets(schema)


def _marks_secrets(schema: object, depth: int = 0) -> bool:
    if depth > _MAX_DEPTH or _is_secret(schema):
        return True
    members = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
    return any(_marks_secrets(member, depth + 1) for member in members)


def _without_secrets(value: Any, schemas: list[Flat], document: SchemaDocument, depth: int) -> Any:
    """Remove the secret members of a value that may match any of some flat schemas."""
    if depth > _MAX_DEPTH:
        return None
    if isinstance(value, list):
        places = [_alternatives_at(index, schemas, document) for index in range(len(value))]
        return [_without_secrets(item, place, document, depth + 1) for item, place in zip(value, places, strict=True)]
    if not isinstance(value, dict):
        return value
    kept = {}
    for name, member in value.items():
        below = _alternatives_at(name, schemas, document)
        is_named = _SECRET_NAME.search(name) is not None and not is_reference(member)
        if not (is_named or _has_secret(member, below, document)):
            kept[name] = _without_secrets(member, below, document, depth + 1)
    return kept


def _has_secret(value: Any, schemas: list[Flat], document: SchemaDocument) -> bool:
    """Whether a value is a secret, or a list with one: the text of its field may have all items on one line."""
    if any(map(_is_secret, schemas)):
        return not is_reference(value)
    items = enumerate(value) if isinstance(value, list) else ()
    return any(_has_secret(item, _alternatives_at(index, schemas, document), document) for index, item in items)


def _alternatives_at(key: str | int, schemas: list[Flat], document: SchemaDocument) -> list[Flat]:
    return _alternatives(document, (part for schema in schemas for part in _parts(schema, key)))


def _alternatives(document: SchemaDocument, schemas: Iterable[object]) -> list[Flat]:
    """Return schemas without references, each with its alternatives: an optional secret is one of two."""
    flats: list[Flat] = []
    waiting = [*schemas]
    while waiting and len(flats) < _MAX_ALTERNATIVES:
        flat = document.flatten(waiting.pop())
        flats.append(flat)
        for options in (flat.get("anyOf"), flat.get("oneOf")):
            waiting += options if isinstance(options, list) else []
    return flats


def _parts(schema: Flat, key: str | int) -> Iterator[object]:
    """Yield the schemas of a member or an item, as far as they are listed."""
    properties = schema.get("properties")
    if isinstance(key, int):
        prefix = schema.get("prefixItems")
        yield from prefix[key : key + 1] if isinstance(prefix, list) else ()
        yield schema.get("items")
    elif isinstance(properties, dict) and key in properties:
        yield properties[key]
    else:
        yield schema.get("additionalProperties")


def _is_secret(schema: object) -> bool:
    return isinstance(schema, dict) and (schema.get("format") == "password" or schema.get("writeOnly") is True)
