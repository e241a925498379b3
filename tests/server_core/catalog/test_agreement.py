"""Schemas and the check of arguments agree, for a family of generated signatures.

What the schema accepts, binds; what binds is, written as JSON, accepted by the schema and binds to the same again; what
a tool returns of a declared type fits the schema that clients got.
"""

import datetime
import enum
import json
import typing
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, Literal, NamedTuple

import jsonschema_rs
import pydantic
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from server_core.catalog.building.argument_schemas import read_arguments
from server_core.catalog.building.docstrings import Docstring
from server_core.catalog.building.result_schemas import read_result
from server_core.catalog.building.signature import ABSENT, Parameter, Signature
from server_core.catalog.building.type_preparation import prepare_annotation
from server_core.errors import ToolInputError

pytestmark = pytest.mark.promises("types")


class Size(enum.Enum):
    SMALL = "small"
    LARGE = "large"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Right(enum.Flag):
    READ = 1
    WRITE = 2
    GRANT = 1024


class Mode(enum.IntFlag):
    FAST = 1
    QUIET = 4


class Guest(BaseModel):
    name: str
    age: int | None = None


class Movie(typing.TypedDict, total=False):
    title: typing.Required[str]
    year: Annotated[int, "when it came out"]


class Shelf(typing.TypedDict):
    movies: list[Movie]
    owner: Guest | None


@dataclass(frozen=True)
class Point:
    x: int
    y: float = 0.0


class Kind(NamedTuple):
    """A type, and values of it as JSON.

    Attributes:
        annotation: the type.
        values: values of it on the wire, most of them.
    """

    annotation: Any
    values: st.SearchStrategy[Any]


WHOLE = st.integers(-(2**53), 2**53)
# RFC 8259, section 6: whole numbers beyond 2**53 are not the same everywhere.
PARTS = st.floats(allow_nan=False, allow_infinity=False).filter(
    lambda value: abs(value) <= 2**53 or not value.is_integer()
)
NUMBERS = PARTS | WHOLE
TEXTS = st.text(max_size=8)
GUESTS = st.fixed_dictionaries({"name": TEXTS}, optional={"age": st.none() | WHOLE})
MOVIES = st.fixed_dictionaries({"title": TEXTS}, optional={"year": WHOLE})

LEAVES = [
    Kind(str, TEXTS),
    Kind(int, WHOLE),
    Kind(float, NUMBERS),
    Kind(bool, st.booleans()),
    Kind(Size, st.sampled_from(["small", "large", "SMALL"])),
    Kind(Level, st.sampled_from([1, 2, 1.0, 3])),
    Kind(Right, st.sampled_from([0, 1, 3, 1027, 4, -1, 2.0])),
    Kind(Mode, st.sampled_from([0, 1, 5, 2, 64])),
    Kind(Literal["a", "b"], st.sampled_from(["a", "b", "c"])),
    Kind(Literal[1, "b"], st.sampled_from([1, "b", 1.0, "1"])),
    Kind(datetime.date, st.dates().map(str) | TEXTS),
    Kind(uuid.UUID, st.uuids().map(str) | TEXTS),
    Kind(Decimal, st.decimals(allow_nan=False, allow_infinity=False, places=2).map(str) | WHOLE),
    Kind(set[str], st.lists(TEXTS, max_size=3)),
    Kind(Guest, GUESTS),
    Kind(Movie, MOVIES),
    Kind(Shelf, st.fixed_dictionaries({"movies": st.lists(MOVIES, max_size=2), "owner": st.none() | GUESTS})),
    Kind(Point, st.fixed_dictionaries({"x": WHOLE}, optional={"y": NUMBERS})),
    Kind(Annotated[int, Field(ge=1, le=5)], st.integers(-1, 7)),
    Kind(Annotated[str, Field(min_length=1, max_length=3)], TEXTS),
    Kind(Annotated[float, Field(gt=0, multiple_of=0.5)], st.sampled_from([0.5, 1, 0, 0.3, -1])),
]


