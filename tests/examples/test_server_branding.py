"""Clients get the branding of a server; its tools have the names that their author chose."""

import pytest

from tests.examples.server_branding import app, picture
from workbench.testing import Client

pytestmark = pytest.mark.promises("app", "tool names")


async def test_clients_get_the_branding_of_the_server(revision: str) -> None:
    async with Client(app, revision=revision) as client:
        about, instructions = client.server_info, client.instructions
    assert (about["name"], about["title"], about["version"]) == ("server_branding", "The Blue Server", "1.0.0")
    assert (about["description"], about["websiteUrl"]) == ("It is blue.", "https://example.com/blue")
    assert about["icons"] == [
        {"src": picture("navy"), "mimeType": "image/svg+xml", "sizes": ["any"], "theme": "light"},
        {"src": picture("skyblue"), "mimeType": "image/svg+xml", "sizes": ["any"], "theme": "dark"},
    ]
    assert instructions == "Look at it."


async def test_tools_have_names_with_dots_and_dashes(revision: str) -> None:
    async with Client(app, revision=revision) as client:
        assert (await client.call("ServerBranding_Data_fetch-utility")).text == "fetched"
        assert (await client.call("ServerBranding_Echo", msg="hello")).text == "hello"
        assert (await client.call("ServerBranding_ReadyToShip")).text == "The Blue Server is ready."


async def test_older_clients_get_only_the_fields_of_their_revision() -> None:
    async with Client(app, revision="2025-03-26") as client:
        assert client.server_info == {"name": "server_branding", "version": "1.0.0"}
