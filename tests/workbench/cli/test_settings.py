"""`workbench settings`: each setting, where it comes from, and what looks like one and is none."""

import json
from pathlib import Path

import pytest

from tests.workbench.cli.conftest import Run

ROWS = ("S12", "S36")


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
    assert "max_sessions = 20  (MCP_TRANSPORT_MAX_SESSIONS in the environment)\n    How many sessions" in out
    assert "    MCP_TRANSPORT_MAX_SESSIONS: a whole number from 1 to 10000\n" in out
    assert "page_size = 250  (default)\n" in out
    assert "state_key = (hidden)" in out
    assert "sesame" not in out + err
    assert f"MCP_SERVR_TITLE in {project / '.env'}, line 3 is no setting; did you mean MCP_SERVER_TITLE?" in err


def test_programs_get_the_same_as_json(run: Run, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARCADE_API_KEY", "sesame")
    code, out, _ = run("settings", "--project", str(project), "--json")
    document = json.loads(out)
    by_name = {one["name"]: one for one in document["settings"]}
    name = by_name["server_name"]
    assert (code, name["value"], name["source"], name["line"]) == (0, "shop", ".env", 1)
    assert by_name["page_size"]["source"] == "default"
    assert by_name["state_key"]["value"] == "(hidden)"
    assert {one["variable"]: one["meant"] for one in document["unknown"]}["MCP_SERVR_TITLE"] == "MCP_SERVER_TITLE"
    assert any(one["variable"] == "ARCADE_API_KEY" and one["why"] for one in document["unknown"])
    assert "sesame" not in out


@pytest.mark.parametrize("command", [["settings"], ["list"], ["secret", "list"]])
def test_a_value_beyond_the_limits_ends_a_command_with_one_sentence(
    run: Run, project: Path, command: list[str]
) -> None:
    with (project / ".env").open("a") as file:
        file.write("MCP_NOTIFICATION_RATE_LIMIT_PER_MINUTE=0\n")
    code, out, err = run(*command, "--project", str(project))
    assert (code, out) == (2, "")
    assert err == (
        f"error: MCP_NOTIFICATION_RATE_LIMIT_PER_MINUTE is '0' in {project / '.env'}, line 4, but must be a whole "
        "number from 1 to 1000; correct it there, or take it out.\n"
    )


def test_a_folder_that_is_not_there_has_no_settings(run: Run, tmp_path: Path) -> None:
    code, out, err = run("settings", str(tmp_path / "nope"))
    assert (code, out) == (2, "")
    assert "there is no file or folder" in err
