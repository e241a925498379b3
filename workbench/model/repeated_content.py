"""Whether the text of a tool's result repeats its structured content.

Servers send the text for clients that do not read structured content, so it is often the same value again. A tool that
returns a value other than an object has it in `{"result": ...}`.

Source: server/tools, Structured Content.
"""

from typing import Any

from server_core.runtime.safe_json import dump_json, parse_json
from workbench.model.json_members import text_in

_WRAPPER = "result"
_NOT_JSON = object()


def repeats(content: list[dict[str, Any]], structured: Any) -> bool:
    """Return whether the content is text alone, and equal to the structured content."""
    if not content or any(item.get("type") != "text" for item in content):
        return False
    texts = [text_in(item, "text") for item in content]
    values = [structured]
    if isinstance(structured, dict) and structured.keys() == {_WRAPPER}:
        values.append(structured[_WRAPPER])
    return any(_is_text_of(value, texts) for value in values)


def _is_text_of(value: Any, texts: list[str]) -> bool:
    if isinstance(value, str) and texts == [value]:
        return True
    parsed = [_parsed(text) for text in texts]
    if len(parsed) == 1 and _equal(parsed[0], value):
        return True
    # Some servers send the items of a list as a text each.
    return isinstance(value, list) and len(value) == len(texts) and all(map(_is_item, value, texts, parsed))


def _is_item(item: Any, text: str, parsed: Any) -> bool:
    return item == text if isinstance(item, str) else _equal(item, parsed)


def _parsed(text: str) -> Any:
    try:
        return parse_json(text)
    except ValueError:
        return _NOT_JSON


def _equal(value: Any, other: Any) -> bool:
    """Return whether two values are the same JSON: to Python, 1 equals true."""
    try:
        return bool(value == other) and dump_json(value, sort_keys=True) == dump_json(other, sort_keys=True)
    except (ValueError, RecursionError):
        return False
