"""The fields of a form for a search: also those in groups that are not open, and those without a row."""

from collections.abc import Iterator
from dataclasses import dataclass

from workbench.model.forms.field import Field, FieldState, Path
from workbench.model.forms.form import Form
from workbench.model.forms.shape import Shape
from workbench.model.fuzzy import FuzzyMatch, contained, fuzzy_match

MOST = 3000
"""The number of fields that are searched."""

# How many levels below a closed group are searched.
_DEEPEST = 4
# A match in the description counts less than any in the name.
_IN_DESCRIPTION = -10.0


@dataclass(frozen=True, slots=True)
class FieldEntry:
    """A field that can be searched: "address.city", its value as it is shown, and its description, not escaped."""

    path: Path
    name: str
    text: str
    description: str


@dataclass(frozen=True, slots=True)
class FieldMatch:
    """An entry with its match; the positions are in its name, and there are none if only the description matches."""

    entry: FieldEntry
    match: FuzzyMatch


def field_entries(form: Form) -> list[FieldEntry]:
    """Return the fields of a form in their order, each once."""
    entries: dict[Path, FieldEntry] = {}
    for entry in _entries(form):
        entries.setdefault(entry.path, entry)
        if len(entries) == MOST:
            break
    return list(entries.values())


def search_fields(entries: list[FieldEntry], query: str) -> list[FieldMatch]:
    """Return the entries that match, the best first; all of them for an empty query."""
    matches = []
    for entry in entries:
        if (match := fuzzy_match(query, entry.name)) is not None:
            matches.append(FieldMatch(entry, match))
        elif contained(query, entry.description) is not None:
            matches.append(FieldMatch(entry, FuzzyMatch(_IN_DESCRIPTION, ())))
    return sorted(matches, key=lambda match: -match.match.score) if query else matches


def reveal(form: Form, path: Path) -> None:
    """Open the groups above a field, and give it a field if the form has none for lack of room."""
    for length, key in enumerate(path):
        above = form.field(path[:length])
        if above.target.kind == "object" and above.target.state is not FieldState.SET:
            form.include(above.path)
        if isinstance(key, str) and form.field(path[:length]).child(key) is None:
            form.add_key(path[:length], key)


def _entries(form: Form) -> Iterator[FieldEntry]:
    for field in form.fields():
        if field.path and not field.is_in_line:
            yield FieldEntry(field.path, path_name(field.path), _value_text(field), field.description)
        if field.kind == "object":
            shown = {child.name for child in field.children} if field.state is FieldState.SET else set()
            yield from _below(form, field.shape, field.path, shown, ())


def _below(form: Form, shape: Shape, path: Path, shown: set[str], above: tuple[Shape, ...]) -> Iterator[FieldEntry]:
    """Yield what an object has without fields; a schema may contain itself."""
    if shape in above or len(above) == _DEEPEST:
        return
    for name in shape.properties:
        if name in shown:
            continue
        inner = form.shapes.shape(shape.properties[name])
        place = (*path, name)
        yield FieldEntry(place, path_name(place), "", inner.description)
        if inner.kind == "object":
            yield from _below(form, inner, place, set(), (*above, shape))


def path_name(path: Path) -> str:
    """Return a path as it is written in code: guests[0].name."""
    text = ""
    for key in path:
        text += f"[{key}]" if isinstance(key, int) else f".{key}" if text else key
    return text


def _value_text(field: Field) -> str:
    match field.state:
        case FieldState.NULL:
            return "null"
        case FieldState.SET:
            return field.target.text
        case _:
            return ""
