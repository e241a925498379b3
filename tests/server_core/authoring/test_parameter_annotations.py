"""`Header`: parameters that HTTP clients repeat in headers, as authors write them."""

import enum
from typing import Annotated, Any, Literal

from pydantic import Field

from server_core import Header, MCPApp
from tests.server_core.ports import problems_of, tool_of
from tests.tables import each_row


class Zone(enum.Enum):
    """Where."""

    NORTH = "north"
    SOUTH = "south"


@each_row(
    "annotation",
    [str, int, bool, Literal["a", "b"], Zone, Annotated[str, "which one"], Annotated[int, Field(gt=3)]],
)
def test_a_header_is_in_the_schema_of_its_parameter(annotation: Any) -> None:
    def tool(where: Any) -> None: ...

    tool.__annotations__["where"] = Annotated[annotation, Header("Region")]
    made = tool_of(tool)
    assert made.input_schema["properties"]["where"]["x-mcp-header"] == "Region"
    assert made.header_parameters == {"mcp-param-region": ("where",)}


def test_the_parameter_keeps_its_description_and_its_default() -> None:
    def tool(where: Annotated[str, "The region.", Header("Region")] = "<none>") -> None: ...

    assert tool_of(tool).input_schema["properties"]["where"] == {
        "type": "string",
        "description": "The region.",
        "x-mcp-header": "Region",
        "default": "<none>",
    }


def test_a_header_in_a_given_schema_counts_as_well() -> None:
    schema = {"type": "object", "properties": {"a": {"properties": {"b": {"type": "integer", "x-mcp-header": "B"}}}}}
    tool = tool_of(lambda a=None: None, name="x", input_schema=schema)
    assert tool.header_parameters == {"mcp-param-b": ("a", "b")}
    assert tool_of(lambda: None, name="x").header_parameters == {}


@each_row(
    ("annotation", "reason"),
    [
        (Annotated[float, Header("R")], "its type is not string, integer or boolean"),
        (Annotated[str | None, Header("R")], "its type is not string, integer or boolean"),
        (list[Annotated[str, Header("R")]], "is not permitted behind other keywords than `properties`"),
        (Annotated[str, Header("a b")], "cannot be part of a header's name"),
        (Annotated[str, Header("")], "cannot be part of a header's name"),
    ],
)
def test_a_header_that_clients_would_refuse_is_a_problem(annotation: Any, reason: str) -> None:
    def tool(where: Any) -> None: ...

    tool.__annotations__["where"] = annotation
    (problem,) = problems_of(tool)
    assert problem.startswith("Tool 'tool': HTTP clients would ignore this tool: ")
    assert reason in problem


def test_the_problem_has_its_line_and_a_fix() -> None:
    app = MCPApp("x", toolkit="")

    @app.tool
    def twice(a: Annotated[str, Header("R")], b: Annotated[str, Header("r")]) -> None:
        """D."""

    catalog, (problem,) = app.build()
    assert not catalog.tools
    assert problem.file == __file__
    assert problem.source_line.startswith("def twice(")
    assert "'b' and 'a' have the same x-mcp-header" in problem.message
    assert problem.fix.startswith("Give each header a separate name")
