"""One field of a form: its shape, its content, and the fields below it.

Rules:

1. A field is OMITTED (its key is left out), NULL (the JSON null) or SET; an empty text is SET.
2. `own_value` is the value of a field without fields below it, exactly as loaded or typed. `text` is what is displayed.
3. A value that does not fit the kind of its field is stored unchanged, and the field has the kind "json" meanwhile.
4. Fields below are created on first access: schemas may be recursive.

Only a field's `Form` changes it.
"""

from collections.abc import Iterator, Mapping
from enum import Enum
from itertools import islice
from typing import Any, TypeAlias

from workbench.model.forms.checker import matches
from workbench.model.forms.conversion import is_equal, json_text, value_text
from workbench.model.forms.file_text import file_path, literal_text
from workbench.model.forms.shape import ABSENT, EnumChoice, FieldKind, Schema, Shape
from workbench.model.forms.shape_reader import ShapeReader

Path: TypeAlias = tuple[str | int, ...]

MAX_FIELDS = 100  # How many properties of one object get fields by default; the JSON of the form accepts all of them.

DEEPEST = 32  # From this level on, every field is filled in as JSON.

SCALARS = frozenset({"string", "integer", "number", "boolean", "choice"})
"""The kinds of items that a list shows on one line."""

GROUPS = frozenset({"object", "map", "array", "variant"})
"""The kinds with fields below."""


class FieldState(Enum):
    OMITTED = "omitted"
    NULL = "null"
    SET = "set"


class FormContext:
    """What all fields of a form share: the shapes, and how many groups may still be opened by default."""

    # Required groups are opened at once, and a schema may nest them without end.
    MAX_OPENED = 200

    def __init__(self, shapes: ShapeReader) -> None:
        self.shapes = shapes
        self.to_open = self.MAX_OPENED


