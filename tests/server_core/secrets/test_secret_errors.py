"""A tool without the secrets that it declares: it does not run, and people and models get an explanation."""

import json
from typing import Any

import pytest

from server_core import Context, MCPApp
from server_core.settings import Settings
from tests.server_core.execution.app_client import LEGACY, MODERN, Client, result_of

pytestmark = pytest.mark.promises("secrets")


def app_with_secrets(*keys: str) -> MCPApp:
    app = MCPApp("shop")

    @app.tool(requires_secrets=list(keys))
    def open_safe(context: Context) -> str:
        """Open the safe."""
        return context.get_secret(keys[0].lower())

    return app


def texts_of(result: dict[str, Any]) -> list[str]:
    assert result["isError"] is True
    assert result["_meta"]["arcade"]["errorKind"] == "TOOL_RUNTIME_CONTEXT_REQUIRED"
    return [block["text"] for block in result["content"]]


@pytest.mark.parametrize("revision", [LEGACY, MODERN])
async def test_a_missing_secret_is_explained_to_people_and_models(revision: str) -> None:
    text, for_models = texts_of(await result_of(app_with_secrets("PIN"), "Shop_OpenSafe", revision))
    assert text == (
        "✗ Missing secret: PIN\n\n"
        "  Tool 'Shop_OpenSafe' requires this secret but it is not configured.\n\n"
        "  To fix, either:\n"
        "  1. Add to .env file:\n"
        "       PIN=your_value_here\n"
        "  2. Store it for this project:\n"
        "       workbench secret set PIN\n"
        "  3. Set environment variable, then restart the server:\n"
        "       export PIN=your_value_here"
    )
    instructions = json.loads(for_models)
    assert list(instructions) == ["llm_instructions"]
    assert "PIN=your_secret_value" in instructions["llm_instructions"]
    assert "workbench secret set PIN" in instructions["llm_instructions"]


async def test_several_missing_secrets_are_reported_together() -> None:
    text, _ = texts_of(await result_of(app_with_secrets("PIN", "KEY", "HAVE"), "Shop_OpenSafe", secrets={"HAVE": "x"}))
    assert text.startswith("✗ Missing secrets: PIN, KEY\n")
    for line in ("       PIN=your_value_here\n       KEY=your_value_here\n", "       workbench secret set KEY\n"):
        assert line in text
    assert "HAVE" not in text


async def test_a_reserved_secret_is_reported_before_a_missing_secret() -> None:
    text, for_models = texts_of(await result_of(app_with_secrets("PIN", "ARCADE_API_KEY"), "Shop_OpenSafe"))
    first, second = text.split("\n\n✗ ")
    assert first.startswith("✗ Reserved secret: ARCADE_API_KEY\n")
    assert first.endswith("To fix, remove it from the tool's required secrets.")
    assert second.startswith("Missing secret: PIN\n")
    instructions = json.loads(for_models)["llm_instructions"]
    assert "declares reserved secret(s) ARCADE_API_KEY" in instructions
    assert "missing required secrets" in instructions


@pytest.mark.parametrize("peer", ["127.0.0.1:5000", "::1"])
async def test_over_http_from_this_machine_a_tool_has_its_secrets(peer: str) -> None:
    client = Client(app_with_secrets("PIN"), secrets={"PIN": "1234"}, transport="http", peer_name=peer)
    answer = await client.request("tools/call", name="Shop_OpenSafe")
    assert answer["result"]["content"] == [{"type": "text", "text": "1234"}]


@pytest.mark.parametrize(
    ("peer", "settings"), [("192.0.2.7:5000", Settings()), ("127.0.0.1:5000", Settings(allowed_hosts="a.example"))]
)
async def test_over_http_from_elsewhere_only_authenticated_callers_run_it(peer: str, settings: Settings) -> None:
    app, options = app_with_secrets("PIN"), {"secrets": {"PIN": "1234"}, "transport": "http", "peer_name": peer}
    text, for_models = texts_of(await result_of(app, "Shop_OpenSafe", settings=settings, **options))
    assert text.startswith("✗ Unsupported transport\n\n  Tool 'Shop_OpenSafe' cannot run over HTTP")
    assert "stdio" in json.loads(for_models)["llm_instructions"]
    for more in ({"principal": "ada", "settings": settings}, {"settings": Settings(open_secrets=True)}):
        result = await result_of(app, "Shop_OpenSafe", **more, **options)
        assert result["content"] == [{"type": "text", "text": "1234"}]
