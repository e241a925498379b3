"""The effects of tools are listed as the hints of the protocol, and in full."""

from collections.abc import Iterator

import pytest

from tests.examples.tool_metadata import app, notes
from workbench.testing import Client

pytestmark = pytest.mark.promises("tool options")

HINTS = {
    "ReverseText": (True, False, True),
    "SearchNotes": (True, False, True),
    "CreateNote": (False, False, False),
    "UpdateNote": (False, False, True),
    "DeleteNote": (False, True, True),
    "GetNotesStats": (True, False, True),
    "UpsertNote": (False, False, True),
}
"""The tool -> whether it only reads, destroys, and may be called twice."""


@pytest.fixture(autouse=True)
def no_notes() -> Iterator[None]:
    notes.clear()
    yield
    notes.clear()


async def test_each_tool_has_its_hints(revision: str) -> None:
    async with Client(app, revision=revision) as client:
        tools = {tool["name"].removeprefix("ToolMetadataDemo_"): tool for tool in await client.list_tools()}
    hints = {name: tool["annotations"] for name, tool in tools.items()}
    assert {
        name: (item["readOnlyHint"], item["destructiveHint"], item["idempotentHint"]) for name, item in hints.items()
    } == HINTS
    assert not any(item["openWorldHint"] for item in hints.values())
    metadata = tools["GetNotesStats"]["_meta"]["arcade"]["metadata"]
    assert metadata["extras"] == {"billing_tier": "free", "max_requests_per_minute": 100}
    both = tools["UpsertNote"]["_meta"]["arcade"]["metadata"]["behavior"]["operations"]
    assert both == ["create", "update"]


async def test_notes_are_written_searched_counted_and_deleted(revision: str) -> None:
    async with Client(app, revision=revision) as client:

        async def call(tool: str, **arguments: str) -> object:
            return (await client.call(f"ToolMetadataDemo_{tool}", **arguments)).structured

        assert await call("CreateNote", title="tea", content="green") == {"status": "created", "title": "tea"}
        assert await call("CreateNote", title="tea", content="black") == {"error": "There is a note 'tea' already."}
        assert await call("UpdateNote", title="tea", content="black") == {"status": "updated", "title": "tea"}
        assert await call("UpdateNote", title="cake", content="") == {"error": "There is no note 'cake'."}
        assert await call("UpsertNote", title="cake", content="sweet") == {"status": "created", "title": "cake"}
        assert await call("SearchNotes", query="BLACK") == {"result": [{"title": "tea", "content": "black"}]}
        assert await call("GetNotesStats") == {"total_notes": 2, "total_characters": 10}
        assert await call("DeleteNote", title="tea") == {"status": "deleted", "title": "tea"}
        assert await call("DeleteNote", title="tea") == {"error": "There is no note 'tea'."}
        assert (await client.call("ToolMetadataDemo_ReverseText", text="tea")).text == "aet"
