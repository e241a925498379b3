"""Arcade's functions that serve without an app of the author's."""

import sys
from pathlib import Path

import pytest

from server_core import ToolCatalog, create_arcade_mcp, run_arcade_mcp
from server_core.transports.http_client.http_client import HttpChannel
from tests.commands import serving_http
from tests.waiting import within
from workbench.client.session import ClientSession

pytestmark = pytest.mark.promises("app")

TOOLS = '''
from server_core import tool


@tool
def greet(name: str) -> str:
    """Greet a guest."""
    return f"Hello, {name}"
'''
RUN = "from server_core import run_arcade_mcp; run_arcade_mcp(port=0)"


async def test_the_tools_of_the_working_directory_are_served_over_http(tmp_path: Path) -> None:
    folder = tmp_path / "cafe"
    folder.mkdir()
    (folder / "greeting.py").write_text(TOOLS)
    with serving_http([sys.executable, "-c", RUN], tmp_path, cwd=folder) as url:
        session = await within(ClientSession.open(HttpChannel(url)))
        result = await within(session.call_tool("greet", {"name": "Ada"}).result())
        await within(session.close())
    assert result["content"] == [{"type": "text", "text": "Hello, Ada"}]


def test_a_server_that_cannot_begin_ends_with_an_exit_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        run_arcade_mcp(host="203.0.113.1")
    assert ended.value.code


def test_an_argument_that_there_is_not_is_refused() -> None:
    with pytest.raises(TypeError, match="arcade_key"):
        create_arcade_mcp(ToolCatalog(), arcade_key="key")
