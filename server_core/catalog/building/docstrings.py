"""What a docstring says: a description, and a line for each parameter.

Sections as in Google's style (`Args:` with indented `name: text`) and fields as in Sphinx's (`:param name: text`).
What is said of parameters is told with them, and everything else is the description: its author wrote it for models.
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
    """A docstring, taken apart.

    Attributes:
        description: all of it but what it says of parameters, line by line; empty when there is none.
        parameters: parameter -> what is said of it.
    """

    description: str = ""
    parameters: dict[str, str] = field(default_factory=dict)


def read_docstring(text: str | None) -> Docstring:
    """Take a docstring apart.

    Args:
        text: as it stands in the source; None for none.
    """
    lines = [line.rstrip() for line in inspect.cleandoc(text or "").splitlines()]
    parameters: dict[str, str] = {}
    rest: list[str] = []
    place = 0
    while place < len(lines):
        if found := _section(block := _block(lines, place)) or _field(block):
            parameters = found | parameters
            place += len(block)
        else:
            rest.append(lines[place])
            place += 1
    return Docstring(_EMPTY_LINES.sub("\n\n", "\n".join(rest)).strip(), parameters)


def _block(lines: list[str], start: int) -> list[str]:
    """A line that may speak of parameters, with the lines that are set in under it; any other line alone."""
    if not (_ARGUMENTS.fullmatch(lines[start]) or _FIELD.fullmatch(lines[start])):
        return lines[start : start + 1]
    after = range(start + 1, len(lines))
    end = next((place for place in after if lines[place] and not lines[place][0].isspace()), len(lines))
    return lines[start:end]


def _section(block: list[str]) -> dict[str, str]:
    if not _ARGUMENTS.fullmatch(block[0]):
        return {}
    found: dict[str, str] = {}
    name, indent = "", ""
    for line in block[1:]:
        entry = _ENTRY.fullmatch(line)
        if entry and (not indent or entry["indent"] == indent):
            name, indent = entry["name"], entry["indent"]
            found[name] = entry["text"].strip()
        elif name and line:
            found[name] = f"{found[name]} {line.strip()}".strip()
    return found


def _field(block: list[str]) -> dict[str, str]:
    if not (entry := _FIELD.fullmatch(block[0])):
        return {}
    return {entry["name"]: " ".join(filter(None, (line.strip() for line in (entry["text"], *block[1:]))))}
