"""Resources that belong to a toolkit, and those that show its tools to people."""

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from server_core import Context, MCPApp, resource, tool
from server_core.catalog.building.assembly import Assembler
from server_core.catalog.catalog import Catalog
from server_core.catalog.declarations import ATTRIBUTE, declaration_of
from server_core.catalog.naming import Naming
from server_core.catalog.toolkit import Toolkit
from server_core.execution.prompts_and_resources import read_resource
from tests.server_core.ports import FakePort
from tests.tables import each_row

pytestmark = pytest.mark.promises("resources and prompts")
HTML = "text/html;profile=mcp-app"
CONTEXT = Context(FakePort(), 1)


def catalog_of(app: MCPApp) -> Catalog:
    catalog, problems = app.build()
    assert [problem.message for problem in problems] == []
    return catalog


def guide() -> str:
    """How to use it."""
    return "Guide"


def greet(name: str) -> str:
    """Greet a guest."""
    return f"Hello, {name}!"


@pytest.mark.parametrize(
    ("options", "uri", "mime_type"),
    [
        ({"path": "editor.html"}, "ui://ShopTools/1.2.0/editor.html", HTML),
        ({"path": "/a//b/"}, "ui://ShopTools/1.2.0/a/b", HTML),
        (
            {"path": "guide", "scheme": "https", "mime_type": "text/plain"},
            "https://ShopTools/1.2.0/guide",
            "text/plain",
        ),
        ({"path": "guide", "scheme": "docs://"}, "docs://ShopTools/1.2.0/guide", None),
        ({"uri": "ui://own/address"}, "ui://own/address", HTML),
        ({"uri": "docs://own"}, "docs://own", None),
    ],
)
async def test_a_path_becomes_a_uri_within_the_toolkit(
    options: dict[str, Any], uri: str, mime_type: str | None
) -> None:
    app = MCPApp("shop_tools", "1.2")
    app.resource(**options)(guide)
    catalog = catalog_of(app)
    assert {key: resource.mime_type for key, resource in catalog.resources.items()} == {uri: mime_type}
    assert (await read_resource(catalog, uri, CONTEXT))[0]["text"] == "Guide"


def test_without_a_toolkit_the_uri_is_only_the_path() -> None:
    app = MCPApp("shop", toolkit="")
    app.resource(path="editor.html")(guide)
    assert list(catalog_of(app).resources) == ["ui://editor.html"]


async def test_a_resource_may_be_a_file_beside_its_author(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ui.py").write_text(
        "from server_core import resource, tool\n\n"
        "@resource(file='editor.html', title='Editor')\n"
        "def editor() -> None:\n"
        "    '''Edit a greeting.'''\n\n"
        "@tool(ui=editor)\n"
        "def greet() -> str:\n"
        "    '''Greet.'''\n"
        "    return 'hi'\n"
    )
    (tmp_path / "editor.html").write_text("<b>Hi</b>")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "ui", raising=False)
    import ui  # type: ignore[import-not-found]

    app = MCPApp("shop", "2.0.0")
    app.add_tools_from_module(ui)
    catalog = catalog_of(app)
    uri = "ui://Shop/2.0.0/editor.html"
    assert catalog.resources[uri].definition == {
        "uri": uri,
        "name": "editor",
        "title": "Editor",
        "description": "Edit a greeting.",
        "mimeType": HTML,
    }
    assert catalog.resources[uri].watch == (str(tmp_path / "editor.html"),)
    assert await read_resource(catalog, uri, None) == [{"uri": uri, "mimeType": HTML, "text": "<b>Hi</b>"}]
    assert catalog.tools["Shop_Greet"].definition["_meta"] == {"ui": {"resourceUri": uri}}
    monkeypatch.delitem(sys.modules, "ui")


def test_the_ui_of_a_tool_is_offered_with_it_in_its_toolkit() -> None:
    editor = resource(path="editor.html")(guide)
    try:
        for app in (MCPApp("shop"), MCPApp("cafe", "2.0.0")):
            app.tool(ui=editor)(greet)
            app.tool(name="other", ui=declaration_of(editor))(greet)
            catalog = catalog_of(app)
            (uri,) = catalog.resources
            assert uri == f"ui://{app.toolkit.pascal_name}/{app.version}/editor.html"
            assert [tool.ui for tool in catalog.tools.values()] == [uri, uri]
    finally:
        del vars(editor)[ATTRIBUTE]


def test_tools_of_no_app_are_shown_in_the_toolkit_that_they_are_given() -> None:
    shown = declaration_of(resource(path="editor.html")(lambda: ""))
    shows = declaration_of(tool(name="greet", desc="D.", ui=shown)(lambda: ""))
    assert shown is not None
    assert shows is not None
    for naming, prefix in ((Naming(), "ui:/"), (Naming(Toolkit("my_kit", "3.1.0")), "ui://MyKit/3.1.0")):
        catalog, problems = Assembler(naming).assemble([shown, shows])
        assert not problems
        assert list(catalog.resources) == [f"{prefix}/editor.html"]
        assert [tool.ui for tool in catalog.tools.values()] == [f"{prefix}/editor.html"]


def test_a_tool_may_name_the_uri_itself() -> None:
    app = MCPApp("shop")
    app.tool(ui="ui://elsewhere/editor.html")(greet)
    catalog = catalog_of(app)
    assert catalog.tools["Shop_Greet"].ui == "ui://elsewhere/editor.html"
    assert not catalog.resources


def test_all_resources_of_a_module_are_added_with_its_tools() -> None:
    module = ModuleType("kit")
    for function in (resource(path="guide", scheme="https")(lambda: "G"), tool(name="greet", desc="D.")(lambda: "")):
        function.__module__ = "kit"
        setattr(module, f"f{id(function)}", function)
    app = MCPApp("shop")
    app.add_tools_from_module(module)
    assert list(catalog_of(app).resources) == ["https://Shop/0.1.0/guide"]


@pytest.mark.parametrize("key", ["editor.html", "ui://Shop/0.1.0/editor.html"])
def test_a_resource_of_a_toolkit_is_removed_by_its_path_or_its_uri(key: str) -> None:
    app = MCPApp("shop")
    app.resource(path="editor.html")(lambda: "")
    app.resources.remove(key)
    assert app.declarations == ()


@each_row(
    ("options", "message"),
    [
        ({}, "It has neither a URI nor a path."),
        ({"path": "//"}, "It has neither a URI nor a path."),
        ({"path": "a/../b"}, "The path 'a/../b' leads out of the toolkit."),
        ({"uri": "a://b", "path": "b"}, "It has both a URI and a path."),
        ({"uri": "a://b", "file": "b"}, "It has both a URI and a path."),
    ],
)
def test_a_path_that_makes_no_uri_is_a_problem(options: dict[str, Any], message: str) -> None:
    app = MCPApp("shop")
    app.resource(**options)(lambda: "")
    assert any(message in item.message and item.severity == "error" for item in app.build()[1])