def _around(inner: st.SearchStrategy[Kind]) -> st.SearchStrategy[Kind]:
    return st.one_of(
        inner.map(lambda value: Kind(value.annotation | None, st.none() | value.values)),
        inner.map(lambda value: Kind(list[value.annotation], st.lists(value.values, max_size=3))),  # type: ignore[name-defined]
        inner.map(lambda value: Kind(dict[str, value.annotation], st.dictionaries(TEXTS, value.values, max_size=3))),  # type: ignore[name-defined]
        inner.map(
            lambda value: Kind(
                Annotated[list[value.annotation], Field(min_length=1, max_length=2)],  # type: ignore[name-defined]
                st.lists(value.values, max_size=3),
            )
        ),
        st.tuples(inner, inner).map(
            lambda two: Kind(
                tuple[two[0].annotation, two[1].annotation],  # type: ignore[name-defined]
                st.tuples(two[0].values, two[1].values).map(list),
            )
        ),
        st.tuples(inner, inner).map(
            lambda two: Kind(typing.Union[two[0].annotation, two[1].annotation], two[0].values | two[1].values)  # noqa: UP007
        ),
    )


KINDS = st.recursive(st.sampled_from(LEAVES), _around, max_leaves=4)
ANYTHING: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | WHOLE | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=4,
)
NAMES = st.lists(
    st.sampled_from(["a", "b", "self", "cls", "context", "func", "definition", "model_config", "input_model", "json"]),
    min_size=1,
    max_size=3,
    unique=True,
)


@st.composite
def calls(draw: st.DrawFn) -> tuple[Signature, dict[str, Any]]:
    """A signature, and arguments that may fit it."""
    parameters: list[Parameter] = []
    arguments: dict[str, Any] = {}
    for name in draw(NAMES):
        kind = draw(KINDS)
        default = draw(st.sampled_from([ABSENT, None])) if type(None) in typing.get_args(kind.annotation) else ABSENT
        client_name = draw(st.sampled_from([name, f"{name}_told"]))
        annotation = kind.annotation if client_name == name else Annotated[kind.annotation, client_name, "what it is"]
        parameters.append(Parameter(name, annotation, default))
        if draw(st.integers(0, 9)):
            arguments[client_name] = draw(kind.values | ANYTHING if draw(st.booleans()) else kind.values)
    if not draw(st.integers(0, 9)):
        arguments["extra"] = draw(ANYTHING)
    return Signature(tuple(parameters), None, ABSENT, Docstring(), False), arguments


def reader(schema: dict[str, Any]) -> Callable[[Any], bool]:
    """Return a function that checks whether a strict client, or a model bound to the schema, may send a value."""
    return jsonschema_rs.Draft202012Validator(schema, validate_formats=True).is_valid


@settings(max_examples=150, deadline=None)
@given(call=calls())
def test_every_value_that_the_schema_accepts_binds(call: tuple[Signature, dict[str, Any]]) -> None:
    signature, arguments = call
    schema, bind, findings = read_arguments(signature)
    assert findings == []
    if reader(schema)(arguments):
        bind(arguments)


@settings(max_examples=150, deadline=None)
@given(call=calls())
def test_bound_arguments_match_the_schema_as_json_and_bind_to_the_same(
    call: tuple[Signature, dict[str, Any]],
) -> None:
    signature, arguments = call
    schema, bind, _ = read_arguments(signature)
    try:
        bound = bind(arguments)
    except ToolInputError:
        return
    client_names = {own: next(name for name in schema["properties"] if name in (own, f"{own}_told")) for own in bound}
    written = {
        client_names[name]: pydantic.TypeAdapter(Any).dump_python(value, mode="json") for name, value in bound.items()
    }
    assert reader(schema)(written)
    assert bind(written) == bound


@settings(max_examples=150, deadline=None)
@given(data=st.data(), kind=KINDS)
def test_results_of_a_declared_type_match_the_schema_for_clients(data: st.DataObject, kind: Kind) -> None:
    schema, dump, findings = read_result(kind.annotation)
    assert findings == []
    try:
        value = pydantic.TypeAdapter(dict[str, prepare_annotation(kind.annotation)]).validate_json(  # type: ignore[misc]
            json.dumps({"value": data.draw(kind.values)})
        )["value"]
    except pydantic.ValidationError:
        return
    result = dump(value)
    assert (schema is None) == ("structuredContent" not in result)
    assert schema is None or reader(schema)(result["structuredContent"])
