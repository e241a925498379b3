"""A form for a JSON Schema: the fields and their content, in step with the JSON value, validated at every change.

Rules:

1. A loaded value is returned unchanged: keys that are not in the schema become fields of text or JSON, and values that
   do not fit become JSON fields.
2. A field with a default starts OMITTED and shows the default; the tool's server applies it.
3. Filling in a field SETs everything above it.
4. After every change each field's `problem` is up to date, and `structure` has changed if the fields have changed.
5. Loaded values are not copied, and returned values must not be changed.
"""

from collections.abc import Collection, Iterable, Iterator
from typing import Any, Protocol

from workbench.model.forms import form_values
from workbench.model.forms.checker import Checker
from workbench.model.forms.conversion import ConversionError, json_text, json_value
from workbench.model.forms.field import GROUPS, Field, FieldState, FormContext, Path
from workbench.model.forms.form_problems import FormProblem, find_problems
from workbench.model.forms.shape import ABSENT, FieldKind, Schema, Shape
from workbench.model.forms.shape_reader import ShapeReader
from workbench.model.forms.skeleton import skeleton, without_placeholders

_WRITTEN = frozenset({"string", "integer", "number"})  # The kinds of fields that may exchange their typed texts.


class ReadFile(Protocol):
    def __call__(self, path: str, *, is_binary: bool) -> str:
        """Return the content of a file as a value, or a text about it; ValueError when it cannot be read."""