class Field:
    """One field of a form; `key` is the property or index, "" for the form. A variant and its content share one."""

    __slots__ = (
        "_children",
        "_contents",
        "_context",
        "is_added",
        "is_picked",
        "key",
        "kind",
        "own_value",
        "parent",
        "problem",
        "required",
        "shape",
        "shows_items",
        "state",
        "text",
        "typing_problem",
        "variant",
    )

    def __init__(
        self,
        context: FormContext,
        schema: Schema,
        parent: "Field | None",
        key: str | int,
        *,
        required: bool,
        is_added: bool = False,
    ) -> None:
        self._context = context
        self.parent = parent
        self.key = key
        self.required = required
        self.is_added = is_added  # the key was added or loaded, and is not in the schema
        self.shape: Shape = context.shapes.shape(schema if self.depth < DEEPEST else True)
        if self.is_content and self.shape.kind == "variant":
            # Both would have the same path; nested alternatives are nearly always flattened into one list.
            self.shape = context.shapes.shape(True)
        self.problem: str | None = None  # for users
        self._contents: dict[int, Field] = {}
        self.reset()

    def __repr__(self) -> str:
        return f"<Field {self.path} {self.kind} {self.state.value} {self.text!r}>"

    @property
    def path(self) -> Path:
        """The keys and indexes from the root; a variant's content has the variant's path."""
        if self.parent is None:
            return ()
        return self.parent.path if self.is_content else (*self.parent.path, self.key)

    @property
    def depth(self) -> int:
        return 0 if self.parent is None else self.parent.depth + 1

    @property
    def is_content(self) -> bool:
        """Whether it is the content of a variant, which has no path itself."""
        return self.parent is not None and self.parent.shape.kind == "variant"

    @property
    def name(self) -> str:
        return str(self.key)

    @property
    def title(self) -> str:
        return self.shape.title

    @property
    def description(self) -> str:
        """The schema's description, not escaped."""
        return self.shape.description

    @property
    def nullable(self) -> bool:
        return self.shape.nullable

    @property
    def format(self) -> str | None:
        return self.shape.format or None

    @property
    def default(self) -> Any:
        """The schema's default value, or ABSENT."""
        return self.shape.default

    @property
    def initial(self) -> Any:
        """The default value, also as a part of the default of a group around it; ABSENT if there is none."""
        if self.default is not ABSENT or self.parent is None:
            return self.default
        around = self.parent.initial
        if self.is_content:
            return around
        if isinstance(around, dict):
            return around.get(self.key, ABSENT)
        is_item = isinstance(around, list) and isinstance(self.key, int) and self.key < len(around)
        return around[self.key] if is_item else ABSENT

    @property
    def examples(self) -> list[Any]:
        return self.shape.examples

    @property
    def constraints(self) -> list[str]:
        return self.shape.constraints

    @property
    def choices(self) -> list[EnumChoice]:
        return self.shape.choices

    @property
    def is_constant(self) -> bool:
        """Whether the schema allows a single value."""
        return self.kind == "choice" and len(self.choices) == 1 and not self.nullable

    @property
    def selected(self) -> list[int]:
        """The indexes of the selected choices."""
        if self.state is not FieldState.SET or self.kind not in ("choice", "choices"):
            return []
        chosen = self.own_value if self.kind == "choices" else [self.own_value]
        return [i for i, choice in enumerate(self.choices) if any(is_equal(choice.value, value) for value in chosen)]

    @property
    def variants(self) -> list[str]:
        return [variant.label for variant in self.shape.variants]

    @property
    def begins_with_group(self) -> bool:
        """Whether its first property is an optional object, in which nothing is typed before it is opened."""
        for name, schema in self.shape.properties.items():
            return name not in self.shape.required and self._context.shapes.shape(schema).kind == "object"
        return False

    @property
    def can_add_items(self) -> bool:
        return self.kind == "array" and self.shape.items is not None

    @property
    def is_list_of_scalars(self) -> bool:
        """Whether it is a list that can be written on one line."""
        return self.kind == "array" and not self.shape.prefix and self.item_shape.kind in SCALARS

    @property
    def is_line(self) -> bool:
        """Whether it is a list whose `text` has all items, instead of a field for each."""
        return not self.shows_items and self.is_list_of_scalars

    @property
    def is_written(self) -> bool:
        """Whether its value is written as a text, a number, or the items of a list on a line."""
        return self.is_line or (self.kind in ("string", "integer", "number") and self.kind == self.shape.kind)

    @property
    def is_in_line(self) -> bool:
        """Whether it is an item of a list on one line, which has no row."""
        return self.parent is not None and self.parent.is_line

    @property
    def item_shape(self) -> Shape:
        """What the items of a list are, after those at fixed positions."""
        return self._context.shapes.shape(True if self.shape.items is None else self.shape.items)

    @property
    def item_problems(self) -> list[tuple[int, str]]:
        """The indexes of the items with a problem, in a list on one line."""
        items = self.children if self.is_line and self.state is FieldState.SET else []
        return [(index, item.problem) for index, item in enumerate(items) if item.problem]

    @property
    def has_problem(self) -> bool:
        """Whether its row has to show a problem."""
        return self.problem is not None or bool(self.item_problems)

    def problems_within(self, *, with_omitted: bool) -> int:
        """Return the number of fields below it with a problem; fields that are omitted count on request."""
        below = islice(self.visible(), 1, None)
        return sum(
            field.problem is not None and (with_omitted or field.state is not FieldState.OMITTED) for field in below
        )

    @property
    def can_add_keys(self) -> bool:
        return self.kind in ("object", "map") and self.shape.offers_keys

    @property
    def can_remove(self) -> bool:
        """Whether it is an added key, or an item without a fixed position."""
        if self.parent is None or self.is_content:
            return False
        if isinstance(self.key, int):
            return self.key >= len(self.parent.shape.prefix)
        return self.is_added

    @property
    def is_own_key(self) -> bool:
        """Whether it is a key that the schema of its object does not name, which the user has added."""
        return self.is_added and self.parent is not None and self.name not in self.parent.shape.properties

    @property
    def is_unknown(self) -> bool:
        """Whether it is a key that the schema of its object neither names nor allows explicitly."""
        parent = self.parent
        return self.is_added and parent is not None and not parent._expects(self.name)

    @property
    def children(self) -> "list[Field]":
        """The properties, the items, or the content of the chosen variant."""
        return list(self._below().values())

    @property
    def target(self) -> "Field":
        """The field that has the content: a variant's content if there is one, else the field itself."""
        return self.children[0].target if self.kind == "variant" and self.variant is not None else self

    def child(self, key: str | int) -> "Field | None":
        """Return the field below with this key; searches a variant's content, too."""
        if self.kind == "variant":
            return self.target.child(key) if self.variant is not None else None
        return self._below().get(key)

    def visible(self) -> "Iterator[Field]":
        """Yield this field and those below it, depth first; a field that is not SET hides those below it."""
        waiting = [self]
        while waiting:
            field = waiting.pop()
            yield field
            if field.kind in GROUPS and (field.state is FieldState.SET or field.variant is not None):
                waiting.extend(reversed(field.children))

    @property
    def file(self) -> str | None:
        """The path of the file whose content is the value; None for all other values."""
        return file_path(self.text) if self.kind == "string" and self.state is FieldState.SET else None

    def value(self, contents: "Mapping[Path, Any] | None" = None) -> Any:
        """Return the value to send, with the contents of files by their paths; ABSENT if there is none."""
        if self.state is FieldState.OMITTED:
            return ABSENT
        if self.state is FieldState.NULL:
            return None
        match self.kind:
            case "object" | "map":
                named = ((child.name, child.value(contents)) for child in self.children)
                return {name: value for name, value in named if value is not ABSENT}
            case "array":
                values = (item.value(contents) for item in self.sent_items())
                return [None if value is ABSENT else value for value in values]
            case "variant":
                return self.children[0].value(contents)
            case _ if contents:
                return contents.get(self.path, self.own_value)
            case _:
                return self.own_value

    @property
    def text_of_value(self) -> str:
        """The text that is displayed when its value is loaded; that of a text that cannot be read is JSON."""
        if self.own_value is ABSENT:
            return ""
        if self.kind == "json" or self.typing_problem is not None:
            return json_text(self.own_value)
        return self._text_of(self.own_value)

    def _text_of(self, value: Any) -> str:
        return literal_text(value) if self.kind == "string" and isinstance(value, str) else value_text(value)

    def sent_items(self) -> "list[Field]":
        """Return an array's items to send; items without a value are left out, except at fixed positions."""
        items = self.children
        fixed = len(self.shape.prefix)
        last = max((i for i, item in enumerate(items) if item.state is not FieldState.OMITTED), default=-1)
        return [item for i, item in enumerate(items[: last + 1]) if i < fixed or item.state is not FieldState.OMITTED]

    def reset(self) -> None:
        self.kind: FieldKind = self.shape.kind
        self.state = FieldState.OMITTED
        self.text = ""
        self.shows_items = False  # whether a list of scalars has a field for each item
        self.own_value: Any = ABSENT  # of a field without fields below; ABSENT if there is none
        self.variant: int | None = None  # the index of the chosen one
        self.is_picked: bool | None = None  # whether the user chose it, not what was typed; None if that is not known
        self.typing_problem: str | None = None  # why `text` cannot be converted
        self._children: dict[str | int, Field] | None = None

    def open(self) -> None:
        """Set the initial state of a new form: a value without alternatives is SET, all else is OMITTED."""
        if self.kind in ("object", "map") and self._context.to_open > 0 and not self._is_inside_itself():
            # A group of many fields counts for several.
            self._context.to_open -= max(1, min(len(self.shape.properties), MAX_FIELDS) // 20)
            self.state = FieldState.SET
        elif self.is_constant:
            self.store(self.choices[0].value)

    def store(self, value: Any, text: str | None = None) -> None:
        """Store a value unchanged; `text` is what the user typed, if anything."""
        self.state = FieldState.SET
        self.own_value = value
        self.text = self._text_of(value) if text is None else text
        self.typing_problem = None

    def store_as_json(self, value: Any) -> None:
        """Store a value that does not fit this kind of field, and use the kind "json" meanwhile."""
        self.reset()
        self.kind = "json"
        self.store(value, json_text(value))

    def build(self, *, open_required: bool) -> None:
        """Create the fields below it again; those that the schema requires are opened on request."""
        self._children = {}
        shape = self.shape
        if self.kind == "object":
            for name, schema in islice(shape.properties.items(), MAX_FIELDS):
                self._children[name] = Field(self._context, schema, self, name, required=name in shape.required)
        elif self.kind == "array":
            for index, schema in enumerate(islice(shape.prefix, MAX_FIELDS)):
                self._children[index] = Field(self._context, schema, self, index, required=True)
        for child in self._children.values() if open_required else ():
            if child.required:
                child.open()

    def add_key(self, key: str, *, is_text: bool = False) -> "Field":
        """Add a field for a key that is not in the schema; a text without a type in the schema is edited as text."""
        schema = {"type": "string"} if is_text and not self._expects(key) else self._further_schema(key)
        child = Field(self._context, schema, self, key, required=key in self.shape.required, is_added=True)
        self._below()[key] = child
        return child

    def add_item(self) -> "Field":
        below = self._below()
        schema = True if self.shape.items is None else self.shape.items
        child = below[len(below)] = Field(self._context, schema, self, len(below), required=True)
        return child

    def arrange(self, children: "list[Field]") -> None:
        """Replace the fields below it, in this order; items are renumbered."""
        if self.kind == "array":
            for index, child in enumerate(children):
                child.key = index
        self._children = {child.key: child for child in children}

    def choose(self, variant: int) -> "Field":
        """Choose an alternative and return its content, with the values that it had before."""
        if variant not in self._contents:
            self._contents[variant] = self.content_of(variant)
        self.variant = variant
        self.kind = "variant"
        content = self._contents[variant]
        self._children = {content.key: content}
        return content

    def content_of(self, variant: int) -> "Field":
        """Return a new field for the content of an alternative, which is not part of the form."""
        schema = self.shape.variants[variant].schema
        return Field(self._context, schema, self, self.key, required=self.required)

    @property
    def fields_left_out(self) -> int:
        """The number of properties in the schema without a field, because there are too many of them."""
        if self.kind != "object" or len(self.shape.properties) <= MAX_FIELDS:
            return 0
        return len(self.shape.properties) - sum(1 for key in self._below() if key in self.shape.properties)

    @property
    def is_built(self) -> bool:
        return self._children is not None

    def has_content(self, variant: int) -> bool:
        """Whether an alternative was chosen before."""
        return variant in self._contents

    def _below(self) -> "dict[str | int, Field]":
        if self._children is None:
            self.build(open_required=True)
        assert self._children is not None
        return self._children

    def _expects(self, key: str) -> bool:
        """Whether the schema names a key, or allows further keys explicitly."""
        return key in self.shape.properties or self.shape.offers_keys

    def _further_schema(self, key: str) -> Schema:
        if key in self.shape.properties:
            return self.shape.properties[key]
        for pattern, schema in self.shape.patterns.items():
            if matches(pattern, key):
                return schema
        return True if self.shape.additional is None else self.shape.additional

    def _is_inside_itself(self) -> bool:
        above = self.parent
        while above is not None:
            if above.shape is self.shape:
                return True
            above = above.parent
        return False
