"""Compare two JSON Schemas: every difference, and whether it makes the set of accepted values narrower or wider.

Rule 1: a narrower schema of parameters is breaking for callers, a wider schema of results for those who read them.
Rule 2: references and `allOf` are resolved first, so that a schema and its definitions compare by their meaning.
Rule 3: the work is limited, since schemas may be cyclic or written to explode; a change reports what was left out.
Rule 4: a removed parameter is breaking for callers, also if the schema does not forbid its name: the code ignores what
callers send for it. Only a schema with no members, or with a schema for others, expects it.
Rule 5: an added optional parameter is never breaking, although an open object accepted any value of that name before.
"""

from collections.abc import Iterator
from enum import Enum
from typing import Any, TypeAlias

from server_core.protocol.json_schema import DEFINITIONS, child_schemas
from workbench.model import describe
from workbench.model.definitions.change import DefinitionChange, JsonPath, Verdict
from workbench.model.definitions.schema_limits import LOWER, OPAQUE, UPPER, Effect, Flat, limit_changes
from workbench.model.definitions.value_sets import ALL_KINDS, ALTERNATIONS, json_text, kinds, listed_values
from workbench.model.forms.schema_document import SchemaDocument

# How many pairs of subschemas are compared, and how deep they may be nested.
MAX_PAIRS = 2000
DEEPEST = 60
# Beyond this number, alternatives are only compared as a whole.
_MAX_ALTERNATIVES = 40
# Keywords whose subschemas are compared in pairs; those of `OPAQUE` are compared as values.
_DESCENDED = frozenset(
    {"additionalItems", "additionalProperties", "contains", "items", "patternProperties", "prefixItems"}
    | {"properties", "propertyNames"}
)
_COMPARED = {*_DESCENDED, *ALTERNATIONS, *LOWER, *UPPER, *OPAQUE, "type", "enum", "const", "required", "uniqueItems"}
_IGNORED = {*DEFINITIONS, "$schema", "$id", "$anchor", "$dynamicAnchor", "$comment"}

Fact: TypeAlias = tuple[JsonPath, str, Effect]


class SchemaRole(Enum):
    """Who has to respect a schema, and what its root is called."""

    PARAMETERS = "The input"
    RESULTS = "The result"

    def verdict(self, effect: Effect) -> Verdict:
        if self is SchemaRole.PARAMETERS:
            return Verdict.CALLERS if Effect.NARROWER in effect else Verdict.NONE
        return Verdict.READERS if Effect.WIDER in effect else Verdict.NONE


def schema_changes(old: Any, new: Any, role: SchemaRole, root: JsonPath = ()) -> list[DefinitionChange]:
    """Return what changed from one schema to another; `root` is the path of the schemas in their definition."""
    comparison = _Comparison(old, new, role.value)
    facts = dict.fromkeys(comparison.compare(old, new, (), ""))
    changes = [DefinitionChange((*root, *path), sentence, role.verdict(effect)) for path, sentence, effect in facts]
    if comparison.is_cut:
        changes.append(DefinitionChange(root, "The schemas are too large to be compared in full.", Verdict.UNKNOWN))
    return changes


