"""Signatures: types that are resolved, the context that is hidden, and what keeps a function from being a tool."""

from __future__ import annotations

import functools
import linecache
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Annotated, Any, Optional

import pytest

import server_core
from server_core.authoring.app import MCPApp
from server_core.catalog.building.source_lines import source_of
from tests.server_core.ports import problems_of, tool_of

if TYPE_CHECKING:
    from pathlib import Path

    from server_core import Context


def test_annotations_written_as_text_are_resolved() -> None:
    def take(a: int, b: list[str] | None = None) -> dict[str, int]:
        return {}

    tool = tool_of(take)
    assert tool.input_schema["properties"]["a"] == {"type": "integer"}
    assert tool.output_schema is not None


def test_annotations_written_as_text_may_use_names_imported_in_the_module_of_the_tool() -> None:
    from datetime import date as day
    from decimal import Decimal as Money

    app = MCPApp("test", toolkit="")

    @app.tool
    def book(on: day) -> Money:
        return Money(1)

    @app.tool(name="other")
    def pay(amount: Money) -> None: ...

    catalog, problems = app.build()
    assert [problem.severity for problem in problems] == ["warning", "warning"]
    assert catalog.tools["book"].input_schema["properties"]["on"]["format"] == "date"
    assert list(catalog.tools) == ["book", "other"]


def test_a_context_that_only_type_checkers_import_is_recognized() -> None:
    def take(a: int, context: Context) -> None: ...

    assert tool_of(take).context_parameter == "context"


def test_the_context_is_known_by_its_name_at_arcade_too() -> None:
    def take(a: int, context: ToolContext) -> None: ...  # type: ignore[name-defined]  # noqa: F821

    assert tool_of(take).context_parameter == "context"


def test_another_type_that_only_type_checkers_import_is_a_problem_with_that_reason() -> None:
    def take(path: Path) -> None: ...

    assert problems_of(take) == [
        "Tool 'take': The type of parameter 'path' cannot be resolved: name 'Path' is not defined."
    ]


class Special(server_core.Context): ...


def _plain(a: int, c: server_core.Context) -> None: ...
def _optional(a: int, c: Optional[server_core.Context] = None) -> None: ...  # noqa: UP045
def _union(a: int, c: server_core.Context | None = None) -> None: ...
def _annotated(a: int, c: Annotated[server_core.Context, "mine"]) -> None: ...
def _both(a: int, c: Annotated[server_core.Context | None, "mine"] = None) -> None: ...
def _subclass(a: int, *, c: Special) -> None: ...


def test_the_context_is_recognised_by_its_type_and_hidden_from_clients() -> None:
    for function in (
        _plain,
        _optional,
        _union,
        _annotated,
        _both,
        _subclass,
    ):
        tool = tool_of(function)
        assert tool.context_parameter == "c"
        assert list(tool.input_schema["properties"]) == ["a"]


def test_a_parameter_that_is_only_named_context_is_ordinary() -> None:
    def take(context: str) -> None: ...

    tool = tool_of(take)
    assert tool.context_parameter is None
    assert list(tool.input_schema["properties"]) == ["context"]


def test_two_contexts_are_a_problem() -> None:
    def take(a: Context, b: Context) -> None: ...

    assert problems_of(take) == [
        "Tool 'take': Only one ToolContext parameter is supported, but tool take has multiple."
    ]


def test_every_problem_of_a_signature_is_reported_at_once() -> None:
    def take(a, b: Missing, /, c: 1 + 1, *args: int, **kwargs: int) -> AlsoMissing: ...  # type: ignore  # noqa: F821

    assert [message.removeprefix("Tool 'take': ") for message in problems_of(take)] == [
        "Parameter 'a' is positional only, but arguments come by name.",
        "Parameter 'b' is positional only, but arguments come by name.",
        "Parameter '*args' has no fixed name that a client could fill in.",
        "Parameter '**kwargs' has no fixed name that a client could fill in.",
        "The return type cannot be resolved: name 'AlsoMissing' is not defined.",
        "Unsupported parameter type: 2",
    ]


def test_a_parameter_without_a_type_is_a_problem() -> None:
    def take(a) -> None: ...  # type: ignore[no-untyped-def]

    assert problems_of(take) == ["Tool 'take': Parameter a has no type annotation."]


def _yields() -> Iterator[int]:
    yield 1


async def _yields_later() -> AsyncIterator[int]:
    yield 1


@pytest.mark.parametrize("function", [_yields, _yields_later])
def test_a_tool_that_yields_is_a_problem(function: Any) -> None:
    assert any("this one yields" in message for message in problems_of(function))


def test_a_decorator_of_the_author_may_be_in_between() -> None:
    def logged(function: Any) -> Any:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **kwargs)

        return wrapper

    @logged
    def take(a: int) -> str:
        """Take."""
        return "x"

    tool = tool_of(take)
    assert list(tool.input_schema["properties"]) == ["a"]
    assert tool.description == "Take."


def test_methods_and_callable_objects_can_be_tools() -> None:
    class Counter:
        def count(self, by: int) -> int:
            return by

        async def __call__(self, by: int) -> int:
            return by

    assert list(tool_of(Counter().count).input_schema["properties"]) == ["by"]
    tool = tool_of(Counter(), name="counter")
    assert list(tool.input_schema["properties"]) == ["by"]
    assert tool.is_async


def test_the_source_is_the_line_of_the_def_below_its_decorators() -> None:
    @functools.lru_cache(
        maxsize=1,
    )
    def take() -> None: ...

    source = source_of(take)
    assert source is not None
    assert source.file == __file__
    assert linecache.getline(__file__, source.line).strip() == "def take() -> None: ..."
