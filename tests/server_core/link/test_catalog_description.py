"""How tools are described to terminals, which get more than clients."""

from pathlib import Path

from server_core.core import Core
from server_core.link.catalog_description import describe_catalog
from tests.waiting import within

TOOLS = """
from server_core import tool
from server_core.auth import GitHub

@tool(requires_auth=GitHub(), requires_secrets=["PIN"], requires_metadata=["team"], timeout=2, retries=3, ui="ui://x")
def all_of_it() -> str:
    "Want everything."
    return ""

@tool
def nothing() -> str:
    "Want nothing."
    return ""
"""
EXECUTION_KEYS = ("secrets", "account", "metadata_keys", "timeout", "retries", "ui")


async def test_the_needs_and_options_of_a_tool_are_described(tmp_path: Path) -> None:
    (tmp_path / "tools.py").write_text(TOOLS)
    core = Core(project=tmp_path, link=False, capture=False)
    await core.start()
    try:
        await within(core.wait_loaded())
        tool, other = describe_catalog(core.identity, core.generation)["tools"]
        assert [tool[key] for key in EXECUTION_KEYS] == [["PIN"], "github", ["team"], 2, 3, "ui://x"]
        assert [other[key] for key in EXECUTION_KEYS] == [[], None, [], None, 0, None]
    finally:
        await within(core.stop())