class _Comparison:
    def __init__(self, old: Any, new: Any, root_name: str) -> None:
        self.is_cut = False
        self._old, self._new = SchemaDocument(old), SchemaDocument(new)
        self._root_name = root_name
        # Pairs by identity, for cycles; the pairs are stored so that no identity is used twice.
        self._pairs: dict[tuple[int, int], tuple[Any, Any]] = {}

    def compare(self, old: Any, new: Any, path: JsonPath, name: str) -> Iterator[Fact]:
        """Yield the differences of two schemas at a path; the name is that of the value, empty for the root."""
        if (id(old), id(new)) in self._pairs:
            return
        if len(self._pairs) >= MAX_PAIRS or len(path) > DEEPEST:
            self.is_cut = True
            return
        self._pairs[id(old), id(new)] = (old, new)
        before, after = self._old.flatten(old), self._new.flatten(new)
        yield from self._notes(before, after, path, name)
        old_members, new_members = _alternatives(before), _alternatives(after)
        if old_members is None and new_members is None:
            yield from self._compare_plain(before, after, path, name)
        else:
            # Without the notes, which are compared already.
            old_members, new_members = old_members or [_limits(before)], new_members or [_limits(after)]
            yield from self._compare_alternatives(old_members, new_members, path, name)

    def _compare_plain(self, old: Flat, new: Flat, path: JsonPath, name: str) -> Iterator[Fact]:
        subject = self._subject(name)
        before, after = kinds(old), kinds(new)
        values_before, values_after = listed_values(old), listed_values(new)
        # The arguments and the structured result of a tool are objects in any case.
        is_object = not path and "object" in before & after
        if before != after and not (values_before and values_after) and not is_object:
            effect = _effect(narrower=not before <= after, wider=not after <= before)
            yield (*path, "type"), f"{subject} is {_type_words(new)} now, not {_type_words(old)}.", effect
            if not before & after:
                return
        elif values_before != values_after:
            yield from _value_changes(values_before, values_after, path, subject)
        for keyword, words, effect in limit_changes(old, new):
            yield (*path, keyword), f"{subject} {words}.", effect
        yield from self._compare_members(old, new, path, name)
        yield from self._compare_parts(old, new, path, name)

    def _compare_members(self, old: Flat, new: Flat, path: JsonPath, name: str) -> Iterator[Fact]:
        """Compare the names of an object's members; those in both are compared as parts."""
        before, after = _members(old), _members(new)
        required_before, required_after = _required(old), _required(new)
        for key in [key for key in before if key not in after]:
            effect = Effect.WIDER if _expects_others(new) else Effect.BOTH
            yield (*path, "properties", key), f"{self._subject(_joined(name, key))} is removed.", effect
        for key in [key for key in after if key not in before]:
            effect = Effect.WIDER if _is_closed(old) else Effect.NONE
            # Both a removed and an added name are one change, with their requirement.
            words = "is new and required" if key in required_after else "is new and optional"
            effect |= Effect.NARROWER if key in required_after - required_before else Effect.NONE
            yield (*path, "properties", key), f"{self._subject(_joined(name, key))} {words}.", effect
        for key in sorted(required_after - required_before - (after.keys() - before.keys())):
            yield (*path, "required"), f"{self._subject(_joined(name, key))} is required now.", Effect.NARROWER
        for key in sorted(required_before - required_after - (before.keys() - after.keys())):
            yield (*path, "required"), f"{self._subject(_joined(name, key))} is optional now.", Effect.WIDER
        if _is_closed(old) != _is_closed(new):
            words = "refuses other members now" if _is_closed(new) else "accepts other members now"
            effect = Effect.NARROWER if _is_closed(new) else Effect.WIDER
            yield (*path, "additionalProperties"), f"{self._subject(name)} {words}.", effect

    def _compare_parts(self, old: Flat, new: Flat, path: JsonPath, name: str) -> Iterator[Fact]:
        before, after = _parts(old), _parts(new)
        for place in dict.fromkeys([*before, *after]):
            keyword, key = place
            if keyword == "properties" and (place not in before or place not in after):
                continue
            if keyword == "additionalProperties" and (_is_closed(old) or _is_closed(new)):
                continue
            steps = (keyword,) if key is None else (keyword, key)
            yield from self.compare(
                before.get(place, True), after.get(place, True), (*path, *steps), _part_name(name, keyword, key)
            )

    def _compare_alternatives(self, old: list[Any], new: list[Any], path: JsonPath, name: str) -> Iterator[Fact]:
        if max(len(old), len(new)) > _MAX_ALTERNATIVES:
            if json_text(old) != json_text(new):
                yield (*path, "anyOf"), f"{self._subject(name)} has other alternatives.", Effect.BOTH
            return
        accepted = [kinds(self._old.flatten(alternative)) for alternative in old]
        accepted_after = [kinds(self._new.flatten(alternative)) for alternative in new]
        rest = [*range(len(new))]
        removed = []
        for alternative, before in zip(old, accepted, strict=True):
            if (match := _match(alternative, before, new, accepted_after, rest)) is None:
                removed.append(alternative)
                continue
            if match in rest:
                rest.remove(match)
            yield from self.compare(alternative, new[match], (*path, "anyOf", match), name)
        for alternative in removed:
            kind = describe.schema_type(alternative)
            words = f"is never {kind} any more"
            if kind == "any":
                words = f"is {describe.schema_type({'anyOf': new})} now, not any"
            yield (*path, "anyOf"), f"{self._subject(name)} {words}.", Effect.NARROWER
        for index in rest:
            # An alternative that is part of an old one is none of its own.
            if not any(before >= accepted_after[index] for before in accepted):
                words = f"may be {describe.schema_type(new[index])} now"
                yield (*path, "anyOf", index), f"{self._subject(name)} {words}.", Effect.WIDER

    def _notes(self, old: Flat, new: Flat, path: JsonPath, name: str) -> Iterator[Fact]:
        """Yield the changes of keywords that limit nothing: descriptions, defaults, examples, unknown ones."""
        for keyword in dict.fromkeys([*old, *new]):
            if keyword in _COMPARED or keyword in _IGNORED or keyword.startswith("$"):
                continue
            if keyword in old and keyword in new and json_text(old[keyword]) == json_text(new[keyword]):
                continue
            words = f"has another {keyword}"
            if keyword == "default":
                words = f"has {_default(new)} now, not {_default(old)}"
            yield (*path, keyword), f"{self._subject(name)} {words}.", Effect.NONE

    def _subject(self, name: str) -> str:
        return f"`{name}`" if name else self._root_name


