"""Where settings are read from: the environment or `.env`; by which names, and within which limits."""

import sys
from dataclasses import fields
from pathlib import Path

import pytest

from server_core.errors import ConfigurationError
from server_core.settings import Settings
from server_core.settings.setting import variables_of
from server_core.settings.sources import SettingPlace, read_settings

pytestmark = pytest.mark.promises("settings", "environment variables")

# The limits of Arcade's framework for its variables, in their own units.
LIMITED = {
    "MCP_TRANSPORT_SESSION_TIMEOUT_SECONDS": (30, 3600),
    "MCP_TRANSPORT_CLEANUP_INTERVAL_SECONDS": (1, 60),
    "MCP_TRANSPORT_MAX_SESSIONS": (1, 10000),
    "MCP_TRANSPORT_MAX_QUEUE_SIZE": (10, 10000),
    "MCP_NOTIFICATION_RATE_LIMIT_PER_MINUTE": (1, 1000),
    "MCP_NOTIFICATION_DEFAULT_DEBOUNCE_MS": (0, 10000),
    "MCP_NOTIFICATION_MAX_QUEUED_NOTIFICATIONS": (10, 10000),
}
OF_ARCADE = {
    **{name: str(limits[1]) for name, limits in LIMITED.items()},
    **{f"MCP_SERVER_{name}": "text" for name in ("NAME", "TITLE", "INSTRUCTIONS")},
    **{f"ARCADE_MCP_SERVER_{name}": "text" for name in ("NAME", "TITLE", "INSTRUCTIONS")},
    "MCP_SERVER_VERSION": "1.2.3",
    "ARCADE_MCP_SERVER_VERSION": "1.2.3",
    "MCP_TRANSPORT_ALLOWED_ORIGINS": "https://a.example",
    "MCP_MIDDLEWARE_ENABLE_LOGGING": "true",
    "MCP_MIDDLEWARE_LOG_LEVEL": "debug",
    "MCP_MIDDLEWARE_ENABLE_ERROR_HANDLING": "false",
    "MCP_MIDDLEWARE_MASK_ERROR_DETAILS": "true",
    "MCP_DEBUG": "true",
    "ARCADE_MCP_DEBUG": "1",
    "ARCADE_ENVIRONMENT": "prod",
    "ARCADE_USER_ID": "ada",
    "ARCADE_TOOL_NAME_SEPARATOR": "::",
    "ARCADE_DISABLED_TOOLS": "A.B",
    "ARCADE_DISABLED_TOOLKITS": "A",
    "ARCADE_SERVER_TRANSPORT": "http",
    "ARCADE_SERVER_HOST": "0.0.0.0",
    "ARCADE_SERVER_PORT": "9000",
    "ARCADE_SERVER_RELOAD": "1",
    "ARCADE_MCP_OTEL_ENABLE": "1",
    "ARCADE_MCP_TOOL_PACKAGE": "github",
    "ARCADE_MCP_DISCOVER_INSTALLED": "1",
    "ARCADE_MCP_SHOW_PACKAGES": "1",
    "ARCADE_UVICORN_TIMEOUT_GRACEFUL_SHUTDOWN": "7",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "tools").mkdir(parents=True)
    (folder / "pyproject.toml").write_text("")
    return folder


def test_settings_that_are_not_set_have_their_defaults() -> None:
    assert Settings.from_environment({}) == Settings()


def test_the_environment_is_read_by_the_names_of_the_settings() -> None:
    settings = Settings.from_environment({"WORKBENCH_MAX_MESSAGE_BYTES": "100", "WORKBENCH_REQUEST_TIMEOUT": "1.5"})
    assert (settings.max_message_bytes, settings.request_timeout) == (100, 1.5)


def test_each_variable_of_arcade_changes_a_setting() -> None:
    for variable, text in OF_ARCADE.items():
        reading = read_settings(environment={variable: text})
        assert reading.settings != Settings(), variable
        assert {place.variable for place in reading.places.values()} == {variable}


def test_a_variable_of_arcade_has_its_limits_and_they_are_described() -> None:
    for variable in LIMITED:
        low, high = LIMITED[variable]
        for value in (low, high):
            read_settings(environment={variable: str(value)})
        for beyond in (low - 1, high + 1, "many", "nan"):
            with pytest.raises(
                ConfigurationError, match=rf"^{variable} is '.*' in the environment, but must be a .*number"
            ):
                read_settings(environment={variable: str(beyond)})
        with pytest.raises(ConfigurationError, match=f"number from {low} to {high}; correct or remove it"):
            read_settings(environment={variable: str(high + 1)})


def test_milliseconds_of_arcade_become_seconds_of_ours() -> None:
    settings = read_settings(environment={"MCP_NOTIFICATION_DEFAULT_DEBOUNCE_MS": "250"}).settings
    assert settings.list_changed_delay == 0.25


