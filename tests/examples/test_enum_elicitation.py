"""Each kind of choice reaches the client as the specification writes it, and is returned."""

from typing import Any

import pytest

from tests.examples.enum_elicitation import app
from workbench.testing import Client

pytestmark = pytest.mark.promises("context")

CHOICES = [
    (
        "PickPriority",
        {"priority": "high"},
        {"type": "string", "enum": ["low", "medium", "high"], "default": "medium"},
        "priority: high",
    ),
    (
        "PickRegion",
        {"region": "south"},
        {
            "type": "string",
            "oneOf": [{"const": "north", "title": "The North"}, {"const": "south", "title": "The South"}],
        },
        "region: south",
    ),
    (
        "PickTags",
        {"tags": ["bug", "idea"]},
        {"type": "array", "items": {"type": "string", "enum": ["bug", "docs", "idea"]}, "default": []},
        "tags: bug, idea",
    ),
    (
        "PickPermissions",
        {"permissions": ["read"]},
        {
            "type": "array",
            "items": {
                "anyOf": [
                    {"const": "read", "title": "Look"},
                    {"const": "write", "title": "Change"},
                    {"const": "admin", "title": "Do everything"},
                ]
            },
            "minItems": 1,
            "default": ["read"],
        },
        "permissions: read",
    ),
    (
        "PickLegacy",
        {"speed": "fast"},
        {"type": "string", "enum": ["slow", "fast"], "enumNames": ["In a week", "Tomorrow"], "default": "slow"},
        "speed: fast",
    ),
]


@pytest.mark.parametrize(("tool", "chosen", "field", "text"), CHOICES, ids=[item[0] for item in CHOICES])
async def test_a_choice_is_asked_for(
    tool: str, chosen: dict[str, Any], field: dict[str, Any], text: str, revision: str
) -> None:
    async with Client(app, revision=revision) as client:
        client.answers.elicit(chosen)
        client.answers.decline()
        assert (await client.call(f"EnumElicitation_{tool}")).text == text
        assert (await client.call(f"EnumElicitation_{tool}")).text == "Nothing was chosen: decline."
        (name,) = chosen
        assert client.answers.asked[0].schema == {"type": "object", "properties": {name: field}, "required": [name]}


async def test_several_fields_are_asked_for_at_once(revision: str) -> None:
    chosen = {"environment": "live", "replicas": 3, "features": ["canary"], "notify": "team"}
    async with Client(app, revision=revision) as client:
        client.answers.elicit(chosen)
        client.answers.cancel()
        result = await client.call("EnumElicitation_ConfigureDeployment")
        assert list(client.answers.asked[0].schema["properties"]) == ["environment", "replicas", "features", "notify"]
        assert result.structured == {"status": "accept", "config": chosen}
        assert (await client.call("EnumElicitation_ConfigureDeployment")).structured["status"] == "cancel"