def _default(flat: Flat) -> str:
    return f"the default {describe.json_line(flat['default'], 60)}" if "default" in flat else "no default"


def _type_words(flat: Flat) -> str:
    return "any" if kinds(flat) == ALL_KINDS else describe.schema_type(dict(flat))


def _match(
    alternative: Any, accepted: frozenset[str], new: list[Any], accepted_after: list[frozenset[str]], rest: list[int]
) -> int | None:
    """Return the index of the new alternative that corresponds to an old one, of those that are left if possible."""
    text = json_text(alternative)
    likenesses = (
        [index for index in rest if json_text(new[index]) == text],
        [index for index in rest if accepted_after[index] == accepted],
        [index for index, kinds_after in enumerate(accepted_after) if kinds_after >= accepted],
    )
    return next((indexes[0] for indexes in likenesses if indexes), None)


def _value_changes(
    old: dict[str, Any] | None, new: dict[str, Any] | None, path: JsonPath, subject: str
) -> Iterator[Fact]:
    if new is None:
        yield (*path, "enum"), f"{subject} may be any value of its type now.", Effect.WIDER
    elif old is None:
        yield (*path, "enum"), f"{subject} may only be {_listed(list(new))} now.", Effect.NARROWER
    else:
        if gone := [text for text in old if text not in new]:
            yield (*path, "enum"), f"{subject} may no longer be {_listed(gone)}.", Effect.NARROWER
        if added := [text for text in new if text not in old]:
            yield (*path, "enum"), f"{subject} may be {_listed(added)} now.", Effect.WIDER


def _listed(texts: list[str], limit: int = 5) -> str:
    some = ", ".join(text if len(text) <= 40 else f"{text[:39]}…" for text in texts[:limit])
    return some if len(texts) <= limit else f"{some} and {len(texts) - limit} more"


def _effect(*, narrower: bool, wider: bool) -> Effect:
    return (Effect.NARROWER if narrower else Effect.NONE) | (Effect.WIDER if wider else Effect.NONE)


def _alternatives(flat: dict[str, Any]) -> list[Any] | None:
    """Return the schemas of which a value must match one; None if the schema has no alternatives."""
    if listed_values(flat) is not None:
        return None
    for keyword in ALTERNATIONS:
        members = flat.get(keyword)
        if isinstance(members, list) and members:
            limits = {key: value for key, value in _limits(flat).items() if key != keyword}
            return [{"allOf": [limits, member]} for member in members] if limits else members
    if isinstance(names := flat.get("type"), list) and len(names) > 1:
        return [{**_limits(flat), "type": name} for name in names]
    return None


def _limits(flat: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in flat.items() if key in _COMPARED}


def _parts(flat: Flat) -> dict[tuple[str, Any], Any]:
    """Return the subschemas by keyword and name or index; of the booleans, which accept all or nothing, too."""
    parts: dict[tuple[str, Any], Any] = {(keyword, key): part for keyword, key, part in child_schemas(flat, _DESCENDED)}
    parts |= {("properties", key): part for key, part in _members(flat).items() if isinstance(part, bool)}
    return parts | {(keyword, None): False for keyword in _DESCENDED if flat.get(keyword) is False}


def _members(flat: Flat) -> dict[str, Any]:
    members = flat.get("properties")
    return members if isinstance(members, dict) else {}


def _required(flat: Flat) -> set[str]:
    names = flat.get("required")
    return {name for name in names if isinstance(name, str)} if isinstance(names, list) else set()


def _is_closed(flat: Flat) -> bool:
    return flat.get("additionalProperties") is False or flat.get("unevaluatedProperties") is False


def _expects_others(flat: Flat) -> bool:
    """Whether members of any name are expected, and not just ignored by the code behind the schema."""
    keywords = ("additionalProperties", "unevaluatedProperties")
    return "properties" not in flat or any(flat.get(keyword, False) is not False for keyword in keywords)


def _joined(name: str, key: Any) -> str:
    return f"{name}.{key}" if name else str(key)


def _part_name(name: str, keyword: str, key: Any) -> str:
    match keyword:
        case "properties":
            return _joined(name, key)
        case "patternProperties":
            return _joined(name, f"/{key}/")
        case "prefixItems":
            return f"{name}[{key}]"
        case "additionalProperties":
            return _joined(name, "*")
        case "propertyNames":
            return f"{name} (its names)".strip()
        case _:
            return f"{name}[]"
