"""Arguments of `@resource` and `@prompt`: mistakes are reported, and do not affect other definitions."""

import re
from typing import Any

import pytest

from server_core import MCPApp, resource
from server_core.catalog.building.assembly import Assembler
from server_core.catalog.declarations import declaration_of
from tests.tables import each_row

pytestmark = pytest.mark.promises("resources and prompts")


def named(value: object) -> str:
    """The value in the name of a test: the same in every run."""
    return re.sub(r" at 0x\w+", "", repr(value))


@pytest.mark.parametrize("kind", ["resource", "prompt"])
def test_invalid_options_only_leave_out_their_own_definition(kind: str) -> None:
    for options, message in (
        ({"meta": {"k": object()}}, "The meta must be a dict that can be represented in JSON."),
        ({"meta": {"k": float("nan")}}, "The meta must be a dict"),
        ({"meta": [1]}, "The meta must be a dict"),
        ({"title": 3}, "Its title is int, not a string."),
        ({"desc": b"D."}, "Its description is bytes, not a string."),
        ({"icons": [3]}, "Its icons are not valid."),
        ({"titel": "T"}, "has no argument 'titel'."),
    ):
        app = MCPApp("x")
        if kind == "resource":
            app.resource("x://a", **options)(lambda: "")
        else:
            app.prompt(**{"name": "a", **options})(lambda: "")
        app.add_text_resource("x://fine", text="")
        app.prompts.add(lambda: "", name="fine")
        catalog, (problem,) = app.build()
        assert message in problem.message
        assert [*catalog.resources, *catalog.prompts] == ["x://fine", "fine"]


@each_row(
    ("options", "message"),
    [
        ({"annotations": 3}, "The annotations must be a dict that can be represented in JSON."),
        ({"mime_type": 3}, "Its mime_type is int, not a string."),
        ({"size": -1}, "The size -1 is not a number of bytes."),
        ({"size": "3"}, "The size '3' is not a number of bytes."),
    ],
)
def test_options_of_resources_alone_are_checked_too(options: dict[str, Any], message: str) -> None:
    app = MCPApp("x")
    app.resource("x://a", **options)(lambda: "")
    assert message in app.build()[1][0].message


def test_a_misspelt_argument_is_reported_with_a_suggestion() -> None:
    app = MCPApp("x")
    app.resource("x://a", mimetype="text/plain")(lambda: "")
    (problem,) = app.build()[1]
    assert problem.fix == "Write 'mime_type' if that is meant."


def test_a_decorator_without_its_parentheses_is_a_problem_and_not_silence() -> None:
    def bare() -> str:
        return ""

    declared = declaration_of(resource(bare))  # type: ignore[arg-type]
    assert declared is not None
    _, (problem,) = Assembler().assemble([declared])
    assert "It has neither a URI nor a path." in problem.message
