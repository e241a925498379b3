"""What one place of a form asks for, as read from a JSON Schema."""

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
    """The type of `ABSENT`, which stands where there is no value; None is a value, the JSON null."""

    def __repr__(self) -> str:
        return "ABSENT"

    def __bool__(self) -> bool:
        return False


ABSENT = Absent()


@dataclass(frozen=True, slots=True)
class Choice:
    """One value of an enumeration.

    Attributes:
        value: the JSON value.
        label: what people read.
    """

    value: Any
    label: str


@dataclass(frozen=True, slots=True)
class Variant:
    """One alternative of `anyOf` or `oneOf`.

    Attributes:
        label: what people read.
        schema: what a value of this alternative must fit.
        origin: its place in `anyOf` or `oneOf`, and in those inside of it.
    """

    label: str
    schema: Schema
    origin: tuple[int, ...]


@dataclass(slots=True, eq=False)
class Shape:
    """What one place of a form asks for.

    Attributes:
        kind: how it is filled in.
        title, description, format: as in the schema; escaped; empty when absent.
        nullable: null is one of the values.
        default: the default value, or ABSENT.
        examples: as in the schema.
        constraints: the limits, in words.
        choices: the values of an enumeration, for the kinds "choice" and "choices".
        properties: the schemas of an object's known keys, in order.
        required: the keys that an object must have.
        patterns: the schemas of further keys, by regular expression.
        additional: the schema of other further keys; None when there may be none.
        offers_keys: a person may add keys.
        prefix: the schemas of an array's first items, each with its own place.
        items: the schema of an array's further items; None when there may be none.
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
    choices: list[Choice] = field(default_factory=list)
    properties: dict[str, Schema] = field(default_factory=dict)
    required: frozenset[str] = frozenset()
    patterns: dict[str, Schema] = field(default_factory=dict)
    additional: Schema | None = None
    offers_keys: bool = False
    prefix: list[Schema] = field(default_factory=list)
    items: Schema | None = None
    variants: list[Variant] = field(default_factory=list)