def test_our_name_has_precedence_and_the_other_is_reported_as_unused() -> None:
    reading = read_settings(environment={"MCP_TRANSPORT_MAX_SESSIONS": "20", "WORKBENCH_MAX_SESSIONS": "7"})
    assert reading.settings.max_sessions == 7
    assert reading.place("max_sessions").variable == "WORKBENCH_MAX_SESSIONS"
    assert reading.unused["max_sessions"] == (SettingPlace("environment", "MCP_TRANSPORT_MAX_SESSIONS"),)


def test_the_environment_has_precedence_over_the_env_file_with_either_name(project: Path) -> None:
    (project / ".env").write_text("# settings\n\nWORKBENCH_MAX_SESSIONS=7\nMCP_SERVER_NAME='from file'\n")
    reading = read_settings(project / "tools", {"MCP_TRANSPORT_MAX_SESSIONS": "20"})
    assert (reading.settings.max_sessions, reading.settings.server_name) == (20, "from file")
    assert str(reading.place("server_name")) == f"{project / '.env'}, line 4"
    assert [str(place) for place in reading.unused["max_sessions"]] == [f"{project / '.env'}, line 3"]
    assert reading.place("page_size") == SettingPlace()


def test_the_search_for_the_env_file_ends_at_the_project(project: Path) -> None:
    (project.parent / ".env").write_text("WORKBENCH_MAX_SESSIONS=7\n")
    assert read_settings(project / "tools", {}).settings == Settings()
    (project / "pyproject.toml").unlink()
    assert read_settings(project / "tools", {}).settings == Settings()


def test_a_value_in_the_env_file_is_reported_with_file_and_line(project: Path) -> None:
    (project / ".env").write_text("A=1\n\n# many\nexport MCP_TRANSPORT_MAX_SESSIONS=many\n")
    with pytest.raises(ConfigurationError) as caught:
        Settings.of_project(project, {})
    assert str(caught.value) == (
        f"MCP_TRANSPORT_MAX_SESSIONS is 'many' in {project / '.env'}, line 4, but must be a whole number from 1 to "
        "10000; correct or remove it there."
    )


def test_a_long_value_is_shortened() -> None:
    with pytest.raises(ConfigurationError) as caught:
        read_settings(environment={"WORKBENCH_MAX_SESSIONS": "9" * 5000})
    assert len(str(caught.value)) < 250


def test_another_env_file_can_be_named_and_must_exist(project: Path) -> None:
    (project / "other.env").write_text("WORKBENCH_MAX_SESSIONS=7\n")
    assert read_settings(project, {"WORKBENCH_ENV_FILE": str(project / "other.env")}).settings.max_sessions == 7
    with pytest.raises(ConfigurationError, match=r"The file .*, which WORKBENCH_ENV_FILE names, does not exist"):
        read_settings(project, {"WORKBENCH_ENV_FILE": str(project / "none.env")})


def test_a_file_without_settings_is_not_parsed(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / ".env").write_text("API_KEY=MCP_\n")
    monkeypatch.setitem(sys.modules, "dotenv.parser", None)
    assert read_settings(project, {}).settings == Settings()


def test_debug_implies_logging_unless_logging_is_set() -> None:
    reading = read_settings(environment={"MCP_DEBUG": "true"})
    assert (reading.settings.middleware_enable_logging, reading.settings.middleware_log_level) == (True, "DEBUG")
    assert reading.place("middleware_log_level").variable == "MCP_DEBUG"
    settings = read_settings(environment={"MCP_DEBUG": "true", "MCP_MIDDLEWARE_LOG_LEVEL": "error"}).settings
    assert (settings.middleware_enable_logging, settings.middleware_log_level) == (True, "ERROR")


def test_no_two_settings_have_a_name_in_common() -> None:
    names = [variable.name for item in fields(Settings) for variable in variables_of(item)]
    assert len(names) == len(set(names))


def test_a_secret_setting_is_in_no_repr() -> None:
    assert "sesame" not in repr(read_settings(environment={"WORKBENCH_STATE_KEY": "sesame"}))


@pytest.mark.parametrize("name", ["event_store", "task_store"])
def test_a_relative_path_is_relative_to_the_folder_of_its_env_file(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    variable = f"WORKBENCH_{name.upper()}"
    (project / ".env").write_text(f"{variable}=kept/one.db\n")
    assert getattr(read_settings(project / "tools", {}).settings, name) == str(project / "kept" / "one.db")
    own = {"WORKBENCH_ENV_FILE": str(tmp_path / "own.env")}
    (tmp_path / "own.env").write_text(f"{variable}=one.db\n")
    assert getattr(read_settings(project, own).settings, name) == str(tmp_path / "one.db")
    in_directory = str(tmp_path / "elsewhere" / "one.db")
    assert getattr(read_settings(project, {variable: "one.db"}).settings, name) == in_directory
    assert getattr(read_settings(project, {variable: "/var/one.db"}).settings, name) == "/var/one.db"
    assert getattr(read_settings(project, {variable: "~/one.db"}).settings, name) == str(Path.home() / "one.db")
    assert getattr(read_settings(project, {variable: "memory"}).settings, name) == "memory"
