"""A list of objects as a table: a row for each object, a column for each key of the first and the last ones.

The list is the whole document, or the only member of its object: `{"result": [...]}`. A row is read when it is shown,
since a list may be long.
"""

import json
from collections.abc import Sequence
from typing import Any

from server_core.runtime.safe_json import dump_json, parse_json_or_none
from workbench.model.describe import json_line
from workbench.model.short_text import shortened
from workbench.model.traffic.json_document import JsonDocument

MAX_COLUMNS = 30
_SAMPLE = 100
_MAX_CELL = 200
_BREAKS = frozenset("\t\r\n")


class JsonTable:
    """The cells of a list of objects, which begin at these lines."""

    def __init__(self, document: JsonDocument, lines: list[int]) -> None:
        self.lines = lines
        self._document = document
        # The last ones as well: numbers grow.
        sample = [self._item(line) for line in dict.fromkeys(lines[:_SAMPLE] + lines[-_SAMPLE:])]
        self.keys = list(dict.fromkeys(key for item in sample for key in item))
        self._sample = [[_cell(item, key) for key in self.keys] for item in sample]
        self._are_numbers = [all(_is_number(item.get(key)) for item in sample) for key in self.keys]

    def cells(self, row: int) -> list[str]:
        """Return the texts of a row, one for each key; empty where the object lacks the key."""
        item = self._item(self.lines[row])
        return [_cell(item, key) for key in self.keys]

    def values(self, row: int) -> list[str]:
        """Return the whole values of a row, one for each key: strings as text, others as JSON."""
        item = self._item(self.lines[row])
        return [_value(item[key]) if key in item else "" for key in self.keys]

    def longest(self, column: int) -> str:
        """Return the longest text of a column, of its heading, and its first and last rows."""
        return max(shortened(self.keys[column]), *(row[column] for row in self._sample), key=len)

    def is_of_numbers(self, column: int) -> bool:
        """Return whether the first and last rows of a column contain only numbers."""
        return self._are_numbers[column]

    def _item(self, line: int) -> dict[str, Any]:
        # It may be nested too deeply to be read here, where more of the stack is in use.
        value = parse_json_or_none(self._document.value(line))
        return value if isinstance(value, dict) else {}


def read_table(document: JsonDocument) -> JsonTable | None:
    """Return the table of a document; None if it is no list of at least two objects."""
    if not document.is_pretty or document.line_count < 2:
        return None
    start, depth = 0, 1
    if document.members(0) == 1 and document.plain_line(0) == "{":
        start, depth = 1, 2
    opening = document.plain_line(start)
    lines = document.openings(depth)
    if not opening.endswith("[") or not 2 <= len(lines) == document.members(start):
        return None
    if not all(document.text[document.start(line + 1) - 1] == "{" for line in lines):
        return None
    table = JsonTable(document, lines)
    return table if len(table.keys) <= MAX_COLUMNS else None


def values_line(values: Sequence[str]) -> str:
    """Return values as a line with tabs between them; with another value, one with tabs or line breaks is quoted."""
    if len(values) == 1:
        return values[0]
    return "\t".join(json.dumps(value, ensure_ascii=False) if _BREAKS & set(value) else value for value in values)


def _value(value: Any) -> str:
    return value if isinstance(value, str) else _json(value)


def _json(value: Any) -> str:
    try:
        return dump_json(value, ensure_ascii=False)
    except ValueError:
        return "…"


def _cell(item: dict[str, Any], key: str) -> str:
    if key not in item:
        return ""
    value = item[key]
    return shortened(value, _MAX_CELL) if isinstance(value, str) else json_line(value, _MAX_CELL)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
