"""The values to propose for a field, and the keys and values for a place in JSON."""

from collections.abc import Iterable, Iterator
from typing import Any

from workbench.model.forms.conversion import json_text, value_text
from workbench.model.forms.field import Path
from workbench.model.forms.file_text import literal_text
from workbench.model.forms.form import Form
from workbench.model.forms.json_walk import LONGEST, JsonWalk, tokens
from workbench.model.forms.shape import ABSENT, Shape

MOST = 200
"""The number of proposals for one place."""

# A longer value is no help in a list.
_LONGEST_VALUE = 2_000


def field_proposals(form: Form, path: Path, earlier: Iterable[Any]) -> list[str]:
    """Return texts for a field: from earlier arguments of the same tool, newest first, then those of the schema."""
    is_text = any(shape.kind == "string" for shape in form.shapes.at(path))
    # A value that begins with @ is no name of a file.
    shown = literal_text if is_text else str
    return _limited(shown(value_text(value)) for value in _values(form, path, earlier))


def json_proposals(form: Form, text: str, row: int, column: int, earlier: Iterable[Any]) -> tuple[int, int, list[str]]:
    """Return the start and end of the token at a place in JSON text, and what may stand there instead."""
    lines = text.split("\n")
    start, end = _token_at(lines[row], column)
    walk = JsonWalk()
    before = "\n".join([*lines[:row], lines[row][:start]])
    if len(before) <= LONGEST:
        walk.read(before)
    typed = lines[row][start:column]
    if not walk.wants_key:
        return start, end, _matching_first(map(json_text, _values(form, walk.path, earlier)), typed)
    suffix = "" if lines[row][end:].lstrip().startswith(":") else ": "
    present = {path[-1] for path in _paths(text) if path[:-1] == walk.path and path}
    names = (name for shape in form.shapes.at(walk.path) for name in shape.properties if name not in present)
    return start, end, _matching_first((json_text(name) + suffix for name in names), typed)


def _values(form: Form, path: Path, earlier: Iterable[Any]) -> Iterator[Any]:
    for value in earlier:
        yield from _members(value, path)
    for shape in form.shapes.at(path):
        yield from _of_schema(shape)


def _of_schema(shape: Shape) -> Iterator[Any]:
    if shape.default is not ABSENT:
        yield shape.default
    yield from shape.examples
    yield from (choice.value for choice in shape.choices)
    if shape.kind == "boolean":
        yield from (True, False)
    if shape.nullable:
        yield None


def _members(value: Any, path: Path) -> Iterator[Any]:
    """Yield the members with a path; an index stands for any item."""
    if not path:
        yield value
    elif isinstance(value, list):
        for item in value[:MOST]:
            yield from _members(item, path[1:])
    elif isinstance(value, dict) and path[0] in value:
        yield from _members(value[path[0]], path[1:])


def _limited(texts: Iterable[str]) -> list[str]:
    shown: dict[str, None] = {}
    for text in texts:
        if len(shown) == MOST:
            break
        if text and len(text) <= _LONGEST_VALUE:
            shown[text] = None
    return list(shown)


def _matching_first(texts: Iterable[str], typed: str) -> list[str]:
    """Return the proposals, those that continue what is typed first."""
    return sorted(_limited(texts), key=lambda text: not text.startswith(typed))


def _token_at(line: str, column: int) -> tuple[int, int]:
    """Return start and end of the word or text around a column; both are the column if there is none."""
    around = ((start, end) for start, end, kind in tokens(line) if kind != "punctuation" and start <= column <= end)
    return next(around, (column, column))


def _paths(text: str) -> Iterable[Path]:
    walk = JsonWalk()
    if len(text) <= LONGEST:
        walk.read(text)
    return walk.lines
