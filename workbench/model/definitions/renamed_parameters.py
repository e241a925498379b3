"""Which parameters have another name now: decided by their schemas, since nothing states it."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from workbench.model.describe import json_text
from workbench.model.json_members import object_in

if TYPE_CHECKING:
    from workbench.model.forms.form import Form

# Texts for people, which often change with the name.
_TEXTS = frozenset({"title", "description"})


def renamed_parameters(before: Any, after: Any) -> dict[str, str]:
    """Return the new names of parameters, by their names before.

    A parameter was renamed if it is gone, and exactly one that is new has its schema, which no other that is gone has.

    Args:
        before: the input schema of a tool.
        after: that of its next version.
    """
    old, new = (object_in(schema, "properties") if isinstance(schema, dict) else {} for schema in (before, after))
    gone = _by_schema(old, (name for name in old if name not in new))
    added = _by_schema(new, (name for name in new if name not in old))
    pairs = ((names, added.get(schema, [])) for schema, names in gone.items())
    return {names[0]: others[0] for names, others in pairs if len(names) == len(others) == 1}


def renamed_in_forms(before: "Form", after: "Form") -> dict[str, str]:
    """Return the new names of the parameters of a form, by their names before; a name that has a value stays."""
    value = before.value()
    if before.schema == after.schema or not isinstance(value, dict):
        return {}
    return {old: new for old, new in renamed_parameters(before.schema, after.schema).items() if new not in value}


def _by_schema(properties: Mapping[str, Any], names: Iterable[str]) -> dict[str, list[str]]:
    """Return names of properties by the schema that they have, as JSON."""
    result: dict[str, list[str]] = {}
    for name in names:
        schema = properties[name]
        if isinstance(schema, dict):
            schema = {member: schema[member] for member in sorted(schema) if member not in _TEXTS}
        result.setdefault(json_text(schema), []).append(name)
    return result
