"""A validator for any schema, valid or not; imported when the first value is checked, because the engine is large."""

from typing import Any

import jsonschema_rs
from jsonschema_rs import ValidationError, Validator

from server_core.protocol.json_schema import REFERENCES, subschemas
from workbench.model.forms.schema_document import SchemaDocument

_MAX_REPAIRS = 30
_DEEPEST = 100
# From this number of objects and lists on, a schema is not checked while typing: it would be noticeable.
_LARGEST = 20_000


def validator_for(schema: Any) -> Validator | None:
    """Return a validator; None if the schema cannot be used.

    The draft is 2020-12 unless `$schema` names another; remote references are not fetched, and require nothing.
    """
    if not isinstance(schema, dict):
        return jsonschema_rs.Draft202012Validator(schema is not False)
    if _is_too_large(schema):
        return None
    repaired = _without_dead_references(schema)
    for _ in range(_MAX_REPAIRS):
        try:
            return _build(repaired)
        except ValidationError as error:
            # The instance is the schema itself, validated against its metaschema.
            path = list(error.instance_path)
            if not path or not _remove(repaired, path):
                return None
        except ValueError:
            return None
    return None


def _build(schema: dict[str, Any]) -> Validator:
    named = schema.get("$schema")
    if isinstance(named, str) and any(draft in named for draft in ("draft-04", "draft-06", "draft-07", "2019-09")):
        return jsonschema_rs.validator_for(schema, validate_formats=True, offline=True)
    # Another `$schema` may be unknown to the library, which would then reject the whole schema.
    plain = {key: value for key, value in schema.items() if key != "$schema"}
    return jsonschema_rs.Draft202012Validator(plain, validate_formats=True, offline=True)


def _remove(schema: Any, path: list[str | int]) -> bool:
    """Remove the target of the path; in a list, remove the keyword that contains the list."""
    *above, last = path
    holder = schema
    for key in above:
        holder = holder[key]
    if isinstance(holder, dict) and last in holder:
        del holder[last]
        return True
    return _remove(schema, above) if above else False


def _without_dead_references(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a copy without references that have no target; the copy may be changed."""
    copy: dict[str, Any] = _copied(schema)
    document = SchemaDocument(copy)
    for node in subschemas(copy, document.resolve):
        for keyword in REFERENCES:
            if isinstance(ref := node.get(keyword), str) and not document.has_target(ref):
                del node[keyword]
    return copy


def _copied(node: Any) -> Any:
    if isinstance(node, dict):
        return {key: _copied(value) for key, value in node.items()}
    return [_copied(item) for item in node] if isinstance(node, list) else node


def _is_too_large(schema: Any) -> bool:
    size, layer = 0, [schema]
    for _ in range(_DEEPEST):
        size += len(layer)
        layer = [member for holder in layer for member in _members(holder) if isinstance(member, dict | list)]
        if not layer or size > _LARGEST:
            return size > _LARGEST
    return True


def _members(holder: Any) -> Any:
    return holder.values() if isinstance(holder, dict) else holder
