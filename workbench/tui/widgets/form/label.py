"""The texts around an editor: its name beside it, its state within it, its problem below it, and its help."""

from textual.content import Content

from workbench.model import describe
from workbench.model.forms.choice_problem import label_list
from workbench.model.forms.field import Field, FieldState
from workbench.model.forms.moment import FORMATS
from workbench.model.forms.shape import ABSENT
from workbench.model.short_text import escaped, escaped_lines
from workbench.tui.colours import BAD, MUTED, STRONG, WARN
from workbench.tui.key_bindings import key_for

_TYPES = {"array": "list", "variant": "one of several", "json": "JSON"}
_PLURALS = {
    "string": "texts",
    "integer": "integers",
    "number": "numbers",
    "boolean": "true or false",
    "choice": "choices",
}
# The keys of forms are the same in both panes with forms.
_UNKNOWN = f"! not in the schema; it is sent anyway, {key_for('remove_item', 'tools')} removes it"
_PROPOSE_KEY = key_for("propose", "tools")
_OMIT_KEY = key_for("omit", "tools")
_JSON_KEY = key_for("toggle_json", "tools")
_EMPTY = {"string": '""', "array": "[]"}
# The states that are likely to be overlooked.
_NOTABLE = ("null", *_EMPTY.values())
# The problems of items that are shown.
_MAX_ITEMS = 3
_FILE_HELP = f"@path sends the content of a file ({_PROPOSE_KEY} completes it), @@ begins a text with @"
# The kinds whose editors do not show their state themselves.
_KINDS_WITH_STATE = ("object", "array", "map")


def name_text(field: Field) -> Content:
    return Content.styled(escaped(_name(field)), STRONG)


def required_mark(field: Field) -> Content:
    return Content.styled(" *" if is_required(field) else "", BAD)


def is_required(field: Field) -> bool:
    # Items of a list are always required: to state it would add nothing.
    return field.required and not isinstance(field.key, int)


def kind_text(field: Field) -> Content:
    """Return what the head of a group shows at the right: its type, and its state if the rows do not show it."""
    parts = [(type_text(field), MUTED)]
    if field.kind in _KINDS_WITH_STATE and (state := state_text(field)):
        parts.append((f" · {state}", WARN if state in _NOTABLE else MUTED))
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
    if field.is_list_of_scalars:
        text = f"list of {_PLURALS.get(field.item_shape.kind, field.item_shape.kind)}"
    if field.format:
        text = field.format
    return f"{text} or null" if field.nullable and field.kind != "null" else text


def state_text(field: Field) -> str:
    """Return what an editor without a value shows: `null`, `""`, or what the absence means; empty for others."""
    match field.state:
        case FieldState.OMITTED:
            return absent_text(field)
        case FieldState.NULL:
            return "null"
        case _ if field.kind == "array" and field.children and not field.is_line:
            return describe.plural(len(field.children), "item")
        case _:
            return _EMPTY.get(field.kind, "") if field.text == "" else ""


def absent_text(field: Field) -> str:
    """Return what the absence of a value means: it is missing, the server uses the default, or it is omitted."""
    if is_required(field):
        return "required"
    # Null is the default of nearly every optional field, and only alternatives leave open what it stands for.
    if field.default is ABSENT or (field.default is None and field.shape.kind != "variant"):
        return "omitted"
    return f"default {describe.json_line(field.default, 20)}"


def placeholder_text(field: Field) -> str:
    """Return the text of an empty editor: the state of the field, and its type as long as it is omitted."""
    state = state_text(field)
    return f"{state} · {type_text(field)}" if field.state is FieldState.OMITTED else state


def more_fields_note(field: Field) -> str:
    """Return the note below the fields of an object with too many of them; empty for others."""
    count = field.fields_left_out
    return f"… and {count:,} more fields: the JSON ({_JSON_KEY}) has all of them" if count else ""


def help_text(field: Field) -> str:
    """Return the type, the limits, the default, some examples and the description of a field, on one line."""
    facts = [type_text(field), *map(escaped, field.constraints)]
    if field.kind == "choices":
        facts.insert(0, state_text(field) if field.default is ABSENT else "")  # Empty boxes may mean an empty list.
    if field.default is not ABSENT and (field.default is not None or field.required):
        facts.append(f"default {describe.json_line(field.default, 40)}")
    if field.is_list_of_scalars:
        facts += _item_facts(field)
    if field.kind == "string" and (field.shape.is_binary or field.text.startswith("@")):
        facts.append(_FILE_HELP)
    if field.kind == "string" and field.format in FORMATS:
        facts.append(f"{_PROPOSE_KEY} opens a calendar")
    if field.examples:
        facts.append("such as " + ", ".join(describe.json_line(example, 30) for example in field.examples[:3]))
    if field.title and field.title.casefold().replace(" ", "_") != _name(field).casefold():
        facts.append(field.title)
    facts.append(" ".join(escaped_lines(field.description or "").split()))
    if field.state is FieldState.OMITTED and _may_be_empty(field):
        facts.append(f"{_OMIT_KEY} sends an empty text")
    return " · ".join(filter(None, facts))


def _may_be_empty(field: Field) -> bool:
    """Whether an empty text may be a value of a field that is missing when its text is emptied."""
    is_missing = is_required(field) or field.is_own_key
    return field.kind == "string" and is_missing and not field.constraints and not field.format


def _item_facts(field: Field) -> list[str]:
    """Return what each item of a list has to be, and how several are written."""
    items = field.item_shape
    facts = [f"each {escaped(text)}" for text in items.constraints]
    if items.choices:
        facts.append(f"each one of {label_list([choice.label for choice in items.choices], 5)}")
    return [*facts, "commas between items"] if field.is_line else facts


def _problems(field: Field) -> list[str]:
    """Return the problem of a field, or those of the items on its line."""
    texts = [] if field.problem is None else [field.problem]
    items = field.item_problems
    texts += [f"item {index + 1}: {problem}" for index, problem in items[:_MAX_ITEMS]]
    return texts if len(items) <= _MAX_ITEMS else [*texts, f"… and {len(items) - _MAX_ITEMS:,} more items"]


def note_text(field: Field, *, shows_problem: bool) -> Content:
    """Return the text below a field: what is wrong with it."""
    lines: list[tuple[str, str]] = []
    if field.is_unknown:
        lines.append((_UNKNOWN, WARN))
    if shows_problem:
        lines += [(f"✗ {escaped(problem)}", "$text-error") for problem in _problems(field)]
    return Content("\n").join(Content.assemble(line) for line in lines)
