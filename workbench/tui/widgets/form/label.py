"""The texts around an editor: name, type and state above it, description and problem below it."""

from textual.content import Content

from workbench.model import describe
from workbench.model.forms.field import Field, FieldState
from workbench.model.forms.shape import ABSENT
from workbench.model.short_text import escaped, escaped_lines
from workbench.tui.colours import BAD, MUTED, STRONG, WARN
from workbench.tui.key_bindings import key_for

_TYPES = {"array": "list", "variant": "one of several", "json": "JSON"}
# The keys of forms are the same in both panes with forms.
_UNKNOWN = f"! not in the schema; it is sent anyway, {key_for('remove_item', 'tools')} removes it"
_JSON_KEY = key_for("toggle_json", "tools")
# The kinds whose editors do not show their state themselves.
_KINDS_WITH_STATE = ("object", "array", "map", "choices")


def heading(field: Field) -> Content:
    """Return the text above a field at the left: its name, title and required mark."""
    name = _name(field)
    parts = [(escaped(name), STRONG)]
    # Items of a list are always required: the mark would add nothing.
    if field.required and not isinstance(field.key, int):
        parts.append((" *", BAD))
    if field.title and field.title.casefold().replace(" ", "_") != name.casefold():
        parts.append((f"  {field.title}", MUTED))
    return Content.assemble(*parts)


def kind_text(field: Field) -> Content:
    """Return the text above a field at the right: its type, and its state if the editor does not show it."""
    parts = [(type_text(field), MUTED)]
    if field.kind in _KINDS_WITH_STATE and (state := state_text(field)):
        parts.append((f" · {state}", MUTED if field.state is FieldState.OMITTED else WARN))
    return Content.assemble(*parts)


def _name(field: Field) -> str:
    parent = field.parent
    if parent is None:
        return "value"
    if field.is_content:
        return parent.variants[parent.variant or 0]
    if not isinstance(field.key, int):
        return field.name
    # A list may be the value of a variant; both have the same path, which is the variant's.
    above = parent.parent if parent.is_content and parent.parent is not None else parent
    return f"{_name(above)}{'.' if isinstance(above.key, int) else ' '}{field.key + 1}"


def type_text(field: Field) -> str:
    text = _TYPES.get(field.kind, field.kind)
    if field.format:
        text = field.format
    return f"{text} or null" if field.nullable and field.kind != "null" else text


def state_text(field: Field) -> str:
    """Return the placeholder of an editor without a value: `omitted`, `null` or `""`; empty for others."""
    match field.state:
        case FieldState.OMITTED:
            return "omitted"
        case FieldState.NULL:
            return "null"
        case _:
            return '""' if field.kind == "string" and field.text == "" else ""


def more_fields_note(field: Field) -> str:
    """Return the note below the fields of an object with too many of them; empty for others."""
    count = field.fields_left_out
    return f"… and {count:,} more fields: the JSON ({_JSON_KEY}) has all of them" if count else ""


def note_text(field: Field, shows_problem: bool) -> Content:
    """Return the text below a field: description, limits and examples, and optionally its problem."""
    facts = [
        text for text in (escaped_lines(field.description or "").strip(), *map(escaped, field.constraints)) if text
    ]
    if field.default is not ABSENT:
        facts.append(f"default {describe.json_line(field.default, 40)}")
    if field.examples:
        facts.append("such as " + ", ".join(describe.json_line(example, 30) for example in field.examples[:3]))
    lines: list[Content | tuple[str, str]] = [(" · ".join(facts), "")] if facts else []
    if field.is_unknown:
        lines.append((_UNKNOWN, WARN))
    if field.problem and shows_problem:
        lines.append((f"✗ {escaped(field.problem)}", "$text-error"))
    return Content("\n").join(Content.assemble(line) for line in lines)
