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
    """One value of an enumeration, with its label for users."""

    value: Any
    label: str


@dataclass(frozen=True, slots=True)
class Variant:
    """One alternative of `anyOf` or `oneOf`."""

    label: str
    schema: Schema
    origin: tuple[int, ...]  # its index in `anyOf` or `oneOf`, and in nested ones


@dataclass(slots=True, eq=False)
class Shape:
    """The shape of one field of a form; texts are escaped, and empty if the schema has none."""

    kind: FieldKind
    title: str = ""
    description: str = ""
    format: str = ""
    nullable: bool = False
    is_binary: bool = False  # whether its text is bytes in base64
    default: Any = ABSENT
    examples: list[Any] = field(default_factory=list)
    constraints: list[str] = field(default_factory=list)
    choices: list[EnumChoice] = field(default_factory=list)  # for the kinds "choice" and "choices"
    properties: dict[str, Schema] = field(default_factory=dict)  # an object's known keys, in order
    required: frozenset[str] = frozenset()
    patterns: dict[str, Schema] = field(default_factory=dict)  # the schemas of further keys, by regular expression
    additional: Schema | None = None  # the schema of other further keys; None if they are not allowed
    offers_keys: bool = False  # whether the user may add keys
    prefix: list[Schema] = field(default_factory=list)  # an array's first items, which have fixed positions
    items: Schema | None = None  # the schema of an array's further items; None if they are not allowed
    variants: list[Variant] = field(default_factory=list)
