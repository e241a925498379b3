"""Changes of the text with saved calls: only the lines of one call change, and everything else stays as it was written.

A change raises ValueError, with the reason, where the text does not have a line of its own for each call.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.model.saved_calls import CALLS, SavedCall
from workbench.model.yaml_text import YamlMistake, compose, yaml_text

if TYPE_CHECKING:
    from yaml.nodes import MappingNode, Node

_INDENT = 2
_NEW = "# Saved calls of the workbench. ${secret:NAME} and ${last.result.path} get their values when a call is sent.\n"


@dataclass(frozen=True, slots=True)
class _Entry:
    """The lines of a call, from the first to the one before the end, counted from 0."""

    first: int
    end: int
    column: int
    has_own_line: bool  # whether the value begins on the line after the name


def with_call(text: str, call: SavedCall) -> str:
    """Return the text with a call at the end, or in the place of the call with its name."""
    if "\r\n" in text and text.count("\r\n") == text.count("\n"):
        return with_call(text.replace("\r\n", "\n"), call).replace("\n", "\r\n")
    entries = _entries(text)
    lines = text.splitlines(keepends=True)
    if (entry := entries.get(call.name)) is not None:
        # The line of the name may have a comment.
        kept = 1 if entry.has_own_line else 0
        lines[entry.first + kept : entry.end] = _lines(call, entry.column)[kept:]
        return "".join(lines)
    if entries:
        last = max(entries.values(), key=lambda other: other.end)
        lines[: last.end] = _ended(lines[: last.end])
        lines[last.end : last.end] = _lines(call, last.column)
        return "".join(lines)
    at = next((number for number, line in enumerate(lines) if line.split("#")[0].strip() in _EMPTY), None)
    if at is None:
        if not text:
            lines = [_NEW]
        lines = [*_ended(lines), f"{CALLS}:\n"]
        at = len(lines) - 1
    else:
        lines[at] = f"{CALLS}:\n"
    lines[at + 1 : at + 1] = _lines(call, _INDENT)
    return "".join(lines)


def without_call(text: str, name: str) -> str:
    lines = text.splitlines(keepends=True)
    entry = _entry(text, name)
    del lines[entry.first : entry.end]
    return "".join(lines)


def with_name(text: str, name: str, new: str) -> str:
    """Return the text with another name for a call, which keeps its place and its comments."""
    lines = text.splitlines(keepends=True)
    entry = _entry(text, name)
    key = _key(text, name)
    line = lines[entry.first]
    end = key.end_mark.column if key.end_mark.line == entry.first else len(line)
    key_text = yaml_text({new: None}).rstrip("\n").removesuffix(" null").removesuffix(":")
    lines[entry.first] = line[: entry.column] + key_text + line[end:]
    return "".join(lines)


_EMPTY = (f"{CALLS}:", f"{CALLS}: {{}}", f"{CALLS}: null", f"{CALLS}: ~")


def _lines(call: SavedCall, column: int) -> list[str]:
    text = yaml_text({call.name: call.to_yaml()})
    return [" " * column + line if line.strip() else line for line in text.splitlines(keepends=True)]


def _ended(lines: list[str]) -> list[str]:
    """Return lines of which the last one ends with a line break."""
    return [*lines[:-1], lines[-1].rstrip("\n") + "\n"] if lines else []


def _entry(text: str, name: str) -> _Entry:
    if (entry := _entries(text).get(name)) is None:
        raise ValueError(f"{name} is no longer there")
    return entry


def _key(text: str, name: str) -> "Node":
    table = _table(text)
    assert table is not None
    return next(key for key, _ in table.value if key.value == name)


def _entries(text: str) -> dict[str, _Entry]:
    """Return the lines of all calls, by name."""
    table = _table(text)
    if table is None or not table.value:
        return {}
    if table.flow_style:
        raise ValueError(f"{CALLS} is written in braces; write a line for each call first")
    lines = text.splitlines()
    column = table.value[0][0].start_mark.column
    heads = [key.start_mark.line for key, _ in table.value]
    ends = [*heads[1:], _end_of_table(lines, heads[-1] + 1, column)]
    entries = {}
    for (key, value), head, following in zip(table.value, heads, ends, strict=True):
        end = following
        # Comments and empty lines before the next call belong to that.
        while end > head + 1 and _is_between(lines[end - 1], column):
            end -= 1
        entries[str(key.value)] = _Entry(head, end, column, has_own_line=value.start_mark.line > head)
    return entries


def _end_of_table(lines: list[str], start: int, column: int) -> int:
    for number in range(start, len(lines)):
        line = lines[number]
        text = line.lstrip(" ")
        if text and not text.startswith("#") and len(line) - len(text) < column:
            return number
    return len(lines)


def _is_between(line: str, column: int) -> bool:
    text = line.lstrip(" ")
    return not text or (text.startswith("#") and len(line) - len(text) <= column)


def _table(text: str) -> "MappingNode | None":
    try:
        root = compose(text)
    except YamlMistake as mistake:
        raise ValueError(f"line {mistake.line}: {mistake}") from mistake
    if root is None:
        return None
    if root.id != "mapping":
        raise ValueError("the file is not a mapping")
    table = next((value for key, value in root.value if key.value == CALLS), None)
    if table is None or (table.id == "scalar" and table.value in ("", "null", "~")):
        return None
    if table.id != "mapping":
        raise ValueError(f"{CALLS} is not a mapping")
    return table
