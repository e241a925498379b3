"""Secrets of a test: those that it gives, and nothing of the machine unless it asks for it."""

from pathlib import Path

import pytest

from tests.workbench.testing.cafe import SECRET, new_cafe
from workbench.testing import Client, ToolFailed

TOOL = """
from server_core import Context, tool

@tool(requires_secrets=["KITCHEN_KEY"])
def show_key(context: Context) -> str:
    '''Return it.'''
    return context.get_secret("KITCHEN_KEY")
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a secret in its `.env` file."""
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'kitchen'\n")
    (tmp_path / "kitchen.py").write_text(TOOL)
    (tmp_path / ".env").write_text("KITCHEN_KEY=from-the-file\n")
    return tmp_path


def test_a_secret_that_is_passed_is_available() -> None:
    with Client(new_cafe(), secrets={"KITCHEN_KEY": SECRET}) as client:
        assert client.call("show_key").text == SECRET


def test_a_secret_may_be_set_later() -> None:
    secrets: dict[str, str] = {}
    with Client(new_cafe(), secrets=secrets) as client:
        with pytest.raises(ToolFailed, match=r"KITCHEN_KEY(.|\n)*only those of the fixture `workbench_secrets`"):
            client.call("show_key")
        secrets["KITCHEN_KEY"] = SECRET
        assert client.call("show_key").text == SECRET


def test_the_machine_s_secrets_do_not_leak_in(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KITCHEN_KEY", "from-the-environment")
    with Client(project) as client, pytest.raises(ToolFailed, match="KITCHEN_KEY"):
        client.call("show_key")


def test_the_machine_s_secrets_are_available_on_request(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KITCHEN_KEY", raising=False)
    with Client(project, from_machine=True) as client:
        assert client.call("show_key").text == "from-the-file"
        monkeypatch.setenv("KITCHEN_KEY", "from-the-environment")
        assert client.call("show_key").text == "from-the-environment"


def test_passed_secrets_override_those_of_the_machine(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KITCHEN_KEY", "from-the-environment")
    with Client(project, secrets={"KITCHEN_KEY": SECRET}, from_machine=True) as client:
        assert client.call("show_key").text == SECRET


def test_settings_of_the_machine_do_not_leak_in(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_PAGE_SIZE", "not a number")
    with Client(project, allow_problems=True) as client:
        assert len(client.list_tools()) == 1


def test_the_values_are_in_no_repr() -> None:
    from workbench.testing.server_under_test import ClientOptions

    assert SECRET not in repr(ClientOptions(new_cafe(), {"KITCHEN_KEY": SECRET}))
