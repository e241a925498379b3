"""Results match their schemas: what may be missing is left out, and what may be null is null."""

from typing import Any

import pytest

from tests.examples.output_schemas import app
from workbench.testing import Client

pytestmark = pytest.mark.promises("types")

CALLS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("CalculateStatistics", {"numbers": [1, 2, 6]}, {"count": 3, "total": 9.0, "mean": 3.0, "median": 2.0}),
    ("AnalyzeText", {"text": "Tea, tea or cake."}, {"words": 4, "characters": 17, "top_words": ["tea", "or", "cake"]}),
    (
        "GetCalendarInfo",
        {"day": "2028-03-01"},
        {
            "date": {"year": 2028, "month": 3, "day": 1, "weekday": "Wednesday"},
            "day_of_year": 61,
            "is_leap_year": True,
        },
    ),
    (
        "ParseUrl",
        {"url": "https://example.com/a"},
        {"address": {"scheme": "https", "host": "example.com", "port": None, "path": "/a"}, "is_secure": True},
    ),
    ("SearchUsers", {"query": "ada"}, {"username": "ada"}),
    ("GetUserProfile", {"username": "ada"}, {"user_id": 7, "username": "ada"}),
    (
        "GetUserProfile",
        {"username": "admin"},
        {"user_id": 7, "username": "admin", "website": "https://example.com"},
    ),
    ("LookupRecord", {"key": "color"}, {"key": "color", "value": "blue", "problem": None}),
    ("LookupRecord", {"key": "size"}, {"key": "size", "value": None, "problem": "There is no 'size'."}),
    ("GetTeamInfo", {"team_name": "engine"}, {"name": "engine", "lead": {"name": "Ada"}}),
    ("GetTeamInfo", {"team_name": "night"}, {"name": "night", "lead": None}),
]


@pytest.mark.parametrize(("tool", "arguments", "structured"), CALLS, ids=[call[0] for call in CALLS])
async def test_a_result_matches_its_schema(
    tool: str, arguments: dict[str, Any], structured: dict[str, Any], revision: str
) -> None:
    async with Client(app, revision=revision) as client:
        result = await client.call_tool(f"ToolsWithOutputSchema_{tool}", arguments)
    assert result.structured == structured


async def test_the_schemas_are_listed(revision: str) -> None:
    async with Client(app, revision=revision) as client:
        schemas = {
            tool["name"].removeprefix("ToolsWithOutputSchema_"): tool["outputSchema"]
            for tool in await client.list_tools()
        }
    assert all(schema["type"] == "object" for schema in schemas.values())
    assert schemas["GetUserProfile"]["required"] == ["user_id", "username"]
    assert "required" not in schemas["SearchUsers"]
    assert schemas["LookupRecord"]["properties"]["value"] == {"anyOf": [{"type": "string"}, {"type": "null"}]}
    assert schemas["GetTeamInfo"]["required"] == ["name", "lead"]
    assert {"type": "null"} in schemas["GetTeamInfo"]["properties"]["lead"]["anyOf"]
    assert schemas["GetTeamInfo"]["$defs"]["Member"]["properties"].keys() == {"name", "role"}
