"""Docstrings as descriptions: those of functions, and those under the members of classes.

Sections in Google style (`Args:` with indented `name: text`) and fields in Sphinx style (`:param name: text`) are
recognised. Descriptions of parameters go into the schema; everything else, including `Returns:` and other sections, is
the description of the tool, which the author wrote for models.
"""

import ast
import functools
import inspect
import itertools
import linecache
import re
import sys
from dataclasses import dataclass, field
from typing import Any

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
    if not (match := _FIELD.fullmatch(block[0])):
        return {}
    return {match["name"]: " ".join(filter(None, (line.strip() for line in (match["text"], *block[1:]))))}


def member_docstrings(kind: type[Any]) -> dict[str, str]:
    """Return member -> the docstring under it, read from the source, since Python discards them; also in parents."""
    module = sys.modules.get(kind.__module__)
    file = getattr(module, "__file__", None)
    if file is None:
        return {}
    linecache.checkcache(file)  # The file may have changed since linecache read it.
    return _inherited_docstrings(kind.__qualname__, _classes_in("".join(linecache.getlines(file))))


@dataclass(frozen=True)
class _Class:
    parents: tuple[str, ...]
    docstrings: dict[str, str]


def _inherited_docstrings(name: str, classes: dict[str, _Class]) -> dict[str, str]:
    entry = classes.get(name)
    if entry is None:
        return {}
    # Without this class, so that the recursion ends when classes inherit from each other in a circle.
    others = {other: base for other, base in classes.items() if other != name}
    docstrings: dict[str, str] = {}
    for parent in reversed(entry.parents):
        docstrings |= _inherited_docstrings(parent, others)
    return docstrings | entry.docstrings


@functools.lru_cache(maxsize=16)  # Often several classes in a row are from the same file.
def _classes_in(source: str) -> dict[str, _Class]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):  # The file has changed since.
        return {}
    classes: dict[str, _Class] = {}
    _collect_classes(tree, "", classes)
    return classes


def _collect_classes(node: ast.AST, prefix: str, classes: dict[str, _Class]) -> None:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            parents = (base.value if isinstance(base, ast.Subscript) else base for base in child.bases)
            names = tuple(base.id for base in parents if isinstance(base, ast.Name))
            classes[prefix + child.name] = _Class(names, _docstrings_in(child.body))
            _collect_classes(child, f"{prefix}{child.name}.", classes)
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            _collect_classes(child, f"{prefix}{child.name}.<locals>.", classes)
        elif isinstance(child, ast.stmt):
            _collect_classes(child, prefix, classes)


def _docstrings_in(body: list[ast.stmt]) -> dict[str, str]:
    docstrings = {}
    for member, after in itertools.pairwise(body):
        if isinstance(member, ast.AnnAssign) and isinstance(member.target, ast.Name) and isinstance(after, ast.Expr):
            text = after.value
            if isinstance(text, ast.Constant) and isinstance(text.value, str) and text.value.strip():
                docstrings[member.target.id] = inspect.cleandoc(text.value)
    return docstrings
