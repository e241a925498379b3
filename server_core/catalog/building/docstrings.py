"""Parse docstrings into a description and the descriptions of parameters.

Sections in Google style (`Args:` with indented `name: text`) and fields in Sphinx style (`:param name: text`) are
recognised. Descriptions of parameters go into the schema; everything else is the description of the tool, which the
author wrote for models.
"""

import inspect
import re
from dataclasses import dataclass, field

_ARGUMENTS = re.compile(r"(?:Args|Arguments|Parameters|Params)\s*:\s*")
_ENTRY = re.compile(r"(?P<indent>\s+)\*{0,2}(?P<name>\w+)\s*(?:\([^)]*\))?\s*:\s*(?P<text>.*)")
_FIELD = re.compile(r":param(?:\s+[^:]+)?\s+(?P<name>\w+)\s*:\s*(?P<text>.*)")
_EMPTY_LINES = re.compile(r"\n{3,}")


@dataclass
class Docstring:
    """A parsed docstring."""

    description: str = ""  # the text without the descriptions of parameters, with its line breaks; may be empty
    parameters: dict[str, str] = field(default_factory=dict)  # parameter -> its description


def read_docstring(text: str | None) -> Docstring:
    lines = [line.rstrip() for line in inspect.cleandoc(text or "").splitlines()]
    parameters: dict[str, str] = {}
    rest: list[str] = []
    index = 0
    while index < len(lines):
        if descriptions := _section(block := _block(lines, index)) or _field(block):
            parameters = descriptions | parameters  # The first description of a parameter is used.
            index += len(block)
        else:
            rest.append(lines[index])
            index += 1
    return Docstring(_EMPTY_LINES.sub("\n\n", "\n".join(rest)).strip(), parameters)


def _block(lines: list[str], start: int) -> list[str]:
    """Return a line that may describe parameters, with the indented lines after it; any other line alone."""
    if not (_ARGUMENTS.fullmatch(lines[start]) or _FIELD.fullmatch(lines[start])):
        return lines[start : start + 1]
    after = range(start + 1, len(lines))
    end = next((index for index in after if lines[index] and not lines[index][0].isspace()), len(lines))
    return lines[start:end]


def _section(block: list[str]) -> dict[str, str]:
    if not _ARGUMENTS.fullmatch(block[0]):
        return {}
    descriptions: dict[str, str] = {}
    name, indent = "", ""
    for line in block[1:]:
        entry = _ENTRY.fullmatch(line)
        if entry and (not indent or entry["indent"] == indent):
            name, indent = entry["name"], entry["indent"]
            descriptions[name] = entry["text"].strip()
        elif name and line:
            descriptions[name] = f"{descriptions[name]} {line.strip()}".strip()
    return descriptions


def _field(block: list[str]) -> dict[str, str]:
    if not (entry := _FIELD.fullmatch(block[0])):
        return {}
    return {entry["name"]: " ".join(filter(None, (line.strip() for line in (entry["text"], *block[1:]))))}
