"""`workbench secret`: kept where they are wanted, granted to others, and never shown."""

import json
from pathlib import Path

import pytest

from tests.workbench.cli.conftest import Run

pytestmark = pytest.mark.promises("secrets")
TOOLS = """
from server_core import Context, tool

print("s3cret-value")

@tool(requires_secrets=["API_KEY"])
def reveal(context: Context) -> str:
    "Return the secret."
    return context.get_secret("api_key")
"""


@pytest.fixture
def projects(tmp_path: Path) -> tuple[Path, Path]:
    folders = tmp_path / "mine", tmp_path / "other"
    for folder in folders:
        folder.mkdir()
        (folder / "tools.py").write_text(TOOLS)
    return folders


def test_a_secret_in_the_vault_reaches_the_tools_of_its_project_and_of_those_it_is_granted_to(
    run: Run, projects: tuple[Path, Path]
) -> None:
    mine, other = projects
    words = ("secret", "set", "API_KEY", "--store", "vault", "--project", str(mine))
    assert run(*words, stdin=b"s3cret-value\n") == (0, "", "Set API_KEY.\n")
    assert not (mine / ".env").exists()
    assert run("call", "reveal", "--project", str(mine))[:2] == (0, "<secret API_KEY>\n")
    assert run("call", "reveal", "--project", str(other))[0] == 1

    assert run("secret", "grant", "API_KEY", str(other), "--project", str(mine))[0] == 0
    assert run("call", "reveal", "--project", str(other))[:2] == (0, "<secret API_KEY>\n")
    code, out, err = run("secret", "list", "--project", str(other))
    assert (code, f"set (vault, of {mine})" in out) == (0, True)
    assert "s3cret" not in out + err
    code, out, err = run("secret", "list", "--project", str(mine), "--json")
    (entry,) = json.loads(out)
    assert (entry["source"], entry["readers"], entry["owner"]) == ("vault", [str(other)], None)
    assert "s3cret" not in err

    assert run("secret", "revoke", "API_KEY", str(other), "--project", str(mine))[0] == 0
    assert run("call", "reveal", "--project", str(other))[0] == 1
    assert run("secret", "unset", "API_KEY", "--project", str(mine))[0] == 0
    assert run("call", "reveal", "--project", str(mine))[0] == 1


def test_unsetting_names_the_place_and_fails_when_the_secret_is_missing(run: Run, projects: tuple[Path, Path]) -> None:
    mine, other = projects
    here = ("API_KEY", "--project", str(mine))
    code, out, err = run("secret", "unset", *here)
    assert (code, out) == (2, "")
    assert f"API_KEY is not set in {mine / '.env'} or the keyring or the vault" in err
    assert not (mine / ".env").exists()

    run("secret", "set", *here, stdin=b"s3cret-value\n")
    code, _, err = run("secret", "unset", *here, "--store", "vault")
    assert (code, "API_KEY is not set in the vault;" in err) == (2, True)
    assert run("secret", "unset", *here) == (0, "", f"Unset API_KEY in {mine / '.env'}.\n")

    run("secret", "set", *here, "--store", "vault", stdin=b"s3cret-value\n")
    run("secret", "grant", "API_KEY", str(other), "--project", str(mine))
    code, _, err = run("secret", "unset", "API_KEY", "--project", str(other))
    assert (code, f"`workbench secret revoke API_KEY {other}`" in err) == (2, True)
    assert run("secret", "unset", *here) == (0, "", "Unset API_KEY in the vault.\n")


def test_every_secret_of_a_file_is_stored_and_no_setting_of_the_server(
    run: Run, projects: tuple[Path, Path], tmp_path: Path
) -> None:
    mine, _ = projects
    file = tmp_path / "other.env"
    file.write_text("API_KEY='s3cret-value'\nOTHER=s3cret-other\nEMPTY=\nMCP_DEBUG=1\n")
    code, out, err = run("secret", "set", "--from-env", str(file), "--project", str(mine))
    assert (code, out) == (0, "")
    assert err.splitlines() == [
        "MCP_DEBUG is skipped: it is a setting of the server, which tools cannot read.",
        "Set API_KEY.",
        "Set OTHER.",
    ]
    assert (mine / ".env").read_text() == "API_KEY='s3cret-value'\nOTHER='s3cret-other'\n"


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["set"], "KEY is missing"),
        (["set", "KEY", "--from-env", "x.env"], "omit KEY"),
        (["set", "--from-env", "none.env"], "there is no file none.env"),
        (["set", "ARCADE_API_KEY", "x"], "reserved for the server's own settings"),
        (["set", "KEY", "x", "--store", "attic"], "attic"),
        (["grant", "KEY", "elsewhere"], "neither in the keyring nor in the vault"),
        (["revoke", "KEY", "elsewhere"], "neither in the keyring nor in the vault"),
    ],
)
def test_invalid_options_are_reported_with_exit_code_2(
    run: Run, projects: tuple[Path, Path], words: list[str], reason: str
) -> None:
    code, out, err = run("secret", *words, "--project", str(projects[0]))
    assert (code, out) == (2, "")
    assert reason in err
    assert err.count("\n") == 1


def test_a_misspelt_name_is_stored_with_a_warning(run: Run, projects: tuple[Path, Path]) -> None:
    mine = str(projects[0])
    code, _, err = run("secret", "set", "API_KEYS", "--project", mine, stdin=b"v4lue-of-it\n")
    assert (code, "no tool declares API_KEYS; did you mean API_KEY?" in err) == (0, True)
    for key in ("API_KEY", "GITHUB_CLIENT_ID"):
        assert run("secret", "set", key, "--project", mine, stdin=b"v4lue-of-it\n") == (0, "", f"Set {key}.\n")


def test_a_name_that_a_tool_declares_in_capitals_is_that_secret(run: Run, projects: tuple[Path, Path]) -> None:
    mine = str(projects[0])
    assert run("secret", "set", "api_key", "--project", mine, stdin=b"v4lue-of-it\n") == (0, "", "Set api_key.\n")
    assert "missing" not in run("secret", "list", "--project", mine)[1]
