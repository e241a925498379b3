"""Store values and typed text in fields without loss: a field returns the value that was stored."""

from typing import Any

from workbench.model.forms import conversion
from workbench.model.forms.conversion import ConversionError, is_equal
from workbench.model.forms.field import GROUPS, Field, FieldState
from workbench.model.forms.shape import ABSENT
from workbench.model.forms.shape_reader import ShapeReader
from workbench.model.forms.variant_score import NO_FIT, best_variant, score
from workbench.model.references import is_reference
from workbench.model.short_text import is_safe

MAX_CHILDREN = 2000  # Longer lists and maps are shown as JSON: no user fills in so many fields by hand.

_SIMPLEST: dict[str, Any] = {"string": str, "integer": int, "number": int, "boolean": bool, "choices": list}
_TYPED = frozenset({"string", "integer", "number", "boolean", "choice", "json"})


def load(shapes: ShapeReader, field: Field, value: Any) -> None:
    """Fill a field, and all below it, with a value, or omit it if the value is ABSENT.

    A value that does not fit is stored as JSON. The previous content is dropped, and the value is not copied.
    """
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
    if field.kind not in GROUPS:
        field.reset()
    field.state = state
    if field.variant is not None:
        _leave(field.target, state)


def type_text(shapes: ShapeReader, field: Field, text: str) -> None:
    """Fill a field with typed text: the complete text of its input.

    Text that cannot be converted is stored as a string, and the field reports the problem. Empty text omits the field,
    except in a text field: there it is the empty text.
    """
    natural = field.shape.kind
    if natural == "string" and field.kind == "string":
        field.store(text, text)
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
            field.store(text, text)
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
