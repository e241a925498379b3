"""The identity of a server: settings supply what its code does not set, from the first response on."""

import json
from pathlib import Path

import pytest

from server_core.catalog.identity import DEFAULT_NAME, DEFAULT_VERSION, Identity, identity_with
from server_core.core import Core
from server_core.loading.file_discovery import discover
from server_core.settings import Settings
from tests.server_core.process.test_cold_start import EARLY, INITIALIZE, first_answer
from tests.tables import each_row
from tests.waiting import within

pytestmark = pytest.mark.promises("settings")
ALL = Settings(server_name="set", server_version="9", server_title="Set", server_instructions="Do.")


@each_row(
    ("identity", "expected"),
    [
        (Identity("folder", "1", is_of_app=False), Identity("set", "9", "Set", "Do.", is_of_app=False)),
        (Identity("shop", "1.0.0", "Shop", "Buy."), Identity("shop", "1.0.0", "Shop", "Buy.")),
        (Identity("shop", "1.0.0", "shop"), Identity("shop", "1.0.0", "Set", "Do.")),
        (Identity(DEFAULT_NAME, DEFAULT_VERSION, DEFAULT_NAME), Identity("set", "9", "Set", "Do.")),
    ],
)
def test_the_code_overrides_the_settings(identity: Identity, expected: Identity) -> None:
    assert identity_with(ALL, identity) == expected
    assert identity_with(Settings(), identity) == identity


def test_a_title_that_equals_the_name_changes_with_it() -> None:
    assert (
        identity_with(Settings(server_name="set"), Identity(DEFAULT_NAME, DEFAULT_VERSION, DEFAULT_NAME)).title == "set"
    )


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "tools.py").write_text('from server_core import tool\n\n\n@tool\ndef add() -> str:\n    """Add."""\n')
    (folder / ".env").write_text("MCP_SERVER_NAME=named\nMCP_SERVER_INSTRUCTIONS='Ask first.'\n")
    return folder


def test_the_first_response_contains_the_identity(project: Path) -> None:
    (line,), _ = first_answer(EARLY, project, messages=INITIALIZE + b"\n")
    result = json.loads(line)["result"]
    assert (result["serverInfo"]["name"], result["instructions"]) == ("named", "Ask first.")


async def test_the_identity_stays_the_same_when_the_tools_are_loaded(project: Path) -> None:
    core = Core(project=project, capture=False, link=False)
    try:
        await core.start()
        await within(core.wait_loaded())
        assert core.identity == identity_with(core.settings, discover(project).identity)
        assert (core.identity.name, core.identity.instructions) == ("named", "Ask first.")
    finally:
        await core.stop()
