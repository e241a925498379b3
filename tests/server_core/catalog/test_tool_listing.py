"""What clients of Arcade's servers find in `tools/list`, they find here: entries recorded there, beside ours.

Ours have more: defaults, and what pydantic knows of a type. They have less in one place: a tool that returns text
has no output schema, since its result is the text.
"""

import enum
import typing
from collections.abc import Iterable
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from server_core import Inferrable, MCPApp, tool
from server_core.auth import GitHub
from server_core.metadata import Behavior, Classification, Operation, ServiceDomain, ToolMetadata
from server_core.types import ToolExecution
from tests.tables import each_row

pytestmark = pytest.mark.promises("tool options", "types")

TEXT = {"type": "object", "properties": {"result": {"type": "string"}}}
NOTHING = {"type": "object", "properties": {}, "additionalProperties": False}


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Address(typing.TypedDict, total=False):
    street: Annotated[str, "Street name"]
    zip: str | None


class Person(typing.TypedDict):
    name: str
    age: int
    addr: Address
    tags: list[str]


class Point(BaseModel):
    x: int
    y: float = 0.0


def probe() -> MCPApp:
    app = MCPApp("probe_srv", "1.2.3")

    @app.tool
    def add(a: Annotated[int, "first"], b: Annotated[int, "second"] = 3) -> int:
        """Add two ints."""
        return a + b

    @app.tool(requires_auth=GitHub(scopes=["repo"]))
    def needs_auth() -> str:
        """needs auth"""
        return ""

    @app.tool(requires_secrets=["MISSING_SECRET", "ARCADE_API_KEY"])
    def needs_missing_secret() -> str:
        """needs missing secret"""
        return ""

    @app.tool
    @tool.deprecated("use other")
    def old_tool() -> str:
        """old"""
        return ""

    @app.tool(execution=ToolExecution(taskSupport="optional"))
    def taskable() -> str:
        """taskable"""
        return ""

    @app.tool(
        ui="ui://x",
        metadata=ToolMetadata(
            classification=Classification(service_domains=[ServiceDomain.EMAIL]),
            behavior=Behavior(
                operations=[Operation.READ], read_only=True, destructive=False, idempotent=True, open_world=True
            ),
            extras={"a": 1},
        ),
    )
    def with_meta() -> str:
        """with meta"""
        return ""

    @app.tool
    def returns_none() -> None:
        """returns None"""

    @app.tool
    def types(
        s: Annotated[str, "a string"],
        f: Annotated[float, "a float"],
        d: Annotated[dict, "a dict"],  # type: ignore[type-arg]
        li: Annotated[list[int], "list of int"],
        e: Annotated[Color, "an enum"],
        lit: Annotated[Literal["x", "y"], "a literal"],
        p: Annotated[Person, "a typeddict"],
        pm: Annotated[Point, "a pydantic model"],
        opt: Annotated[str | None, "optional"] = None,
        old_name: Annotated[str, "new_name", "renamed param"] = "x",
        noinf: Annotated[str, "not inferrable", Inferrable(False)] = "y",
        con: Annotated[int, "constrained"] = Field(default=5, ge=1, le=10),
    ) -> Person:
        """All types."""
        return p

    return app


