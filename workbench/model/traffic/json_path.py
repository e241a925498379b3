"""The path of the value on a line of a JSON document, as the filters of the inspector write it: `$.items[3]["a b"]`."""

import json
import re

from workbench.model.traffic.json_document import JsonDocument

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def path_of(document: JsonDocument, line: int) -> str:
    """Return the path of the value that begins on a line, or ends there with a bracket."""
    parts: list[str] = []
    line = min(line, document.partner(line))
    while document.depth(line):
        parent, index = _parent(document, line)
        key = document.key(line)
        parts.append(f"[{index}]" if key is None else _member(key))
        line = parent
    return "$" + "".join(reversed(parts))


def _parent(document: JsonDocument, line: int) -> tuple[int, int]:
    """Return the line of the object or list that a value belongs to, and the place of the value in it, from 0."""
    depth, index = document.depth(line), 0
    line -= 1
    while document.depth(line) >= depth:
        # An earlier value of the same object or list: go to before its first line.
        line = min(line, document.partner(line)) - 1
        index += 1
    return line, index


def _member(key: str) -> str:
    return f".{key}" if _NAME.fullmatch(key) else f"[{json.dumps(key, ensure_ascii=False)}]"
