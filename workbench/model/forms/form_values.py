"""Store values and typed text in fields without loss: a field returns the value that was stored."""

from typing import Any

from workbench.model.forms import conversion
from workbench.model.forms.constraints import NEVER_EMPTY
from workbench.model.forms.conversion import ConversionError, is_equal
from workbench.model.forms.field import GROUPS, Field, FieldState
from workbench.model.forms.file_text import literal_value
from workbench.model.forms.list_text import ListItem, has_open_quote, item_text, join_items, read_items
from workbench.model.forms.shape import ABSENT
from workbench.model.forms.shape_reader import ShapeReader
from workbench.model.forms.variant_score import NO_FIT, best_variant, score
from workbench.model.references import is_reference
from workbench.model.short_text import is_safe

MAX_CHILDREN = 2000  # Longer lists and maps are shown as JSON: no user fills in so many fields by hand.

LONGEST_ITEM = 60  # A list with a longer item has a field for each item.

_OPEN_QUOTE = "a quotation mark is not closed"
_SIMPLEST: dict[str, Any] = {"string": str, "integer": int, "number": int, "boolean": bool, "choices": list}
_TYPED = frozenset({"string", "integer", "number", "boolean", "choice", "json"})


def load(shapes: ShapeReader, field: Field, value: Any) -> None:
    """Fill a field, and all below it, with a value, stored as JSON if it does not fit; ABSENT omits the field."""
    field.reset()
    if value is ABSENT:
        return
    if value is None:
        set_null(field)
        return
    match field.kind:
        case "object" | "map" if isinstance(value, dict) and len(value) <= MAX_CHILDREN:
            _load_keys(shapes, field, value)
        case "array" if isinstance(value, list) and len(value) <= MAX_CHILDREN:
            _load_items(shapes, field, value)
            field.shows_items = not fits_line(field)
            write_line(field)
        case "variant" if (variant := best_variant(shapes, field.shape, value)) is not None:
            load(shapes, field.choose(variant), value)
            field.state = FieldState.SET
        case _ if _fits(field, value):
            field.store(value)
        case "json":
            field.store(value, conversion.json_text(value))
        case _:
            field.store_as_json(value)


def set_null(field: Field) -> None:
    """Set the value to the JSON null; a group stores its content for later."""
    _leave(field, FieldState.NULL)


def omit(field: Field) -> None:
    """Omit a field; a group stores its content for later."""
    _leave(field, FieldState.OMITTED)


def include(shapes: ShapeReader, field: Field) -> None:
    """Make a field SET: with the group's previous content, else its default, else the simplest value of its kind.

    Null is the default of most optional groups, and nothing could be filled in below it.
    """
    if field.kind == "variant" and field.variant is None:
        if field.default is not ABSENT and field.default is not None:
            load(shapes, field, field.default)
            return
        choose_variant(shapes, field, 0)
    target = field.target
    if target.kind in ("object", "map", "array") and target.is_built:
        target.state = FieldState.SET
    elif target.shape.default is not ABSENT and not (target.shape.default is None and target.kind in GROUPS):
        load(shapes, target, target.shape.default)
    elif target.kind in ("object", "map", "array"):
        target.build(open_required=True)
        target.state = FieldState.SET
    elif target.kind == "choice":
        target.store(target.choices[0].value)
    elif target.kind in _SIMPLEST:
        target.store(_SIMPLEST[target.kind]())
    else:
        set_null(target)
    field.state = target.state


def toggle_choice(field: Field, index: int) -> None:
    value = field.choices[index].value
    if field.shape.kind != "choices":
        field.reset()
        field.store(value)
        return
    chosen = field.own_value if field.kind == "choices" and field.state is FieldState.SET else []
    rest = [other for other in chosen if not is_equal(other, value)]
    field.reset()
    field.store(rest if len(rest) < len(chosen) else [*chosen, value])


def choose_variant(shapes: ShapeReader, field: Field, index: int) -> None:
    """Choose an alternative; its previous content is restored, and values that fit both are carried over."""
    before = field.value()
    is_new = not field.has_content(index)
    if field.kind != field.shape.kind:
        field.reset()
    content = field.choose(index)
    if is_new:
        content.open()
    _fill_constants(content)
    if is_new:
        _carry_over(shapes, content, before)
    field.state = content.state


def _fill_constants(content: Field) -> None:
    """Fill in the optional constants too: they distinguish an alternative from the others."""
    for child in content.children if content.kind == "object" and content.state is FieldState.SET else ():
        if child.is_constant and child.state is FieldState.OMITTED:
            child.store(child.choices[0].value)


def _carry_over(shapes: ShapeReader, content: Field, value: Any) -> None:
    if content.kind == "object" and isinstance(value, dict):
        for child in content.children:
            if child.state is FieldState.OMITTED and score(shapes, child.shape, value.get(child.name)) > NO_FIT:
                load(shapes, child, value.get(child.name, ABSENT))
    elif content.state is FieldState.OMITTED and score(shapes, content.shape, value) > NO_FIT:
        load(shapes, content, value)


def _leave(field: Field, state: FieldState) -> None:
    if field.kind not in GROUPS or field.is_line:
        field.reset()
    field.state = state
    if field.variant is not None:
        field.is_picked = None
        _leave(field.target, state)


