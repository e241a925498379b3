"""`workbench settings`: each setting, where it comes from, and what looks like one and is none."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.workbench.cli.conftest import Run

pytestmark = pytest.mark.promises("settings", "environment variables")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / ".env").write_text("MCP_SERVER_NAME=shop\nWORKBENCH_STATE_KEY=sesame\nMCP_SERVR_TITLE=x\n")
    return folder


def test_each_setting_is_shown_with_its_value_place_limits_and_meaning(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MCP_TRANSPORT_MAX_SESSIONS", "20")
    code, out, err = run("settings", str(project))
    assert code == 0
    assert f"server_name = shop  (MCP_SERVER_NAME in {project / '.env'}, line 1)\n" in out
    assert "max_sessions = 20  (MCP_TRANSPORT_MAX_SESSIONS in the environment)\n    The maximum number of" in out
    assert "    MCP_TRANSPORT_MAX_SESSIONS: a whole number from 1 to 10000\n" in out
    assert "page_size = 250  (default)\n" in out
    assert "state_key = (hidden)" in out
    assert "sesame" not in out + err
    assert f"MCP_SERVR_TITLE in {project / '.env'}, line 3 is not a setting; did you mean MCP_SERVER_TITLE?" in err


def test_programs_get_the_same_as_json(run: Run, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARCADE_API_KEY", "sesame")
    code, out, _ = run("settings", "--project", str(project), "--json")
    document = json.loads(out)
    by_name = {entry["name"]: entry for entry in document["settings"]}
    name = by_name["server_name"]
    assert (code, name["value"], name["source"], name["line"]) == (0, "shop", ".env", 1)
    assert by_name["page_size"]["source"] == "default"
    assert by_name["state_key"]["value"] == "(hidden)"
    assert {entry["variable"]: entry["meant"] for entry in document["unknown"]}["MCP_SERVR_TITLE"] == "MCP_SERVER_TITLE"
    assert any(entry["variable"] == "ARCADE_API_KEY" and entry["why"] for entry in document["unknown"])
    assert "sesame" not in out


APP = "from server_core import MCPApp\n\napp = MCPApp('shop', title='The shop', instructions=INSTRUCTIONS)\n"


def settings_of(run: Run, *words: str) -> dict[str, dict[str, Any]]:
    code, out, _ = run("settings", *words, "--json")
    assert code == 0
    return {entry["name"]: entry for entry in json.loads(out)["settings"]}


def test_values_in_the_code_of_an_app_are_shown_with_unused_settings(run: Run, project: Path) -> None:
    (project / "app.py").write_text(APP)
    entries = settings_of(run, str(project))
    name, title, version = entries["server_name"], entries["server_title"], entries["server_version"]
    assert (name["value"], name["source"], name["variable"]) == ("shop", "constructor", "MCPApp(name=...)")
    assert name["unused"] == [{"variable": "MCP_SERVER_NAME", "place": f"{project / '.env'}, line 1"}]
    assert (title["value"], title["source"], title["unused"]) == ("The shop", "constructor", [])
    # What only running the code would show is not known, and an app does not state its defaults.
    assert entries["server_instructions"]["source"] == version["source"] == "default"
    out = run("settings", str(project))[1]
    assert "server_name = shop  (MCPApp(name=...) in the code)\n" in out
    assert f"    MCP_SERVER_NAME in {project / '.env'}, line 1 has no effect.\n" in out


def test_an_app_that_is_not_served_overrides_nothing(run: Run, project: Path) -> None:
    (project / "app.py").write_text(APP)
    entries = settings_of(run, str(project), "--tool-package", "kit")
    assert (entries["server_name"]["source"], entries["tool_package"]["source"]) == (".env", "flag")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--name", "kit"], {"server_name": "kit", "toolkit": "kit"}),
        (["--version", "2.0"], {"server_version": "2.0.0"}),
        (["--stdio"], {"server_transport": "stdio"}),
        (
            ["--http", "--host", "::1", "--port", "0"],
            {"server_transport": "http", "server_host": "::1", "server_port": 0},
        ),
        (["--reload", "--otel-enable"], {"server_reload": True, "otel_enable": True}),
        (["-p", "math,words", "--discover-installed"], {"tool_package": "math,words"}),
        (["--discover-installed", "--show-packages"], {"discover_installed": True, "show_packages": True}),
        (["--debug"], {"debug": True, "middleware_enable_logging": True, "middleware_log_level": "DEBUG"}),
    ],
)
def test_the_options_of_serve_are_shown_as_where_a_value_comes_from(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], expected: dict[str, Any]
) -> None:
    monkeypatch.setenv("MCP_SERVER_NAME", "other")
    monkeypatch.setenv("WORKBENCH_DEBUG", "false")
    entries = settings_of(run, str(project), *words)
    assert {name: entry["value"] for name, entry in entries.items() if entry["source"] == "flag"} == expected
    assert {entry["variable"] for entry in entries.values() if entry["source"] == "flag"} <= {
        word if word.startswith("--") else "--tool-package" for word in words
    }


def test_an_option_shows_the_settings_that_it_overrides(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARCADE_MCP_SERVER_NAME", "other")
    out = run("settings", str(project), "--name", "kit")[1]
    assert "server_name = kit  (--name in the command line)\n" in out
    assert "    ARCADE_MCP_SERVER_NAME in the environment has no effect.\n" in out
    assert f"    MCP_SERVER_NAME in {project / '.env'}, line 1 has no effect.\n" in out


def test_another_env_file_is_shown_where_it_is_named(run: Run, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "own.env").write_text("MCP_SERVER_NAME=mine\n")
    monkeypatch.setenv("WORKBENCH_ENV_FILE", "")  # The command sets it; this has it taken back.
    name = settings_of(run, str(project), "--env-file", str(project / "own.env"))["server_name"]
    assert (name["value"], name["file"]) == ("mine", str(project / "own.env"))


def test_a_missing_env_file_is_reported_with_its_option(run: Run, project: Path) -> None:
    for command in (["settings", str(project)], ["serve", "--stdio", "--project", str(project)]):
        code, out, err = run(*command, "--env-file", str(project / "no.env"))
        assert (code, out) == (2, "")
        assert err == f"error: there is no file {project / 'no.env'}, which --env-file names\n"


@pytest.mark.parametrize("command", [["settings"], ["list"], ["secret", "list"]])
def test_a_value_beyond_the_limits_ends_a_command_with_a_sentence(run: Run, project: Path, command: list[str]) -> None:
    with (project / ".env").open("a") as file:
        file.write("MCP_NOTIFICATION_RATE_LIMIT_PER_MINUTE=0\n")
    code, out, err = run(*command, "--project", str(project))
    assert (code, out) == (2, "")
    assert err == (
        f"error: MCP_NOTIFICATION_RATE_LIMIT_PER_MINUTE is '0' in {project / '.env'}, line 4, but must be a whole "
        "number from 1 to 1000; correct or remove it there.\n"
    )


def test_a_folder_that_is_not_there_has_no_settings(run: Run, tmp_path: Path) -> None:
    code, out, err = run("settings", str(tmp_path / "nope"))
    assert (code, out) == (2, "")
    assert "there is no file or folder" in err


def test_a_relative_file_in_the_env_file_is_shown_where_it_is(
    run: Run, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (project / ".env").write_text("WORKBENCH_TASK_STORE=tasks.db\n")
    assert settings_of(run, "project")["task_store"]["value"] == str(project / "tasks.db")


SERVERS = '[{"authorizationServerUrl": "https://a", "issuer": "https://a", "jwksUri": "https://a/keys"}]'
GUARDED = "from server_core import MCPApp\n\napp = MCPApp('shop', auth=check)\n"


def test_partial_resource_server_settings_are_reported(run: Run, project: Path) -> None:
    (project / ".env").write_text("MCP_RESOURCE_SERVER_CANONICAL_URL=https://mcp.example.com/mcp\n")
    code, out, err = run("settings", str(project))
    assert code == 2
    assert "resource_server_canonical_url = https://mcp.example.com/mcp" in out
    assert "MCP_RESOURCE_SERVER_AUTHORIZATION_SERVERS is missing" in err
    (project / "app.py").write_text(GUARDED)
    assert run("settings", str(project))[0] == 0


def test_auth_of_an_app_overrides_the_settings_with_a_note(run: Run, project: Path) -> None:
    address = "MCP_RESOURCE_SERVER_CANONICAL_URL=https://mcp.example.com/mcp\n"
    (project / ".env").write_text(f"{address}MCP_RESOURCE_SERVER_AUTHORIZATION_SERVERS='{SERVERS}'\n")
    note = "has its own auth=, which overrides MCP_RESOURCE_SERVER_*"
    code, _, err = run("settings", str(project))
    assert (code, note in err) == (0, False)
    (project / "app.py").write_text(GUARDED)
    code, _, err = run("settings", str(project))
    assert (code, note in err) == (0, True)
