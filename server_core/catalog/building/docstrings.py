"""Parse docstrings into a description and the descriptions of parameters.

Sections in Google style (`Args:` with indented `name: text`) and fields in Sphinx style (`:param name: text`) are
recognised. Descriptions of parameters go into the schema; everything else, including `Returns:` and other sections, is
the description of the tool, which the author wrote for models.
"""

import inspect
import re
from dataclasses import dataclass, field

# The first line of a section in Google style.
_HEADING = re.compile(r"(?:Args|Arguments|Parameters|Params)\s*:\s*")
# A parameter in such a section: `name: text`, `name (type): text`, `*args: text`.
_ENTRY = re.compile(r"(?P<indent>\s+)\*{0,2}(?P<name>\w+)\s*(?:\([^)]*\))?\s*:\s*(?P<text>.*)")
# A field in Sphinx style: `:param name: text`, `:param type name: text`.
_FIELD = re.compile(r":param(?:\s+[^:]+)?\s+(?P<name>\w+)\s*:\s*(?P<text>.*)")
_EMPTY_LINES = re.compile(r"\n{3,}")


@dataclass
class Docstring:
    """A parsed docstring."""

    description: str = ""  # the text without the descriptions of parameters, with its line breaks; may be empty
    parameters: dict[str, str] = field(default_factory=dict)  # parameter -> its description


def read_docstring(text: str | None) -> Docstring:
    """Parse the docstring of a function; without one, the result is empty."""
    lines = [line.rstrip() for line in inspect.cleandoc(text or "").splitlines()]
    parameters: dict[str, str] = {}
    rest: list[str] = []
    index = 0
    while index < len(lines):
        block = _block(lines, index)
        if descriptions := _read_section(block) or _read_field(block):
            parameters = descriptions | parameters  # The first description of a parameter is used.
            index += len(block)
        else:
            rest.append(lines[index])
            index += 1
    return Docstring(_EMPTY_LINES.sub("\n\n", "\n".join(rest)).strip(), parameters)


def _block(lines: list[str], start: int) -> list[str]:
    """Return the heading of a section, or a field, with the indented and empty lines after it; any other line alone."""
    if not (_HEADING.fullmatch(lines[start]) or _FIELD.fullmatch(lines[start])):
        return lines[start : start + 1]
    after = range(start + 1, len(lines))
    end = next((index for index in after if lines[index] and not lines[index][0].isspace()), len(lines))
    return lines[start:end]


def _read_section(block: list[str]) -> dict[str, str]:
    """Return the descriptions in a section; none if the block is not a section."""
    if not _HEADING.fullmatch(block[0]):
        return {}
    descriptions: dict[str, str] = {}
    name, indent = "", ""
    for line in block[1:]:
        entry = _ENTRY.fullmatch(line)
        if entry and (not indent or entry["indent"] == indent):
            name, indent = entry["name"], entry["indent"]
            descriptions[name] = entry["text"].strip()
        elif name and line:  # The description of the previous parameter continues.
            descriptions[name] = f"{descriptions[name]} {line.strip()}".strip()
    return descriptions


def _read_field(block: list[str]) -> dict[str, str]:
    """Return the description in a field; none if the block is not a field."""
    if not (match := _FIELD.fullmatch(block[0])):
        return {}
    return {match["name"]: " ".join(filter(None, (line.strip() for line in (match["text"], *block[1:]))))}
