"""The definitions of tools, resources, templates and prompts, as each revision has them."""

from typing import Any

from server_core.catalog.catalog_entry import CatalogEntry
from server_core.catalog.definitions import (
    Callback,
    PromptArgumentDefinition,
    PromptDefinition,
    ResourceDefinition,
    ResourceTemplateDefinition,
    Tool,
)
from server_core.protocol.revisions import LATEST, LATEST_STATELESS, REVISIONS
from tests.tables import each_row

ICONS = [{"src": "https://example.com/a.png"}]
OBJECT: dict[str, Any] = {"type": "object"}
READ = Callback(print, is_async=False)

TOOL = Tool(
    "t", print, False, OBJECT, dict, dict,
    output_schema=OBJECT, title="T", description="D", annotations={"readOnlyHint": True}, meta={"k": 1}, icons=ICONS,
)  # fmt: skip
RESOURCE = ResourceDefinition(
    "a://b", "r", READ, title="R", annotations={"priority": 1}, meta={"k": 1}, icons=ICONS, size=3
)
TEMPLATE = ResourceTemplateDefinition("a://{b}", "r", READ, title="R", annotations={"priority": 1}, icons=ICONS)
PROMPT = PromptDefinition(
    "p", READ, (PromptArgumentDefinition("a", title="A", description="D"),), title="P", icons=ICONS
)


def members(entry: CatalogEntry) -> dict[str, set[str]]:
    """The members of each revision."""
    return {date: set(entry.definition_for(revision)) for date, revision in REVISIONS.items()}


def test_a_tool_has_the_members_of_the_revision() -> None:
    always = {"name", "description", "inputSchema", "_meta"}
    latest = {*always, "annotations", "title", "outputSchema", "icons"}
    assert members(TOOL) == {
        "2024-11-05": always,
        "2025-03-26": {*always, "annotations"},
        "2025-06-18": {*always, "annotations", "title", "outputSchema"},
        "2025-11-25": latest,
        "2026-07-28": latest,
    }


def test_resources_and_templates_have_the_members_of_the_revision() -> None:
    always = {"uri", "name", "size", "annotations", "_meta"}
    expected = [always, always, {*always, "title"}, {*always, "title", "icons"}, {*always, "title", "icons"}]
    assert list(members(RESOURCE).values()) == expected
    assert "icons" not in TEMPLATE.definition_for(REVISIONS["2025-06-18"])
    assert "title" not in TEMPLATE.definition_for(REVISIONS["2025-03-26"])
    assert TEMPLATE.definition_for(REVISIONS["2024-11-05"])["annotations"] == {"priority": 1}


def test_a_prompt_and_its_arguments_have_titles_from_2025_06_18_on() -> None:
    old = PROMPT.definition_for(REVISIONS["2025-03-26"])
    assert old == {"name": "p", "arguments": [{"name": "a", "description": "D", "required": False}]}
    new = PROMPT.definition_for(REVISIONS["2025-06-18"])
    assert new["title"] == "P"
    assert new["arguments"][0]["title"] == "A"


@each_row("schema", [{"type": "array"}, {"anyOf": [OBJECT, {"type": "null"}]}, {}])
def test_an_output_schema_that_is_no_object_is_only_in_revisions_that_allow_it(
    schema: dict[str, Any],
) -> None:
    tool = Tool("t", print, False, OBJECT, dict, dict, output_schema=schema)
    dates = {date for date, revision in REVISIONS.items() if "outputSchema" in tool.definition_for(revision)}
    assert dates == {"2026-07-28"}
    assert tool.definition_for(LATEST_STATELESS)["outputSchema"] is schema


def test_a_definition_is_made_once_for_a_revision_and_shared_where_nothing_is_left_out() -> None:
    assert TOOL.definition_for(LATEST) is TOOL.definition
    assert TOOL.definition_for(LATEST_STATELESS) is TOOL.definition
    old = REVISIONS["2024-11-05"]
    assert TOOL.definition_for(old) is TOOL.definition_for(old)
    assert TOOL.definition_for(old)["inputSchema"] is TOOL.input_schema
