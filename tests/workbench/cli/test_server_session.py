"""A person at the terminal who authorizes the workbench with a server."""

import os
import sys
from pathlib import Path

import pytest

from server_core.oauth.browser import AUTHORIZATION_SECONDS
from tests.waiting import within
from tests.workbench.cli.test_line_prompts import END, Terminal, terminal
from workbench.cli import server_session
from workbench.client.session import HANDSHAKE_SECONDS

__all__ = ["terminal"]


@pytest.mark.parametrize(
    ("typed", "agrees"), [("y", True), ("YES", True), ("n", False), ("", False), ("what?", False), (END, False)]
)
async def test_only_a_yes_is_a_yes(terminal: Terminal, typed: str, agrees: bool) -> None:
    terminal.type(typed)
    assert await within(terminal.asker.agrees_to_browser()) is agrees


def test_a_login_asks_nothing_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    with open(os.devnull, "w") as nowhere:
        monkeypatch.setattr(sys, "stderr", nowhere)
        assert server_session.consent_at_terminal() is None
    assert server_session.first_response_timeout(None) == HANDSHAKE_SECONDS


def test_a_person_gets_more_time_than_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    asked = server_session.consent_at_terminal()
    assert asked is not None
    assert server_session.first_response_timeout(asked) == HANDSHAKE_SECONDS + AUTHORIZATION_SECONDS


def test_the_roots_are_the_folder_of_the_project_else_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tea").mkdir()
    tools = tmp_path / "tea" / "tools.py"
    tools.touch()
    monkeypatch.chdir(tmp_path)
    here, tea = (({"uri": folder.as_uri(), "name": folder.name},) for folder in (tmp_path, tmp_path / "tea"))
    assert (server_session.roots(None), server_session.roots(Path("."))) == (here, here)
    assert (server_session.roots(tools), server_session.roots(Path("tea"))) == (tea, tea)
