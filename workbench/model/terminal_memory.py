"""What a terminal remembers of a project: the pane in front, the open tool, the values of forms, the filter.

All of it outlives a failure of the terminal; what is stored on disk has no secret values.
"""

import re
from dataclasses import dataclass, field
from typing import Any

from workbench.model.json_members import text_in

MAX_FORMS = 100
"""The number of tools whose values are remembered; those of the least recent are dropped."""
_MAX_DEPTH = 20
_SECRET_NAME = re.compile(r"pass(word|phrase|code)|secret|token|api_?key|credential|private_?key", re.IGNORECASE)


@dataclass
class TerminalMemory:
    """The state of one terminal on a project, as far as the next terminal restores it."""

    place: str = ""  # the place of the pane in front; empty for the first
    tool: str = ""  # the name of the open tool
    values: dict[str, dict[str, Any]] = field(default_factory=dict)  # the arguments in the forms, by the tool's name
    filter: str = ""  # the text of the Inspector's filter
    step: str = ""  # the column of the tools that had the focus; not stored: a new day begins with the list

    def __post_init__(self) -> None:
        self._schemas: dict[str, dict[str, Any]] = {}

    def set_values(self, tool: str, value: object, schema: dict[str, Any]) -> None:
        """Remember the arguments in the form of a tool.

        Args:
            tool: its name.
            value: the value of the form; anything but an object is not remembered.
            schema: the schema of the form, which marks secrets.
        """
        self.values.pop(tool, None)
        self._schemas.pop(tool, None)
        if isinstance(value, dict) and value:
            self.values[tool] = value
            self._schemas[tool] = schema
        for old in list(self.values)[:-MAX_FORMS]:
            self.values.pop(old)
            self._schemas.pop(old, None)

    def to_json(self) -> dict[str, Any]:
        """Return the memory as JSON, without secret values."""
        values = {tool: without_secrets(value, self._schemas.get(tool, {})) for tool, value in self.values.items()}
        return {"place": self.place, "tool": self.tool, "values": values, "filter": self.filter}

    @classmethod
    def from_json(cls, value: object) -> "TerminalMemory":
        """Return the memory in a JSON value; members of a wrong type are ignored."""
        if not isinstance(value, dict):
            return cls()
        values = value.get("values")
        forms = {
            str(tool): arguments
            for tool, arguments in (values if isinstance(values, dict) else {}).items()
            if isinstance(arguments, dict)
        }
        return cls(text_in(value, "place"), text_in(value, "tool"), forms, text_in(value, "filter"))


def known_members(value: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """Return the members of a value that its schema, which may have changed since, still has."""
    properties = schema.get("properties")
    return {name: member for name, member in value.items() if isinstance(properties, dict) and name in properties}


def without_secrets(value: Any, schema: object, depth: int = 0) -> Any:
    """Return a value without the members that are secret by their schema or their name."""
    if depth > _MAX_DEPTH:
        return None
    members = schema if isinstance(schema, dict) else {}
    if isinstance(value, list):
        return [without_secrets(item, members.get("items"), depth + 1) for item in value]
    if not isinstance(value, dict):
        return value
    properties = members.get("properties")
    schemas = properties if isinstance(properties, dict) else {}
    return {
        name: without_secrets(member, schemas.get(name), depth + 1)
        for name, member in value.items()
        if not _SECRET_NAME.search(name) and not _is_secret(schemas.get(name))
    }


def _is_secret(schema: object) -> bool:
    return isinstance(schema, dict) and (schema.get("format") == "password" or schema.get("writeOnly") is True)
