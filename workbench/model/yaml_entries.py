"""Changes of a table in a YAML text: only the lines of one entry change, and everything else stays as it was written.

A change raises ValueError, with the reason, where the text does not have a line of its own for each entry.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.model.yaml_text import YamlMistake, compose, yaml_text

if TYPE_CHECKING:
    from yaml.nodes import MappingNode, Node

_INDENT = 2
_COMMENT = "# Of the workbench: calls, and rules that answer tools. ${secret:NAME} is a secret.\n"


@dataclass(frozen=True, slots=True)
class _Entry:
    """The lines of an entry, from the first to the one before the end, counted from 0."""

    first: int
    end: int
    column: int
    has_own_line: bool  # whether the value begins on the line after the name


def with_entry(text: str, table: str, name: str, value: Any) -> str:
    """Return the text with an entry at the end of a table, or in the place of the entry with its name."""
    if "\r\n" in text and text.count("\r\n") == text.count("\n"):
        return with_entry(text.replace("\r\n", "\n"), table, name, value).replace("\n", "\r\n")
    entries = _entries(text, table)
    lines = text.splitlines(keepends=True)
    if (entry := entries.get(name)) is not None:
        # The line of the name may have a comment.
        kept = 1 if entry.has_own_line else 0
        lines[entry.first + kept : entry.end] = _lines(name, value, entry.column)[kept:]
        return "".join(lines)
    if entries:
        last = max(entries.values(), key=lambda other: other.end)
        lines[: last.end] = _ended(lines[: last.end])
        lines[last.end : last.end] = _lines(name, value, last.column)
        return "".join(lines)
    at = next((number for number, line in enumerate(lines) if line.split("#")[0].strip() in _empty(table)), None)
    if at is None:
        if not text:
            lines = [_COMMENT]
        lines = [*_ended(lines), f"{table}:\n"]
        at = len(lines) - 1
    else:
        lines[at] = f"{table}:\n"
    lines[at + 1 : at + 1] = _lines(name, value, _INDENT)
    return "".join(lines)


def without_entry(text: str, table: str, name: str) -> str:
    lines = text.splitlines(keepends=True)
    entry = _entry(text, table, name)
    del lines[entry.first : entry.end]
    return "".join(lines)


def with_name(text: str, table: str, name: str, new: str) -> str:
    """Return the text with another name for an entry, which keeps its place and its comments."""
    lines = text.splitlines(keepends=True)
    entry = _entry(text, table, name)
    key = _key(text, table, name)
    line = lines[entry.first]
    end = key.end_mark.column if key.end_mark.line == entry.first else len(line)
    key_text = yaml_text({new: None}).rstrip("\n").removesuffix(" null").removesuffix(":")
    lines[entry.first] = line[: entry.column] + key_text + line[end:]
    return "".join(lines)


def _empty(table: str) -> tuple[str, ...]:
    return (f"{table}:", f"{table}: {{}}", f"{table}: null", f"{table}: ~")


def _lines(name: str, value: Any, column: int) -> list[str]:
    text = yaml_text({name: value})
    return [" " * column + line if line.strip() else line for line in text.splitlines(keepends=True)]


def _ended(lines: list[str]) -> list[str]:
    """Return lines of which the last one ends with a line break."""
    return [*lines[:-1], lines[-1].rstrip("\n") + "\n"] if lines else []


def _entry(text: str, table: str, name: str) -> _Entry:
    if (entry := _entries(text, table).get(name)) is None:
        raise ValueError(f"{name} is no longer there")
    return entry


def _key(text: str, table: str, name: str) -> "Node":
    node = _table(text, table)
    assert node is not None
    return next(key for key, _ in node.value if key.value == name)


def _entries(text: str, table: str) -> dict[str, _Entry]:
    """Return the lines of all entries of a table, by name."""
    node = _table(text, table)
    if node is None or not node.value:
        return {}
    if node.flow_style:
        raise ValueError(f"{table} is written in braces; write a line for each of them first")
    lines = text.splitlines()
    column = node.value[0][0].start_mark.column
    heads = [key.start_mark.line for key, _ in node.value]
    ends = [*heads[1:], _end_of_table(lines, heads[-1] + 1, column)]
    entries = {}
    for (key, value), head, following in zip(node.value, heads, ends, strict=True):
        end = following
        # Comments and empty lines before the next entry belong to that.
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


def _table(text: str, table: str) -> "MappingNode | None":
    try:
        root = compose(text)
    except YamlMistake as mistake:
        raise ValueError(f"line {mistake.line}: {mistake}") from mistake
    if root is None:
        return None
    if root.id != "mapping":
        raise ValueError("the file is not a mapping")
    node = next((value for key, value in root.value if key.value == table), None)
    if node is None or (node.id == "scalar" and node.value in ("", "null", "~")):
        return None
    if node.id != "mapping":
        raise ValueError(f"{table} is not a mapping")
    return node