def type_text(shapes: ShapeReader, field: Field, text: str) -> None:
    """Fill a field with its complete text, valid or not; the empty text omits all fields but optional texts.

    A required text that is emptied is missing, as in a new form, and an optional date is omitted, as none is empty. An
    item between two commas may be an empty text.
    """
    natural = field.shape.kind
    if field.is_line:
        _type_items(shapes, field, text)
        return
    if natural == "string" and field.kind == "string":
        if not text and (field.required or field.format in NEVER_EMPTY) and not isinstance(field.key, int):
            field.reset()
            return
        field.store(literal_value(text), text)
        return
    if not text.strip():
        field.reset()
        field.text = text
        return
    try:
        value = _read(field, text)
    except ConversionError as problem:
        if natural == "string" and text[0] not in '"[{':
            field.reset()  # no longer JSON that did not fit, but text again
            field.store(literal_value(text), text)
            return
        if natural not in _TYPED:
            field.store_as_json(text)
        field.store(text, text)
        if not is_reference(text):
            field.typing_problem = str(problem)
        return
    load(shapes, field, value)
    if field.kind not in ("object", "map", "array", "variant"):
        field.text = text


def fits_line(field: Field) -> bool:
    """Whether the items of a list are short and have the kind that the schema requires."""
    kind = field.item_shape.kind
    return all(
        item.kind == kind and len(item.text) <= LONGEST_ITEM and "\n" not in item.text for item in field.children
    )


def line_text(field: Field) -> str:
    may_be_null = field.item_shape.nullable
    return join_items(
        ""
        if item.state is FieldState.OMITTED
        else item_text(item.text, is_null=item.state is FieldState.NULL, may_be_null=may_be_null, is_first=index == 0)
        for index, item in enumerate(field.children)
    )


def write_line(field: Field) -> None:
    """Make the text of a list that of its items."""
    if field.is_line and field.state is FieldState.SET:
        field.text, field.typing_problem = line_text(field), None


def _type_items(shapes: ShapeReader, field: Field, text: str) -> None:
    """Fill a list with the items on a line, or with the JSON list that is typed."""
    if not text.strip():
        field.reset()
        field.text = text
        return
    if (value := _json_list(text)) is not None:
        load(shapes, field, value)
        if field.is_line:
            field.text = text
        return
    items = read_items(text)
    if len(items) > MAX_CHILDREN:
        field.store_as_json(_values_of(shapes, field, items))
        return
    field.state, field.text = FieldState.SET, text
    field.typing_problem = _OPEN_QUOTE if has_open_quote(text) else None
    # The fields of the items before stay: the form has changed only if their number has.
    fields = field.children[: len(items)]
    field.arrange(fields)
    fields += [field.add_item() for _ in items[len(fields) :]]
    for child, item in zip(fields, items, strict=True):
        _type_item(shapes, child, item)


def _type_item(shapes: ShapeReader, child: Field, item: ListItem) -> None:
    child.reset()
    if not item.is_quoted and not item.text:
        return  # Nothing is written between two commas.
    if not item.is_quoted and item.text == "null" and child.nullable:
        set_null(child)
    else:
        type_text(shapes, child, item.text)


def _json_list(text: str) -> list[Any] | None:
    if not text.lstrip().startswith("[") or not text.rstrip().endswith("]"):
        return None
    try:
        value = conversion.json_value(text)
    except ConversionError:
        return None
    return value if isinstance(value, list) else None


def _values_of(shapes: ShapeReader, field: Field, items: list[ListItem]) -> list[Any]:
    """Return the values of items that are too many for a field each."""
    field.reset()
    scratch = field.add_item()
    values = []
    for item in items:
        _type_item(shapes, scratch, item)
        values.append(scratch.value())
    return [None if value is ABSENT else value for value in values]


def _read(field: Field, text: str) -> Any:
    if field.kind != field.shape.kind:
        return conversion.json_value(text)
    match field.kind:
        case "integer":
            return conversion.integer(text)
        case "number":
            return conversion.number(text)
        case "boolean":
            return conversion.boolean(text)
        case "choice":
            return conversion.choice(text, field.choices)
        case _:
            return conversion.json_value(text)


def _fits(field: Field, value: Any) -> bool:
    match field.kind:
        case "string":
            # An input would drop or execute control characters; in JSON they are visible and preserved.
            return isinstance(value, str) and is_safe(value)
        case "boolean":
            return isinstance(value, bool)
        case "integer" | "number":
            return (isinstance(value, int | float) and not isinstance(value, bool)) or is_reference(value)
        case "choice":
            return any(is_equal(choice.value, value) for choice in field.choices)
        case "choices":
            return isinstance(value, list)
        case _:
            return False


def _load_keys(shapes: ShapeReader, field: Field, value: dict[str, Any]) -> None:
    field.state = FieldState.SET
    field.build(open_required=False)
    children = {child.name: child for child in field.children}
    for key, member in value.items():
        load(shapes, children.get(key) or field.add_key(key, is_text=isinstance(member, str)), member)


def _load_items(shapes: ShapeReader, field: Field, value: list[Any]) -> None:
    field.state = FieldState.SET
    field.build(open_required=False)
    fixed = field.children
    for index, item in enumerate(value):
        load(shapes, fixed[index] if index < len(fixed) else field.add_item(), item)
