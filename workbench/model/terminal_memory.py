"""What a terminal remembers of a project: the pane in front, the open tool, the values of forms, the arrangement.

All of it outlives a failure of the terminal; what is stored on disk has no secret values.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from workbench.model.arrangement import Arrangement
from workbench.model.json_members import object_in, text_in
from workbench.model.references import is_reference

if TYPE_CHECKING:
    from workbench.model.forms.schema_document import SchemaDocument

Flat: TypeAlias = dict[str, Any]
"""A schema without references."""
Path: TypeAlias = tuple[str | int, ...]
TypedTexts: TypeAlias = Sequence[tuple[Path, str]]
"""The texts in some fields of a form, with the paths of the fields."""

MAX_FORMS = 100
"""The number of tools whose values are remembered; those of the least recent are dropped."""
_MAX_DEPTH = 20
_MAX_ALTERNATIVES = 100
_SECRET_NAME = re.compile(r"pass(word|phrase|code)|secret|token|api_?key|credential|private_?key", re.IGNORECASE)


@dataclass
class TerminalMemory:
    """The state of one terminal on a project, as far as the next terminal restores it."""

    place: str = ""  # the place of the pane in front; empty for the first
    tool: str = ""  # the name of the open tool
    values: dict[str, dict[str, Any]] = field(default_factory=dict)  # the arguments in the forms, by the tool's name
    filter: str = ""  # the text of the Inspector's filter
    step: str = ""  # the column of the tools that had the focus; not stored: a new day begins with the list
    texts: dict[str, TypedTexts] = field(default_factory=dict)  # texts in the forms that are not those of the values
    drafts: dict[str, str] = field(default_factory=dict)  # JSON of the forms that cannot be read
    arrangement: Arrangement = field(default_factory=Arrangement)

    def __post_init__(self) -> None:
        self._schemas: dict[str, dict[str, Any]] = {}

    def set_values(
        self, tool: str, value: object, schema: Any, texts: TypedTexts = (), draft: str | None = None
    ) -> None:
        """Remember what is in the form of a tool.

        Args:
            tool: its name.
            value: the value of the form; anything but an object is not remembered.
            schema: the schema of the form, which marks secrets.
            texts: the texts that differ from those of the values, such as a number that cannot be read.
            draft: the JSON typed last, if it cannot be read.
        """
        self._forget(tool)
        if isinstance(value, dict) and (value or draft is not None):
            self.values[tool] = value
            self._schemas[tool] = schema
            if texts:
                self.texts[tool] = texts
            if draft is not None:
                self.drafts[tool] = draft
        for old in list(self.values)[:-MAX_FORMS]:
            self._forget(old)

    def _forget(self, tool: str) -> None:
        for part in (self.values, self.texts, self.drafts, self._schemas):
            part.pop(tool, None)

    def to_json(self) -> dict[str, Any]:
        """Return the memory as JSON, without secret values."""
        schemas = self._schemas
        values = {tool: without_secrets(value, schemas.get(tool, {})) for tool, value in self.values.items()}
        texts = {
            tool: [[list(path), text] for path, text in typed if _has_value(values.get(tool), path)]
            for tool, typed in self.texts.items()
        }
        drafts = {tool: draft for tool, draft in self.drafts.items() if not _may_be_secret(draft, schemas.get(tool))}
        forms = {"values": values, "texts": texts, "drafts": drafts}
        arrangement = self.arrangement.to_json()
        return {"place": self.place, "tool": self.tool, "filter": self.filter, "arrangement": arrangement, **forms}

    @classmethod
    def from_json(cls, value: object) -> "TerminalMemory":
        """Return the memory in a JSON value; members of a wrong type are ignored."""
        if not isinstance(value, dict):
            return cls()
        values = object_in(value, "values")
        forms = {str(tool): arguments for tool, arguments in values.items() if isinstance(arguments, dict)}
        texts = {str(tool): _typed_texts(typed) for tool, typed in object_in(value, "texts").items()}
        drafts = {str(tool): draft for tool, draft in object_in(value, "drafts").items() if isinstance(draft, str)}
        place, tool, filter_ = (text_in(value, name) for name in ("place", "tool", "filter"))
        arrangement = Arrangement.from_json(object_in(value, "arrangement"))
        return cls(place, tool, forms, filter_, texts=texts, drafts=drafts, arrangement=arrangement)


def known_members(value: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """Return the members of a value that its schema, which may have changed since, still has."""
    properties = schema.get("properties")
    return {name: member for name, member in value.items() if isinstance(properties, dict) and name in properties}


def without_secrets(value: Any, schema: object) -> Any:
    """Return a value without the members that are secret by their schema or their name; references are no secrets."""
    # Imported late: nothing is stored before the first paint.
    from workbench.model.forms.schema_document import SchemaDocument

    document = SchemaDocument(schema)
    return _without_secrets(value, _alternatives(document, [schema]), document, 0)


def _without_secrets(value: Any, schemas: list[Flat], document: "SchemaDocument", depth: int) -> Any:
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


def _has_secret(value: Any, schemas: list[Flat], document: "SchemaDocument") -> bool:
    """Whether a value is a secret, or a list with one: the text of its field may have all items on one line."""
    if any(map(_is_secret, schemas)):
        return not is_reference(value)
    items = enumerate(value) if isinstance(value, list) else ()
    return any(_has_secret(item, _alternatives_at(index, schemas, document), document) for index, item in items)


def _alternatives_at(key: str | int, schemas: list[Flat], document: "SchemaDocument") -> list[Flat]:
    return _alternatives(document, (part for schema in schemas for part in _parts(schema, key)))


def _alternatives(document: "SchemaDocument", schemas: Iterable[object]) -> list[Flat]:
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


def _has_value(value: Any, path: Path) -> bool:
    """Whether a value without secrets still has a member: then the text of its field is no secret either."""
    for key in path:
        try:
            value = value[key]
        except (LookupError, TypeError):
            return False
    return True


def _may_be_secret(draft: str, schema: object) -> bool:
    """Whether JSON that cannot be read may contain a secret: none of its values can be left out."""
    return bool(_SECRET_NAME.search(draft)) or _marks_secrets(schema)


def _marks_secrets(schema: object, depth: int = 0) -> bool:
    if depth > _MAX_DEPTH or _is_secret(schema):
        return True
    members = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
    return any(_marks_secrets(member, depth + 1) for member in members)


def _typed_texts(value: object) -> TypedTexts:
    """Return the texts in a JSON value; anything else in it is ignored."""
    pairs = [pair for pair in value if isinstance(pair, list) and len(pair) == 2] if isinstance(value, list) else []
    return [
        (tuple(path), text)
        for path, text in pairs
        if isinstance(path, list) and all(isinstance(key, str | int) for key in path) and isinstance(text, str)
    ]
