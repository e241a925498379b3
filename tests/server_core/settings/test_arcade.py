"""The settings under the names of Arcade's framework."""

from pathlib import Path

import pytest

from server_core.settings import MCPSettings, TransportSettings, find_env_file


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path / "project"


pytestmark = pytest.mark.promises("settings")


def test_the_sections_have_arcades_names_and_units(here: Path) -> None:
    (here / ".env").write_text(
        "MCP_TRANSPORT_SESSION_TIMEOUT_SECONDS=300\nMCP_NOTIFICATION_DEFAULT_DEBOUNCE_MS=250\nMCP_SERVER_TITLE=Title\n"
        "MCP_TRANSPORT_ALLOWED_ORIGINS=https://a.example, https://b.example\nARCADE_USER_ID=ada\nMCP_DEBUG=1\n"
    )
    settings = MCPSettings.from_env()
    assert settings.transport == TransportSettings(300, 30, 1000, 1000, ["https://a.example", "https://b.example"])
    assert settings.notification.default_debounce_ms == 250
    assert (settings.server.title, settings.server.name) == ("Title", None)
    assert (settings.arcade.user_id, settings.arcade.environment) == ("ada", "dev")
    assert (settings.debug, settings.middleware.log_level) == (True, "DEBUG")


def test_values_for_tools_are_available_and_hidden(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / ".env").write_text("KEY=sesame\nMCP_DEBUG=0\n_HIDDEN=1\n")
    monkeypatch.setenv("ARCADE_API_KEY", "sesame")
    monkeypatch.setenv("OTHER", "sesame")
    settings = MCPSettings.from_env()
    secrets = settings.tool_secrets()
    assert (secrets["KEY"], secrets["OTHER"]) == ("sesame", "sesame")
    assert {"MCP_DEBUG", "_HIDDEN", "ARCADE_API_KEY"}.isdisjoint(secrets)
    assert "sesame" not in repr(settings) + repr(settings.to_dict())


def test_the_settings_of_the_working_directory_can_be_imported(here: Path) -> None:
    (here / ".env").write_text("MCP_SERVER_NAME=mine\n")
    from server_core.settings import settings

    assert settings.server.name == "mine"


def test_an_unknown_name_raises_attribute_error() -> None:
    import server_core.settings

    with pytest.raises(AttributeError, match="has no attribute 'Setings'"):
        server_core.settings.Setings  # noqa: B018


def test_an_env_file_is_searched_from_a_folder_upwards_to_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "project" / "src" / "tools"
    folder.mkdir(parents=True)
    (tmp_path / ".env").write_text("A=1\n")
    (tmp_path / "own.env").write_text("A=1\n")
    monkeypatch.chdir(folder)
    assert find_env_file() == tmp_path / ".env"
    assert find_env_file(stop_at=tmp_path / "project") is None
    assert find_env_file(stop_at=tmp_path) == tmp_path / ".env"
    (tmp_path / "project" / "pyproject.toml").write_text("")
    assert find_env_file() is None
    assert find_env_file(folder, tmp_path, "own.env") == tmp_path / "own.env"
    (folder.parent / ".env").mkdir()
    (tmp_path / "project" / ".env").write_text("A=1\n")
    assert find_env_file(folder) == tmp_path / "project" / ".env"
    assert find_env_file(tmp_path) == tmp_path / ".env"
