"""A form for a JSON Schema: the fields and their content, in step with the JSON value, validated at every change.

Rules:

1. A loaded value is returned unchanged: keys that are not in the schema become fields of text or JSON, and values that
   do not fit become JSON fields.
2. A field with a default starts OMITTED and shows the default; the tool's server applies it.
3. Filling in a field SETs everything above it.
4. After every change each field's `problem` is up to date, and `structure` has changed if the fields have changed.
5. Loaded values are not copied, and returned values must not be changed.
"""

from collections.abc import Callable, Collection, Iterator
from typing import Any, Protocol

from workbench.model.forms import form_values
from workbench.model.forms.checker import Checker
from workbench.model.forms.conversion import ConversionError, json_text, json_value
from workbench.model.forms.field import Field, FieldState, FormContext, Path
from workbench.model.forms.form_problems import FormProblem, find_problems
from workbench.model.forms.shape import ABSENT, FieldKind
from workbench.model.forms.shape_reader import ShapeReader
from workbench.model.forms.skeleton import skeleton, without_placeholders
from workbench.model.forms.typed_variant import follow_text, typed_variant_value, written_variant


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
        self.shapes = ShapeReader(schema)
        self._checker = Checker(schema)
        self._problems: list[FormProblem] = []
        self._file_texts: dict[str, str] = {}  # what was typed for the files, by what the JSON shows of them
        self._visible: list[tuple[Field, FieldKind]] = []
        self.root = Field(FormContext(self.shapes), schema, None, "", required=True)
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
                return field.parent.path if field.parent is not None and field.is_in_line else field.path
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
        """Return the value with the contents of files, and note their problems; ABSENT if one cannot be read."""
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
        form_values.load(self.shapes, self.root, value)
        self._refresh(self.root)

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
        value = skeleton(self.shapes, self.root, placeholders, texts)
        return json_text({} if value is ABSENT else value, indent=2), placeholders

    def load_json(self, text: str, placeholders: Collection[str] = ()) -> ConversionError | None:
        """Fill in the whole form with a JSON text, or return the problem with the text and store it as a draft."""
        try:
            value = without_placeholders(json_value(text), placeholders)
        except ConversionError as problem:
            self.json_draft = text
            return problem
        self.load(value)
        if self._file_texts:
            # The files whose descriptions are in the text.
            self._type_again(self._file_texts.get)
        return None

    def load_typed(self, value: Any) -> None:
        """Fill in the whole form with a value whose texts are as they are typed: `@path` names a file."""
        self.load(value)
        self._type_again(lambda text: text if text.startswith("@") else None)

    def typed_value(self) -> Any:
        """Return the value for :meth:`load_typed`."""
        typed = (field for field in self.fields() if field.kind == "string" and field.text.startswith("@"))
        value = self.root.value({field.path: field.text for field in typed})
        return {} if value is ABSENT else value

    def _type_again(self, typed: Callable[[str], str | None]) -> None:
        """Type the texts that a function returns for values, instead of these."""
        for field in list(self.fields()):
            is_text = field.kind == "string" and isinstance(field.own_value, str)
            if is_text and (text := typed(field.own_value)) is not None:
                form_values.type_text(self.shapes, field, text)
                if field.parent is not None and field.parent.kind == "array":
                    field.parent.shows_items = not form_values.fits_line(field.parent)
                    form_values.write_line(field.parent)
                self._refresh(field)

    def set_text(self, path: Path, text: str) -> None:
        """Set the text of a field's input; see `form_values.type_text`."""
        follow_text(self.shapes, self.field(path), text)
        field = self.field(path).target
        form_values.type_text(self.shapes, field, text)
        self._refresh(field)

    def retype(self, path: Path, text: str) -> None:
        """Set the text of a field whose value may not fit its schema, as if the field had been empty before."""
        field = self.field(path).target
        field.reset()
        form_values.type_text(self.shapes, field, text)
        self._refresh(field)

    def set_value(self, path: Path, value: Any) -> None:
        """Fill in a field, and all below it, with a JSON value."""
        field = self.field(path)
        form_values.load(self.shapes, field, value)
        self._refresh(field)

    def include(self, path: Path) -> None:
        """Make a field SET without user input: with its previous value, its default, or the simplest value."""
        field = self.field(path)
        form_values.include(self.shapes, field)
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

    def choose_variant(self, path: Path, index: int, *, is_picked: bool = True) -> None:
        """Choose one of the alternatives of a field, for good or until a typed text needs another.

        Values that fit the alternative are carried over.
        """
        field = self.field(path)
        form_values.choose_variant(self.shapes, field, index)
        field.is_picked = is_picked
        self._refresh(field.target)

    def restore_variant(self, path: Path, index: int, value: Any, *, is_picked: bool | None) -> None:
        """Choose an alternative as it was chosen before, with its value; ABSENT for none."""
        field = self.field(path)
        if field.variant != index:
            field.reset()
            form_values.load(self.shapes, field.choose(index), value)
            field.state = field.target.state
        field.is_picked = is_picked
        self._refresh(field.target)

    def written_variant(self, path: Path, text: str) -> int | None:
        """Return the alternative of a field that a text would choose while it is typed; None if none accepts it."""
        return written_variant(self.shapes, self.field(path), text)

    def type_variant(self, path: Path, text: str) -> None:
        """Fill in the alternative of a field that accepts a typed value; ValueError if none does."""
        self.set_value(path, typed_variant_value(self.shapes, self.field(path), text))

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
        visible = [(field, field.kind) for field in self.root.visible() if not field.is_in_line]
        if visible != self._visible:
            self._visible = visible
            self.structure += 1


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
