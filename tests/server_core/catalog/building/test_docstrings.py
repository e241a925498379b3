"""Docstrings: the descriptions of parameters, of members of classes, and everything else."""

import sys
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, Generic, NotRequired, TypedDict, TypeVar

import pytest

from server_core.catalog.building.docstrings import Docstring, member_docstrings, read_docstring
from tests.server_core.ports import tool_of

T = TypeVar("T")


def test_a_docstring_is_parsed() -> None:
    for text, docstring in (
        (None, Docstring()),
        ("", Docstring()),
        ("  One line.  ", Docstring("One line.")),
        (
            "One\n    paragraph.  \n\n\n    Another:\n\n    - a\n      - b",
            Docstring("One\nparagraph.\n\nAnother:\n\n- a\n  - b"),
        ),
        ("\nArgs:\n    a: x", Docstring("", {"a": "x"})),
        (
            """Do it.

            Args:
                a: the first
                b (int, optional): the second,
                    on two lines: yes
                *rest: the others

                c: after an empty line
            Returns:
                d: not a parameter
            """,
            Docstring(
                "Do it.\n\nReturns:\n    d: not a parameter",
                {
                    "a": "the first",
                    "b": "the second, on two lines: yes",
                    "rest": "the others",
                    "c": "after an empty line",
                },
            ),
        ),
        (
            "Do it.\n\n:param a: the first\n:param int b: the second,\n    longer\n:returns: nothing",
            Docstring("Do it.\n\n:returns: nothing", {"a": "the first", "b": "the second, longer"}),
        ),
        (
            "Do it.\n\nArgs:\n    a: x\n\nNever twice.\n\nExamples:\n    do(a=1)",
            Docstring("Do it.\n\nNever twice.\n\nExamples:\n    do(a=1)", {"a": "x"}),
        ),
        ("Do it.\n\nParameters:\nas many as you like", Docstring("Do it.\n\nParameters:\nas many as you like")),
        ("Do it.\nArgs:\n  a: x", Docstring("Do it.", {"a": "x"})),
        ("Do it: at 5:30.\n\nNote: this is text.", Docstring("Do it: at 5:30.\n\nNote: this is text.")),
    ):
        assert read_docstring(text) == docstring


class Place(TypedDict):
    street: str
    """Street and number."""

    town: Annotated[str, "Beside the type"]
    """Under the member."""

    country: str


class Shop(Place):
    name: NotRequired[str]
    """What stands over its door.

    Any language.
    """

    twin: "Shop | None"
    """Another one."""


class Box(TypedDict, Generic[T]):
    item: T
    """What it holds."""


class Crate(Box[int]):
    pass


def described(schema: dict[str, Any]) -> dict[str, str | None]:
    return {name: item.get("description") for name, item in schema["properties"].items()}


def where() -> Place:
    """Return a place."""
    raise NotImplementedError


def visit(shop: Shop) -> None:
    """Visit it."""


def test_results_are_described() -> None:
    schema = tool_of(where).output_schema
    assert schema is not None
    assert described(schema) == {"street": "Street and number.", "town": "Beside the type", "country": None}


def test_members_are_described_by_docstrings_in_parents() -> None:
    schema = tool_of(visit).input_schema["$defs"]["Shop"]
    assert described(schema) == {
        "street": "Street and number.",
        "town": "Beside the type",
        "country": None,
        "name": "What stands over its door.\n\nAny language.",
        "twin": "Another one.",
    }
    assert sorted(schema["required"]) == ["country", "street", "town", "twin"]


def test_parents_may_be_generic() -> None:
    assert member_docstrings(Crate) == {"item": "What it holds."}


def test_a_class_within_a_function_is_read_too() -> None:
    class Inner(TypedDict):
        a: int
        """The first."""

    assert member_docstrings(Inner) == {"a": "The first."}


def test_a_class_without_source_has_no_docstrings() -> None:
    made = TypedDict("made", {"a": int})  # noqa: UP013
    made.__module__ = "nowhere"
    assert member_docstrings(made) == {}
    assert member_docstrings(int) == {}


@pytest.mark.parametrize(
    ("text", "expected"), [("class A(A):\n    x: int\n    'Of itself.'\n", {"x": "Of itself."}), ("class A(:\n", {})]
)
def test_a_file_is_read_as_it_is_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, expected: dict[str, str]
) -> None:
    shapes = ModuleType("shapes")
    shapes.__file__ = str(tmp_path / "shapes.py")
    monkeypatch.setitem(sys.modules, "shapes", shapes)
    kind = type("A", (), {"__module__": "shapes"})
    (tmp_path / "shapes.py").write_text("class A:\n    x: int\n    'The first.'\n")
    assert member_docstrings(kind) == {"x": "The first."}
    (tmp_path / "shapes.py").write_text(text)
    assert member_docstrings(kind) == expected
