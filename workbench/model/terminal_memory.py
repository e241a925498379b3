"""What a terminal remembers of a project: the pane in front, the open tool, the values of forms, the arrangement.

All of it outlives a failure of the terminal; what is stored on disk has no secret values.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from workbench.model.arrangement import Arrangement
from workbench.model.json_members import object_in, text_in, texts_in
from workbench.model.traffic.list_columns import ListColumns

Path: TypeAlias = tuple[str | int, ...]
TypedTexts: TypeAlias = Sequence[tuple[Path, str]]
"""The texts in some fields of a form, with the paths of the fields."""

MAX_FORMS = 100
"""The number of tools whose values are remembered; those of the least recent are dropped."""


@dataclass
class TerminalMemory:
    """The state of one terminal on a project, as far as the next terminal restores it."""

    place: str = ""  # the place of the pane in front; empty for the first
    tool: str = ""  # the name of the open tool
    values: dict[str, dict[str, Any]] = field(default_factory=dict)  # the arguments in the forms, by the tool's name
    filter: str = ""  # the text of the Inspector's filter
    filters: list[str] = field(default_factory=list)  # the filters that were used, oldest first
    watched: list[str] = field(default_factory=list)  # the names of the saved calls that are watched
    step: str = ""  # the column of the tools that had the focus; not stored: a new day begins with the list
    texts: dict[str, TypedTexts] = field(default_factory=dict)  # texts in the forms that are not those of the values
    drafts: dict[str, str] = field(default_factory=dict)  # JSON of the forms that cannot be read
    arrangement: Arrangement = field(default_factory=Arrangement)
    columns: ListColumns = field(default_factory=ListColumns)  # of the Inspector's list

    def __post_init__(self) -> None:
        self._schemas: dict[str, dict[str, Any]] = {}

    def set_values(
        self, tool: str, value: object, schema: Any, texts: TypedTexts = (), draft: str | None = None
    ) -> None:
        """Remember what is in the form of a tool; the schema marks secrets.

        `texts` are those that differ from the texts of the values, such as a number that cannot be read; `draft` is
        the JSON typed last, if it cannot be read.
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
        # Imported late: nothing is stored before the first paint.
        from workbench.model.forms.secret_members import may_be_secret, without_secrets

        schemas = self._schemas
        values = {tool: without_secrets(value, schemas.get(tool, {})) for tool, value in self.values.items()}
        texts = {
            tool: [[list(path), text] for path, text in typed if _has_value(values.get(tool), path)]
            for tool, typed in self.texts.items()
        }
        drafts = {tool: draft for tool, draft in self.drafts.items() if not may_be_secret(draft, schemas.get(tool))}
        forms = {"values": values, "texts": texts, "drafts": drafts}
        arrangement = self.arrangement.to_json()
        shown = {"place": self.place, "tool": self.tool, "filter": self.filter, "filters": self.filters}
        shown |= {"watched": self.watched}
        return {**shown, "arrangement": arrangement, "columns": self.columns.to_json(), **forms}

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
        filters, watched = texts_in(value, "filters"), texts_in(value, "watched")
        memory = cls(place, tool, forms, filter_, filters, watched, texts=texts, drafts=drafts, arrangement=arrangement)
        memory.columns = ListColumns.from_json(object_in(value, "columns"))
        return memory


def known_members(value: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """Return the members of a value that its schema, which may have changed since, still has."""
    properties = schema.get("properties")
    return {name: member for name, member in value.items() if isinstance(properties, dict) and name in properties}


def _has_value(value: Any, path: Path) -> bool:
    """Whether a value without secrets still has a member: then the text of its field is no secret either."""
    for key in path:
        try:
            value = value[key]
        except (LookupError, TypeError):
            return False
    return True


def _typed_texts(value: object) -> TypedTexts:
    """Return the texts in a JSON value; anything else in it is ignored."""
    pairs = [pair for pair in value if isinstance(pair, list) and len(pair) == 2] if isinstance(value, list) else []
    return [
        (tuple(path), text)
        for path, text in pairs
        if isinstance(path, list) and all(isinstance(key, str | int) for key in path) and isinstance(text, str)
    ]
