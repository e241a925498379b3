"""`workbench call --persona`: a tool is called as another client would call it."""

from pathlib import Path

import pytest

from tests.small_project import small_project
from tests.workbench.cli.conftest import Run
from workbench.testing import Client

TOOLS = """
from server_core import Context, tool


@tool
def client(context: Context) -> str:
    return " ".join([str(context.client.info.get("name")), *sorted(context.client.capabilities)])
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    small_project(tmp_path)
    (tmp_path / "asking.py").write_text(TOOLS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_server_sees_the_client_that_the_persona_is(project: Path, run: Run) -> None:
    assert run("call", "client", "--persona", "cursor")[1] == "cursor-vscode elicitation roots\n"
    assert run("call", "client", "--persona", "minimal", "--era", "modern")[1] == "minimal\n"
    assert run("call", "client")[1].startswith("workbench elicitation")


def test_a_persona_of_the_project_is_used_and_a_wrong_name_is_an_error(project: Path, run: Run) -> None:
    (project / "workbench.yaml").write_text("personas:\n  mine: {client: {name: me}, capabilities: {sampling: {}}}\n")
    assert run("call", "client", "--persona", "mine")[1] == "me sampling\n"
    code, _, err = run("call", "client", "--persona", "mein")
    assert code == 2
    assert "--persona: there is no persona 'mein'; did you mean mine?" in err


def test_a_test_calls_as_a_persona(project: Path) -> None:
    with Client(project, persona="vscode", allow_problems=True) as client:
        assert client.call("client").text == "Visual Studio Code elicitation roots sampling"
