"""What a docstring says: a description, and a line for each parameter.

Sections as in Google's style (`Args:` with indented `name: text`) and fields as in Sphinx's (`:param name: text`).
"""

import inspect
import re
from dataclasses import dataclass, field

_ARGUMENTS = re.compile(r"(?:Args|Arguments|Parameters|Params)\s*:\s*")
_SECTION = re.compile(
    r"(?:Args|Arguments|Parameters|Params|Returns?|Yields?|Raises|Examples?|Notes?|Attributes|See Also)\s*:\s*"
)
_ENTRY = re.compile(r"(?P<indent>\s+)\*{0,2}(?P<name>\w+)\s*(?:\([^)]*\))?\s*:\s*(?P<text>.*)")
_FIELD = re.compile(r":param(?:\s+[^:]+)?\s+(?P<name>\w+)\s*:\s*(?P<text>.*)")


@dataclass
class Docstring:
    """A docstring, taken apart.

    Attributes:
        description: its first paragraph on one line; empty when there is none.
        parameters: parameter -> what is said of it.
    """

    description: str = ""
    parameters: dict[str, str] = field(default_factory=dict)


def read_docstring(text: str | None) -> Docstring:
    """Take a docstring apart.

    Args:
        text: as it stands in the source; None for none.
    """
    lines = inspect.cleandoc(text or "").splitlines()
    return Docstring(_description(lines), _section(lines) | _fields(lines))


def _description(lines: list[str]) -> str:
    paragraph: list[str] = []
    for line in lines:
        if not line.strip() or _SECTION.fullmatch(line) or line.startswith(":"):
            break
        paragraph.append(line.strip())
    return " ".join(paragraph)


def _section(lines: list[str]) -> dict[str, str]:
    start = next((index for index, line in enumerate(lines) if _ARGUMENTS.fullmatch(line)), len(lines))
    found: dict[str, str] = {}
    name, indent = "", ""
    for line in lines[start + 1 :]:
        if line.strip() and not line[0].isspace():
            break
        entry = _ENTRY.fullmatch(line)
        if entry and (not indent or entry["indent"] == indent):
            name, indent = entry["name"], entry["indent"]
            found[name] = entry["text"].strip()
        elif name and line.strip():
            found[name] = f"{found[name]} {line.strip()}".strip()
    return found


def _fields(lines: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    name = ""
    for line in lines:
        if entry := _FIELD.fullmatch(line):
            name = entry["name"]
            found[name] = entry["text"].strip()
        elif name and line.startswith((" ", "\t")) and line.strip():
            found[name] = f"{found[name]} {line.strip()}"
        else:
            name = ""
    return found