THEIRS: dict[str, dict[str, Any]] = {
    "ProbeSrv_Add": {
        "name": "ProbeSrv_Add",
        "description": "Add two ints.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "a": {"type": "integer", "description": "first"},
                "b": {"type": "integer", "description": "second"},
            },
            "additionalProperties": False,
            "required": ["a"],
        },
        "outputSchema": {"type": "object", "properties": {"result": {"type": "integer"}}},
        "annotations": {"title": "Add"},
        "title": "Add",
    },
    "ProbeSrv_NeedsAuth": {
        "name": "ProbeSrv_NeedsAuth",
        "description": "needs auth",
        "inputSchema": NOTHING,
        "outputSchema": TEXT,
        "annotations": {"title": "NeedsAuth"},
        "title": "NeedsAuth",
        "_meta": {
            "arcade": {
                "requirements": {
                    "authorization": {
                        "provider_id": "github",
                        "provider_type": "oauth2",
                        "oauth2": {"scopes": ["repo"]},
                    }
                }
            }
        },
    },
    "ProbeSrv_NeedsMissingSecret": {
        "name": "ProbeSrv_NeedsMissingSecret",
        "description": "needs missing secret",
        "inputSchema": NOTHING,
        "outputSchema": TEXT,
        "annotations": {"title": "NeedsMissingSecret"},
        "title": "NeedsMissingSecret",
        "_meta": {"arcade": {"requirements": {"secrets": [{"key": "MISSING_SECRET"}, {"key": "ARCADE_API_KEY"}]}}},
    },
    "ProbeSrv_OldTool": {
        "name": "ProbeSrv_OldTool",
        "description": "[DEPRECATED: use other] old",
        "inputSchema": NOTHING,
        "outputSchema": TEXT,
        "annotations": {"title": "OldTool"},
        "title": "OldTool",
    },
    "ProbeSrv_Taskable": {
        "name": "ProbeSrv_Taskable",
        "description": "taskable",
        "inputSchema": NOTHING,
        "outputSchema": TEXT,
        "annotations": {"title": "Taskable"},
        "execution": {"taskSupport": "optional"},
        "title": "Taskable",
    },
    "ProbeSrv_WithMeta": {
        "name": "ProbeSrv_WithMeta",
        "description": "with meta",
        "inputSchema": NOTHING,
        "outputSchema": TEXT,
        "annotations": {
            "title": "WithMeta",
            "readOnlyHint": True,
            "destructiveHint": False,
            "idempotentHint": True,
            "openWorldHint": True,
        },
        "title": "WithMeta",
        "_meta": {
            "arcade": {
                "metadata": {
                    "classification": {"service_domains": ["email"]},
                    "behavior": {
                        "operations": ["read"],
                        "read_only": True,
                        "destructive": False,
                        "idempotent": True,
                        "open_world": True,
                    },
                    "extras": {"a": 1},
                }
            },
            "ui": {"resourceUri": "ui://x"},
        },
    },
    "ProbeSrv_ReturnsNone": {
        "name": "ProbeSrv_ReturnsNone",
        "description": "returns None",
        "inputSchema": NOTHING,
        "annotations": {"title": "ReturnsNone"},
        "title": "ReturnsNone",
    },
}


@each_row("name", THEIRS)
def test_a_tool_is_listed_as_by_an_arcade_server(name: str) -> None:
    catalog, problems = probe().build()
    assert [(problem.severity, problem.subject) for problem in problems] == [("warning", "needs_missing_secret")]
    theirs, ours = THEIRS[name], catalog.tools[name].definition
    assert without(ours, ["default", "outputSchema"]) == without(theirs, ["outputSchema"])
    if theirs.get("outputSchema") == TEXT:
        assert "outputSchema" not in ours
    elif "outputSchema" in theirs:
        assert ours["outputSchema"]["properties"] == theirs["outputSchema"]["properties"]


def without(value: Any, names: Iterable[str]) -> Any:
    """Return a value without the members of these names, however deep."""
    if isinstance(value, dict):
        return {name: without(item, names) for name, item in value.items() if name not in names}
    return [without(item, names) for item in value] if isinstance(value, list) else value


def test_the_types_of_parameters_are_fully_described() -> None:
    schema = probe().build()[0].tools["ProbeSrv_Types"].definition["inputSchema"]
    properties, described = schema["properties"], schema["$defs"]
    assert schema["additionalProperties"] is False
    assert schema["required"] == ["s", "f", "d", "li", "e", "lit", "p", "pm"]
    assert properties["s"] == {"type": "string", "description": "a string"}
    assert properties["f"] == {"type": "number", "description": "a float"}
    assert properties["d"]["type"] == "object"
    assert properties["li"] == {"type": "array", "items": {"type": "integer"}, "description": "list of int"}
    assert properties["e"] == {"$ref": "#/$defs/Color", "description": "an enum"}
    assert described["Color"] == {"title": "Color", "type": "string", "enum": ["red", "blue"]}
    assert properties["lit"] == {"type": "string", "enum": ["x", "y"], "description": "a literal"}
    assert described["Person"]["additionalProperties"] is False
    assert sorted(described["Person"]["required"]) == ["addr", "age", "name", "tags"]
    assert "required" not in described["Address"]
    assert described["Address"]["properties"] == {
        "street": {"type": "string", "description": "Street name"},
        "zip": {"anyOf": [{"type": "string"}, {"type": "null"}]},
    }
    assert described["Point"]["required"] == ["x"]
    assert properties["new_name"] == {"type": "string", "description": "renamed param", "default": "x"}
    assert properties["noinf"] == {
        "type": "string",
        "description": "not inferrable",
        "x-inferrable": False,
        "default": "y",
    }
    assert properties["con"] == {
        "type": "integer",
        "description": "constrained",
        "default": 5,
        "minimum": 1,
        "maximum": 10,
    }
