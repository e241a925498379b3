"""Signatures that are hard on a form: nested, optional, recursive, wide, and of every type."""

import datetime
import decimal
import enum
import uuid
from typing import Annotated, Any, Literal, TypedDict

from pydantic import BaseModel, Field

from server_core import tool


class Colour(enum.Enum):
    """A colour."""

    RED = "red"
    GREEN = "green"
    BLUE = "blue"


class Level(enum.IntEnum):
    """A level of many, more than stand side by side."""

    LOWEST = 0
    LOW = 1
    LOWER_MIDDLE = 2
    MIDDLE = 3
    UPPER_MIDDLE = 4
    HIGH = 5
    HIGHEST = 6


class Address(BaseModel):
    street: str
    number: int | None = None
    zip: Annotated[str, Field(pattern="^[0-9]{5}$")] = "12345"


class Person(BaseModel):
    name: Annotated[str, Field(min_length=1, max_length=20)]
    born: datetime.date | None = None
    address: Address | None = None
    friends: list["Person"] = []
    tags: dict[str, str] = {}


class Node(BaseModel):
    value: Any = None
    children: list["Node"] = []
    parent: "Node | None" = None


class Cat(BaseModel):
    kind: Literal["cat"] = "cat"
    lives: int = 9


class Dog(BaseModel):
    kind: Literal["dog"] = "dog"
    tricks: list[str] = []
    owner: Person | None = None


class Options(TypedDict, total=False):
    fast: bool
    depth: int
    names: list[str]


@tool
def person(person: Person, other: Person | None = None) -> dict[str, Any]:
    """Accept a model that contains models, lists of itself and a map."""
    return {"name": person.name, "friends": len(person.friends), "other": other is not None}


@tool
def tree(node: Node) -> Node:
    """Accept a model that contains itself."""
    return node


@tool
def pet(pet: Annotated[Cat | Dog, Field(discriminator="kind")], second: Cat | Dog | str | int | None = None) -> str:
    """Accept any of several models, and any of several types."""
    return f"{pet!r} {second!r}"


@tool
def matrix(rows: list[list[float]], names: list[list[list[str]]] | None = None) -> list[list[float]]:
    """Accept lists of lists."""
    return rows


@tool
def maps(
    numbers: dict[str, int],
    people: dict[str, Person] | None = None,
    deep: dict[str, dict[str, bool]] = {},  # noqa: B006
) -> str:
    """Accept maps, of numbers, of models, of maps."""
    return f"{numbers} {people} {deep}"


@tool
def optional(
    a: Address | None = None,
    b: dict[str, str] | None = None,
    c: list[int] | None = None,
    d: bool | None = None,
    e: Colour | None = None,
    f: Literal["x", 1, True, None] = None,
    g: Any = None,
) -> str:
    """Accept everything or nothing."""
    return f"{a} {b} {c} {d} {e} {f} {g}"


@tool
def types(
    day: datetime.date,
    moment: datetime.datetime,
    clock: datetime.time,
    span: datetime.timedelta,
    price: decimal.Decimal,
    id: uuid.UUID,
    data: bytes,
    colour: Colour,
    level: Level,
    colours: set[Colour],
    pair: tuple[int, str],
    anything: Any,
    options: Options,
) -> str:
    """Accept a value of each type."""
    return f"{day} {moment} {clock} {span} {price} {id} {data!r} {colour} {level} {colours} {pair} {anything} {options}"


@tool(examples=[{"count": 3, "share": 0.5, "code": "ABC-1"}, {"count": 7, "share": 1, "code": "X-99", "many": [1, 2]}])
def limits(
    count: Annotated[int, Field(ge=1, le=9)],
    share: Annotated[float, Field(gt=0, le=1, multiple_of=0.25)],
    code: Annotated[str, Field(pattern="^[A-Z]+-[0-9]+$", description="Letters, a dash, digits.")],
    many: Annotated[list[int], Field(min_length=2, max_length=4)] = [1, 2, 3],  # noqa: B006
    text: Annotated[str, Field(max_length=400)] = "A text of several lines.\nIt continues here.\n" * 3,
) -> str:
    """Accept values within limits."""
    return f"{count} {share} {code} {many} {len(text)}"


@tool(
    input_schema={
        "type": "object",
        "properties": {f"parameter_{number:02}": schema for number, schema in enumerate(
            [{"type": "string", "description": "A parameter of many. " * 6}, {"type": "integer", "default": 7},
             {"type": ["string", "null"]}, {"enum": [f"choice {index}" for index in range(60)]}] * 10)},
    }
)  # fmt: skip
def forty(**arguments: Any) -> dict[str, Any]:
    """Accept forty parameters."""
    return arguments


@tool(
    name="named_in_full_length_so_that_no_column_is_wide_enough_for_it_and_every_list_has_to_cut_it_somewhere",
    input_schema={
        "type": "object",
        "properties": {
            "[bold]markup[/bold]": {"type": "string", "description": "[red]not red[/red] \x1b[31mneither\x1b[0m"},
            "漢字カナ🍵": {"type": "string", "title": "Ａ wide title", "default": "全角"},
            "a" * 120: {"type": "boolean"},
            "": {"type": "integer"},
        },
        "anyOf": [{"required": ["漢字カナ🍵"]}, {"required": [""]}],
    },
)
def names(**arguments: Any) -> str:
    """[link=https://example.org]Take[/link] names that are hard on a screen.\x1b[2J\x07"""
    return "".join(arguments)
