"""The page for authors who come from Arcade is correct: its imports exist, and its command works."""

import re
import shutil
import subprocess
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.tables import each_row
from tests.test_documents import DOCS, commands

PAGE = DOCS / "arcade.md"
IMPORTS = [
    (theirs, names, ours)
    for theirs, names, ours in re.findall(
        r"^\| `(arcade_[\w.]+)` \| (.+?) \| `(server_core[\w.]*)` \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE
    )
]
THEIRS = """\
import arcade_mcp_server
from arcade_mcp_server import Context, MCPApp
from arcade_mcp_server.auth import (
    Reddit,
)
    from arcade_tdk.errors import RetryableToolError
from arcade_mcp_server.mcp_app import TransportType
from arcade_mcp_server.context import Context
from arcade_mcp_server.resource_server.base import ResourceOwner
from arcade_mcp_server.middleware.base import Middleware
from arcade_core.catalog import ToolCatalog
from arcade_core.annotations import Inferrable
from arcade_core.schema import ToolSecretItem
from arcade_tdk.tool import tool
from arcade_tdk.error_adapters.base import ErrorAdapter
from arcade_tdk.providers.http.error_adapter import HTTPErrorAdapter
from arcade.sdk import ToolContext
from arcade.sdk.auth import Google
from arcade.core.errors import ToolExecutionError
from arcade import Window
text = "arcade_mcp_server"
"""
OURS = """\
import server_core
from server_core import Context, MCPApp
from server_core.auth import (
    Reddit,
)
    from server_core.errors import RetryableToolError
from server_core import TransportType
from server_core import Context
from server_core.resource_server import ResourceOwner
from server_core.middleware import Middleware
from server_core import ToolCatalog
from server_core import Inferrable
from server_core.schema import ToolSecretItem
from server_core import tool
from server_core.error_adapters import ErrorAdapter
from server_core.error_adapters import HTTPErrorAdapter
from server_core import ToolContext
from server_core.auth import Google
from server_core.errors import ToolExecutionError
from arcade import Window
text = "arcade_mcp_server"
"""


def place(path: str) -> Any:
    """Return the module of this name, or what is in one."""
    try:
        return import_module(path)
    except ModuleNotFoundError:
        module, _, name = path.rpartition(".")
        return getattr(import_module(module), name)


def test_there_are_imports_for_each_package() -> None:
    assert {theirs.partition(".")[0] for theirs, _, _ in IMPORTS} == {"arcade_mcp_server", "arcade_tdk", "arcade_core"}
    assert len(IMPORTS) > 30


@each_row(("theirs", "names", "ours"), IMPORTS, ids=[f"{row[0]}-{row[2]}" for row in IMPORTS])
def test_all_documented_imports_exist(theirs: str, names: str, ours: str) -> None:
    module = place(ours)
    assert [name for name in re.findall(r"`(\w+)`", names) if not hasattr(module, name)] == []


@pytest.mark.skipif(shutil.which("sed") is None, reason="there is no sed")
def test_the_command_changes_the_import_lines_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text(THEIRS)
    (command,) = [words for words in commands(PAGE) if words[0] == "sed"]
    subprocess.run(command, cwd=tmp_path, check=True)
    assert (tmp_path / "server.py").read_text() == OURS
