"""The shape of one field of a form, as read from a JSON Schema."""

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Schema: TypeAlias = dict[str, Any] | bool
FieldKind: TypeAlias = Literal[
    "string",
    "integer",
    "number",
    "boolean",
    "choice",
    "choices",
    "object",
    "array",
    "map",
    "variant",
    "json",
    "null",
]


class Absent:
    """The type of `ABSENT`, which stands for a missing value; None is a value, the JSON null."""

    def __repr__(self) -> str:
        return "ABSENT"

    def __bool__(self) -> bool:
        return False


ABSENT = Absent()


@dataclass(frozen=True, slots=True)
class EnumChoice:
    """One value of an enumeration.

    Attributes:
        value: the JSON value.
        label: the label for users.
    """

    value: Any
    label: str


@dataclass(frozen=True, slots=True)
class Variant:
    """One alternative of `anyOf` or `oneOf`.

    Attributes:
        label: the label for users.
        schema: the schema for a value of this alternative.
        origin: its index in `anyOf` or `oneOf`, and in nested ones.
    """

    label: str
    schema: Schema
    origin: tuple[int, ...]


@dataclass(slots=True, eq=False)
class Shape:
    """The shape of one field of a form.

    Attributes:
        kind: how it is filled in.
        title, description, format: as in the schema; escaped; empty if absent.
        nullable: whether null is allowed.
        default: the default value, or ABSENT.
        examples: as in the schema.
        constraints: the limits, as text.
        choices: the values of an enumeration, for the kinds "choice" and "choices".
        properties: the schemas of an object's known keys, in order.
        required: the keys that an object must have.
        patterns: the schemas of further keys, by regular expression.
        additional: the schema of other further keys; None if they are not allowed.
        offers_keys: whether the user may add keys.
        prefix: the schemas of an array's first items, which have fixed positions.
        items: the schema of an array's further items; None if they are not allowed.
        variants: the alternatives, for the kind "variant".
    """

    kind: FieldKind
    title: str = ""
    description: str = ""
    format: str = ""
    nullable: bool = False
    default: Any = ABSENT
    examples: list[Any] = field(default_factory=list)
    constraints: list[str] = field(default_factory=list)
    choices: list[EnumChoice] = field(default_factory=list)
    properties: dict[str, Schema] = field(default_factory=dict)
    required: frozenset[str] = frozenset()
    patterns: dict[str, Schema] = field(default_factory=dict)
    additional: Schema | None = None
    offers_keys: bool = False
    prefix: list[Schema] = field(default_factory=list)
    items: Schema | None = None
    variants: list[Variant] = field(default_factory=list)