class Form:
    """A form for one JSON Schema, which may be invalid: a tool's input schema, or an elicitation's requested schema."""

    def __init__(self, schema: Any) -> None:
        self.schema = schema
        self.structure = 0  # changes when the visible fields or their kinds change
        self.json_draft: str | None = None  # the JSON typed last, if it cannot be read
        self.is_checked = True  # whether the current value could be validated; typed text is checked in any case
        self._shapes = ShapeReader(schema)
        self._checker = Checker(schema)
        self._problems: list[FormProblem] = []
        self._file_texts: dict[str, str] = {}  # what was typed for the files, by what the JSON shows of them
        self._visible: list[tuple[Field, FieldKind]] = []
        self.root = Field(FormContext(self._shapes), schema, None, "", required=True)
        self._reset_root()
        self._refresh(self.root)

    def field(self, path: Path) -> Field:
        """Return the field with a path, else KeyError; for a variant the field that chooses, not its content."""
        field = self.root
        for key in path:
            child = field.child(key)
            if child is None:
                raise KeyError(f"the form has no field {list(path)}")
            field = child
        return field

    def nearest(self, path: Path) -> Path:
        """Return a path, or if no field has it the path of the previous item, or of the group around it."""
        while path:
            try:
                field = self.field(path)
                # The items of a list on one line have no rows.
                return field.path if field.parent is None or not field.parent.is_line else field.parent.path
            except KeyError:
                *above, key = path
                path = (*above, key - 1) if isinstance(key, int) and key > 0 else tuple(above)
        return path

    def fields(self) -> Iterator[Field]:
        """Return the visible fields, depth first."""
        return self.root.visible()

    def problems(self) -> list[FormProblem]:
        return list(self._problems)

    def value(self) -> Any:
        """Return the value to send, without omitted fields."""
        value = self.root.value()
        return {} if value is ABSENT else value

    @property
    def has_files(self) -> bool:
        """Whether the contents of files are part of the value."""
        return any(field.file is not None for field in self.fields())

    def value_with_files(self, read: ReadFile) -> Any:
        """Return the value with the contents of files, which problems are then about; ABSENT if one is unreadable."""
        contents: dict[Path, str] = {}
        problems: dict[Path, str | None] = {}
        for field in self.fields():
            if (path := field.file) is None:
                continue
            try:
                contents[field.path] = read(path, is_binary=field.shape.is_binary)
                problems[field.path] = None
            except ValueError as problem:
                problems[field.path] = str(problem)
        value = self.root.value(contents)
        self._problems = find_problems(self.root, self._checker.check(value), problems)
        return ABSENT if any(problems.values()) else value

    def load(self, value: Any) -> None:
        self.json_draft = None
        form_values.load(self._shapes, self.root, value)
        self._refresh(self.root)

    def carry_over(self, before: "Form") -> None:
        """Fill in the whole form from a form for another version of its schema, including typed texts."""
        if before.value():
            self.load(before.value())
        self.json_draft = before.json_draft
        for old in before.fields():
            field = self._target(old.path)
            if field is None:
                continue
            kinds = {old.kind, old.shape.kind, field.shape.kind}
            if old.kind == field.kind == "array":
                self._carry_list(old, field)
            elif old.text and old.text != field.text and (kinds <= _WRITTEN or kinds == {"json"}):
                self._type(field, old.text)

    def typed_texts(self) -> list[tuple[Path, str]]:
        """Return the texts that a form with the same value would not show: texts that cannot be read, for example."""
        fields = [field for field in self.fields() if field.text and not _is_in_line(field)]
        return [(field.path, field.text) for field in fields if field.text != _loaded_text(field)]

    def restore_texts(self, texts: Iterable[tuple[Path, str]]) -> None:
        """Type texts again, each in its field; those of fields that the form does not have are ignored."""
        for path, text in texts:
            if (field := self._target(path)) is None:
                continue
            if field.is_list_of_scalars:
                field.shows_items = False
                self.set_text(path, text)
            elif field.kind not in GROUPS:
                self._type(field, text)

    def _target(self, path: Path) -> Field | None:
        try:
            return self.field(path).target
        except KeyError:
            return None

    def _type(self, field: Field, text: str) -> None:
        field.reset()
        form_values.type_text(self._shapes, field, text)
        self._refresh(field)

    def _carry_list(self, old: Field, field: Field) -> None:
        if field.is_list_of_scalars and old.is_list_of_scalars:
            self.show_items(field.path, old.shows_items)
        if field.is_line and old.text != field.text:
            self.set_text(field.path, old.text)

    def shapes_at(self, path: Path) -> list[Shape]:
        """Return what the schema allows at a path, whether or not the form has a field there: each alternative."""
        shapes = self._alternatives(self.root.shape)
        for key in path:
            below = [self._below(shape, key) for shape in shapes]
            shapes = [shape for schema in below if schema is not None for shape in self._alternatives_of(schema)]
        return shapes

    def shape_of(self, schema: Schema) -> Shape:
        """Return the shape of a part of the schema; the same part always has the same shape."""
        return self._shapes.shape(schema)

    def _alternatives_of(self, schema: Schema) -> list[Shape]:
        return self._alternatives(self._shapes.shape(schema))

    def _alternatives(self, shape: Shape) -> list[Shape]:
        return [shape, *(self._shapes.shape(variant.schema) for variant in shape.variants)]

    def _below(self, shape: Shape, key: str | int) -> Schema | None:
        """Return the schema of a member or item."""
        if isinstance(key, str):
            return shape.properties.get(key, shape.additional)
        return shape.prefix[key] if key < len(shape.prefix) else shape.items

    def to_json(self) -> str:
        return json_text(self.value(), indent=2)

    def include_defaults(self) -> None:
        """Set the required fields that have a default and no value."""
        for field in list(self.fields()):
            if field.required and field.default is not ABSENT and field.state is FieldState.OMITTED:
                self.include(field.path)

    def to_skeleton(self, describe_file: ReadFile | None = None) -> tuple[str, dict[str, bool]]:
        """Return JSON with placeholders, and which stand for text; `describe_file` makes the text for a file."""
        placeholders: dict[str, bool] = {}
        self._file_texts = {}
        for field in self.fields() if describe_file is not None else ():
            if describe_file is not None and (path := field.file) is not None:
                shown = describe_file(path, is_binary=field.shape.is_binary)
                self._file_texts[shown] = field.text
        texts = {text: shown for shown, text in self._file_texts.items()}
        value = skeleton(self._shapes, self.root, placeholders, texts)
        return json_text({} if value is ABSENT else value, indent=2), placeholders

    def load_json(self, text: str, placeholders: Collection[str] = ()) -> ConversionError | None:
        """Fill in the whole form with a JSON text, or return the problem with the text and store it as a draft."""
        try:
            value = without_placeholders(json_value(text), placeholders)
        except ConversionError as problem:
            self.json_draft = text
            return problem
        self.load(value)
        self._name_files()
        return None

    def _name_files(self) -> None:
        """Name the files again whose descriptions are in a JSON text."""
        for field in list(self.fields()) if self._file_texts else ():
            if field.kind == "string" and (text := self._file_texts.get(field.own_value)) is not None:
                form_values.type_text(self._shapes, field, text)
                if field.parent is not None and field.parent.kind == "array":
                    field.parent.shows_items = not form_values.fits_line(field.parent)
                    form_values.write_line(field.parent)
                self._refresh(field)

    def set_text(self, path: Path, text: str) -> None:
        """Set the text of a field's input; see `form_values.type_text`."""
        field = self.field(path).target
        form_values.type_text(self._shapes, field, text)
        self._refresh(field)

    def set_value(self, path: Path, value: Any) -> None:
        """Fill in a field, and all below it, with a JSON value."""
        field = self.field(path)
        form_values.load(self._shapes, field, value)
        self._refresh(field)

    def include(self, path: Path) -> None:
        """Make a field SET without user input: with its previous value, its default, or the simplest value."""
        field = self.field(path)
        form_values.include(self._shapes, field)
        self._refresh(field)

    def omit(self, path: Path) -> None:
        """Omit a field; the whole form is emptied instead. A group stores its content for later."""
        field = self.field(path)
        if field is self.root:
            field.reset()
            self._reset_root()
        else:
            form_values.omit(field)
        self._refresh(field)

    def set_null(self, path: Path) -> None:
        """Make the value of a field the JSON null, whether or not the schema allows it."""
        field = self.field(path)
        form_values.set_null(field)
        self._refresh(field)

    def toggle_choice(self, path: Path, index: int) -> None:
        """Select a choice, or, if several may be selected, toggle it."""
        field = self.field(path).target
        form_values.toggle_choice(field, index)
        self._refresh(field)

    def choose_variant(self, path: Path, index: int) -> None:
        """Choose one of the alternatives of a field; values that fit it are carried over."""
        field = self.field(path)
        form_values.choose_variant(self._shapes, field, index)
        self._refresh(field.target)

    def add_item(self, path: Path) -> Path:
        """Add an item to a list and return its path; ValueError when the field accepts no items."""
        field = self.field(path).target
        if not field.can_add_items:
            raise ValueError(f"the field {list(path)} accepts no more items")
        item = field.add_item()
        item.open()
        field.state = FieldState.SET
        form_values.write_line(field)
        self._refresh(field)
        return item.path

    def show_items(self, path: Path, shows_items: bool) -> None:
        """Give each item of a list of scalars a field, or write them on one line."""
        field = self.field(path).target
        field.shows_items = shows_items
        form_values.write_line(field)
        self._refresh(field)

    def remove_item(self, path: Path) -> None:
        """Remove an item of a list, or a key that was added; ValueError when the schema requires it."""
        item = self._removable(path)
        assert item.parent is not None
        item.parent.arrange([child for child in item.parent.children if child is not item])
        self._refresh(item.parent)

    def can_move(self, path: Path, by: int) -> bool:
        """Whether an item of a list can be moved by a number of places; items of fixed positions stay."""
        item = self.field(path)
        if item.parent is None or not isinstance(item.key, int) or not item.can_remove:
            return False
        return len(item.parent.shape.prefix) <= item.key + by < len(item.parent.children)

    def move_item(self, path: Path, by: int) -> None:
        """Move an item of a list; ValueError when it cannot be moved there."""
        item = self._removable(path)
        if not self.can_move(path, by) or item.parent is None or not isinstance(item.key, int):
            raise ValueError(f"the item {list(path)} is at the end of its list")
        others = [child for child in item.parent.children if child is not item]
        others.insert(item.key + by, item)
        item.parent.arrange(others)
        self._refresh(item.parent)

    def add_key(self, path: Path, key: str) -> Path:
        """Add a key to a map or object and return its path; ValueError when it accepts no keys, or has this key."""
        field = self.field(path).target
        if field.kind not in ("object", "map"):
            raise ValueError(f"the field {list(path)} accepts no keys")
        if field.child(key) is not None:
            raise ValueError(f"the key {key!r} already exists")
        child = field.add_key(key)
        child.open()
        field.state = FieldState.SET
        self._refresh(field)
        return child.path

    def _reset_root(self) -> None:
        self.root.open()
        if self.root.kind in ("object", "map"):
            self.root.state = FieldState.SET

    def _removable(self, path: Path) -> Field:
        field = self.field(path)
        if not field.can_remove:
            raise ValueError(f"the field {list(path)} has its place in the schema: omit it instead")
        return field

    def _refresh(self, field: Field) -> None:
        if field.parent is not None and field.parent.is_line:
            form_values.write_line(field.parent)
        _set_above(field)
        violations = self._checker.check(self.value())
        self.is_checked = violations is not None
        self._problems = find_problems(self.root, violations)
        visible = [(field, field.kind) for field in self.root.visible() if not _is_in_line(field)]
        if visible != self._visible:
            self._visible = visible
            self.structure += 1


def _loaded_text(field: Field) -> str:
    if field.is_line:
        return "" if any(item.typing_problem for item in field.children) else form_values.line_text(field)
    return field.text if field.kind in GROUPS else field.text_of_value


def _is_in_line(field: Field) -> bool:
    """Whether it is an item of a list on one line, which has no row."""
    return field.parent is not None and field.parent.is_line


def _set_above(field: Field) -> None:
    """Update the groups above: a variant has the state of its content, and a field that has a value is SET."""
    while (parent := field.parent) is not None:
        if field.is_content:
            parent.state = field.state
        elif field.state is FieldState.OMITTED:
            return
        else:
            parent.state = FieldState.SET
        field = parent
