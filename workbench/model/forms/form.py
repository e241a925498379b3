"""A form for a JSON Schema: the fields with what was filled in, in step with the JSON value, checked at every change.

Rules:

1. What is loaded comes out again: keys that the schema does not know are kept and shown as fields of text or JSON, and
   values that do not fit as JSON fields.
2. A field with a default starts OMITTED and shows the default; whoever serves the tool fills it in.
3. Filling in a field SETs everything above it.
4. After every change each field's `problem` is up to date, and `structure` has changed if there are other fields now.
5. Values that are loaded are not copied, and values given out must not be changed.
"""

from collections.abc import Iterator
from typing import Any

from workbench.model.forms import form_values
from workbench.model.forms.checking import Checker
from workbench.model.forms.conversion import ConversionError, json_text, json_value
from workbench.model.forms.field import Blank, Field, FieldState, Path
from workbench.model.forms.problems import FormProblem, find_problems
from workbench.model.forms.shape import ABSENT, Choice, FieldKind
from workbench.model.forms.shapes import Shapes

__all__ = ["ABSENT", "Choice", "Field", "FieldState", "Form", "FormProblem", "Path"]


_WRITTEN = frozenset({"string", "integer", "number"})
"""The kinds of fields that may take over each other's text."""


class Form:
    """A form for one schema.

    Args:
        schema: a JSON Schema of any quality, such as a tool's input schema or an elicitation's requested schema.
    """

    def __init__(self, schema: Any) -> None:
        self.schema = schema
        self.structure = 0
        """Changes when other fields are visible than before, or a field has another kind."""
        self.is_checked = True
        """Whether the value could be validated as it is now; typed text is checked in any case."""
        self._shapes = Shapes(schema)
        self._checker = Checker(schema)
        self._problems: list[FormProblem] = []
        self._visible: list[tuple[Field, FieldKind]] = []
        self.root = Field(Blank(self._shapes), schema, None, "", required=True)
        self._begin()
        self._changed(self.root)

    def field(self, path: Path) -> Field:
        """Return the field of a place; for a variant the field that chooses, not its content.

        Raises:
            KeyError: when there is no such place now.
        """
        field = self.root
        for key in path:
            child = field.child(key)
            if child is None:
                raise KeyError(f"the form has no field {list(path)}")
            field = child
        return field

    def fields(self) -> Iterator[Field]:
        """Return the visible fields, depth first: what is omitted hides the fields below it."""
        return self.root.visible()

    def problems(self) -> list[FormProblem]:
        """Return what is wrong now, in the order of the fields."""
        return list(self._problems)

    def value(self) -> Any:
        """Return what will be sent; omitted fields are left out."""
        value = self.root.value()
        return {} if value is ABSENT else value

    def load(self, value: Any) -> None:
        """Fill in the whole form with a value."""
        form_values.load(self._shapes, self.root, value)
        self._changed(self.root)

    def take_over(self, before: "Form") -> None:
        """Fill in the whole form with what was filled in for another version of its schema, typed texts as they were.

        Args:
            before: the form of the other version.
        """
        if before.value():
            self.load(before.value())
        for old in before.fields():
            try:
                field = self.field(old.path).target
            except KeyError:
                continue
            kinds = {old.kind, old.shape.kind, field.shape.kind}
            if old.text and old.text != field.text and (kinds <= _WRITTEN or kinds == {"json"}):
                field.reset()
                form_values.type_text(self._shapes, field, old.text)
                self._changed(field)

    def to_json(self) -> str:
        """Return what will be sent as indented JSON."""
        return json_text(self.value(), indent=2)

    def load_json(self, text: str) -> str | None:
        """Fill in the whole form with a JSON text.

        Returns:
            What is wrong with the text, for people; the form is then as it was. None when all is well.
        """
        try:
            value = json_value(text)
        except ConversionError as problem:
            return str(problem)
        self.load(value)
        return None

    def set_text(self, path: Path, text: str) -> None:
        """Take what stands in the field's input now; see `filling.type_text`."""
        field = self.field(path).target
        form_values.type_text(self._shapes, field, text)
        self._changed(field)

    def set_value(self, path: Path, value: Any) -> None:
        """Fill in a field, and all below it, with a JSON value."""
        field = self.field(path)
        form_values.load(self._shapes, field, value)
        self._changed(field)

    def include(self, path: Path) -> None:
        """Make a field SET without a value of the person's: what it held before, its default, or the plainest value."""
        field = self.field(path)
        form_values.include(self._shapes, field)
        self._changed(field)

    def omit(self, path: Path) -> None:
        """Leave a field out; the whole form is emptied instead. A group keeps what is in it for later."""
        field = self.field(path)
        if field is self.root:
            field.reset()
            self._begin()
        else:
            form_values.omit(field)
        self._changed(field)

    def set_null(self, path: Path) -> None:
        """Make the value of a field the JSON null, whether or not the schema allows it."""
        field = self.field(path)
        form_values.set_null(field)
        self._changed(field)

    def toggle_choice(self, path: Path, index: int) -> None:
        """Choose one of the choices, or, where several may be chosen, take it back if it was chosen."""
        field = self.field(path).target
        form_values.toggle_choice(field, index)
        self._changed(field)

    def choose_variant(self, path: Path, index: int) -> None:
        """Fill in a field by one of its alternatives; what fits it too is carried over.

        Raises:
            IndexError: when there is no such alternative.
        """
        field = self.field(path)
        form_values.choose_variant(self._shapes, field, index)
        self._changed(field.target)

    def add_item(self, path: Path) -> Path:
        """Add an item to a list and return its path.

        Raises:
            ValueError: when the field takes no items.
        """
        field = self.field(path).target
        if not field.can_add_items:
            raise ValueError(f"the field {list(path)} takes no more items")
        item = field.add_item()
        item.open()
        field.state = FieldState.SET
        self._changed(field)
        return item.path

    def move_item(self, path: Path, offset: int) -> Path:
        """Move an item up (negative) or down in its list and return its new path; fixed places stay."""
        item = self._removable(path)
        assert item.parent is not None
        items = item.parent.children
        place = items.index(item)
        items.remove(item)
        items.insert(min(max(place + offset, len(item.parent.shape.prefix)), len(items)), item)
        item.parent.arrange(items)
        self._changed(item)
        return item.path

    def remove_item(self, path: Path) -> None:
        """Take away an item of a list, or a key that was added.

        Raises:
            ValueError: when the place is fixed by the schema.
        """
        item = self._removable(path)
        assert item.parent is not None
        item.parent.arrange([child for child in item.parent.children if child is not item])
        self._changed(item.parent)

    def add_key(self, path: Path, key: str) -> Path:
        """Add a key to a map or object and return its path.

        Raises:
            ValueError: when the field takes no keys, or has this one.
        """
        field = self.field(path).target
        if field.kind not in ("object", "map"):
            raise ValueError(f"the field {list(path)} takes no keys")
        if field.child(key) is not None:
            raise ValueError(f"there is a key {key!r} already")
        child = field.add_key(key)
        child.open()
        field.state = FieldState.SET
        self._changed(field)
        return child.path

    def rename_key(self, path: Path, key: str) -> Path:
        """Give an added key another name, with its value and in its place, and return its new path.

        Raises:
            ValueError: when the key is the schema's own, or the new name is taken.
        """
        field = self._removable(path)
        parent = field.parent
        assert parent is not None
        if isinstance(field.key, int) or (key != field.key and parent.child(key) is not None):
            raise ValueError(f"the key {field.key!r} cannot be named {key!r}")
        children = parent.children
        renamed = parent.add_key(key)
        form_values.load(self._shapes, renamed, field.value())
        parent.arrange([renamed if child is field else child for child in children])
        self._changed(renamed)
        return renamed.path

    def _begin(self) -> None:
        self.root.open()
        if self.root.kind in ("object", "map"):
            self.root.state = FieldState.SET

    def _removable(self, path: Path) -> Field:
        field = self.field(path)
        if not field.can_remove:
            raise ValueError(f"the field {list(path)} has its place in the schema: omit it instead")
        return field

    def _changed(self, field: Field) -> None:
        _set_above(field)
        violations = self._checker.check(self.value())
        self.is_checked = violations is not None
        self._problems = find_problems(self.root, violations)
        visible = [(field, field.kind) for field in self.root.visible()]
        if visible != self._visible:
            self._visible = visible
            self.structure += 1


def _set_above(field: Field) -> None:
    """Let the groups above follow: a variant stands as its content does, and what holds a value is SET."""
    while (parent := field.parent) is not None:
        if field.is_content:
            parent.state = field.state
        elif field.state is FieldState.OMITTED:
            return
        else:
            parent.state = FieldState.SET
        field = parent
